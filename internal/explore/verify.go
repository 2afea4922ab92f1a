package explore

import (
	"bytes"
	"fmt"
)

// verifySlots is the depth of a comparison.
const verifySlots = 3

// visited is a state and the slot in which it was found.
type visited struct {
	open
	slot uint32
}

// keep keeps a state for comparisons.
func (s *search) keep(k key, o open) {
	if s.kept == nil {
		s.kept = map[key]visited{}
	}
	s.kept[k] = visited{o, s.nextSlot()}
}

// compare steps two states with one key through all choices of some slots. Their futures must agree: equal keys and
// equal violations. The first state was found earlier: in this slot or, if states do not depend on their slot, in any
// slot.
func (s *search) compare(again *successor) {
	known, ok := s.kept[again.key]
	if again.ended || s.err != nil || !ok {
		return
	}
	if !bytes.Equal(known.future, again.future) {
		s.err = fmt.Errorf("two states of slots %d and %d have the key %x", known.slot, s.nextSlot(), again.key)
		return
	}
	other := visited{open{future: again.future, rest: again.rest}, s.nextSlot()}
	s.follow(&known, &other, again.used, verifySlots)
}

func (s *search) follow(a, b *visited, used vector, left int) {
	if left == 0 || s.err != nil {
		return
	}
	w, at, verify := s.workers[0], s.slot, s.verify
	s.verify = true
	s.slot = a.slot
	first := w.expand(&a.open, used)
	s.slot = b.slot
	second := w.expand(&b.open, used)
	s.slot, s.verify = at, verify
	if len(first) != len(second) {
		s.err = fmt.Errorf("two states of slots %d and %d with the same key have %d and %d successors", a.slot, b.slot,
			len(first), len(second))
		return
	}
	for k := range first {
		x, y := &first[k], &second[k]
		switch {
		case x.key != y.key || x.ended != y.ended || (x.failure == nil) != (y.failure == nil) ||
			x.failure != nil && x.failure.violations[0].Message != y.failure.violations[0].Message:
			s.err = fmt.Errorf("two states of slots %d and %d with one key differ after the choice %v", a.slot, b.slot, x.choice)
			return
		case x.failure == nil && !x.ended:
			s.follow(&visited{open{future: x.future, rest: x.rest}, a.slot + 1},
				&visited{open{future: y.future, rest: y.rest}, b.slot + 1}, x.used, left-1)
		}
	}
}

// keepsAll reports whether steps to known states are kept with their choices, too.
func (s *search) keepsAll() bool { return s.verify || s.aside.graph != nil }
