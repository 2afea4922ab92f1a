package binary

import (
	"fmt"
	"unicode/utf8"
)

// Reader keeps its first error, and later reads return zero. Hence only trusted counts require a check of Err.
type Reader struct {
	Data []byte
	At   int
	Base int // offset of Data in the file
	Err  error

	large bool // disables limits of lists
}

// Broken records that the module is invalid at the reader's position.
func (r *Reader) Broken(format string, args ...any) {
	if r.Err == nil {
		r.Err = fmt.Errorf("%s at offset %#x", fmt.Sprintf(format, args...), r.Base+r.At)
	}
	r.At = len(r.Data)
}

// UnknownError reports a feature without support in Starloom. The module may be valid.
type UnknownError struct{ Err error }

// Unwrap returns the underlying error.
func (e *UnknownError) Unwrap() error { return e.Err }

func (e *UnknownError) Error() string { return e.Err.Error() }

// More reports whether data remains and no error has occurred.
func (r *Reader) More() bool { return r.Err == nil && r.At < len(r.Data) }

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if r.At >= len(r.Data) {
		r.Broken("the module ends too early")
		return 0
	}
	r.At++
	return r.Data[r.At-1]
}

func (r *Reader) bytes(count uint64) []byte {
	if count > uint64(len(r.Data)-r.At) {
		r.Broken("the module ends too early")
		return nil
	}
	part := r.Data[r.At : r.At+int(count) : r.At+int(count)]
	r.At += int(count)
	return part
}

func (r *Reader) leb(bits int, signed bool) uint64 {
	var value uint64
	for shift := 0; ; shift += 7 {
		b := r.Byte()
		if r.Err != nil {
			return 0
		}
		if shift >= bits {
			r.Broken("a number has too many bytes")
			return 0
		}
		value |= uint64(b&0x7F) << shift
		if b&0x80 == 0 {
			if signed && b&0x40 != 0 && shift+7 < 64 {
				value |= ^uint64(0) << (shift + 7)
			}
			if !signed && bits < 64 && value>>bits != 0 {
				r.Broken("a number has too many bits")
				return 0
			}
			return value
		}
	}
}

// U32 reads an unsigned 32-bit number.
func (r *Reader) U32() uint32 { return uint32(r.leb(32, false)) }

func (r *Reader) s33() int64 { return int64(r.leb(33, true)) }

// Count reads the length of a vector of elements with at least one byte each.
func (r *Reader) Count() int {
	n := r.U32()
	if uint64(n) > uint64(len(r.Data)-r.At) {
		r.Broken("a vector of %d elements does not fit", n)
		return 0
	}
	return int(n)
}

func (r *Reader) name() string {
	text := r.bytes(uint64(r.U32()))
	if !utf8.Valid(text) {
		r.Broken("a name is not UTF-8")
		return ""
	}
	return string(text)
}

// A LimitError reports a valid module beyond a size limit.
type LimitError struct{ error }

// Limits of a module's lists.
const (
	ListMax       = 100_000   // types, imports, functions, globals, exports, segments, sections
	TypeValuesMax = 500_000   // parameters and results of all types
	ElementsMax   = 1_000_000 // functions in tables
	CodeBytesMax  = 8 << 20   // code of all functions
)

func (r *Reader) tooMany(what string, n, most int) {
	if n > most && r.Err == nil && !r.large {
		r.Err = &LimitError{fmt.Errorf("has %d %s; at most %d are allowed; make it smaller", n, what, most)}
		r.At = len(r.Data)
	}
}

func (r *Reader) list(what string) int {
	n := r.Count()
	r.tooMany(what, n, ListMax)
	if r.Err != nil {
		return 0
	}
	return n
}
