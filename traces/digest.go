package traces

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Sum is the digest of a set of events, 128 bits that do not depend on their
// order: every event is mixed to 128 well-spread bits of its own, and these are
// added modulo 2^128. Equal events count as often as they occur (an exclusive
// or would lose pairs). Workers make a Sum each, and Merge adds them up.
//
// The zero value is the empty set. All fields are plain data.
type Sum struct {
	Hi, Lo uint64
	Count  uint64 // events
}

// Constants of the mixer: the 64-bit words of pi's fraction. That they are
// no one's choice, odd or even, is all that matters.
const (
	mix0 = 0x243F6A8885A308D3
	mix1 = 0x13198A2E03707344
	mix2 = 0xA4093822299F31D0
	mix3 = 0x082EFA98EC4E6C89
	mix4 = 0x452821E638D01377
	mix5 = 0xBE5466CF34E90C6C
)

// EventHead packs what every event has into the first word of Event.
func EventHead(kind, status uint8, port uint16, processor uint32) uint64 {
	return uint64(kind)<<56 | uint64(status)<<48 | uint64(port)<<32 | uint64(processor)
}

// Event adds an event of four words: EventHead and three of the caller's own.
//
// Two full products mix the words pairwise; the words themselves are added
// again, since a product with a zero factor forgets the other factor. A third
// product and the finaliser spread what is left over all bits. It is written out
// here, without a helper, since the call would cost a fifth of its time.
func (s *Sum) Event(head, a, b, c uint64) {
	h1, l1 := bits.Mul64(head^mix0, a^mix1)
	h2, l2 := bits.Mul64(b^mix2, c^mix3)
	x := (l1 ^ h2) + bits.RotateLeft64(head, 17) + b
	y := (l2 ^ h1) + bits.RotateLeft64(c, 29) + a
	h3, l3 := bits.Mul64(x^mix4, y^mix5)
	hi := finish((h3 ^ bits.RotateLeft64(x, 40)) + bits.RotateLeft64(y, 32))
	lo := finish((l3 + bits.RotateLeft64(y, 32)) ^ bits.RotateLeft64(x, 21))
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, lo, 0)
	s.Hi, _ = bits.Add64(s.Hi, hi, carry)
	s.Count++
}

// EventOf adds the event of the words head, a, 0 and 0.
func (s *Sum) EventOf(head, a uint64) {
	h1, l1 := bits.Mul64(head^mix0, a^mix1)
	h2, l2 := bits.Mul64(mix2, mix3)
	x := (l1 ^ h2) + bits.RotateLeft64(head, 17)
	y := (l2 ^ h1) + a
	h3, l3 := bits.Mul64(x^mix4, y^mix5)
	hi := finish((h3 ^ bits.RotateLeft64(x, 40)) + bits.RotateLeft64(y, 32))
	lo := finish((l3 + bits.RotateLeft64(y, 32)) ^ bits.RotateLeft64(x, 21))
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, lo, 0)
	s.Hi, _ = bits.Add64(s.Hi, hi, carry)
	s.Count++
}

// Merge adds the events of other.
func (s *Sum) Merge(other Sum) {
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, other.Lo, 0)
	s.Hi, _ = bits.Add64(s.Hi, other.Hi, carry)
	s.Count += other.Count
}

// finish is a bijection that carries low bits up and high bits down: one round
// of D. Stafford's variant 13 of MurmurHash3's finaliser, which is enough after
// a full product.
func finish(x uint64) uint64 {
	x = (x ^ x>>32) * 0xBF58476D1CE4E5B9
	return x ^ x>>29
}

// Fold reduces bytes to one word for Event: 64 well-spread bits that depend on every byte, its place and length.
func Fold(data []byte) uint64 {
	h := uint64(len(data)) ^ mix0
	for len(data) >= 16 {
		h = foldPair(h, binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:]))
		data = data[16:]
	}
	if len(data) > 0 {
		var tail [16]byte
		copy(tail[:], data)
		h = foldPair(h, binary.LittleEndian.Uint64(tail[:]), binary.LittleEndian.Uint64(tail[8:]))
	}
	return finish(h)
}

func foldPair(h, a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^mix1^h, b^mix2)
	return ((hi ^ lo) + bits.RotateLeft64(a, 23) + b) ^ bits.RotateLeft64(h, 41)
}

// Digest is the digest of a run: the sums of its slots, chained in the order of
// the slots. Slots without events leave no mark, so that an engine may skip
// them. The zero value is the digest of nothing. All fields are plain data: a
// saved Digest goes on where it was.
type Digest struct {
	Hi, Lo   uint64
	Events   uint64 // in all slots
	NextSlot uint64 // the lowest slot that may come next
}

// Slot adds the events of one slot. Slots with events come once each and in
// ascending order; anything else is a fault of the machine and panics.
func (d *Digest) Slot(slot uint32, sum Sum) {
	if sum.Count == 0 {
		return
	}
	if uint64(slot) < d.NextSlot {
		panic(fmt.Sprintf("digest: slot %d with %d events after slot %d", slot, sum.Count, d.NextSlot-1))
	}
	var position, chained Sum // of one event each: nothing but its mix
	position.Event(d.Hi, d.Lo, uint64(slot), sum.Count)
	chained.Event(position.Hi, position.Lo, sum.Hi, sum.Lo)
	d.Hi, d.Lo = chained.Hi, chained.Lo
	d.Events += sum.Count
	d.NextSlot = uint64(slot) + 1
}

// String returns the digest as 32 hexadecimal digits.
func (d Digest) String() string { return fmt.Sprintf("%016x%016x", d.Hi, d.Lo) }
