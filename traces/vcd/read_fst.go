package vcd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"starloom/traces"
	"starloom/traces/input"
)

// First bytes of FST files: of the header, or of the compressed wrapper.
const (
	fstMagic       = "\x00\x00\x00\x00\x00\x00\x00\x01\x49"
	fstMagicPacked = "\xfe\x00\x00\x00"
)

func looksLikeFST(first []byte) bool {
	return bytes.HasPrefix(first, []byte(fstMagic)) || bytes.HasPrefix(first, []byte(fstMagicPacked))
}

type fstStream struct {
	s       *input.Stream
	temp    *traces.Temporary // FST without a path of its own
	process *exec.Cmd
	out     io.ReadCloser
	said    bytes.Buffer
	size    int64
	left    *leftOut
	ended   bool
	err     error
}

// convertFST starts fst2vcd, which needs a file, not a pipe.
func convertFST(s *input.Stream) (source, error) {
	tool, err := exec.LookPath("fst2vcd")
	if err != nil {
		return nil, input.Mistake(s.Name, "this is an FST, but fst2vcd, which reads FST, is not on the PATH",
			"install the Debian package gtkwave, or give a VCD")
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

// keepFST writes an FST to a temporary file, without its wrapper: a type, two lengths and gzip.
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
	return input.Mistake(name, fmt.Sprintf("this FST is incomplete: %v", err),
		"let the simulator finish writing the file")
}

// check rejects an incomplete FST, because fst2vcd would convert a part of it without an error.
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

// Progress returns 0 for read, because fst2vcd does not report its progress.
func (f *fstStream) Progress() (read, size int64) { return 0, f.size }

// Read reads the output of fst2vcd. At the end of the output it returns the error of a failed fst2vcd.
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

// wait waits for fst2vcd, which has succeeded only with status 0 and without messages.
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
	return input.Mistake(f.s.Name, fmt.Sprintf("fst2vcd cannot read this FST: %s", reason),
		"write the file again: it may be truncated")
}

// Close ends fst2vcd. It returns the error of a failed fst2vcd.
func (f *fstStream) Close() error {
	if !f.ended {
		_ = f.process.Process.Kill() // fst2vcd may have ended
		_ = f.process.Wait()         // the rest of the output is not needed
		f.ended = true
	}
	f.drop()
	return f.err
}

func (f *fstStream) drop() {
	if f.temp != nil {
		f.temp.Remove()
	}
	_ = f.s.Close() // read-only
}

type source interface {
	io.ReadCloser
	Progress() (read, size int64)
	converted() *leftOut // nil unless from an FST
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
		Reason: fmt.Sprintf("it cannot be stored temporarily in %s: %v", os.TempDir(), input.WithoutPath(err)),
		Remedy: "free space there, set TMPDIR to another folder, or give a file",
		Cause:  err,
	}
}

// IsFST reports whether the extension of a waveform's path selects FST.
func IsFST(path string) bool { return strings.EqualFold(filepath.Ext(path), ".fst") }

// FST returns GTKWave's vcd2fst, which converts a Writer's output to FST. An FST has about an eighth of the size of
// the VCD; GTKWave and Surfer can open it. The date in the FST is fixed, so that equal runs yield equal bytes;
// comments are lost. vcd2fst does not detect a full disk.
func FST() *traces.Converter {
	return &traces.Converter{
		Command: "vcd2fst", Package: "gtkwave", Arguments: []string{"-"},
		Head:    "$date Thu Jan  1 00:00:00 1970 $end\n",
		Instead: "give a path that ends in .vcd",
		Check:   checkFST,
	}
}

