package traces

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
)

// Sum is the digest of a set of events: 128 bits that do not depend on the order of the events. Every event is mixed
// to 128 bits, and the mixed values are added modulo 2^128. Equal events therefore all count; exclusive or would
// cancel pairs. Each worker computes a Sum, and Merge adds the sums of the workers.
//
// The zero value is the empty set. All fields are plain data.
type Sum struct {
	Hi, Lo uint64
	Count  uint64 // number of events
}

// Constants of the mixer: 64-bit words of the fraction of pi, an arbitrary but verifiable choice.
const (
	mix0 = 0x243F6A8885A308D3
	mix1 = 0x13198A2E03707344
	mix2 = 0xA4093822299F31D0
	mix3 = 0x082EFA98EC4E6C89
	mix4 = 0x452821E638D01377
	mix5 = 0xBE5466CF34E90C6C
)

// EventHead packs the common fields of all events into the first word of Event.
func EventHead(kind, status uint8, port uint16, processor uint32) uint64 {
	return uint64(kind)<<56 | uint64(status)<<48 | uint64(port)<<32 | uint64(processor)
}

// Event adds an event of four words: EventHead and three words of the caller.
//
// Two full products mix the words pairwise. The words are also added, because a zero factor would hide the other
// factor. A third product and the finaliser spread the result over all bits. The code is inlined by hand, because a
// call would add a fifth to its time.
func (s *Sum) Event(head, first, second, third uint64) {
	h1, l1 := bits.Mul64(head^mix0, first^mix1)
	h2, l2 := bits.Mul64(second^mix2, third^mix3)
	x := (l1 ^ h2) + bits.RotateLeft64(head, 17) + second
	y := (l2 ^ h1) + bits.RotateLeft64(third, 29) + first
	h3, l3 := bits.Mul64(x^mix4, y^mix5)
	hi := finish((h3 ^ bits.RotateLeft64(x, 40)) + bits.RotateLeft64(y, 32))
	lo := finish((l3 + bits.RotateLeft64(y, 32)) ^ bits.RotateLeft64(x, 21))
	var carry uint64
	s.Lo, carry = bits.Add64(s.Lo, lo, 0)
	s.Hi, _ = bits.Add64(s.Hi, hi, carry)
	s.Count++
}

// EventOf adds the event of the words head, word, 0 and 0.
func (s *Sum) EventOf(head, word uint64) {
	h1, l1 := bits.Mul64(head^mix0, word^mix1)
	h2, l2 := bits.Mul64(mix2, mix3)
	x := (l1 ^ h2) + bits.RotateLeft64(head, 17)
	y := (l2 ^ h1) + word
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

// finish is a bijection that moves low bits up and high bits down: one round of D. Stafford's variant 13 of
// MurmurHash3's finaliser, sufficient after a full product.
func finish(x uint64) uint64 {
	x = (x ^ x>>32) * 0xBF58476D1CE4E5B9
	return x ^ x>>29
}

// Fold hashes bytes to one word for Event: 64 bits that depend on the values and positions of all bytes, and on their
// number.
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

// Digest is the digest of a run: the sums of its slots, chained in the order of the slots. Slots without events have
// no effect, so an engine may skip them. The zero value is the digest of an empty run. All fields are plain data, so
// a run can continue with a restored Digest.
type Digest struct {
	Hi, Lo   uint64
	Events   uint64 // events in all slots
	NextSlot uint64 // lowest allowed next slot
}

// Slot adds the events of a slot. Each slot with events must be added once, in ascending order; otherwise Slot
// panics.
func (d *Digest) Slot(slot uint32, sum Sum) {
	if sum.Count == 0 {
		return
	}
	if uint64(slot) < d.NextSlot {
		panic(fmt.Sprintf("digest: slot %d with %d events after slot %d", slot, sum.Count, d.NextSlot-1))
	}
	var position, chained Sum // sums of one event each, for mixing
	position.Event(d.Hi, d.Lo, uint64(slot), sum.Count)
	chained.Event(position.Hi, position.Lo, sum.Hi, sum.Lo)
	d.Hi, d.Lo = chained.Hi, chained.Lo
	d.Events += sum.Count
	d.NextSlot = uint64(slot) + 1
}

// String returns the digest as 32 hexadecimal digits.
func (d Digest) String() string { return fmt.Sprintf("%016x%016x", d.Hi, d.Lo) }

// Provenance names the inputs of a report. It omits paths, threads and engine, so that equal inputs yield equal
// bytes.
type Provenance struct {
	Version string   `json:"version"`          // of Starloom, with the commit
	SHA256  string   `json:"sha256,omitempty"` // of the scenario's or pin map's file; "" without one
	Set     []string `json:"set,omitempty"`    // values of --set, KEY=VALUE, by key
}

// SHA256 returns the SHA-256 of data in hex.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
