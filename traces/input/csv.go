package input

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
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
	in, wrong := rowsOf(data), &Errors{}
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
		line := in.Line()
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

// rows yields the rows of a table, without spaces before fields and without empty lines. Fields are valid until the
// next row.
type rows interface {
	Read() (fields []string, err error)
	Line() int // line of the last row
}

func rowsOf(data []byte) rows {
	if bytes.IndexByte(data, '"') < 0 {
		return &plainRows{text: strings.TrimPrefix(string(data), "\ufeff")}
	}
	in := CSV(data)
	in.FieldsPerRecord, in.TrimLeadingSpace, in.ReuseRecord = -1, true, true
	return quotedRows{in}
}

type quotedRows struct{ *csv.Reader }

func (r quotedRows) Line() int {
	line, _ := r.FieldPos(0)
	return line
}

// plainRows are rows without quotes, several times faster than quotedRows.
type plainRows struct {
	text   string // rest
	line   int
	fields []string
}

func (r *plainRows) Line() int { return r.line }

func (r *plainRows) Read() (fields []string, err error) {
	for r.text != "" {
		r.line++
		line, rest, _ := strings.Cut(r.text, "\n")
		r.text = rest
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			continue
		}
		r.fields = r.fields[:0]
		for more := true; more; {
			var field string
			field, line, more = strings.Cut(line, ",")
			if field != "" && (field[0] <= ' ' || field[0] >= utf8.RuneSelf) {
				field = strings.TrimLeftFunc(field, unicode.IsSpace)
			}
			r.fields = append(r.fields, field)
		}
		return r.fields, nil
	}
	return nil, io.EOF
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
