package emulator

import (
	"context"
	"slices"

	"starloom/internal/outcome"
	"starloom/nic"
)

// blamedMax is up to how many faults a run is repeated with each of them alone.
const blamedMax = 4

// Blame repeats a run that faults have made fail with each of its faults alone, and says of each violation in the
// report which of them bring it about by themselves. The report has been separated. Nothing happens with a single
// fault, with many, or when a list of violations is not whole.
func (m *Machine) Blame(ctx context.Context, report *outcome.Report, each func() error) error {
	whole := func(r *outcome.Report) bool { return r.ViolationsTotal == uint64(len(r.Violations)) }
	if report.Without == nil || len(m.faults.plan.All) < 2 || len(m.faults.plan.All) > blamedMax || !whole(report) {
		return nil
	}
	defer m.faultsAlone(0)
	blamed := make([][]int, len(report.Violations))
	for k := range m.faults.plan.All {
		m.faultsAlone(k + 1)
		if err := m.Repeat(ctx, report, nil, each); err != nil {
			return err
		}
		alone := m.Sum()
		if m.Interrupted || m.RTLFailed || !whole(alone) {
			return nil
		}
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
	report.Aside.Known.Blamed = true
	return nil
}

// faultsAlone lets only one fault happen, by its number from 1 on; 0: all.
func (m *Machine) faultsAlone(number int) {
	m.faults.plan.Only = number
	m.eachBank((*nic.Bank).Unshrink)
	m.eachBank(m.faults.shrink)
}
