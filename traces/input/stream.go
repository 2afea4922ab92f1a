package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// StandardInput is the path that stands for standard input.
const StandardInput = "-"

// StandardInputName is what it is called in errors. It is a file name without a folder, so that what stands there is beside the working folder.
const StandardInputName = "standard input"

// Stream is a file that a user has named, or standard input, from its beginning to its end. What is
// packed with gzip is unpacked.
type Stream struct {
	Name   string // for messages
	Path   string // of a file that is as it is read, not packed; else ""
	Packed bool

	in   *bufio.Reader
	file *os.File
	from counter // what has been read of the file, packed or not
	size int64
}

type counter struct {
	from  io.Reader
	count int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.count += int64(n)
	return n, err
}

const (
	// peekBytes is how much Peek shows; longer reads pass this buffer by.
	peekBytes = 512
	// packedBytes is how much of a packed file is read at once.
	packedBytes = 64 << 10
	gzipMagic   = "\x1f\x8b"
)

// OpenStream opens a file as Open does, or standard input for "-". Errors are *fs.PathError, and *Error about
// what is packed.
func OpenStream(path string) (*Stream, error) {
	if path == StandardInput {
		return newStream(os.Stdin, path, StandardInputName)
	}
	return OpenStreamAs(path, path)
}

// OpenStreamAs is OpenStream for a file that has another name in messages.
func OpenStreamAs(path, name string) (*Stream, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	return newStream(file, path, name)
}

func newStream(file *os.File, path, name string) (*Stream, error) {
	s := &Stream{Name: name, file: file, from: counter{from: file}}
	if path != StandardInput {
		s.Path = path
		info, err := file.Stat()
		if err != nil {
			_ = s.Close()
			return nil, err
		}
		s.size = info.Size()
	}
	s.in = bufio.NewReaderSize(&s.from, peekBytes)
	if !bytes.HasPrefix(s.Peek(), []byte(gzipMagic)) {
		return s, nil
	}
	unpacked, err := gzip.NewReader(bufio.NewReaderSize(s.in, packedBytes))
	if err != nil {
		_ = s.Close()
		return nil, Mistake(name, damaged(err), remedyPacked)
	}
	s.Path, s.Packed = "", true
	s.in = bufio.NewReaderSize(unpacked, peekBytes)
	return s, nil
}

const remedyPacked = "pack the file again, or copy it again"

func damaged(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it is packed with gzip, and its end is cut off"
	}
	return fmt.Sprintf("it is packed with gzip, and damaged: %v", err)
}

// Peek returns the first bytes, fewer than it could if there are no more. Nothing is taken. It is of use
// before the first Read.
func (s *Stream) Peek() []byte {
	first, _ := s.in.Peek(peekBytes) // Read meets the error, too
	return first
}

// Read reads on. What is packed and damaged is an *Error.
func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err != nil && s.Packed && !errors.Is(err, io.EOF) {
		err = Mistake(s.Name, damaged(err), remedyPacked)
	}
	return n, err
}

// Progress returns how many bytes of the file have been read, and how many there are; 0 when that is not known.
func (s *Stream) Progress() (read, size int64) { return s.from.count, s.size }

// Close closes a file; standard input stays open.
func (s *Stream) Close() error {
	if s.file == os.Stdin {
		return nil
	}
	return s.file.Close()
}

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
