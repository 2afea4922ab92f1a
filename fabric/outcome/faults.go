package outcome

import (
	"fmt"
	"slices"
)

// FaultReport is what one fault of the scenario has done.
type FaultReport struct {
	Kind string `json:"kind"`
	// Count is of processors and slots; of buffers frames that did not fit into an RX FIFO, and calls of
	// handlers with one that did not fit into a TX FIFO; of media receptions.
	Count uint64 `json:"count"`
	// First is where it has happened first, nil if never.
	First *FaultFirst `json:"first,omitempty"`
}

// FaultFirst is the first thing that a fault has done.
type FaultFirst struct {
	Cycle uint64 `json:"cycle"` // of the slot's start
	Slot  uint64 `json:"slot"`
	Path  string `json:"path"` // of a processor or medium
}

// ByFaults reports whether faults have broken a rule.
func (r *Report) ByFaults() bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Cause == CauseFaults })
}

// Left is what of a run is left without one of its faults, or with another program.
type Left struct {
	Verdict    Verdict
	Violations uint64
	Rules      []string // that are broken then
	Slots      uint64
}

// LeftOf is what a report says of it.
func LeftOf(r *Report) Left {
	l := Left{Verdict: r.Verdict, Violations: r.ViolationsTotal, Slots: r.Slots}
	for i := range r.Violations {
		if rule := r.Violations[i].Rule; !slices.Contains(l.Rules, rule) {
			l.Rules = append(l.Rules, rule)
		}
	}
	return l
}

// Text says what is left.
func (l *Left) Text() string { return texts.Say("left", l) }

// Expect is what to expect of the command of a run that was tried.
func (l *Left) Expect() string { return texts.Say("expect", l) }

// LeftText says which of the rules that a run has broken are kept without one of its faults, and which are not.
func (r *Report) LeftText(l *Left) string {
	if l.Verdict == VerdictPass {
		return l.Text()
	}
	var kept []string
	for i := range r.Violations {
		if rule := r.Violations[i].Rule; !slices.Contains(l.Rules, rule) && !slices.Contains(kept, rule) {
			kept = append(kept, rule)
		}
	}
	return texts.Say("left over", struct {
		*Left
		Kept []string
		All  uint64
	}{l, kept, r.ViolationsTotal})
}

// Stood is a processor that was not done when a run ended, and what it would have done next without faults.
type Stood struct {
	Violation, Processor int
	From                 uint64 // the slot after that of the last thing it did
	Next                 *Next  // nil if that is not known
}

// Next is what a processor has done in a slot: it sent a frame, it received one, or else changed its state.
type Next struct {
	Slot        uint64
	Sent, Heard bool
	Sends       *uint64 // when it sends its next frame, nil for never
	Paused      int     // the fault that keeps its handler from being called in this slot, -1 for none
}

// Text says what.
func (n *Next) Text() string { return texts.Say("next", n) }

// FaultName is what a fault of the run is called: its kind, and its number from 1 on if there are several of this kind.
func (r *Report) FaultName(fault int) string {
	kind := r.Faults[fault].Kind
	for k := range r.Faults {
		if k != fault && r.Faults[k].Kind == kind {
			return fmt.Sprintf("%s (number %d)", kind, fault+1)
		}
	}
	return kind
}

// Text is what the report for people says of a fault, after its kind.
func (f *FaultReport) Text() string { return texts.Say("fault", f) }

// WithoutFaults is the same run without its faults.
type WithoutFaults struct {
	Verdict         Verdict `json:"verdict"`
	ViolationsTotal uint64  `json:"violations_total"`
	Slots           uint64  `json:"slots"`
	Frames          Frames  `json:"frames"`
	Digest          string  `json:"digest"`
}

// Text is what the report for people says of it.
func (w *WithoutFaults) Text() string { return texts.Say("without faults", w) }

// Causes of violations in runs with faults.
const (
	CauseFaults   = "faults"   // without the faults this does not happen, or not as often; only faults lose credits
	CauseFirmware = "firmware" // without the faults the same happens, maybe in another slot
	CauseUnclear  = "unclear"  // without the faults the rule is broken there, too, but in another way, or more violations than a report lists
)

// MissingPacket is a packet that never arrived, and its place in the report's violations, -1 for one that breaks no rule yet.
type MissingPacket struct {
	Violation           int
	Origin, Destination uint32
}

// LastSeenNote says where a packet was lost that breaks no rule yet.
func LastSeenNote(v *Violation) string { return v.Where() + ": " + v.Message }

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
