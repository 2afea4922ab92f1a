package systemtest

import (
	"errors"
	"fmt"
	"starloom"
	"strings"
	"testing"
)

// UnexpectedError is an error that no input may cause.
type UnexpectedError struct{ error }

// Unexpected marks an internal error that no input may cause.
func Unexpected(err error) error { return UnexpectedError{err} }

// Refused returns err if it is a user error of one line whose place begins with prefix. For several errors of a
// netlist, each must be such an error. Otherwise it returns an UnexpectedError.
func Refused(prefix string, err error) error {
	var several *starloom.InputErrors
	if errors.As(err, &several) && len(several.List) > 1 {
		for _, e := range several.List {
			if errors.As(Refused(prefix, e), new(UnexpectedError)) {
				return Unexpected(err)
			}
		}
		return err
	}
	var bad *starloom.InputError
	switch {
	case !errors.As(err, &bad):
		return Unexpected(fmt.Errorf("%T: %w", err, err))
	case bad.Place == "", bad.Reason == "", bad.Remedy == "", !strings.HasPrefix(bad.Place, prefix), strings.Contains(err.Error(), "\n"):
		return Unexpected(fmt.Errorf("an error without place, reason or remedy, or of more than one line: %#v", bad))
	}
	return err
}

// RequireExpected fails for an unexpected error.
func RequireExpected(t *testing.T, err error) {
	if errors.As(err, new(UnexpectedError)) {
		t.Fatal(err)
	}
}
