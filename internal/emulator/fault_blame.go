package emulator

import (
	"context"
	"slices"

	"starloom/fabric/outcome"
	"starloom/nic"
)

// blamedMax is up to how many faults a run is repeated with each of them alone.
const blamedMax = 4

// Blame repeats a run that faults have made fail with each of its faults alone, and without each of them, and says of each
// violation in the report which faults bring it about by themselves, and what is left without each. The report has been
// separated. Nothing happens with a single fault, with many, or when a list of violations is not whole.
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

// withFaults is the report of the run with only one of its faults, or with all except one; nil if it does not come to its end.
func (m *Machine) withFaults(ctx context.Context, report *outcome.Report, only, except int, each func() error) (*outcome.Report, error) {
	m.chooseFaults(only, except)
	if err := m.Repeat(ctx, report, nil, each); err != nil || m.Interrupted || m.RTLFailed {
		return nil, err
	}
	return m.Sum(), nil
}

// chooseFaults lets only one fault happen, by its number from 1 on, 0 for all; and not another one.
func (m *Machine) chooseFaults(only, except int) {
	m.faults.plan.Only, m.faults.plan.Except = only, except
	m.eachBank((*nic.Bank).Unshrink)
	m.eachBank(m.faults.shrink)
}
