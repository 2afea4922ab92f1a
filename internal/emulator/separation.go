package emulator

import (
	"context"

	"starloom/internal/outcome"
	"starloom/nic"
)

// A run is a function of its scenario and seed, so what faults have done to it can be told from
// what the firmware did: a run with faults that fails is repeated without them.

// Separate repeats a run that has failed without its faults, and says of each violation in the report
// whether it is theirs. When ctx ends before that, the report says so.
func (m *Machine) Separate(ctx context.Context, report *outcome.Report, each func() error) error {
	if m.faults == nil || report.Verdict == outcome.VerdictPass || m.Interrupted || m.RTLFailed {
		return nil
	}
	m.faults.plan.Off = true
	m.eachBank((*nic.Bank).Unshrink)
	defer func() {
		m.faults.plan.Off = false
		m.eachBank(m.faults.shrink)
	}()
	if err := m.Repeat(ctx, report, nil, each); err != nil {
		return err
	}
	if m.Interrupted || m.RTLFailed {
		report.Notes = append(report.Notes, "which violations the faults have caused is not known: the run was repeated without them to find it, and did not come to its end")
		return nil
	}
	sound := m.Sum()
	report.Without = &outcome.WithoutFaults{Verdict: sound.Verdict, ViolationsTotal: sound.ViolationsTotal, Slots: sound.Slots, Frames: sound.Frames, Digest: sound.Digest}
	outcome.NoteCauses(report, sound)
	return nil
}

// eachBank calls visit for the banks of all instances.
func (m *Machine) eachBank(visit func(*nic.Bank)) {
	for i := range m.Shards {
		for _, instance := range m.Shards[i].Instances {
			visit(instance.Bank())
		}
	}
}
