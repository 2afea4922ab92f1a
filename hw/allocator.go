package hw

import (
	"cmp"
	"math/bits"
	"slices"
)

// AllocatorPortsMax is how many inputs and outputs a list allocator has at most.
const AllocatorPortsMax = 65536

// A ListRule says in which order the inputs of a list allocator have their turns.
type ListRule struct {
	RoundRobin bool // from a pointer on; else from input 0
	Cap        int  // a slot ends with so many claims, 0 for no such limit
}

// before orders two inputs that want a turn: lower tag first, then, of equal tags, those
// from first on, then lower index.
func (r ListRule) before(tagA uint16, a uint32, tagB uint16, b uint32, first uint32) int {
	var rankA, rankB uint64
	if r.RoundRobin {
		rankA, rankB = rankRoundRobin(a, first), rankRoundRobin(b, first)
	}
	return cmp.Or(cmp.Compare(tagA, tagB), cmp.Compare(rankA, rankB), cmp.Compare(a, b))
}

// full reports whether a slot has all the claims that it may have.
func (r ListRule) full(claims int) bool { return r.Cap > 0 && claims >= r.Cap }

// ListRequest is what an input asks for: one of the addressees of a list.
type ListRequest struct {
	Tag   uint16
	List  []uint32 // addressees; those beyond the last output are never free. Not changed
	Valid []uint64 // a bit for each position of List: whether it counts
	First uint32   // the position that is tried first; len(List) or more for none
}

// Listener is what an output accepts.
type Listener struct {
	Listening bool
	Filtered  bool   // only frames of one tag...
	Tag       uint16 // ...which is this
}

// Accepts reports whether an output listens for a tag.
func (l Listener) Accepts(tag uint16) bool { return l.Listening && (!l.Filtered || l.Tag == tag) }

// choose returns the position that an input claims: its first choice if that is valid and
// free, else the first one that is. free(output) says whether an output listens for the
// request's tag and is not claimed; perhaps has, unless it is nil, a byte for each output,
// 0 for those that are not free, whatever the tag.
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

// countTaken counts the outputs at the head of a list that are not free: four at once, while
// none of four is.
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

// ListClaim is what an input has got: output List[Position].
type ListClaim struct{ Input, Position, Output uint32 }

// ListMatching matches inputs and outputs in one slot: what a list allocator does in as
// many cycles as it has ports. Inputs have their turns in ascending order of (tag, index),
// or, of equal tags, from a pointer on; each claims what choose says. With tags that are
// all equal, one valid bit per message that is not sent yet, and First the number of those
// that are, this is Algorithm 2 of V. De Florio and C. Blondia ("The Algorithm of Pipelined
// Gossiping", section 6); with First beyond the list it is Algorithm 2'.
//
// It belongs to one goroutine at a time and allocates nothing once it has grown.
type ListMatching struct {
	Rule ListRule

	// Pointer is who goes first with RoundRobin: after the first input that got
	// something in the last slot in which one did. Slot moves it.
	Pointer uint32

	left   []uint8 // by output: 1 if it listens and is not claimed
	order  []uint32
	claims []ListClaim
}

// Slot returns the claims of a slot, by turn, valid until the next call. requesting are the
// inputs that ask for something, in any order; requests are those of all inputs, and
// listeners all outputs.
func (m *ListMatching) Slot(requesting []uint32, requests []ListRequest, listeners []Listener) []ListClaim {
	m.order = append(m.order[:0], requesting...)
	slices.SortFunc(m.order, func(a, b uint32) int { return m.Rule.before(requests[a].Tag, a, requests[b].Tag, b, m.Pointer) })
	if len(m.left) != len(listeners) {
		m.left = make([]uint8, len(listeners))
	}
	left := 0 // outputs that may be claimed
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
