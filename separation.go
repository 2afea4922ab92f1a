package starloom

import (
	"context"
	"fmt"
	"slices"

	"starloom/nic"
	"starloom/traces"
)

// A run is a function of its scenario and seed, so what faults have done to it can be told from
// what the firmware did: a run with faults that fails is repeated without them.

// Causes of violations in runs with faults.
const (
	CauseFaults   = "faults"   // without the faults this does not happen, or not as often; only faults lose credits
	CauseFirmware = "firmware" // without the faults the same happens, maybe in another slot
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
	if err := m.repeat(ctx, report, nil, each); err != nil {
		return err
	}
	if m.interrupted || m.rtlFailed {
		report.Notes = append(report.Notes, "which violations the faults have caused is not known: the run was repeated without them to find it, and did not come to its end")
		return nil
	}
	sound := m.report()
	report.Without = &WithoutFaults{sound.Verdict, sound.ViolationsTotal, sound.Slots, sound.Frames, sound.Digest}
	noteCauses(report, sound)
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

// noteCauses says what has caused the violations of a run, by the report of the run without faults:
// each violation there accounts for one here, in the same slot if there is one, else in the nearest.
func noteCauses(report, sound *Report) {
	used := make([]bool, len(sound.Violations))
	pair := func(v *Violation, same bool) {
		nearest := -1
		for i := range sound.Violations {
			w := &sound.Violations[i]
			if !used[i] && w.Rule == v.Rule && w.Path == v.Path && w.Message == v.Message && (!same || w.Slot == v.Slot) &&
				(nearest < 0 || slotsApart(v, w) < slotsApart(v, &sound.Violations[nearest])) {
				nearest = i
			}
		}
		if nearest >= 0 {
			used[nearest], v.Cause = true, CauseFirmware
		}
	}
	for _, same := range []bool{true, false} {
		for i := range report.Violations {
			if v := &report.Violations[i]; v.Cause == "" && v.Rule != RuleReplay { // which is of neither run
				pair(v, same)
			}
		}
	}
	cut := sound.ViolationsTotal > uint64(len(sound.Violations))
	for i := range report.Violations {
		v := &report.Violations[i]
		switch {
		case v.Cause != "" || v.Rule == RuleReplay:
		case cut || slices.ContainsFunc(sound.Violations, func(w Violation) bool {
			return w.Rule == v.Rule && w.Path == v.Path && w.Message != v.Message
		}):
			v.Cause = CauseUnclear
		default:
			v.Cause = CauseFaults
		}
	}
}

// slotsApart is how many slots lie between two violations.
func slotsApart(v, w *Violation) uint64 { return max(v.Slot, w.Slot) - min(v.Slot, w.Slot) }

// causeText is what the report for people says of a cause.
func causeText(cause string) string {
	return map[string]string{CauseFaults: " [only with faults]", CauseFirmware: " [also without faults]", CauseUnclear: " [cause unclear]"}[cause]
}

// text is the row of the report for people.
func (w *WithoutFaults) text() string {
	return fmt.Sprintf("%s after %s, %s; frames: %s", w.Verdict, traces.Plural(w.Slots, "slot", "slots"), traces.Plural(w.ViolationsTotal, "violation", "violations"), w.Frames.text())
}
