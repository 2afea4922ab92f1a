package wasm

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// reader reads the binary format. The first error sticks: everything read after it
// is zero, so that a loop need only ask before it takes a count for true.
type reader struct {
	data []byte
	at   int
	base int // offset of data in the file
	err  error

	large bool // no list is too long
}

// broken notes that the bytes at the reader's place are not a module.
func (r *reader) broken(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s at offset %#x", fmt.Sprintf(format, args...), r.base+r.at)
	}
	r.at = len(r.data)
}

// UnknownError says that a module has what Starloom does not run. It may be whole.
type UnknownError struct{ error }

// Unwrap returns what is not run.
func (e *UnknownError) Unwrap() error { return e.error }

func (r *reader) more() bool { return r.err == nil && r.at < len(r.data) }

func (r *reader) byte() byte {
	if r.at >= len(r.data) {
		r.broken("the module ends too early")
		return 0
	}
	r.at++
	return r.data[r.at-1]
}

func (r *reader) bytes(count uint64) []byte {
	if count > uint64(len(r.data)-r.at) {
		r.broken("the module ends too early")
		return nil
	}
	part := r.data[r.at : r.at+int(count) : r.at+int(count)]
	r.at += int(count)
	return part
}

// leb reads a LEB128 number of at most bits bits.
func (r *reader) leb(bits int, signed bool) uint64 {
	var value uint64
	for shift := 0; ; shift += 7 {
		b := r.byte()
		if r.err != nil {
			return 0
		}
		if shift >= bits {
			r.broken("a number has too many bytes")
			return 0
		}
		value |= uint64(b&0x7F) << shift
		if b&0x80 == 0 {
			if signed && b&0x40 != 0 && shift+7 < 64 {
				value |= ^uint64(0) << (shift + 7)
			}
			if !signed && bits < 64 && value>>bits != 0 {
				r.broken("a number has too many bits")
				return 0
			}
			return value
		}
	}
}

func (r *reader) u32() uint32 { return uint32(r.leb(32, false)) }
func (r *reader) s33() int64  { return int64(r.leb(33, true)) }

// count reads the length of a vector whose elements have a byte or more.
func (r *reader) count() int {
	n := r.u32()
	if uint64(n) > uint64(len(r.data)-r.at) {
		r.broken("a vector of %d elements does not fit", n)
		return 0
	}
	return int(n)
}

func (r *reader) name() string {
	text := r.bytes(uint64(r.u32()))
	if !utf8.Valid(text) {
		r.broken("a name is not UTF-8")
		return ""
	}
	return string(text)
}

// appendU32 appends an unsigned number in at least width bytes: linkers pad numbers,
// and a number that keeps its length moves nothing.
func appendU32(to []byte, value uint32, width int) []byte {
	start := len(to)
	to = binary.AppendUvarint(to, uint64(value))
	for len(to)-start < width {
		to[len(to)-1] |= 0x80
		to = append(to, 0)
	}
	return to
}

// appendS32 appends a signed number.
func appendS32(to []byte, value int32) []byte {
	for {
		b := byte(value & 0x7F)
		if value >>= 7; value == 0 && b&0x40 == 0 || value == -1 && b&0x40 != 0 {
			return append(to, b)
		}
		to = append(to, b|0x80)
	}
}

func appendName(to []byte, name string) []byte {
	return append(appendU32(to, uint32(len(name)), 1), name...)
}
