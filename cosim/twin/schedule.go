package twin

import (
	"math/bits"
)

// Schedule defines the inputs of a run over long times: when reset is on, and the phase of each input.
//
//	cycle 0         3/8                                      15/16      1
//	      |.|..|....|........|------------------------------|..|.....|..|
//	       many resets, with      one stretch                  resets again, to find
//	       growing distances      without reset                state that survives one
//
// The long stretch covers more than half of the run. It reaches states deep after a reset, such as a counter's
// overflow. The short stretches reveal state that a reset fails to clear. Their lengths are distributed so that 8 to
// 15 cycles are as frequent as 1,024 to 2,047.
//
// A phase lasts from a few cycles to a sixteenth of the run. In half of the phases all inputs have typical values. In
// the others each input has typical values or a manner: stuck, all zeros or ones, one-hot, random with some density,
// bursts. Independent manners of a FIFO's push and pop fill it, drain it, stall it, and push and pop back to back.
//
// All inputs are a function of seed, length and cycle, so that a test can begin anywhere.
type Schedule struct {
	random  Random
	cycles  uint64
	stretch stretch // cycles from one reset to the next
	phase   stretch
	again   uint32
}

type stretch struct{ number, first, end uint64 }

// NewSchedule returns the schedule of a run of the given length.
func NewSchedule(seed, cycles uint64) *Schedule {
	return &Schedule{random: *NewRandom(seed), cycles: cycles}
}

// Positions of draws that belong to no cycle. traffic uses 1<<63.
const (
	drawsOfStretch = 1 << 62
	drawsOfPhase   = 1 << 61
	drawsOfRedraw  = 1 << 60
)

func (s *Schedule) at(cycle uint64) {
	s.random.again = 0
	s.stretch.reach(cycle, s.stretchEnd)
	s.phase.reach(cycle, s.phaseEnd)
	s.random.At(cycle)
}

func (p *stretch) reach(cycle uint64, end func(number, first uint64) uint64) {
	if p.end == 0 || cycle < p.first {
		*p = stretch{end: end(0, 0)}
	}
	for cycle >= p.end {
		p.number, p.first = p.number+1, p.end
		p.end = end(p.number, p.first)
	}
}

func (s *Schedule) stretchEnd(number, first uint64) uint64 {
	s.random.At(drawsOfStretch | number)
	early, late := s.cycles/8*3, s.cycles-s.cycles/16
	if first >= late {
		return first + s.random.between(1, max(s.cycles/16, 16))
	}
	if end := first + s.random.between(1, max(first, 16)); first < early && end < early {
		return end
	}
	return late
}

func (s *Schedule) phaseEnd(number, first uint64) uint64 {
	s.random.At(drawsOfPhase | number)
	return first + s.random.between(4, max(first/16, 64))
}

// between returns a number from low to high with a uniformly distributed length in binary digits. low is at least 1.
func (r *Random) between(low, high uint64) uint64 {
	shortest := bits.Len64(low)
	top := uint64(1) << (shortest - 1 + r.Below(bits.Len64(high)-shortest+1))
	return min(max(top|r.Uint64()&(top-1), low), high)
}

type manner uint8

const (
	inUse manner = iota
	stuck
	allZeros
	allOnes
	oneHot
	sparse // each bit is set in one of 8 cycles
	half
	dense
	bursts // each bit changes in one of 16 cycles
	mannerCount
)

func (s *Schedule) manners(of []manner) bool {
	s.random.At(drawsOfPhase | s.phase.number)
	s.random.draw = 1 // phaseEnd uses the first draw
	clear(of)
	if s.random.Below(2) == 0 {
		return false
	}
	for i := range of {
		if s.random.Below(2) == 0 {
			of[i] = 1 + manner(s.random.Below(int(mannerCount)-1))
		}
	}
	return true
}

func (m manner) put(random *Random, words, before []uint64, width int) {
	hot := 0
	if m == oneHot {
		hot = random.Below(width)
	}
	for w := range words {
		switch m {
		case stuck:
			words[w] = before[w]
		case allZeros:
			words[w] = 0
		case allOnes:
			words[w] = ^uint64(0)
		case oneHot:
			if words[w] = 0; hot/64 == w {
				words[w] = 1 << (hot % 64)
			}
		case sparse:
			words[w] = random.Sparse(3)
		case half:
			words[w] = random.Uint64()
		case dense:
			words[w] = ^random.Sparse(3)
		case bursts:
			words[w] = before[w] ^ random.Sparse(4)
		}
	}
}

type stimulation struct {
	schedule *Schedule
	phase    uint64 // 1 + number of the phase to which manners belong
	vary     bool
	manners  []manner
	before   []uint64
}
