package pcapng

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"

	"starloom/traces/input"
)

// BlockKind is the type of a block.
type BlockKind uint32

// block types that Reader interprets; other tools also write blocks with names and statistics
const (
	BlockSection   BlockKind = 0x0A0D0D0A // start of a section, with its own interfaces
	BlockInterface BlockKind = 1          // description of an interface
	BlockPacket    BlockKind = 6          // packet of an interface, with its time
)

// Block is one block of a capture. It is valid until the next call of Next.
type Block struct {
	Kind BlockKind

	Application, Comment string // comments of a section, "" if missing

	// number within the section of the described interface, or of the packet's interface
	Interface int
	Name      string // name of an interface, "" for none
	Clock     Clock  // clock of an interface

	Time uint64 // time of a packet on the clock of its interface
	Data []byte // captured bytes of a packet
}

// Magic is the start of every capture.
const Magic = "\n\r\r\n"

const (
	// blockBytesMax is the maximum accepted block in bytes. It has room for the longest packet that link type and
	// snap length permit.
	blockBytesMax    = 16 << 20
	blockBytesMin    = 12
	interfacesMax    = 1 << 22
	sectionMagic     = 0x1A2B3C4D
	optionComment    = 1
	optionName       = 2
	optionUserAppl   = 4
	optionResolution = 9
	optionOffset     = 14
	remedyForeign    = "give a capture that Starloom wrote, or that Wireshark saved as pcapng"
)

// Reader reads the blocks of a capture by Starloom or Wireshark, with sections of either byte order. It keeps one
// block in memory.
//
//	r := NewReader(file, path)
//	for {
//	    block, err := r.Next()              // io.EOF at the end
//	    switch block.Kind { ... }
//	}
type Reader struct {
	path       string
	in         *bufio.Reader
	at         int64
	block      []byte
	order      binary.ByteOrder // byte order of the section
	interfaces int              // number of interfaces in the section
}

// NewReader returns a reader; errors begin with path.
func NewReader(source io.Reader, path string) *Reader {
	return &Reader{path: path, in: bufio.NewReaderSize(source, 1<<18), order: binary.LittleEndian}
}

// Bytes returns the total size of the blocks so far.
func (r *Reader) Bytes() int64 { return r.at }

// Next reads one block. It returns io.EOF at the end of the file, otherwise *input.Error with a byte offset.
func (r *Reader) Next() (Block, error) {
	kind, body, err := r.next()
	if err != nil {
		return Block{}, err
	}
	b := Block{Kind: kind}
	switch kind {
	case BlockSection:
		if len(body) < 16 {
			return b, r.fail("a section header that is too short", remedyForeign)
		}
		r.interfaces = 0
		b.Application, b.Comment = string(r.option(body[16:], optionUserAppl)), string(r.option(body[16:], optionComment))
	case BlockInterface:
		if len(body) < 8 || r.interfaces == interfacesMax {
			return b, r.fail("an interface block is too short, or there are too many", remedyForeign)
		}
		b.Interface, b.Name, b.Clock = r.interfaces, string(r.option(body[8:], optionName)), r.clock(body[8:])
		r.interfaces++
	case BlockPacket:
		err = r.packet(&b, body)
	}
	return b, err
}

func (r *Reader) packet(b *Block, body []byte) error {
	if len(body) < 20 {
		return r.fail("a packet that is too short", remedyForeign)
	}
	number, captured := r.order.Uint32(body), r.order.Uint32(body[12:])
	if uint64(number) >= uint64(r.interfaces) || uint64(captured) > uint64(len(body)-20) {
		return r.fail(fmt.Sprintf("a packet of %d bytes on interface %d of %d", captured, number,
			r.interfaces), remedyForeign)
	}
	b.Interface, b.Data = int(number), body[20:20+captured]
	b.Time = uint64(r.order.Uint32(body[4:]))<<32 | uint64(r.order.Uint32(body[8:]))
	return nil
}

