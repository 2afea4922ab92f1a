package outcome

import (
	"fmt"
	"slices"
)

// FaultReport is the effect of one fault of the scenario.
type FaultReport struct {
	Kind string `json:"kind"`
	// Count is the number of affected slots, summed over processors, or of affected receptions on media. For buffers
	// it counts frames rejected by an RX FIFO, and handler calls with a frame rejected by a TX FIFO.
	Count uint64 `json:"count"`
	// First is the first effect, nil for none.
	First *FaultFirst `json:"first,omitempty"`
}

// FaultFirst is the first effect of a fault.
type FaultFirst struct {
	Cycle uint64 `json:"cycle"` // start of the slot
	Slot  uint64 `json:"slot"`
	Path  string `json:"path"` // path of a processor, medium or receiver
}

// ByFaults reports whether faults have broken a rule.
func (r *Report) ByFaults() bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return v.Cause == CauseFaults })
}

// Left is the outcome of a run without one fault, or with another program.
type Left struct {
	Verdict    Verdict
	Violations uint64
	Rules      []string // broken rules
	Slots      uint64
}

// LeftOf returns the outcome of a report.
func LeftOf(r *Report) Left {
	l := Left{Verdict: r.Verdict, Violations: r.ViolationsTotal, Slots: r.Slots}
	for i := range r.Violations {
		if rule := r.Violations[i].Rule; !slices.Contains(l.Rules, rule) {
			l.Rules = append(l.Rules, rule)
		}
	}
	return l
}

// Text describes the outcome.
func (l *Left) Text() string { return texts.Say("left", l) }

// Expect returns the expected end for the command that repeats the run.
func (l *Left) Expect() string { return texts.Say("expect", l) }

// LeftText describes the outcome of a run without one of this report's faults: the rules that are no longer broken,
// and the rules that are still broken.
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

// Stood is an unfinished processor at the end of a run, with its next action in the run without faults.
type Stood struct {
	Violation, Processor int
	From                 uint64 // slot after the last action
	Next                 *Next  // nil if unknown
}

// Next is an action of a processor in a slot: sending a frame, receiving a frame, or another change of state.
type Next struct {
	Slot        uint64
	Sent, Heard bool
	Sends       *uint64 // slot of the next sent frame, nil for never
	Paused      int     // fault that suppresses the handler call in this slot, -1 for none
}

// Text describes the action.
func (n *Next) Text() string { return texts.Say("next", n) }

// FaultName returns the kind of a fault, with a number from 1 on if several faults have this kind.
func (r *Report) FaultName(fault int) string {
	kind := r.Faults[fault].Kind
	for k := range r.Faults {
		if k != fault && r.Faults[k].Kind == kind {
			return fmt.Sprintf("%s (number %d)", kind, fault+1)
		}
	}
	return kind
}

// Text describes the effect in the text form, after the kind.
func (f *FaultReport) Text() string { return texts.Say("fault", f) }

// WithoutFaults is the outcome of the same run without its faults.
type WithoutFaults struct {
	Verdict         Verdict `json:"verdict"`
	ViolationsTotal uint64  `json:"violations_total"`
	Slots           uint64  `json:"slots"`
	Frames          Frames  `json:"frames"`
	Digest          string  `json:"digest"`
}

// Text describes the outcome for the text form.
func (w *WithoutFaults) Text() string { return texts.Say("without faults", w) }

// Causes of violations in runs with faults.
const (
	CauseFaults   = "faults"   // absent or rarer without the faults; only faults lose credits
	CauseFirmware = "firmware" // also present without the faults, possibly in another slot
	// the rule is broken differently without the faults, or more violations exist than a report lists
	CauseUnclear = "unclear"
)

// MissingPacket is a packet that did not arrive. Violation is the index of its violation in the report, -1 if the
// packet breaks no rule yet.
type MissingPacket struct {
	Violation           int
	Origin, Destination uint32
}

// LastSeenNote describes the place at which a packet was lost, although no rule is broken yet.
func LastSeenNote(v *Violation) string { return v.Where() + ": " + v.Message }

// NoteCauses sets the causes of violations from sound, the report of the run without faults. Each violation in sound
// accounts for one violation in report: in the same slot if possible, otherwise in the nearest slot.
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
			if v := &report.Violations[i]; v.Cause == "" && v.Rule != RuleReplay { // a replay belongs to neither run
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

func slotsApart(v, w *Violation) uint64 { return max(v.Slot, w.Slot) - min(v.Slot, w.Slot) }
