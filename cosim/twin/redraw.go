package twin

import (
	"math/bits"
	"slices"
)

const (
	stuckInputsMax = 6  // number of inputs up to which Redraw tries every subset
	singleRedraws  = 48 // number of later attempts that change a single input
)

// Redraw replaces illegal inputs. before has the inputs of the previous cycle; attempts count from 1. The first
// attempts keep a subset of inputs at their previous values, small subsets first, and set the other inputs as
// Stimulate drew them. As few inputs as possible are therefore kept. Later attempts change one input, then several
// inputs; every third attempt draws all inputs again. Reset is off.
func (m *Model) Redraw(s *Schedule, cycle uint64, attempt int, inputs, before []uint64) {
	// number of the attempt, counted after the attempts that keep a subset
	late := attempt - len(m.redraws.kept(len(m.freeInputs())))
	copy(inputs, before)
	if late > 0 && late%3 == 0 {
		s.again = uint32(attempt)
	}
	m.Stimulate(s, cycle, inputs)
	s.again = 0
	m.change(&s.random, cycle, attempt, inputs, before)
}

func (m *Model) change(random *Random, cycle uint64, attempt int, inputs, before []uint64) {
	if m.site.Clocked {
		inputs[m.reset.Word] = 0
	}
	free := m.freeInputs()
	if len(free) == 0 {
		return
	}
	kept := m.redraws.kept(len(free))
	late := attempt - len(kept)
	random.At(drawsOfRedraw | cycle)
	turn := random.Below(len(free)) // index of the first input
	if late <= 0 {
		for i := range free {
			if kept[attempt-1]>>i&1 != 0 {
				p := m.ports[free[(i+turn)%len(free)]]
				copy(inputs[p.Word:][:p.Words()], before[p.Word:])
			}
		}
		return
	}
	random.At(drawsOfRedraw | uint64(attempt)<<48 | cycle)
	only := free[random.Below(len(free))]
	for _, i := range free {
		if late <= singleRedraws && i != only || late > singleRedraws && random.Below(2) == 0 {
			continue
		}
		p := m.ports[i]
		change := 1 + manner(random.Below(int(mannerCount)-1))
		if slices.Contains(m.OnlyInUse, Pin{p.Word, p.Bits}) {
			change = []manner{stuck, allZeros}[random.Below(2)]
		}
		change.put(random, inputs[p.Word:][:p.Words()], before[p.Word:][:p.Words()], p.Bits)
	}
}

func (m *Model) freeInputs() []int {
	if m.redraws.free == nil {
		for i, p := range m.ports {
			if p.Input && !p.Clock && p.Name != "reset" {
				m.redraws.free = append(m.redraws.free, i)
			}
		}
	}
	return m.redraws.free
}

type redraws struct {
	free    []int
	subsets []uint64 // subsets of free, as bit sets
}

// kept returns subsets of inputs to keep. For few inputs these are all subsets, otherwise single inputs and the whole
// set.
func (r *redraws) kept(inputs int) []uint64 {
	if r.subsets != nil {
		return r.subsets
	}
	if inputs > stuckInputsMax {
		for i := range min(inputs, 64) {
			r.subsets = append(r.subsets, 1<<i)
		}
		r.subsets = append(r.subsets, ^uint64(0))
		return r.subsets
	}
	for of := uint64(1); of < 1<<inputs; of++ {
		r.subsets = append(r.subsets, of)
	}
	slices.SortStableFunc(r.subsets, func(a, b uint64) int { return bits.OnesCount64(a) - bits.OnesCount64(b) })
	return r.subsets
}