func (r *Reader) clock(options []byte) Clock {
	c := Clock{Resolution: microseconds}
	if resolution := r.option(options, optionResolution); len(resolution) == 1 {
		c.Resolution = resolution[0]
	}
	if offset := r.option(options, optionOffset); len(offset) == 8 {
		c.Offset = int64(r.order.Uint64(offset))
	}
	return c
}

func (r *Reader) next() (kind BlockKind, body []byte, err error) {
	var head [8]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, nil, io.EOF
		}
		return 0, nil, r.cut(err)
	}
	if string(head[:4]) == Magic { // equal in both byte orders
		if err := r.beginSection(); err != nil {
			return 0, nil, err
		}
	}
	kind, length := BlockKind(r.order.Uint32(head[:])), r.order.Uint32(head[4:])
	if length < blockBytesMin || length%4 != 0 || length > blockBytesMax {
		return 0, nil, r.fail(fmt.Sprintf("a block of %d bytes; expected %d to %d", length, blockBytesMin,
			blockBytesMax), remedyForeign)
	}
	r.block = slices.Grow(r.block[:0], int(length)-8)[:length-8]
	if _, err := io.ReadFull(r.in, r.block); err != nil {
		return 0, nil, r.cut(err)
	}
	if r.order.Uint32(r.block[length-12:]) != length {
		return 0, nil, r.fail("the lengths at both ends of a block differ", remedyForeign)
	}
	r.at += int64(length)
	return kind, r.block[:length-12], nil
}

func (r *Reader) fail(reason, remedy string) *input.Error {
	return input.Mistake(r.path, fmt.Sprintf("byte %d: %s", r.at, reason), remedy)
}

func (r *Reader) cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return r.fail("the file ends within a block", "write it again: it is truncated")
	}
	var known *input.Error
	if errors.As(err, &known) {
		return known
	}
	return r.fail(fmt.Sprintf("cannot be read: %v", input.WithoutPath(err)), "check the disk")
}

func (r *Reader) beginSection() error {
	mark, err := r.in.Peek(4)
	if err != nil {
		return r.cut(err)
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if order.Uint32(mark) == sectionMagic {
			r.order = order
			return nil
		}
	}
	return r.fail("a section header without the byte-order magic", remedyForeign)
}

func (r *Reader) option(options []byte, wanted uint16) []byte {
	for len(options) >= 4 {
		code, length := r.order.Uint16(options), int(r.order.Uint16(options[2:]))
		if 4+length > len(options) || code == 0 {
			return nil
		}
		if code == wanted {
			return options[4 : 4+length]
		}
		options = options[min(4+(length+3)&^3, len(options)):]
	}
	return nil
}

// Clock defines the times of an interface: counts of its resolution plus an offset.
type Clock struct {
	Resolution uint8 // n for a resolution of 10^-n s; with the highest bit set, 2^-n s (if_tsresol)
	Offset     int64 // added seconds (if_tsoffset)
}

// microseconds is the default resolution.
const (
	microseconds     = 6
	resolutionBinary = 0x80
)

// Seconds returns a time in seconds.
func (c Clock) Seconds(count uint64) *big.Rat {
	base := int64(10)
	if c.Resolution&resolutionBinary != 0 {
		base = 2
	}
	units := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(c.Resolution&^resolutionBinary)), nil)
	time := new(big.Rat).SetFrac(new(big.Int).SetUint64(count), units)
	return time.Add(time, new(big.Rat).SetInt64(c.Offset))
}

// Text formats a time in seconds with the digits of the resolution: 1.000000007 s.
func (c Clock) Text(count uint64) string {
	digits := int(c.Resolution &^ resolutionBinary)
	if c.Resolution&resolutionBinary != 0 {
		digits = int(math.Ceil(float64(digits) * math.Log10(2)))
	}
	return c.Seconds(count).FloatString(digits) + " s"
}
