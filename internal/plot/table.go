package plot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"starloom/traces/input"
)

const bytesMax = 1 << 30

// Table is a CSV file with a header.
type Table struct {
	Path    string
	Columns []string
	Axes    []string // axes of a sweep: the columns before runs or seed; nil without either
	rows    [][]string
}

// Read reads a table, or the table ofFolder in the folder of a sweep. Errors are *input.Error.
func Read(path, ofFolder string) (*Table, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, ofFolder)
	}
	data, path, err := input.Argument(path, bytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, "give a CSV file with a header, or the folder that a sweep has written: "+
			"starloom sweep FILE --out DIR")
	}
	t := &Table{Path: path}
	err = input.Table(path, data, "give a CSV file with a header, such as results.csv of a sweep",
		func(head []string) error {
			t.Columns = slices.Clone(head)
			return nil
		}, func(_ int, row []string) error {
			t.rows = append(t.rows, slices.Clone(row))
			return nil
		})
	switch {
	case err != nil:
		return nil, err
	case len(t.rows) == 0:
		return nil, input.Mistake(path, "the table has no rows", "give a CSV file with a header and rows")
	}
	for i, name := range t.Columns {
		if slices.Contains(t.Columns[:i], name) {
			return nil, input.Mistake(path+":1", fmt.Sprintf("two columns are called %q", name), "give each its own name")
		}
	}
	for _, end := range []string{"runs", "seed"} {
		if at := slices.Index(t.Columns, end); at > 0 {
			t.Axes = t.Columns[:at]
			break
		}
	}
	return t, nil
}

// line returns the place of a row for errors. Cells of numbers have no line breaks.
func (t *Table) line(row int) string { return fmt.Sprintf("%s:%d", t.Path, row+2) }

// Metrics lists the figures M of a sweep, from the columns M.mean.
func (t *Table) Metrics() (names []string) {
	for _, c := range t.Columns {
		if m, ok := strings.CutSuffix(c, ".mean"); ok && slices.Contains(t.Columns, m+".low") {
			names = append(names, m)
		}
	}
	return names
}

// column returns the index of a named column. A figure of a sweep, named with or without .mean, is its mean with the
// columns of its interval; low and high are -1 otherwise.
func (t *Table) column(option, name string) (value, low, high int, err error) {
	if figure, ok := strings.CutSuffix(name, ".mean"); ok && slices.Contains(t.Metrics(), figure) &&
		!slices.Contains(t.Columns, figure) {
		name = figure
	}
	if at := slices.Index(t.Columns, name); at >= 0 {
		return at, -1, -1, nil
	}
	if at := slices.Index(t.Columns, name+".mean"); at >= 0 && slices.Contains(t.Metrics(), name) {
		return at, slices.Index(t.Columns, name+".low"), slices.Index(t.Columns, name+".high"), nil
	}
	known := t.Columns
	if m := t.Metrics(); m != nil {
		known = append(slices.Clone(t.Axes), m...)
	}
	return 0, 0, 0, input.Mistake(option, fmt.Sprintf("%s has no column %q", t.Path, name),
		input.DidYouMean(name, known, "there are "+strings.Join(known, ", ")))
}

// MixedUnits is the error for a figure in several units.
type MixedUnits struct{ Input *input.Error }

// Unwrap returns the *input.Error.
func (m *MixedUnits) Unwrap() error { return m.Input }

func (m *MixedUnits) Error() string { return m.Input.Error() }

// number returns the number in a cell. there is false for an empty cell and for "-".
func (t *Table) number(row, column int) (value float64, there bool, err error) {
	text := strings.TrimSpace(t.rows[row][column])
	if text == "" || text == "-" {
		return 0, false, nil
	}
	if value, err = strconv.ParseFloat(text, 64); err != nil {
		return 0, false,
			&input.Error{Place: t.line(row), Reason: fmt.Sprintf("%s is %q", t.Columns[column], text),
				Remedy: "name a column of numbers"}
	}
	return value, true, nil
}

// Rows returns the cells by row. The caller must not change them.
func (t *Table) Rows() [][]string { return t.rows }

// Varies reports whether the values of the named column differ.
func (t *Table) Varies(name string) bool {
	at := slices.Index(t.Columns, name)
	return at >= 0 && t.varies(at)
}

func (t *Table) varies(column int) bool {
	for _, row := range t.rows {
		if row[column] != t.rows[0][column] {
			return true
		}
	}
	return false
}

// keep drops the rows that do not match COLUMN=VALUE.
func (t *Table) keep(where string) error {
	name, value, ok := strings.Cut(where, "=")
	if !ok {
		return &input.Error{Place: "--where " + where, Reason: "this is not of the form COLUMN=VALUE",
			Remedy: "write --where COLUMN=VALUE: --where arbiter=fixed"}
	}
	column := slices.Index(t.Columns, name)
	if column < 0 {
		return &input.Error{Place: "--where " + where, Reason: fmt.Sprintf("%s has no column %q", t.Path, name),
			Remedy: input.RemedyOf(name, t.Columns)}
	}
	var kept [][]string
	var values []string
	for _, row := range t.rows {
		if row[column] == value {
			kept = append(kept, row)
		}
		if !slices.Contains(values, row[column]) {
			values = append(values, row[column])
		}
	}
	if kept == nil {
		return input.Mistake("--where "+where, fmt.Sprintf("no row has %s", where), input.RemedyOf(value, values))
	}
	t.rows = kept
	return nil
}
