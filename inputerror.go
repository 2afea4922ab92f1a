package starloom

import (
	"errors"
	"fmt"
	"io/fs"

	"starloom/cosim"
)

// InputError says that something the user gave cannot be used: where it is, what
// is wrong with it and what to do. The command line ends with exit status 2.
type InputError = cosim.InputError

// ToolError says that a program that Starloom runs, a compiler, a converter or a
// simulator, has failed, hung or was killed. The command line ends with exit status 4.
type ToolError = cosim.ToolError

// fileError turns an error of the operating system into one about the user's
// file: the place is the file, so the path is not said twice.
func fileError(path string, err error, remedy string) *InputError {
	return &InputError{Place: path, Reason: fmt.Sprintf("cannot be read: %v", withoutPath(err)), Remedy: remedy}
}

// withoutPath is an error of the operating system without the path.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}
