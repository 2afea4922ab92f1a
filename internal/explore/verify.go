package explore

import (
	"bytes"
	"fmt"
	"slices"
)

// verifySlots is the depth of a comparison.
const verifySlots = 3

// compare steps two states with one key through all choices of some slots. They must have one future: the same keys,
// and the same violations. Two states that have been found before the next level are compared.
func (s *search) compare(next []open, again *successor) {
	if again.ended || s.err != nil {
		return
	}
	i := slices.IndexFunc(next, func(o open) bool { return s.nodes.all[o.id].key == again.key })
	if i < 0 {
		return
	}
	known := &next[i]
	if !bytes.Equal(known.future, again.future) {
		s.err = fmt.Errorf("two states of slot %d have the key %x", s.slot, again.key)
		return
	}
	s.follow(known, &open{future: again.future, rest: again.rest}, s.slot+1, again.used, verifySlots)
}

func (s *search) follow(a, b *open, slot uint32, used vector, left int) {
	if left == 0 || s.err != nil {
		return
	}
	w, at := s.workers[0], s.slot
	s.slot = slot
	verify := s.verify
	s.verify = true
	first := w.expand(a, used)
	second := w.expand(b, used)
	s.slot, s.verify = at, verify
	if len(first) != len(second) {
		s.err = fmt.Errorf("two states of slot %d with one key have %d and %d successors", slot, len(first), len(second))
		return
	}
	for k := range first {
		x, y := &first[k], &second[k]
		switch {
		case x.key != y.key || x.ended != y.ended || (x.failure == nil) != (y.failure == nil) ||
			x.failure != nil && x.failure.violations[0].Message != y.failure.violations[0].Message:
			s.err = fmt.Errorf("two states of slot %d with one key differ after the choice %v", slot, x.choice)
			return
		case x.failure == nil && !x.ended:
			s.follow(&open{future: x.future, rest: x.rest}, &open{future: y.future, rest: y.rest}, slot+1, x.used, left-1)
		}
	}
}
