package emulator

import (
	"context"
	"slices"

	"starloom/fabric/outcome"
	"starloom/nic"
)

const blamedMax = 4

// Blame repeats a failed run with each of its faults alone and without each of its faults. For each violation in the
// report, it records the faults that cause the violation alone. For each fault, it records the violations that remain
// without the fault. Call Separate first. Blame does nothing for a single fault, for more than blamedMax faults, or
// if a list of violations is truncated.
func (m *Machine) Blame(ctx context.Context, report *outcome.Report, each func() error) error {
	whole := func(r *outcome.Report) bool { return r.ViolationsTotal == uint64(len(r.Violations)) }
	if report.Without == nil || len(m.faults.plan.All) < 2 || len(m.faults.plan.All) > blamedMax || !whole(report) {
		return nil
	}
	defer m.chooseFaults(0, 0)
	left, blamed := make([]outcome.Left, len(m.faults.plan.All)), make([][]int, len(report.Violations))
	for k := range m.faults.plan.All {
		alone, err := m.withFaults(ctx, report, k+1, 0, each)
		if alone == nil || !whole(alone) {
			return err
		}
		without, err := m.withFaults(ctx, report, 0, k+1, each)
		if without == nil {
			return err
		}
		left[k] = outcome.LeftOf(without)
		for i := range report.Violations {
			v := &report.Violations[i]
			if v.Cause != outcome.CauseFirmware && slices.ContainsFunc(alone.Violations, func(w outcome.Violation) bool {
				return w.Rule == v.Rule && w.Path == v.Path && w.Message == v.Message
			}) {
				blamed[i] = append(blamed[i], k)
			}
		}
	}
	for i := range report.Violations {
		report.Violations[i].Faults = blamed[i]
	}
	report.Aside.Known.Blamed, report.Aside.Known.Left = true, left
	return nil
}

// withFaults reports the run with only one fault, or without one fault (see chooseFaults). It returns nil if the
// repetition is interrupted.
func (m *Machine) withFaults(ctx context.Context, report *outcome.Report, only, except int,
	each func() error) (*outcome.Report, error) {
	m.chooseFaults(only, except)
	if err := m.Repeat(ctx, report, nil, each); err != nil || m.Interrupted || m.RTLFailed {
		return nil, err
	}
	return m.Sum(), nil
}

// chooseFaults limits the plan to fault only (from 1; 0 for all faults) and excludes fault except (0 for none).
func (m *Machine) chooseFaults(only, except int) {
	m.faults.plan.Only, m.faults.plan.Except = only, except
	m.eachBank((*nic.Bank).Unshrink)
	m.eachBank(m.faults.shrink)
}
