// Package input reads user input and defines its error type, for files, options, scenarios, maps, RTL and waveforms.
// Code creates an Error where it detects a mistake, and callers return it unchanged. The command line recognises the
// type and exits with status 2.
//
//	run.vcd:120      | found "#-1"    | give a VCD that ...
//	place:             reason;          remedy
//
// The package imports no other package of Starloom, so every package may import it. Its types are starloom.InputError
// and starloom.InputErrors in the Go API.
//
// A ToolError reports a failure of an external program; the exit status is 4.
package input

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrorsMax is the maximum number of listed mistakes.
const ErrorsMax = 20

// Errors is a list of mistakes in user input, each with place and remedy.
type Errors struct {
	List []*Error
	More int // number of mistakes beyond List

	taken map[Error]bool // mistakes in List
}

func (m *Errors) Error() string {
	lines := make([]string, 0, len(m.List)+1)
	for _, e := range m.List {
		lines = append(lines, e.Error())
	}
	if m.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", m.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the listed mistakes.
func (m *Errors) Unwrap() (all []error) {
	for _, e := range m.List {
		all = append(all, e)
	}
	return all
}

// Take adds the mistakes in err, without duplicates. It reports whether err contains any.
func (m *Errors) Take(err error) bool {
	var several *Errors
	var one *Error
	switch {
	case errors.As(err, &several):
		for _, e := range several.List {
			m.Take(e)
		}
		m.More += several.More
	case !errors.As(err, &one):
		return false
	case !m.taken[*one]:
		if m.taken == nil {
			m.taken = map[Error]bool{}
		}
		m.taken[*one] = true
		m.List = append(m.List, one)
	}
	return true
}

// Add adds a mistake, or only counts it if List is full.
func (m *Errors) Add(err error) {
	if len(m.List) >= ErrorsMax {
		m.More++
		return
	}
	m.Take(err)
}

// Quote quotes text from a file of unknown type, in the first mistake only. A scenario from an untrusted source may
// name any file, so messages quote little of its contents.
func (m *Errors) Quote(text string) string {
	if len(m.List) > 0 {
		return "what stands here"
	}
	return strconv.Quote(Clip(text))
}

var lineOf = regexp.MustCompile(`^(.*):(\d+):(\d+)$`)

// Err returns nil without a mistake, the *Error of a single mistake, otherwise m sorted by file and line.
func (m *Errors) Err() error {
	switch {
	case len(m.List) == 0:
		return nil
	case len(m.List) == 1 && m.More == 0:
		return m.List[0]
	}
	type place struct{ file, line, column int }
	files, at := map[string]int{}, map[*Error]place{}
	for _, e := range m.List {
		parts := lineOf.FindStringSubmatch(e.Place)
		if parts == nil {
			parts = []string{"", e.Place, "0", "0"}
		}
		if _, known := files[parts[1]]; !known {
			files[parts[1]] = len(files)
		}
		line, _ := strconv.Atoi(parts[2])
		column, _ := strconv.Atoi(parts[3])
		at[e] = place{files[parts[1]], line, column}
	}
	all := &Errors{List: slices.Clone(m.List), More: m.More}
	slices.SortStableFunc(all.List, func(a, b *Error) int {
		x, y := at[a], at[b]
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line), cmp.Compare(x.column, y.column))
	})
	if beyond := len(all.List) - ErrorsMax; beyond > 0 {
		all.List, all.More = all.List[:ErrorsMax], all.More+beyond
	}
	return all
}

// Error reports unusable user input: its place, reason and remedy.
type Error struct {
	Place  string // "file.yaml:7:12", "arbiter.v:7:12", "run.vcd:120", "--slots"
	Reason string // the mistake, with the value found
	Remedy string // allowed values, or an instruction
	Cause  error  // underlying error, nil for none
}

// Error returns "place: reason; remedy" on one line.
func (e *Error) Error() string {
	text := e.Reason
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return Printable(text)
}

// Unwrap returns the cause, for example a full disk.
func (e *Error) Unwrap() error { return e.Cause }

// Mistake returns an Error without a cause.
func Mistake(place, reason, remedy string) *Error {
	return &Error{Place: place, Reason: reason, Remedy: remedy}
}

// Refused returns an Error for input at place, with err as the cause.
func Refused(place string, err error, remedy string) *Error {
	return &Error{Place: place, Reason: err.Error(), Remedy: remedy, Cause: err}
}

// Unreadable converts an error of the operating system to an Error at path.
func Unreadable(path string, err error, remedy string) *Error {
	return &Error{Place: path, Reason: fmt.Sprintf("cannot be read: %v", WithoutPath(err)), Remedy: remedy, Cause: err}
}

// WithoutPath removes the path from an error of the operating system.
func WithoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	var linkError *os.LinkError // two paths
	if errors.As(err, &linkError) {
		return linkError.Err
	}
	return err
}

// Clip shortens text quoted from a file to the beginning of the first line, because the file may not be the intended
// one.
func Clip(text string) string {
	const most = 60
	first, _, several := strings.Cut(text, "\n")
	if len(first) > most {
		first, several = strings.ToValidUTF8(first[:most], ""), true
	}
	if several {
		first += "..."
	}
	return first
}

// ToolError reports that an external program (compiler, converter, simulator) has failed, has hung or was killed. The
// cause may lie outside Starloom and the RTL. The command line exits with status 4.
type ToolError struct {
	Tool   string // "clang++", "vvp"
	Place  string // input of the tool: "arbiter.v: arbiter"
	Reason string // how the tool ended
	Remedy string
	Err    error // may be nil
}

// Error returns "place: tool: reason; remedy".
func (e *ToolError) Error() string {
	text := fmt.Sprintf("%s: %s", e.Tool, e.Reason)
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }
