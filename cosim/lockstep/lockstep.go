// Package lockstep runs RTL and its reference model on the same inputs and compares their outputs in every cycle. It
// shortens the inputs that lead to the first difference and reports them.
//
//	Stimulus --> twin.Model ---\
//	        \--> pinmap.Device --+--> compare --> past, shrink --> Report
//
// The tests of most pin-map features are here, too (maps_test.go), because a wrong connection shows up as a
// difference.
package lockstep

import (
	"context"
	"errors"
	"slices"

	"starloom/cosim/pinmap"
)

// Run runs model and RTL side by side on the same inputs until they differ or all runs are done. A run begins at
// power-on, with reset on in its first cycle. Each cycle:
//
//	inputs; Settle; compare all outputs; Edge
//
// Outputs are compared after the first clock edge with reset on, in all cycles with reset off. During reset they are
// not compared, because RTL with asynchronous reset may differ. An X or Z bit differs from every value. A fault of
// the RTL is also a divergence. The case is then shortened (see Options.NoShrink).
//
// Equal maps and options yield equal reports. Run returns the errors of pinmap.Map.Open, except faults, and the
// context's error. A failed simulator is a *ToolError.
func Run(ctx context.Context, m *pinmap.Map, o Options) (*Report, error) {
	o.complete(m.Backend)
	l, err := newPair(ctx, m, o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	report := newReport(m, l.model)
	report.countOutputs(l)
	if err := errors.Join(report.bound(l), l.checkRules()); err != nil {
		return nil, err
	}
	report.ofRun = o.Stimulus != nil && o.Stimulus.cycles != nil
	var found *finding
	var first *finding // shown if none differs
	l.coverage = newCoverage(l.model)
	report.Coverage = l.coverage
	l.cover(report)
	for _, run := range o.runs() {
		l.exchanged = report.Cycles
		at, err := l.twice(func() (*difference, error) {
			if at, err := l.power(run.powerOn); at != nil || err != nil {
				return at, err
			}
			return l.run(l.stimulusOf(&finding{seed: run.seed}), nil)
		})
		if err != nil {
			return nil, err
		}
		if err := l.covered.add(l.rtl); err != nil {
			return nil, err
		}
		report.Runs++
		if run.powerOn == 1 {
			report.Inputs += l.exchanged - report.Cycles
		}
		report.PowerOns = max(report.PowerOns, run.powerOn)
		report.Cycles = l.exchanged
		report.LongestStretch = max(report.LongestStretch, l.longest)
		if first == nil {
			first = &finding{seed: run.seed, powerOn: run.powerOn}
		}
		if at != nil {
			found = &finding{difference: *at, seed: run.seed, powerOn: run.powerOn}
			break
		}
	}
	if found == nil && report.LongestStretch == 0 {
		return nil, o.nothingCompared()
	}
	if found == nil {
		if found, err = l.exploreSeeds(report); err != nil {
			return nil, err
		}
	}
	l.coverage, l.covered = nil, nil
	report.summarise()
	report.Warnings, report.Unexercised = slices.Clip(m.Warnings()), report.Coverage.Gaps()
	report.take(l.contract)
	if found == nil {
		if err := errors.Join(report.uncounted(l.contract), report.neverKnown(l)); err != nil {
			return nil, err
		}
		if o.Brief {
			return report, nil
		}
		return report, l.passed(ctx, report, first)
	}
	report.Verdict, report.Divergence = "fail", newDivergence(found, o.Stimulus)
	if o.Brief {
		return report, nil
	}
	if err := l.explain(report, found, func(other *pinmap.Map) bool { return agrees(ctx, other) }); err != nil {
		return nil, err
	}
	report.Divergence.Alone = alone(ctx, m, report)
	return report, l.lookIfWanted(report)
}

func (l *pair) passed(ctx context.Context, report *Report, first *finding) error {
	if err := l.show(report, first, nil); err != nil {
		return err
	}
	if l.options.Explore > 0 {
		if err := l.elsewhere(ctx, report); err != nil {
			return err
		}
	}
	if l.options.Third {
		if err := l.third(ctx, report); err != nil {
			return err
		}
	}
	return l.lookIfWanted(report)
}

func agrees(ctx context.Context, m *pinmap.Map) bool {
	r, err := Run(ctx, m, Options{Cycles: hintCycles, PowerOn: 1, NoExplore: true, Brief: true})
	return err == nil && r.Divergence == nil
}

func (l *pair) cover(report *Report) {
	if l.options.Coverage {
		l.covered = newCovered(l.pinMap.Model, l.model.Kernel())
		report.Covered = &l.covered.Coverage
		report.Covered.Exclude(l.options.Exclude)
	}
}

func (l *pair) exploreSeeds(report *Report) (found *finding, err error) {
	var shown *novelty
	for seed := l.options.Seed; found == nil && l.options.Explore > 0 &&
		seed < l.options.Seed+uint64(l.options.Seeds); seed++ {
		var e *explorer
		if e, found, err = l.explore(seed, l.options.Explore); err != nil {
			return nil, err
		}
		if err := l.covered.add(l.rtl); err != nil {
			return nil, err
		}
		report.addExploration(seed, e, shown)
		shown = e.novelty
	}
	return found, nil
}

func (l *pair) explore(seed, cycles uint64) (e *explorer, found *finding, err error) {
	at, err := l.twice(func() (*difference, error) {
		e = l.explored(seed, cycles)
		return e.differs, e.err
	})
	if at == nil {
		return e, nil, err
	}
	return e, &finding{difference: *at, seed: seed, powerOn: 1, way: e.here}, err
}
