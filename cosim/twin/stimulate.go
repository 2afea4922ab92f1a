package twin

import (
	"slices"
)

// Stimulate replaces the inputs of the previous cycle by the inputs of the given cycle: typical inputs of the
// circuit, and occasionally illegal ones. Reset is on in cycle 0 and as scheduled, for 2 cycles on average. The
// inputs depend only on the schedule and the previous inputs; cycles must ascend.
func (m *Model) Stimulate(s *Schedule, cycle uint64, inputs []uint64) {
	s.at(cycle)
	now := &m.stimulation
	if now.schedule != s || now.phase != s.phase.number+1 {
		if now.manners == nil {
			now.manners, now.before = make([]manner, len(m.ports)), make([]uint64, len(m.inputs))
		}
		now.schedule, now.phase, now.vary = s, s.phase.number+1, s.manners(now.manners)
		s.at(cycle)
	}
	s.random.again = s.again
	if m.site.Clocked {
		on := &inputs[m.reset.Word]
		*on &= uint64(s.random.Below(2))
		if cycle == s.stretch.first {
			*on = 1
		}
	}
	if !now.vary {
		m.Use(&s.random, inputs)
		return
	}
	copy(now.before, inputs)
	m.Use(&s.random, inputs)
	for i, p := range m.ports {
		if p.Input && !p.Clock && now.manners[i] != inUse && !slices.Contains(m.OnlyInUse, Pin{p.Word, p.Bits}) {
			now.manners[i].put(&s.random, inputs[p.Word:][:p.Words()], now.before[p.Word:][:p.Words()], p.Bits)
		}
	}
}

func (m *Model) atRandom(random *Random, inputs []uint64) {
	for _, p := range m.ports {
		if !p.Input || p.Clock || p.Name == "reset" {
			continue
		}
		words := inputs[p.Word:][:p.Words()]
		for w := range words {
			words[w] = random.Uint64()
		}
	}
}
