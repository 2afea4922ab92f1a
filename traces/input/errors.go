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

// ErrorsMax is how many mistakes are named at once.
const ErrorsMax = 20

// Errors are all that is wrong with what a user gave: each with its place, and what to do.
type Errors struct {
	List []*Error
	More int // beyond those of List

	taken map[Error]bool // those of List
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

// Unwrap returns the mistakes one by one.
func (m *Errors) Unwrap() (all []error) {
	for _, e := range m.List {
		all = append(all, e)
	}
	return all
}

// Take adds what an error holds, unless it is there already, and reports whether that is mistakes of a user.
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

// Add adds a mistake: it keeps the first ones and counts the others.
func (m *Errors) Add(err error) {
	if len(m.List) >= ErrorsMax {
		m.More++
		return
	}
	m.Take(err)
}

// Quote is a text of a file that has no head to say what it is: the first mistake alone quotes it, since a stranger's scenario may name any file.
func (m *Errors) Quote(text string) string {
	if len(m.List) > 0 {
		return "what stands here"
	}
	return strconv.Quote(Clip(text))
}

// lineOf is the end of a place in a file.
var lineOf = regexp.MustCompile(`^(.*):(\d+):(\d+)$`)

// Err is nil for none, the *Error if it is one, else the first ErrorsMax of all: file by file, in the order of lines.
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

// Error says that something the user gave cannot be used: where it is, what is wrong
// with it and what to do.
type Error struct {
	Place  string // "file.yaml:7:12", "arbiter.v:7:12", "run.vcd:120", "--slots"
	Reason string // what is wrong, with the value that was found
	Remedy string // what is allowed, or what to do
	Cause  error  // that the reason tells, nil for none
}

// Error returns "place: reason; remedy", in one line.
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

// Unwrap returns the cause, so that a full disk is known as one.
func (e *Error) Unwrap() error { return e.Cause }

// Mistake is the error for bad input at a place: what is wrong there, and what to do about it.
func Mistake(place, reason, remedy string) *Error {
	return &Error{Place: place, Reason: reason, Remedy: remedy}
}

// Refused says that what the user gave at a place has led to an error.
func Refused(place string, err error, remedy string) *Error {
	return &Error{Place: place, Reason: err.Error(), Remedy: remedy, Cause: err}
}

// Unreadable turns an error of the operating system into one about the user's file, its place.
func Unreadable(path string, err error, remedy string) *Error {
	return &Error{Place: path, Reason: fmt.Sprintf("cannot be read: %v", WithoutPath(err)), Remedy: remedy, Cause: err}
}

// WithoutPath is an error of the operating system without the path.
func WithoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	var linkError *os.LinkError // of two paths
	if errors.As(err, &linkError) {
		return linkError.Err
	}
	return err
}

// Clip shortens what an error quotes of a file, which may be another one than is meant: the beginning of its first line.
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

// ToolError says that a program that Starloom runs has failed, hung or was killed: a
// compiler, a converter or a simulator. Neither the RTL nor Starloom is known to be at
// fault. The command line ends with exit status 4.
type ToolError struct {
	Tool   string // "clang++", "vvp"
	Place  string // what it was working on: "arbiter.v: arbiter"
	Reason string // how it ended
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
