package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

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

// Refused says that what the user gave at a place has led to an error.
func Refused(place string, err error, remedy string) *Error {
	return &Error{Place: place, Reason: err.Error(), Remedy: remedy, Cause: err}
}

// Unreadable turns an error of the operating system into one about the user's file:
// the place is the file, so the path is not said twice.
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
