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

// StandardInput is the path of standard input.
const StandardInput = "-"

// StandardInputName is the name of standard input in errors. Relative paths in standard input start at the working
// folder.
const StandardInputName = "standard input"

// Operand returns what a command takes to read the file of a message: the path, or - for standard input.
func Operand(place string) string {
	if place == StandardInputName {
		return "-"
	}
	return place
}

// Stream reads a file named by the user, or standard input, from beginning to end. It decompresses gzip.
type Stream struct {
	Name   string // name for messages
	Path   string // path of an uncompressed file, otherwise ""
	Packed bool

	in   *bufio.Reader
	file *os.File
	from counter // bytes read from the file, compressed or not
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
	// peekBytes is the size of Peek in bytes; longer reads bypass this buffer.
	peekBytes = 512
	// packedBytes is the read size for a compressed file.
	packedBytes = 64 << 10
	gzipMagic   = "\x1f\x8b"
)

// OpenStream opens a file as Open does, or standard input for "-". It returns *fs.PathError, or *Error for compressed
// data.
func OpenStream(path string) (*Stream, error) {
	if path == StandardInput {
		return newStream(os.Stdin, path, StandardInputName)
	}
	return OpenStreamAs(path, path)
}

// OpenStreamAs is OpenStream with another name in messages.
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

const remedyPacked = "pack or copy the file again"

func damaged(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it is packed with gzip, but truncated"
	}
	return fmt.Sprintf("it is packed with gzip, but damaged: %v", err)
}

// Peek returns the first bytes without consuming them. Call it before the first Read.
func (s *Stream) Peek() []byte {
	first, _ := s.in.Peek(peekBytes) // Read also returns the error
	return first
}

// Read implements io.Reader. It returns *Error for damaged compressed data.
func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err != nil && s.Packed && !errors.Is(err, io.EOF) {
		err = Mistake(s.Name, damaged(err), remedyPacked)
	}
	return n, err
}

// Progress returns the number of bytes read and the size of the file, 0 if unknown.
func (s *Stream) Progress() (read, size int64) { return s.from.count, s.size }

// Close closes a file; standard input stays open.
func (s *Stream) Close() error {
	if s.file == os.Stdin {
		return nil
	}
	return s.file.Close()
}

// Open opens a file named by the user. Only regular files are permitted, because a pipe may block forever and a
// device may be endless. Errors are *fs.PathError.
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

// Read reads a file of at most bytesMax bytes. It returns the errors of Open, and *fs.PathError for a longer file.
func Read(path string, bytesMax int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all bytes.Buffer
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < bytesMax {
		all.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = all.ReadFrom(io.LimitReader(file, bytesMax+1))
	data := all.Bytes()
	if err == nil && int64(len(data)) > bytesMax {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("this file has more than %s", sizeText(bytesMax))}
	}
	return data, err
}

// Argument reads a file as Read does, or standard input for "-". It also returns the name for errors.
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

func sizeText(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
