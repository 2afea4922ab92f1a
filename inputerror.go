package starloom

import (
	"errors"
	"fmt"
	"io/fs"
)

// InputError says that something the user gave cannot be used: where it is, what
// is wrong with it and what to do. The command line ends with exit status 2.
type InputError struct {
	Place  string // "file.yaml:7:12", "file.wasm", "--slots"
	Reason string // what is wrong, with the value that was found
	Remedy string // what is allowed, or what to do
}

// Error returns "place: reason; remedy".
func (e *InputError) Error() string {
	text := e.Reason
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// fileError turns an error of the operating system into one about the user's
// file: the place is the file, so the path is not said twice.
func fileError(path string, err error, remedy string) *InputError {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return &InputError{Place: path, Reason: fmt.Sprintf("cannot be read: %v", err), Remedy: remedy}
}
