package outcome

import "slices"

// NoteCauses says what has caused the violations of a run, by the report of the run without faults:
// each violation there accounts for one here, in the same slot if there is one, else in the nearest.
func NoteCauses(report, sound *Report) {
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