// Blocks of an FST file. The header is the first block, in big-endian.
//
//	byte  0      1        9       17     25       33       41       49      57          65         73
//	     +------+--------+-------+------+--------+--------+--------+-------+-----------+----------+-----
//	     | type | length | first | last | endian | memory | scopes | names | variables | sections | ...
//	     +------+--------+-------+------+--------+--------+--------+-------+-----------+----------+-----
//
// A length includes itself and the data after it.
const (
	fstHeader         = 0
	fstBlackouts      = 2
	fstGeometry       = 3
	fstPacked         = 254 // wrapper of the whole file
	fstHeaderLength   = 329
	fstOffsetEndian   = 25
	fstOffsetSections = 65
	fstBlockBytesMin  = 8
)

// fstBlocks maps block types to their contents; blocks with values are called sections.
var fstBlocks = map[byte]string{
	fstHeader: "header", fstGeometry: "geometry", fstBlackouts: "blackouts",
	1: "values", 5: "values", 8: "values", 4: "names", 6: "names", 7: "names",
}

// fstFile is a complete FST: the first block of each kind, without type and length, and the number of blocks.
type fstFile struct {
	block map[string]*io.SectionReader
	count map[string]uint64
}

func checkFST(file *os.File) error {
	_, err := readFST(file)
	return err
}

func readFST(file *os.File) (f fstFile, err error) {
	info, err := file.Stat()
	if err != nil {
		return f, err
	}
	f = fstFile{map[string]*io.SectionReader{}, map[string]uint64{}}
	size, at := uint64(info.Size()), uint64(0)
	for at < size {
		var b [1 + fstBlockBytesMin]byte
		if _, err := file.ReadAt(b[:], int64(at)); err != nil {
			return f, cutShort(err)
		}
		length := binary.BigEndian.Uint64(b[1:])
		if length < fstBlockBytesMin || length > size-at-1 {
			return f, fmt.Errorf("its block at byte %d is incomplete", at)
		}
		if b[0] == fstHeader && (at != 0 || length != fstHeaderLength) {
			return f, errors.New("its header is not at its beginning")
		}
		kind := fstBlocks[b[0]]
		if f.count[kind]++; f.count[kind] == 1 {
			f.block[kind] = io.NewSectionReader(file, int64(at)+int64(len(b)), int64(length-fstBlockBytesMin))
		}
		at += 1 + length
	}
	for _, kind := range []string{"header", "geometry", "names"} {
		if f.count[kind] != 1 {
			return f, fmt.Errorf("it has no %s", kind)
		}
	}
	var sections [8]byte
	if _, err := file.ReadAt(sections[:], fstOffsetSections); err != nil {
		return f, cutShort(err)
	}
	if sections := binary.BigEndian.Uint64(sections[:]); f.count["values"] != sections {
		return f, fmt.Errorf("it has only %d of %d sections of values", f.count["values"], sections)
	}
	return f, nil
}

func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it is truncated")
	}
	return err
}

// fst2vcd omits two parts of an FST, which are read from its blocks:
//
//	values before time 0     if the first time is 0; they are the frame at the head of the first section:
//	                         first, last, memory, then varints (bytes, packed bytes, signals), then the values
//	$dumpoff and $dumpon     all but one at a time, and all later ones; they have a separate block:
//	                         a count, then for each a byte (1: on) and the time since the one before
//
// The geometry has the sizes of signals in the frame: a digit per bit, 8 bytes for a real (0 in the geometry), none
// for a text.
type leftOut struct {
	initial []byte     // changes as in a VCD
	given   []SignalID // signals in initial
	pauses  []pause
}

type pause struct {
	time uint64 // time in the file's unit
	on   bool
}

const (
	fstLengthText  = math.MaxUint32
	frameBytesMax  = 512 << 20
	sectionHeading = 24 // first, last, memory
)

var errFSTStart = errors.New("its initial values or its pauses are damaged")

func (f *fstFile) leftOut() (*leftOut, error) {
	pauses, err := f.readPauses()
	if err != nil {
		return nil, err
	}
	left := &leftOut{pauses: pauses}
	return left, f.readInitial(left)
}

