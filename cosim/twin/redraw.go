package twin

import "slices"

// singleRedraws is how many first attempts of Redraw change a single input.
const singleRedraws = 32

// Redraw replaces inputs that a cycle must not have by others: before are those of the cycle
// before. Attempts are 1, 2, ...; the first ones change one input of what Stimulate has drawn, later
// ones several, every third draws all again. Reset is off.
func (m *Model) Redraw(s *Schedule, cycle uint64, attempt int, inputs, before []uint64) {
	copy(inputs, before)
	if attempt%3 == 0 {
		s.again = uint32(attempt)
	}
	m.Stimulate(s, cycle, inputs)
	s.again = 0
	m.change(&s.random, cycle, attempt, inputs, before)
}

// change turns reset off and gives inputs other manners: a single one in the first attempts, then
// several.
func (m *Model) change(random *Random, cycle uint64, attempt int, inputs, before []uint64) {
	if m.site.Clocked {
		inputs[m.reset.Word] = 0
	}
	random.At(drawsOfRedraw | uint64(attempt)<<48 | cycle)
	var free []int
	for i, p := range m.ports {
		if p.Input && !p.Clock && p.Name != "reset" {
			free = append(free, i)
		}
	}
	only := free[random.Below(len(free))]
	for _, i := range free {
		if attempt <= singleRedraws && i != only || attempt > singleRedraws && random.Below(2) == 0 {
			continue
		}
		p := m.ports[i]
		words := inputs[p.Word:][:p.Words()]
		change := 1 + manner(random.Below(int(mannerCount)-1))
		if slices.Contains(m.OnlyInUse, Pin{p.Word, p.Bits}) {
			change = []manner{stuck, allZeros}[random.Below(2)]
		}
		change.put(random, words, before[p.Word:][:p.Words()], p.Bits)
	}
}
