package input

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// CSV returns a reader of CSV data; it skips a byte order mark.
func CSV(data []byte) *csv.Reader {
	return csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
}

// Separator returns an error for a line with separators other than commas, nil for commas. fields are the fields of
// the line.
func Separator(place string, fields []string) *Error {
	if len(fields) != 1 {
		return nil
	}
	for _, mark := range []struct{ text, name string }{{";", "semicolons (;)"}, {"\t", "tabs"}, {"|", "bars (|)"}} {
		if strings.Contains(fields[0], mark.text) {
			return Mistake(place, "the columns are separated by "+mark.name, "separate them with commas")
		}
	}
	return nil
}

// Table parses CSV with a header row. head receives the header, then row receives each row. A row must have as many
// fields as the header. An error from head ends the reading; errors from row are collected. Fields are valid until
// the next row.
func Table(path string, data []byte, remedy string, head func(fields []string) error,
	row func(line int, fields []string) error) error {
	in, wrong := CSV(data), &Errors{}
	in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = -1, true, true
	fields, err := in.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		return NotCSV(path, err, remedy)
	}
	if e := Separator(path+":1:1", fields); e != nil {
		return e
	}
	if err := head(fields); err != nil {
		return err
	}
	for count := len(fields); ; {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return wrong.Err()
		}
		if err != nil { // a syntax error leaves the start of the next row unknown
			wrong.Add(NotCSV(path, err, remedy))
			return wrong.Err()
		}
		line, _ := in.FieldPos(0)
		if len(fields) != count {
			err = Mistake(fmt.Sprintf("%s:%d:1", path, line),
				fmt.Sprintf("the row has %d fields, but the header row has %d", len(fields), count), remedy)
		} else {
			err = row(line, fields)
		}
		if err != nil {
			wrong.Add(err)
		}
	}
}

// NotCSV converts an error of a CSV reader, with line and column.
func NotCSV(path string, err error, remedy string) *Error {
	e := Mistake(path, err.Error(), remedy)
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		e.Place, e.Reason = fmt.Sprintf("%s:%d:%d", path, parse.Line, parse.Column), parse.Err.Error()
	}
	return e
}
