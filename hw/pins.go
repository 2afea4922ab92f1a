package hw

import "math/bits"

// Pins is one element's part of a port of a device: bits of a packed vector, low word first.
type Pins struct {
	Words       []uint64 // words of the whole port, possibly shared with other ports
	First, Bits int
	Start       int // offset of the pins in their port, for Wild

	// Unknown marks the bits that are X or Z; nil without such bits. If Unknown is not nil, Wild must not be nil; it
	// records the first of these bits to be read.
	Unknown []uint64
	Wild    *Wild
}

// Wild records bits that were X or Z when they were read.
type Wild struct {
	Mask  uint64 // mask of the bits; 0 if none
	First int    // offset of the bits in the port
}

// Field returns the pins of a port of at most 64 bits for repeated access.
func (p Pins) Field() Field {
	word, shift := p.First>>6, uint8(p.First&63)
	f := Field{low: &p.Words[word], shift: shift, mask: ^uint64(0) >> (64 - uint(p.Bits))}
	if f.crosses = int(shift)+p.Bits > 64; f.crosses {
		f.high = &p.Words[word+1]
	}
	if p.Unknown != nil {
		f.pins = &p
	}
	return f
}

// Lanes divides the pins into count fields of equal width.
func (p Pins) Lanes(count int) []Field {
	fields := make([]Field, count)
	for k := range fields {
		fields[k] = p.Slice(k*(p.Bits/count), p.Bits/count).Field()
	}
	return fields
}

// Field is a group of up to 64 adjacent pins.
type Field struct {
	low, high *uint64 // words that contain the pins
	mask      uint64
	shift     uint8
	crosses   bool  // the pins span both words
	pins      *Pins // pins that may be X or Z; nil for two-state pins
}

// Set writes the pins. It ignores higher bits of value.
func (f *Field) Set(value uint64) {
	value &= f.mask
	*f.low = *f.low&^(f.mask<<f.shift) | value<<f.shift
	if f.crosses {
		f.setHigh(value)
	}
}

func (f *Field) setHigh(value uint64) {
	*f.high = *f.high&^(f.mask>>(64-f.shift)) | value>>(64-f.shift)
}

// Value reads the pins.
func (f *Field) Value() uint64 {
	if f.crosses || f.pins != nil {
		return f.general()
	}
	return *f.low >> f.shift & f.mask
}

func (f *Field) general() uint64 {
	if f.pins != nil {
		return f.pins.Value()
	}
	return (*f.low>>f.shift | *f.high<<(64-f.shift)) & f.mask
}

// Set writes a port of at most 64 bits.
func (p Pins) Set(value uint64) { PutBits(p.Words, p.First, p.Bits, value) }

// Value reads a port of at most 64 bits.
func (p Pins) Value() uint64 { return p.GetBits(0, p.Bits) }

// SetBits writes up to 64 bits, starting at bit first.
func (p Pins) SetBits(first, bits int, value uint64) { PutBits(p.Words, p.First+first, bits, value) }

// GetBits reads up to 64 bits, starting at bit first.
func (p Pins) GetBits(first, bits int) uint64 {
	if p.Unknown != nil && p.Wild.Mask == 0 {
		if mask := GetBits(p.Unknown, p.First+first, bits); mask != 0 {
			*p.Wild = Wild{mask, p.Start + first}
		}
	}
	return GetBits(p.Words, p.First+first, bits)
}

// SetBytes writes bytes, starting at bit first; the first byte is the lowest.
func (p Pins) SetBytes(first int, bytes []byte) {
	for len(bytes) > 0 {
		n, word := min(8, len(bytes)), uint64(0)
		for i, b := range bytes[:n] {
			word |= uint64(b) << (8 * i)
		}
		p.SetBits(first, 8*n, word)
		first, bytes = first+8*n, bytes[n:]
	}
}

// GetBytes reads bytes, starting at bit first.
func (p Pins) GetBytes(first int, bytes []byte) {
	for len(bytes) > 0 {
		n := min(8, len(bytes))
		word := p.GetBits(first, 8*n)
		for i := range bytes[:n] {
			bytes[i] = byte(word >> (8 * i))
		}
		first, bytes = first+8*n, bytes[n:]
	}
}

// Clear writes zeros.
func (p Pins) Clear() {
	for first := 0; first < p.Bits; first += 64 {
		p.SetBits(first, min(64, p.Bits-first), 0)
	}
}

// Ones calls visit for every pin at 1 in ascending order.
func (p Pins) Ones(visit func(pin int)) {
	for first := 0; first < p.Bits; first += 64 {
		for word := p.GetBits(first, min(64, p.Bits-first)); word != 0; word &= word - 1 {
			visit(first + bits.TrailingZeros64(word))
		}
	}
}

// Slice returns a range of the pins, starting at bit first.
func (p Pins) Slice(first, bits int) Pins {
	p.First, p.Start, p.Bits = p.First+first, p.Start+first, bits
	return p
}

func (p Pins) copy(from Pins) {
	for first := 0; first < p.Bits; first += 64 {
		bits := min(64, p.Bits-first)
		p.SetBits(first, bits, from.GetBits(first, bits))
	}
}
