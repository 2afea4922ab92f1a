package lockstep

import (
	"math/bits"
	"slices"

	"starloom/cosim"
)

// Limits of shrinking, in trials and cycles rather than seconds, so that results do not depend on the host. A backend
// without snapshots is reopened for every trial.
const (
	shrinkTrials       = 4000
	shrinkTrialsReopen = 300
	shrinkCycles       = 1_000_000
	shrinkCyclesReopen = 50_000
	shrinkRoundsMax    = 4
)

// shrinker reduces first the cycles and then the one bits of a stimulus while model and RTL differ in the same way.
type shrinker struct {
	*pair
	kind    string
	powerOn uint64
	best    *Stimulus // the last cycle of best is the cycle of the difference
	at      difference
	trials  int // trials left before the shrinker gives up
	cycles  int
	err     error
}

// shrink returns the smallest stimulus found and its difference.
//
//	end of the run     the last 2, 4, 8 ... cycles, with reset on in the first
//	fewer cycles       without half of them, a quarter, ... a single one
//	fewer ones         a port in all cycles, all ports in a cycle, halves of a word
//
// The last two steps are repeated until the size stays the same.
func (l *pair) shrink(f *finding, whole *Stimulus) (*Stimulus, difference, error) {
	s := &shrinker{pair: l, kind: f.kind, powerOn: f.powerOn, best: whole, at: f.difference,
		trials: shrinkTrials, cycles: shrinkCycles}
	if l.rtlInitial == nil {
		s.trials, s.cycles = shrinkTrialsReopen, shrinkCyclesReopen
	}
	s.takeEnd()
	for range shrinkRoundsMax {
		size := s.size()
		s.dropCycles()
		s.clearOnes()
		if s.size() == size || s.spent() {
			break
		}
	}
	return s.best, s.at, s.err
}

func (s *shrinker) size() [2]int { return [2]int{s.best.Cycles(), s.best.ones()} }

func (s *shrinker) spent() bool { return s.err != nil || s.trials <= 0 || s.cycles <= 0 }

// try keeps a candidate that differs in the same way and cuts it after the difference. Inputs that break a rule of
// the model's neighbours are corrected first. A candidate must begin with reset on.
func (s *shrinker) try(candidate *Stimulus) bool {
	if s.spent() || s.model.Clocked() && candidate.row(0)[s.model.ResetWord()] == 0 {
		return false
	}
	s.trials--
	at, err := s.power(s.powerOn)
	if err == nil && at == nil {
		before := s.exchanged
		at, err = s.run(s.kept(candidate), nil)
		s.cycles -= int(s.exchanged - before)
		s.exchanged = before // the report counts only requested cycles
	}
	if err != nil {
		s.err = err
		return false
	}
	if at == nil || at.kind != s.kind {
		return false
	}
	candidate.cut(int(at.cycle) + 1)
	s.best, s.at = candidate, *at
	return true
}

func (s *shrinker) kept(candidate *Stimulus) drive {
	next := candidate.drive()
	if s.model.Keep == nil {
		return next
	}
	return func(cycle uint64, inputs []uint64) bool {
		if !next(cycle, inputs) {
			return false
		}
		if !s.inReset() && s.model.Keep(inputs) != "" {
			copy(candidate.row(int(cycle)), inputs)
		}
		return true
	}
}

// takeEnd searches for a short end of the run with the difference. Its cost, about two runs, is not counted.
func (s *shrinker) takeEnd() {
	whole := s.best
	budget := s.cycles
	for length := 2; length < whole.Cycles(); length *= 2 {
		s.cycles = budget
		end := whole.slice(whole.Cycles()-length, whole.Cycles())
		if s.model.Clocked() {
			end.row(0)[s.model.ResetWord()] = 1
		}
		if s.try(end) {
			break
		}
	}
	s.cycles = budget
}

func (s *shrinker) dropCycles() {
	for length := s.best.Cycles() / 2; length > 0; length /= 2 {
		for first := 0; first+length <= s.best.Cycles() && !s.spent(); {
			if !s.try(s.best.without(first, first+length)) {
				first += length
			}
		}
	}
}

func (s *shrinker) clearOnes() {
	ports := s.best.Inputs
	for _, p := range ports {
		s.clear(func(c *Stimulus) bool {
			changed := false
			for cycle := range c.Cycles() {
				changed = clearPort(c.row(cycle), p) || changed
			}
			return changed
		})
	}
	for cycle := 0; cycle < s.best.Cycles(); cycle++ {
		s.clear(func(c *Stimulus) bool {
			changed := false
			for _, p := range ports {
				if p.Name != "reset" {
					changed = clearPort(c.row(cycle), p) || changed
				}
			}
			return changed
		})
	}
	for cycle := 0; cycle < s.best.Cycles(); cycle++ {
		for _, p := range ports {
			for w := range p.Words() {
				s.clearWord(cycle, p.Word+w, ^uint64(0))
			}
		}
	}
}

func (s *shrinker) clear(change func(c *Stimulus) bool) bool {
	if s.spent() {
		return false
	}
	candidate := s.best.clone()
	return change(candidate) && s.try(candidate)
}

func (s *shrinker) clearWord(cycle, word int, mask uint64) {
	if cycle >= s.best.Cycles() || s.spent() {
		return
	}
	ones := s.best.row(cycle)[word] & mask
	if ones == 0 || s.clear(func(c *Stimulus) bool { c.row(cycle)[word] &^= ones; return true }) || ones&(ones-1) == 0 {
		return
	}
	low := uint64(0)
	for rest := ones; bits.OnesCount64(low) < bits.OnesCount64(ones)/2; rest &= rest - 1 {
		low |= rest & -rest
	}
	s.clearWord(cycle, word, ones&^low)
	s.clearWord(cycle, word, low)
}

func clearPort(row []uint64, p cosim.Port) bool {
	words := row[p.Word:][:p.Words()]
	changed := slices.Max(words) != 0
	clear(words)
	return changed
}
