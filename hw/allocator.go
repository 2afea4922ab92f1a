package hw

import (
	"cmp"
	"math/bits"
	"slices"
)

// AllocatorPortsMax is the maximum number of inputs, and of outputs, of a list allocator.
const AllocatorPortsMax = 65536

// A ListRule sets the order in which the inputs of a list allocator claim outputs, and the maximum number of claims
// per slot.
type ListRule struct {
	RoundRobin bool // starts at Pointer instead of input 0
	Cap        int  // maximum number of claims per slot; 0 for no limit
}

// before reports whether input a precedes input b: first by ascending tag, then, with RoundRobin, in circular order
// from first, then by index.
func (r ListRule) before(tagA uint16, a uint32, tagB uint16, b uint32, first uint32) int {
	var rankA, rankB uint64
	if r.RoundRobin {
		rankA, rankB = rankRoundRobin(a, first), rankRoundRobin(b, first)
	}
	return cmp.Or(cmp.Compare(tagA, tagB), cmp.Compare(rankA, rankB), cmp.Compare(a, b))
}

func (r ListRule) full(claims int) bool { return r.Cap > 0 && claims >= r.Cap }

// ListRequest is a request of one input for one output of a list.
type ListRequest struct {
	Tag   uint16
	List  []uint32 // outputs, read only; an index out of range is never free
	Valid []uint64 // bit set of the positions of List that the input may claim
	First uint32   // position to try first; len(List) or more for none
}

// Listener is the state of an output: whether it listens, and for which tag.
type Listener struct {
	Listening bool
	Filtered  bool // accepts only frames with Tag
	Tag       uint16
}

// Accepts reports whether the output accepts frames with the tag.
func (l Listener) Accepts(tag uint16) bool { return l.Listening && (!l.Filtered || l.Tag == tag) }

// choose returns the position that the input claims: First if First is valid and free, otherwise the lowest valid and
// free position. free reports whether an output accepts the request's tag and is unclaimed. perhaps, unless nil, has
// a byte per output; the byte 0 marks an output that is free for no tag.
func (r *ListRequest) choose(free func(output uint32) bool, perhaps []uint8) (position int, ok bool) {
	if r.First < uint32(len(r.List)) && r.valid(int(r.First)) && free(r.List[r.First]) {
		return int(r.First), true
	}
	for w, word := range r.Valid {
		if 64*w >= len(r.List) {
			break
		}
		list := r.List[64*w:]
		if len(list) < 64 {
			word &= 1<<len(list) - 1
		}
		for ; word != 0; word &= word - 1 {
			at := bits.TrailingZeros64(word)
			if run := bits.TrailingZeros64(^(word >> at)); run >= 4 && perhaps != nil {
				if word &= ^uint64(0) << (at + countTaken(list[at:at+run], perhaps)); word == 0 {
					break
				}
				at = bits.TrailingZeros64(word)
			}
			if free(list[at]) {
				return 64*w + at, true
			}
		}
	}
	return 0, false
}

// countTaken returns the length of the longest prefix of the list without a free output. It tests four outputs per
// step.
func countTaken(list []uint32, perhaps []uint8) int {
	k, n := 0, uint32(len(perhaps))
	for ; k+4 <= len(list); k += 4 {
		l := list[k : k+4 : k+4]
		if l[0] >= n || l[1] >= n || l[2] >= n || l[3] >= n || perhaps[l[0]]|perhaps[l[1]]|perhaps[l[2]]|perhaps[l[3]] != 0 {
			break
		}
	}
	for ; k < len(list); k++ {
		if output := list[k]; output < n && perhaps[output] != 0 {
			break
		}
	}
	return k
}

func (r *ListRequest) valid(position int) bool {
	return position>>6 < len(r.Valid) && r.Valid[position>>6]>>(position&63)&1 != 0
}

// ListClaim records that Input has claimed output List[Position].
type ListClaim struct{ Input, Position, Output uint32 }

// ListMatching matches inputs and outputs of one slot. Inputs claim outputs in the order of ListRule. With equal
// tags, one valid bit per unsent message, and First the number of sent messages, this is Algorithm 2 of V. De Florio
// and C. Blondia ("The Algorithm of Pipelined Gossiping", section 6); with First beyond the list it is Algorithm 2'.
//
// A ListMatching must not be used concurrently. It allocates only while its buffers grow.
type ListMatching struct {
	Rule ListRule

	// Pointer is the first input in round-robin order. After a slot with claims, Slot sets Pointer to the input after
	// the first served one.
	Pointer uint32

	left   []uint8 // by output: 1 if the output listens and is unclaimed
	order  []uint32
	claims []ListClaim
}

// Slot returns the claims of one slot in order, valid until the next call. requesting lists the requesting inputs in
// any order; requests and listeners cover all inputs and outputs.
func (m *ListMatching) Slot(requesting []uint32, requests []ListRequest, listeners []Listener) []ListClaim {
	m.order = append(m.order[:0], requesting...)
	slices.SortFunc(m.order,
		func(a, b uint32) int { return m.Rule.before(requests[a].Tag, a, requests[b].Tag, b, m.Pointer) })
	if len(m.left) != len(listeners) {
		m.left = make([]uint8, len(listeners))
	}
	left := 0
	for i := range listeners {
		m.left[i] = 0
		if listeners[i].Listening {
			m.left[i] = 1
			left++
		}
	}
	m.claims = m.claims[:0]
	var tag uint16
	free := func(output uint32) bool {
		return int(output) < len(listeners) && m.left[output] != 0 && listeners[output].Accepts(tag)
	}
	for _, input := range m.order {
		if m.Rule.full(len(m.claims)) || len(m.claims) == left {
			break
		}
		r := &requests[input]
		tag = r.Tag
		if position, ok := r.choose(free, m.left); ok {
			m.left[r.List[position]] = 0
			m.claims = append(m.claims, ListClaim{input, uint32(position), r.List[position]})
		}
	}
	if len(m.claims) > 0 {
		m.Pointer = following(m.claims[0].Input, len(requests))
	}
	return m.claims
}