func (f *fstFile) readPauses() (pauses []pause, err error) {
	block := f.block["blackouts"]
	if block == nil {
		return nil, nil
	}
	r := bufio.NewReader(block)
	count, err := binary.ReadUvarint(r)
	time := uint64(0)
	for ; err == nil && count > 0; count-- {
		var on byte
		var delta uint64
		if on, err = r.ReadByte(); err == nil {
			delta, err = binary.ReadUvarint(r)
		}
		time += delta
		pauses = append(pauses, pause{time, on != 0})
	}
	if err != nil {
		return nil, errFSTStart
	}
	return pauses, nil
}

// readInitial converts the known values of the frame to VCD changes, except x and NaN.
func (f *fstFile) readInitial(left *leftOut) error {
	section := f.block["values"]
	if section == nil {
		return nil
	}
	if _, err := section.Seek(sectionHeading, io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReader(section)
	var size [3]uint64 // bytes, packed bytes, signals
	for i := range size {
		var err error
		if size[i], err = binary.ReadUvarint(r); err != nil {
			return errFSTStart
		}
	}
	if size[0] > frameBytesMax {
		return fmt.Errorf("its signals have %d bytes; at most %d are supported", size[0], frameBytesMax)
	}
	frame, err := unpacked(r, size[0], size[1])
	if err != nil {
		return err
	}
	var numbers [16]byte // bytes, signals
	geometry := f.block["geometry"]
	if _, err := io.ReadFull(geometry, numbers[:]); err != nil {
		return errFSTStart
	}
	lengths, err := unpacked(bufio.NewReader(geometry), binary.BigEndian.Uint64(numbers[:]),
		uint64(geometry.Size())-uint64(len(numbers)))
	if err != nil {
		return err
	}
	var endian [1]byte
	if _, err := f.block["header"].ReadAt(endian[:], fstOffsetEndian-1-fstBlockBytesMin); err != nil {
		return err
	}
	return left.addFrame(bufio.NewReader(frame), bufio.NewReader(lengths), size[2],
		endian[0] == byte(math.Float64bits(math.E)>>56))
}

func unpacked(r io.Reader, bytes, packed uint64) (io.Reader, error) {
	if bytes == packed {
		return io.LimitReader(r, int64(bytes)), nil
	}
	z, err := zlib.NewReader(io.LimitReader(r, int64(min(packed, math.MaxInt64))))
	if err != nil {
		return nil, errFSTStart
	}
	return io.LimitReader(z, int64(min(bytes, math.MaxInt64))), nil
}

func (left *leftOut) addFrame(frame io.Reader, lengths io.ByteReader, signals uint64, bigEndian bool) error {
	add := func(id uint64, format string, value any) {
		left.initial = fmt.Appendf(left.initial, format+"%s\n", value, appendCode(nil, SignalID(id)))
		left.given = append(left.given, SignalID(id))
	}
	for id := range signals {
		length, err := binary.ReadUvarint(lengths)
		if err != nil || length > bitsMax && length != fstLengthText {
			return errFSTStart
		}
		bits := length
		switch length {
		case fstLengthText:
			continue
		case 0:
			length = 8
		}
		value := make([]byte, length)
		if _, err := io.ReadFull(frame, value); err != nil {
			return errFSTStart
		}
		switch {
		case bits > 0 && strings.Trim(string(value), "xX") == "":
		case bits == 1:
			add(id, "%s", value)
		case bits > 1 && strings.Contains(string(value), " "): // a port with strengths
			add(id, "p%s ", value)
		case bits > 1:
			add(id, "b%s ", value)
		default:
			number := math.Float64frombits(binary.LittleEndian.Uint64(value))
			if bigEndian {
				number = math.Float64frombits(binary.BigEndian.Uint64(value))
			}
			if !math.IsNaN(number) {
				add(id, "r%.16g ", number)
			}
		}
	}
	return nil
}
