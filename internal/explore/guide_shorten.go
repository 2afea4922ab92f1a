package explore

import (
	"fmt"
	"slices"

	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/traces"
)

// shortened describes how a schedule became short.
type shortened struct {
	from int // faults of the run that broke the rule
	runs int
}

// bounds of a shortening: runs, and slots by which faults move
const (
	shortenRuns = 4096
	shiftMax    = 16
)

// timedEvent is a fault in a step of a run.
type timedEvent struct {
	step int
	event
}

// shorten replaces the failure by one with fewer faults, then with fewer slots, by delta debugging (Zeller and
// Hildebrandt, IEEE TSE 28(2), 2002). The rule stays the same.
func (g *guided) shorten() {
	s := g.search
	f := s.failed
	var best []timedEvent
	for step, chosen := range append(s.nodes.path(f.parent), f.choice)[1:] {
		for _, e := range chosen {
			best = append(best, timedEvent{step, e})
		}
	}
	g.shorter = shortened{from: len(best)}
	slots := f.slot
	shorter := func(schedule []timedEvent, most uint32) bool {
		if g.shorter.runs == shortenRuns {
			return false
		}
		g.shorter.runs++
		at, violations := g.breaks(schedule, most, false)
		if len(violations) == 0 {
			return false
		}
		best, slots = schedule, at
		return true
	}
	remove := func() {
		for parts, size := 2, 0; len(best) > 0 && size != 1; parts *= 2 {
			size = max(1, (len(best)+parts-1)/parts)
			for from := 0; from < len(best); {
				if rest := slices.Delete(slices.Clone(best), from, min(from+size, len(best))); !shorter(rest, f.slot) {
					from += size
				}
			}
		}
	}
	// one removes fault i and moves the later ones: without the fault, the run is earlier, or later
	one := func(i int) bool {
		for shift := 1; shift <= shiftMax; shift++ {
			for _, by := range []int{-shift, shift} {
				rest := slices.Delete(slices.Clone(best), i, i+1)
				for k := i; k < len(rest); k++ {
					rest[k].step = max(0, rest[k].step+by)
				}
				if shorter(rest, f.slot) {
					return true
				}
			}
		}
		return false
	}
	remove()
	for i := 0; i < len(best)-1; i++ {
		if one(i) {
			remove()
			i = -1
		}
	}
	for earlier := true; earlier && slots > 0; { // a fault in an earlier step, if the rule is then broken earlier
		earlier = false
		for i := range best {
			for step := 0; step < best[i].step && !earlier && slots > 0; step++ {
				other := slices.Clone(best)
				other[i].step = step
				earlier = shorter(other, slots-1)
			}
		}
	}
	g.breaks(best, slots, true)
}

// breaks runs a schedule from the reset state until the rule of the failure breaks, or for at most so many slots. It
// returns the slot and the violations. With keep, the steps become nodes, and their end the failure.
func (g *guided) breaks(schedule []timedEvent, most uint32, keep bool) (slot uint32, violations []outcome.Violation) {
	s := g.search
	w, parent, used := s.workers[0], s.root.id, vector(0)
	w.Return(s.root.future, s.root.rest, 0)
	for step := 0; !w.Ended() && (step == 0 || w.Slots() < most); step++ {
		var chosen []event
		for _, e := range schedule {
			if e.step == step {
				chosen = append(chosen, e.event)
				used = used.plus(int(e.kind))
			}
		}
		w.choose(chosen)
		w.Advance()
		if broken := g.broken(w); len(broken) > 0 {
			if broken[0].Rule != s.failed.violations[0].Rule {
				return 0, nil
			}
			if keep {
				s.failed = &failure{parent: parent, choice: chosen, faults: used.total(), slot: w.Slots(),
					violations: slices.Clone(broken)}
			}
			return w.Slots(), broken
		}
		if keep {
			w.future, w.rest = w.Save(w.future[:0], w.rest[:0])
			s.nodes.all = append(s.nodes.all, node{key: keyOf(w.future), used: used, parent: parent,
				choice: s.nodes.number(chosen), same: none})
			parent = uint32(len(s.nodes.all) - 1)
		}
	}
	return 0, nil
}

// report returns the extent of the search.
func (g *guided) report() *outcome.ExploredGuide {
	return &outcome.ExploredGuide{Slots: g.search.count.Transitions, Trials: g.trials, Corpus: len(g.fresh) +
		len(g.corpus),
		Dropped: g.dropped, Features: len(g.seen), Shortened: g.shorter.from, ShortenedRuns: g.shorter.runs}
}

// chosenFrom lists the choices of a guided search.
func (s *search) chosenFrom(c *config.Config) (list []string) {
	for i := range s.kinds {
		list = append(list, s.kinds[i].text(c, "any slot"))
	}
	return append(list, fmt.Sprintf("seed %d, %s, the workload of the scenario", c.Seed,
		traces.Plural(c.Network.Shape().Processors(), "processor", "processors")))
}
