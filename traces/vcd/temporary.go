package vcd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"starloom/traces"
	"starloom/traces/input"
)

// source is where a Reader gets its VCD from.
type source interface {
	io.ReadCloser
	Progress() (read, size int64)
	converted() *leftOut // nil if not from an FST
}

func unreadable(path string, err error) error {
	var known *input.Error
	if errors.As(err, &known) {
		return known
	}
	return input.Unreadable(path, err, "give the path of a VCD or an FST, or - for standard input")
}

func keep(s io.Reader, name string) (*traces.Temporary, error) {
	temp, err := traces.NewTemporary("starloom-*.wave")
	if err != nil {
		return nil, noRoom(name, err)
	}
	if _, err := io.Copy(temp, s); err != nil {
		temp.Remove()
		var known *input.Error
		if errors.As(err, &known) {
			return nil, known
		}
		return nil, noRoom(name, err)
	}
	return temp, nil
}

func noRoom(name string, err error) error {
	return &input.Error{
		Place:  name,
		Reason: fmt.Sprintf("it cannot be kept in %s for the time of the work: %v", os.TempDir(), input.WithoutPath(err)),
		Remedy: "free space there, set TMPDIR to another folder, or give a file",
		Cause:  err,
	}
}
