package vcd

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"starloom/traces"
	"starloom/traces/input"
)

// How FST files begin: with their header, or with what they are packed in.
const (
	fstMagic       = "\x00\x00\x00\x00\x00\x00\x00\x01\x49"
	fstMagicPacked = "\xfe\x00\x00\x00"
)

func looksLikeFST(first []byte) bool {
	return bytes.HasPrefix(first, []byte(fstMagic)) || bytes.HasPrefix(first, []byte(fstMagicPacked))
}

// fstStream is the VCD that GTKWave's fst2vcd makes of an FST.
type fstStream struct {
	s       *input.Stream
	temp    *traces.Temporary // the FST, if it has no path of its own
	process *exec.Cmd
	out     io.ReadCloser
	said    bytes.Buffer
	size    int64
	left    *leftOut
	ended   bool
	err     error
}

// convertFST starts fst2vcd, which reads a file and not a pipe.
func convertFST(s *input.Stream) (source, error) {
	tool, err := exec.LookPath("fst2vcd")
	if err != nil {
		return nil, &input.Error{
			Place: s.Name, Reason: "this is an FST, and fst2vcd, which reads it, is not on the PATH",
			Remedy: "install the Debian package gtkwave, or give a VCD",
		}
	}
	f := &fstStream{s: s}
	path := s.Path
	if packed := bytes.HasPrefix(s.Peek(), []byte(fstMagicPacked)); packed || path == "" {
		if f.temp, err = keepFST(s, packed); err != nil {
			return nil, err
		}
		path = f.temp.Path()
	}
	if err := f.check(path); err != nil {
		f.drop()
		return nil, err
	}
	f.process = exec.Command(tool, "-f", path)
	f.process.Env = append(os.Environ(), "LC_ALL=C")
	f.process.Stderr = &f.said
	f.process.WaitDelay = time.Second
	if f.out, err = f.process.StdoutPipe(); err == nil {
		err = f.process.Start()
	}
	if err != nil {
		f.drop()
		return nil, f.failed(err)
	}
	return f, nil
}

// keepFST keeps an FST in a temporary file, without what it is packed in: a type, two lengths and gzip.
func keepFST(s *input.Stream, packed bool) (*traces.Temporary, error) {
	if !packed {
		return keep(s, s.Name)
	}
	_, err := io.CopyN(io.Discard, s, 1+2*fstBlockBytesMin)
	inner := packedFST{name: s.Name}
	if err == nil {
		inner.Reader, err = gzip.NewReader(s)
	}
	if err != nil {
		return nil, notWhole(s.Name, cutShort(err))
	}
	return keep(inner, s.Name)
}

type packedFST struct {
	*gzip.Reader
	name string
}

func (p packedFST) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = notWhole(p.name, cutShort(err))
	}
	return n, err
}

func notWhole(name string, err error) error {
	return &input.Error{
		Place: name, Reason: fmt.Sprintf("this FST is not whole: %v", err),
		Remedy: "let the simulator write the file to its end",
	}
}

// check refuses an FST that is not whole, of which fst2vcd would write what there is and end well.
func (f *fstStream) check(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return unreadable(f.s.Name, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		f.size = info.Size()
	}
	blocks, err := readFST(file)
	if err == nil {
		f.left, err = blocks.leftOut()
	}
	if err != nil {
		return notWhole(f.s.Name, err)
	}
	return nil
}

func (f *fstStream) converted() *leftOut { return f.left }

// Progress does not know how far fst2vcd has come.
func (f *fstStream) Progress() (read, size int64) { return 0, f.size }

// Read reads what fst2vcd writes. Its end is an error if fst2vcd has failed: what it has written is not all.
func (f *fstStream) Read(p []byte) (int, error) {
	n, err := f.out.Read(p)
	if n > 0 || err == nil {
		return n, nil
	}
	f.wait()
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// wait waits for fst2vcd to end. It ends well only with status 0 and without a word.
func (f *fstStream) wait() {
	if f.ended {
		return
	}
	f.ended = true
	if err := f.process.Wait(); err != nil {
		f.err = f.failed(err)
	} else if f.said.Len() > 0 {
		f.err = f.failed(nil)
	}
}

func (f *fstStream) failed(err error) error {
	reason := strings.Join(strings.Fields(f.said.String()), " ")
	if err != nil {
		reason = strings.TrimSuffix(fmt.Sprintf("%v: %.500s", err, reason), ": ")
	}
	return &input.Error{
		Place: f.s.Name, Reason: fmt.Sprintf("fst2vcd cannot read this FST: %s", reason),
		Remedy: "write the file again: it may be cut off",
	}
}

// Close ends fst2vcd if it still runs. It returns the error of one that has failed.
func (f *fstStream) Close() error {
	if !f.ended {
		_ = f.process.Process.Kill() // it may have ended
		_ = f.process.Wait()         // what it has not written is not wanted
		f.ended = true
	}
	f.drop()
	return f.err
}

func (f *fstStream) drop() {
	if f.temp != nil {
		f.temp.Remove()
	}
	_ = f.s.Close() // it was only read
}

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
