package hw

import "math/bits"

// Set is a set of non-negative integers, with one bit per integer and one summary bit per 64 integers. The work of an
// iteration depends mainly on the number of members. A Set is not saved by itself: its owner saves Words or rebuilds
// the set.
type Set struct {
	words []uint64 // bit per number
	some  []uint64 // bit per non-zero word
}

// NewSet returns an empty set of numbers below limit. Sets do not share cache lines.
func NewSet(limit int) Set {
	words := (limit + 63) / 64
	size := words + (words+63)/64
	all := make([]uint64, size, wholeLines(size))
	return Set{all[:words:words], all[words:]}
}

func wholeLines(words int) int { return (words + 7) &^ 7 }

// Add adds a member to the set.
func (s *Set) Add(member int) {
	s.words[member>>6] |= 1 << (member & 63)
	s.some[member>>12] |= 1 << (member >> 6 & 63)
}

// Remove removes a member from the set.
func (s *Set) Remove(member int) {
	if s.words[member>>6] &^= 1 << (member & 63); s.words[member>>6] == 0 {
		s.some[member>>12] &^= 1 << (member >> 6 & 63)
	}
}

// RemoveRange removes the numbers first to end-1.
func (s *Set) RemoveRange(first, end int) {
	for i := first; i < end; {
		w, next := i>>6, min((i>>6+1)<<6, end)
		gone := ^uint64(0) >> (64 - (next - i)) << (i & 63)
		if s.words[w] &^= gone; s.words[w] == 0 {
			s.some[w>>6] &^= 1 << (w & 63)
		}
		i = next
	}
}

// Has reports whether member is in the set.
func (s *Set) Has(member int) bool { return s.words[member>>6]>>(member&63)&1 != 0 }

// Clear empties the set.
func (s *Set) Clear() {
	clear(s.words)
	clear(s.some)
}

// Fill adds the numbers 0 to count-1.
func (s *Set) Fill(count int) {
	for i := range count {
		s.Add(i)
	}
}

// Join adds the numbers of another set of the same size.
func (s *Set) Join(other Set) {
	for i, word := range other.words {
		s.words[i] |= word
	}
	for i, word := range other.some {
		s.some[i] |= word
	}
}

// Words returns the set as one bit per number. Call Derive after writing to the words.
func (s *Set) Words() []uint64 { return s.words }

// Derive recomputes the summary bits.
func (s *Set) Derive() {
	clear(s.some)
	for w, word := range s.words {
		if word != 0 {
			s.some[w>>6] |= 1 << (w & 63)
		}
	}
}

// Next returns the smallest member from a number to end-1, or end. The loop for i := s.Next(first, end); i < end; i =
// s.Next(i+1, end) visits all members, and its body may remove member i.
func (s *Set) Next(from, end int) int {
	if from >= end {
		return end
	}
	if word := s.words[from>>6] >> (from & 63); word != 0 {
		return min(from+bits.TrailingZeros64(word), end)
	}
	from = from>>6 + 1 // counts words from here on
	for k := from >> 6; k<<12 < end; k++ {
		some := s.some[k]
		if k == from>>6 {
			some &= ^uint64(0) << (from & 63)
		}
		if some != 0 {
			at := k<<6 + bits.TrailingZeros64(some)
			return min(at<<6+bits.TrailingZeros64(s.words[at]), end)
		}
	}
	return end
}

// Count returns the number of members from first to end-1.
func (s *Set) Count(first, end int) (count int) {
	for k := first >> 12; k<<12 < end; k++ {
		for some := s.some[k]; some != 0; some &= some - 1 {
			at := k<<12 + bits.TrailingZeros64(some)<<6
			if at >= end {
				return count
			}
			word := s.words[at>>6]
			switch {
			case at+64 <= first:
				continue
			case at < first:
				word &= ^uint64(0) << (first - at)
			}
			if end-at < 64 {
				word &= 1<<(end-at) - 1
			}
			count += bits.OnesCount64(word)
		}
	}
	return count
}

// Ports of RTL are packed vectors of 64-bit words, low word first.

// GetBits extracts 1..64 bits of a packed vector, starting at bit first.
func GetBits(words []uint64, first, bits int) uint64 {
	word, shift := first>>6, uint(first&63)
	value := words[word] >> shift
	if shift+uint(bits) > 64 {
		value |= words[word+1] << (-shift & 63)
	}
	return value & (^uint64(0) >> (-uint(bits) & 63))
}

// PutBits is the inverse of GetBits. It ignores higher bits of value.
func PutBits(words []uint64, first, bits int, value uint64) {
	word, shift := first>>6, uint(first&63)
	mask := ^uint64(0) >> (-uint(bits) & 63)
	value &= mask
	words[word] = words[word]&^(mask<<shift) | value<<shift
	if shift+uint(bits) > 64 {
		shift = -shift & 63
		words[word+1] = words[word+1]&^(mask>>shift) | value>>shift
	}
}

func oneIf(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}
