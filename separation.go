package starloom

import (
	"context"
	"fmt"

	"starloom/nic"
	"starloom/traces"
)

// A run is a function of its scenario and seed, so what faults have done to it can be told from
// what the firmware did: a run with faults that fails is repeated without them.

// Causes of violations in runs with faults.
const (
	CauseFaults   = "faults"   // without the faults this rule is not broken there
	CauseFirmware = "firmware" // without the faults the same happens
	CauseUnclear  = "unclear"  // without the faults the rule is broken there, too, but in another way, or more violations than a report lists
)

// WithoutFaults is the same run without its faults.
type WithoutFaults struct {
	Verdict         Verdict `json:"verdict"`
	ViolationsTotal uint64  `json:"violations_total"`
	Slots           uint64  `json:"slots"`
	Frames          Frames  `json:"frames"`
	Digest          string  `json:"digest"`
}

// separate repeats a run that has failed without its faults, and says of each violation in the report
// whether it is theirs. When ctx ends before that, the report says so.
func (m *Machine) separate(ctx context.Context, report *Report, each func() error) error {
	if m.faults == nil || report.Verdict == VerdictPass || m.interrupted || m.rtlFailed {
		return nil
	}
	m.faults.plan.Off = true
	m.eachBank((*nic.Bank).Unshrink)
	defer func() {
		m.faults.plan.Off = false
		m.eachBank(m.faults.shrink)
	}()
	if err := m.repeat(ctx, nil, each); err != nil {
		return err
	}
	if m.interrupted || m.rtlFailed {
		report.Notes = append(report.Notes, "which violations the faults have caused is not known: the run was repeated without them to find it, and did not come to its end")
		return nil
	}
	sound := m.report()
	report.Without = &WithoutFaults{sound.Verdict, sound.ViolationsTotal, sound.Slots, sound.Frames, sound.Digest}
	for i := range report.Violations {
		if v := &report.Violations[i]; v.Rule != RuleReplay { // which is of neither run
			v.Cause = cause(v, sound)
		}
	}
	return nil
}

// eachBank calls visit for the banks of all instances.
func (m *Machine) eachBank(visit func(*nic.Bank)) {
	for i := range m.shards {
		for _, instance := range m.shards[i].instances {
			visit(instance.Bank())
		}
	}
}

// cause says what has caused a violation, by the report of the run without faults.
func cause(v *Violation, sound *Report) string {
	there := sound.ViolationsTotal > uint64(len(sound.Violations)) // maybe
	for i := range sound.Violations {
		w := &sound.Violations[i]
		switch {
		case w.Rule != v.Rule || w.Path != v.Path:
		case w.Message == v.Message:
			return CauseFirmware
		default:
			there = true
		}
	}
	if there {
		return CauseUnclear
	}
	return CauseFaults
}

// causeText is what the report for people says of a cause.
func causeText(cause string) string {
	return map[string]string{CauseFaults: " [only with faults]", CauseFirmware: " [also without faults]", CauseUnclear: " [cause unclear]"}[cause]
}

// text is the row of the report for people.
func (w *WithoutFaults) text() string {
	return fmt.Sprintf("%s after %s, %s; frames: %s", w.Verdict, traces.Plural(w.Slots, "slot", "slots"), traces.Plural(w.ViolationsTotal, "violation", "violations"), w.Frames.text())
}
