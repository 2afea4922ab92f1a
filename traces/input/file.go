package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file that a user has named. It must be a regular file: a pipe may make
// the caller wait forever, and a device may never end; neither is opened.
// Errors are *fs.PathError.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("this is a folder")}
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("this is not a regular file")}
	}
	return os.Open(path)
}

// Read reads a file that a user has named and that has at most bytesMax bytes.
// Errors are those of Open, and *fs.PathError for a longer file.
func Read(path string, bytesMax int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, bytesMax+1))
	if err == nil && int64(len(data)) > bytesMax {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("this file has more than %s", sizeText(bytesMax))}
	}
	return data, err
}

// Argument reads a file that stands in a command line as Read does, or standard input for "-", and returns what it is called in errors. What it
// names is beside it, for standard input in the working folder.
func Argument(path string, bytesMax int64) (data []byte, name string, err error) {
	if path != StandardInput {
		data, err = Read(path, bytesMax)
		return data, path, err
	}
	data, err = io.ReadAll(io.LimitReader(os.Stdin, bytesMax+1))
	if err == nil && int64(len(data)) > bytesMax {
		err = fmt.Errorf("it has more than %s", sizeText(bytesMax))
	}
	return data, StandardInputName, err
}

// sizeText is a number of bytes for people.
func sizeText(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
