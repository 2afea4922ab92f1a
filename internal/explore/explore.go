// Package explore runs the real firmware on the exact hardware through all choices of the environment within given
// bounds: kinds, targets and times of faults. States are compared by the columns that can influence the future
// (hw.Future), so that a state with several histories is expanded once.
//
//	bounds -> search: slot by slot, with choices and states -> report, with a schedule that breaks a rule
//
// As in explicit-state model checkers (Holzmann, The SPIN Model Checker, 2004; Dill, The Murphi Verification System,
// CAV 1996), states are stored as hashes. The machine itself takes the place of the model.
package explore

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/internal/config"
	"starloom/traces"
)

// Of explores the runs of a configuration within bounds.
func Of(ctx context.Context, c *config.Config, b Bounds, o Options) (*outcome.Explored, error) {
	r, _, err := exploreOnce(ctx, c, b, o)
	return r, err
}

func exploreOnce(ctx context.Context, c *config.Config, b Bounds, o Options) (*outcome.Explored, *search, error) {
	own, kinds, l, err := b.plan(c)
	if err != nil {
		return nil, nil, err
	}
	if l.slots == 0 {
		l.slots = math.MaxUint32
	}
	l.draws, l.starts = l.draws && o.Guide == 0, l.starts && o.Guide == 0 // a guided search chooses faults alone
	lost := own.Rules.NoLoss
	own.Rules.NoLoss = lost && !slices.ContainsFunc(kinds, func(k kind) bool { return !k.fault.Kind.OnMedia() })
	s, err := newSearch(ctx, own, kinds, l, o)
	defer s.close()
	if err != nil && ctx.Err() != nil { // while the machine was built
		s.open = openInterrupted
		return s.report(c), s, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if o.Guide > 0 {
		if o.name = "guide"; len(b.Arrivals) > 0 {
			return nil, nil, c.Source.Refuse("explore.arrivals", "a guided search tries runs of one workload",
				"delete arrivals and its choice, or explore all of them without --guide")
		}
		if c.Workload.Permutation.Kind == fabric.PermutationAll {
			return nil, nil, c.Source.Refuse("workload.permutation", "a guided search tries runs of one workload",
				"choose one permutation, such as random, or explore all of them without --guide")
		}
	}
	if err := s.saved.open(b.saved(c.Seed), s.workers[0].Engine(), o.name); err != nil {
		return nil, nil, err
	}
	if o.Guide == 0 {
		if s.goes, err = s.saved.read(s); err != nil {
			return nil, nil, err
		}
	}
	progress := func() {
		if o.Progress != nil {
			o.Progress(Progress{s.slot, min(l.slots, c.Slots), len(s.frontier), s.count.States, s.count.Transitions})
		}
	}
	var g *guided
	if o.Guide > 0 {
		g, err = s.guide(ctx, &o)
	} else {
		err = s.runAll(ctx, b.workloads(own), progress)
	}
	if err != nil {
		return nil, nil, err
	}
	r := s.report(c)
	if g != nil {
		r.Guide, r.FewestShown = g.report(), false
		r.Covered = append([]string{r.Guide.Text()}, s.chosenFrom(c)...)
		r.NotCovered = append([]string{"all runs but those that were tried"}, s.notCovered(c)...)
	}
	r.Rules = own.Checked()
	if len(b.Targets) > 0 {
		r.NotCovered = append(r.NotCovered, "faults at places other than "+strings.Join(b.Targets, ", "))
	}
	switch {
	case own.Rules.NoLoss && len(kinds) > 0:
		r.NotCovered = append(r.NotCovered, "no_loss for frames lost to faults; it judges all other frames")
	case lost && len(kinds) > 0:
		r.NotCovered = append(r.NotCovered, "the rule no_loss: any restart or death that loses frames breaks it")
	}
	r.Deadlock, err = s.deadlock()
	return r, s, err
}

func (s *search) report(c *config.Config) *outcome.Explored {
	r := &outcome.Explored{Schema: outcome.ExploredSchema, Scenario: c.Name, Seed: c.Seed, Rules: c.Checked(),
		Bounds:     map[string]int{},
		Provenance: c.Source.Provenance,
		Counts:     s.count, Levels: s.levels, Slots: s.slot, Verdict: outcome.Holds, Incomplete: s.open}
	for _, k := range s.kinds {
		r.Bounds[fabric.FaultNames[k.fault.Kind]] = k.limit
	}
	if s.aside.wide.Steps > 0 && s.open == "" {
		r.Incomplete, r.Slots = s.aside.wide.text(), min(r.Slots, s.aside.wide.Slot)
	}
	if r.Incomplete != "" {
		r.Verdict = outcome.Open
	}
	if f := s.failed; f != nil {
		r.Verdict, r.Violations, r.Permutation, r.Never = outcome.Fails, f.violations, f.workload.permutation, f.never
		for i, slot := range f.workload.arrivals {
			r.Arrivals = append(r.Arrivals, outcome.ExploredArrival{Packet: s.limits.bounds.Arrivals[i].Packet, Slot: slot})
		}
		steps := append(append(s.nodes.path(f.parent), f.choice), f.after...)
		r.Schedule, r.Draws = s.schedule(c, steps), s.draws(c, steps)
		if s.starts != nil {
			for _, x := range s.starts[f.start] {
				r.ArbiterStart = append(r.ArbiterStart, outcome.ExploredStart{Arbiter: x.Arbiter, First: x.First})
			}
		}
		r.FewestShown = r.Incomplete == ""
	}
	r.Targets, r.Graph = s.aside.effects.list(c, s.kinds), s.aside.graph.drawn(c, s.kinds)
	if len(s.workers) > 0 {
		r.Lines = s.workers[0].Lines(s.aside.branches)
	}
	r.Covered, r.NotCovered = s.covered(c), append(s.pruned(), s.notCovered(c)...)
	return r
}

// schedule lists the faults of a path. Step 0 is the start, step 1 runs the handlers of slot 0, and step n carries
// slot n-2 across the fabric, up to the handlers of slot n-1.
func (s *search) schedule(c *config.Config, steps [][]event) (list []outcome.ExploredFault) {
	for n, choice := range steps {
		for _, e := range faultsOf(choice) {
			kind := s.kinds[e.kind].fault.Kind
			_, _, path := fabric.FaultTargets(c.Network, kind)
			slot := n - 1
			if kind.OnMedia() {
				slot = n - 2
			}
			list = append(list,
				outcome.ExploredFault{Kind: fabric.FaultNames[kind], Target: path(int(e.target)), Slot: uint32(slot)})
		}
	}
	return list
}

// draws lists the outcomes of the draws of a path; see schedule.
func (s *search) draws(c *config.Config, steps [][]event) (list []outcome.ExploredDraws) {
	names := c.Network.Names()
	for n, choice := range steps {
		for _, e := range choice[len(faultsOf(choice)):] {
			processor, value := e.draw()
			slot := uint32(n - 1)
			k := slices.IndexFunc(list, func(d outcome.ExploredDraws) bool {
				return d.Processor == processor && d.Slot == slot
			})
			if k < 0 {
				k = len(list)
				list = append(list, outcome.ExploredDraws{Processor: processor, Path: names.Processor(processor), Slot: slot})
			}
			list[k].Outcomes = append(list[k].Outcomes, value)
		}
	}
	return list
}

func (s *search) covered(c *config.Config) []string {
	var faults []string
	if s.open != "" && len(s.levels) == 0 {
		return []string{"nothing: no slot is complete"}
	}
	if f := s.failed; f != nil && f.faults > 0 {
		what, to := fmt.Sprintf("all runs with fewer than %d faults", f.faults), "to their end"
		if f.faults == 1 {
			what = "all runs without faults"
		}
		if s.open != "" {
			to = fmt.Sprintf("up to slot %d", s.slot)
		}
		faults = append(faults, what+", "+to)
	}
	for i := range s.kinds {
		faults = append(faults, s.kinds[i].text(c, s.slotsCovered()))
	}
	if s.limits.draws {
		text := "all outcomes of draws"
		if s.aside.wide.Steps > 0 {
			text += fmt.Sprintf(" up to slot %d", s.aside.wide.Slot)
		}
		faults = append(faults, text+" (sl_chance, sl_random_bits, sl_random_below)")
	}
	if s.starts != nil {
		faults = append(faults, fmt.Sprintf("all %d starts of %s (round_robin)", len(s.starts),
			traces.Plural(len(s.starts[0]), "arbiter", "arbiters")))
	}
	for _, a := range s.limits.bounds.Arrivals {
		faults = append(faults, fmt.Sprintf("packet %d of %s created in each slot from %d to %d", a.Packet, c.Traffic.File,
			a.From, a.To))
	}
	workload := "the workload of the scenario"
	if c.Workload.Permutation.Kind == fabric.PermutationAll {
		workload = "all permutations"
	}
	length := "runs of any length, because nothing reads the slot number; stop.slots is not judged"
	if s.timed() {
		length = fmt.Sprintf("runs of at most %s (stop.slots)", traces.Plural(c.Slots, "slot", "slots"))
		if reader := s.workers[0].SlotRead; reader != "stop.slots" {
			length += ": " + reader + " reads the slot number"
		}
	}
	faults = append(faults, length)
	return append(faults, fmt.Sprintf("seed %d, %s, %s", c.Seed,
		traces.Plural(c.Network.Shape().Processors(), "processor", "processors"), workload))
}

// slotsCovered describes the slots for which all faults of the bounds were tried.
func (s *search) slotsCovered() string {
	switch {
	case s.pruning:
		return fmt.Sprintf("any slot up to slot %d", s.cut)
	case s.open != "":
		return fmt.Sprintf("any slot up to slot %d", s.slot)
	case s.aside.wide.Steps > 0:
		return fmt.Sprintf("any slot up to slot %d", s.aside.wide.Slot)
	}
	return "any slot"
}

// pruned names the runs that a search omits after its first failure.
func (s *search) pruned() []string {
	f := s.failed
	switch {
	case !s.pruning:
		return nil
	case f.faults == 0:
		return []string{fmt.Sprintf("runs beyond slot %d: the run without faults fails", s.cut)}
	}
	return []string{fmt.Sprintf("runs with %s or more beyond slot %d; none of them is shorter",
		traces.Plural(f.faults, "fault", "faults"), s.cut)}
}

func (s *search) notCovered(c *config.Config) (list []string) {
	var other []string
	for k, name := range fabric.FaultNames {
		if !slices.ContainsFunc(s.kinds, func(x kind) bool { return x.fault.Kind == fabric.FaultKind(k) }) {
			other = append(other, name)
		}
	}
	list = append(list, "other kinds of faults ("+strings.Join(other, ", ")+"), other seeds, other workloads")
	n := float64(s.count.States)
	list = append(list,
		fmt.Sprintf("two states with equal 128-bit hashes: probability below %.0e", max(n*n/math.Exp2(129), 1e-38)))
	for i := range c.Rules.States {
		if after := c.Rules.States[i].After; after != "" && !slices.Contains(s.aside.met, after) {
			list = append(list, "the rule after "+after+": the condition held in no state")
		}
	}
	if len(c.Faults) > 0 {
		list = append(list, "the faults of the scenario occur in every run, as determined by its seed")
	}
	return list
}
