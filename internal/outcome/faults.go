package outcome

import (
	"fmt"

	"starloom/traces"
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
func (f *FaultReport) Text() string {
	if f.First == nil {
		return "has done nothing"
	}
	what, ok := map[string][2]string{
		"dead": {"death", "deaths"}, "restart": {"restart", "restarts"},
		"clock_pause": {"handler call left out", "handler calls left out"}, "buffers": {"overflow", "overflows"},
	}[f.Kind]
	if !ok {
		what = [2]string{"reception", "receptions"}
	}
	return fmt.Sprintf("%s, first in cycle %d, slot %d: %s", traces.Plural(f.Count, what[0], what[1]), f.First.Cycle, f.First.Slot, f.First.Path)
}

// WithoutFaults is the same run without its faults.
type WithoutFaults struct {
	Verdict         Verdict `json:"verdict"`
	ViolationsTotal uint64  `json:"violations_total"`
	Slots           uint64  `json:"slots"`
	Frames          Frames  `json:"frames"`
	Digest          string  `json:"digest"`
}

// Text is what the report for people says of it.
func (w *WithoutFaults) Text() string {
	slots, violations := traces.Plural(w.Slots, "slot", "slots"), traces.Plural(w.ViolationsTotal, "violation", "violations")
	return fmt.Sprintf("%s after %s, %s; frames: %s", w.Verdict, slots, violations, w.Frames.text())
}

// Causes of violations in runs with faults.
const (
	CauseFaults   = "faults"   // without the faults this does not happen, or not as often; only faults lose credits
	CauseFirmware = "firmware" // without the faults the same happens, maybe in another slot
	CauseUnclear  = "unclear"  // without the faults the rule is broken there, too, but in another way, or more violations than a report lists
)

// causeText is what the report for people says of a cause.
func causeText(cause string) string {
	return map[string]string{CauseFaults: " [only with faults]", CauseFirmware: " [also without faults]", CauseUnclear: " [cause unclear]"}[cause]
}

// MissingPacket is a packet that never arrived, and its place in the report's violations.
type MissingPacket struct {
	Violation           int
	Origin, Destination uint32
}
