package input

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
)

// CSV reads what stands in a file, without the mark of its encoding that some programs begin it with.
func CSV(data []byte) *csv.Reader {
	return csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
}

// NotCSV is an error of CSV's reader, at its line and column.
func NotCSV(path string, err error, remedy string) *Error {
	e := &Error{Place: path, Reason: err.Error(), Remedy: remedy}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Place, e.Reason = fmt.Sprintf("%s:%d:%d", path, parse.Line, parse.Column), parse.Err.Error()
	}
	return e
}
