package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"starloom/traces"
)

const (
	fuzzSeeds       = 3   // number of runs after which handlers are called: with the scenario's seed and the next seeds
	fuzzFindingsMax = 32  // listed findings
	fuzzRepeatsMax  = 256 // number of sequences with findings after which the campaign stops
	// one in fuzzStaleEvery sequences is checked for stale reads, in addition to sequences that reach new code
	fuzzStaleEvery = 8
)

type campaign struct {
	*checker
	fuzzer    *fuzzer
	sequences int // sequences left to try
	unlisted  int // findings beyond a full list
	repeats   int // sequences with findings
}

func (c *checker) fuzz(sequences int) (err error) {
	if n := c.processors(); n > watchedProcessorsMax {
		c.leave(fmt.Sprintf("handlers on arbitrary input: %d processors are more than %d", n, watchedProcessorsMax))
		return nil
	}
	f, err := c.newFuzzer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.m.Release()) }()
	f.kept = c.kept
	run := &campaign{checker: c, fuzzer: f, sequences: sequences}
	bases := fuzzBases(c.config.Seed, c.report.Runs[0].Slots)
	for i, base := range bases {
		if err := run.after(base, sequences*(i+1)/len(bases)); err != nil {
			return err
		}
	}
	run.sum(bases)
	return nil
}

func (c *campaign) after(base fuzzBase, sequences int) error {
	slots := traces.Plural(base.slots, "slot", "slots")
	c.progress(fmt.Sprintf("calls handlers on arbitrary input after %s with seed %d", slots, base.seed))
	if err := c.fuzzer.step(base); err != nil {
		return err
	}
	for c.goesOn(sequences) {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		in := c.fuzzer.draw()
		c.try(&in)
		for _, in := range c.fuzzer.matches(&in) {
			if c.goesOn(sequences) {
				c.try(&in)
			}
		}
	}
	return nil
}

func (c *campaign) goesOn(sequences int) bool {
	return c.report.Fuzzed < sequences && c.repeats < fuzzRepeatsMax
}

func (c *campaign) try(in *FuzzInput) {
	f := c.fuzzer
	c.report.Fuzzed++
	findings := f.run(in)
	endless := len(findings) > 0 && f.m.Host.Endless()
	if in.Call == nil && len(findings) == 0 && (f.keep(in, f.random) || c.report.Fuzzed%fuzzStaleEvery == 0) {
		findings = f.stale(in)
	}
	if slices.ContainsFunc(findings, func(x FuzzFinding) bool { return x.GaveUp }) {
		c.report.GaveUp++
	}
	if slices.ContainsFunc(findings, FuzzFinding.Fails) || endless {
		c.repeats++
	}
	for i := range findings {
		c.list(&findings[i])
	}
}

// list adds a shrunk finding to the report, unless a listed finding at the same place needs no more damage. In a full
// list, a failing finding replaces a note.
func (c *campaign) list(x *FuzzFinding) {
	list := c.report.Fuzz
	k := slices.IndexFunc(list, func(y FuzzFinding) bool { return y.is(x) })
	switch {
	case k >= 0 && (list[k].Received || !x.Received):
		return
	case k < 0 && len(list) < fuzzFindingsMax:
		k, list = len(list), append(list, FuzzFinding{})
	case k < 0:
		if c.unlisted++; !x.Fails() {
			return
		}
		if k = slices.IndexFunc(list, func(y FuzzFinding) bool { return !y.Fails() }); k < 0 {
			return
		}
	}
	list[k], c.report.Fuzz = c.fuzzer.shrink(x), list
}

func (c *campaign) sum(bases []fuzzBase) {
	r := &c.report
	r.FuzzCalls = c.fuzzer.calls
	r.Branches = Branches{Reached: c.fuzzer.reached(), Image: c.fuzzer.image.Branches,
		Functions: byFunction(c.fuzzer.sample(), c.fuzzer.branches)}
	r.NotTried = append(c.notTried(bases), r.NotTried...)
	if r.Fuzzed < c.sequences {
		more := traces.Plural(c.sequences-r.Fuzzed, "more sequence", "more sequences")
		c.leave(fmt.Sprintf("%s on arbitrary input: %d earlier sequences already failed the check, or did not return",
			more, c.repeats))
	}
	if c.unlisted > 0 {
		c.leave(fmt.Sprintf("further findings on arbitrary input: the list ends after %d findings, and others were found %s",
			fuzzFindingsMax, times(c.unlisted)))
	}
}

func fuzzBases(seed, slots uint64) (list []fuzzBase) {
	slots = max(slots, 1)
	for k := range uint64(fuzzSeeds) {
		for _, at := range []uint64{1, 2, 3, slots / 4, slots / 2, slots * 3 / 4} {
			list = append(list, fuzzBase{seed + k, uint32(min(max(at, 1), slots))})
		}
	}
	slices.SortFunc(list, func(a, b fuzzBase) int {
		return cmp.Or(cmp.Compare(a.seed-seed, b.seed-seed), cmp.Compare(a.slots, b.slots))
	})
	return slices.Compact(list)
}

func (c *campaign) notTried(bases []fuzzBase) []string {
	places := []uint32{}
	for _, base := range bases {
		if base.seed == bases[0].seed {
			places = append(places, base.slots)
		}
	}
	list := []string{
		fmt.Sprintf("input for more than %s in a row, and input that begins after slots other than %v of the runs with "+
			"the seeds %d to %d",
			traces.Plural(c.fuzzer.stepsAfter(bases[0].slots), "slot", "slots"), places, bases[0].seed,
			bases[len(bases)-1].seed),
		"arbitrary input for several processors at once: no processor hears the frames of another",
		"start handlers on arbitrary input, and restarts",
	}
	if c.fuzzer.m.Referee.Acknowledges() {
		list = append(list, "acknowledgements of packets that have not arrived")
	}
	return list
}
