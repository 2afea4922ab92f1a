package outcome

import (
	"fmt"
	"strings"

	"starloom/traces"
)

// LongestProcessorsMax is up to how many processors a report has the longest call of each.
const LongestProcessorsMax = 65_536

// HandlerCycles says how long the calls of a handler took, in cycles of the fabric.
type HandlerCycles struct {
	Calls uint64  `json:"calls"` // but for those that trapped
	Max   uint64  `json:"max"`
	Mean  float64 `json:"mean"`
	P50   uint64  `json:"p50"` // at least half of the calls took no longer; exact to 4,095 cycles, then within 1 in 2,048
	P90   uint64  `json:"p90"`
	P99   uint64  `json:"p99"`
	P100  uint64  `json:"p100"`

	Worst *WorstCall `json:"worst,omitempty"` // the first call that took max

	// Of the slot handlers, in networks of up to 65,536 processors.
	MaxPerProcessor []uint64          `json:"max_per_processor,omitempty"` // the longest call of each processor
	Slowest         []ProcessorCycles `json:"slowest,omitempty"`           // those that took longest, 8 at most

	Histogram []CyclesBin `json:"histogram,omitempty"` // by powers of two
}

// WorstCall is a call of a handler.
type WorstCall struct {
	// The run, in a report of many.
	Seed        *uint64  `json:"seed,omitempty"`
	Permutation *uint64  `json:"permutation,omitempty"` // its number, if every permutation was run
	Rate        *float64 `json:"rate,omitempty"`        // of faults.random, if there are several

	Processor uint64 `json:"processor"`
	Path      string `json:"path"`
	Slot      uint64 `json:"slot"`

	Profile *CallProfile `json:"profile,omitempty"` // of a slot handler, where slots were missed or starloom.RunOptions.Profile is given
}

// ProcessorCycles is the longest call of a processor's slot handler.
type ProcessorCycles struct {
	Processor int    `json:"processor"`
	Path      string `json:"path"`
	Max       uint64 `json:"max"` // cycles
}

// SlowestMax bounds HandlerCycles.Slowest, slowestShown those of the text form.
const SlowestMax, slowestShown = 8, 3

func (h *HandlerCycles) slowestText() string {
	if h.Slowest == nil {
		return fmt.Sprintf("slowest: not known for more than %d processors", LongestProcessorsMax)
	}
	var each []string
	for _, p := range h.Slowest[:min(slowestShown, len(h.Slowest))] {
		each = append(each, fmt.Sprintf("%s %d", p.Path, p.Max))
	}
	text := "slowest: " + strings.Join(each, ", ")
	if len(h.MaxPerProcessor) > slowestShown {
		text += "; --json has all processors"
	}
	return text
}

// CyclesBin counts calls that took more cycles than those of the bin before.
type CyclesBin struct {
	UpTo  uint64 `json:"up_to"` // cycles, included
	Calls uint64 `json:"calls"`
}

func (h *HandlerCycles) text() string {
	if h.Calls == 0 {
		return "no calls"
	}
	return fmt.Sprintf("mean %s, 50%% %d, 90%% %d, 99%% %d, max %d (%s), %s",
		FormatFloat(h.Mean), h.P50, h.P90, h.P99, h.Max, h.Worst.Text(), traces.Plural(h.Calls, "call", "calls"))
}

// Text says which call it is.
func (w *WorstCall) Text() string {
	text := fmt.Sprintf("%s, slot %d", w.Path, w.Slot)
	if w.Seed != nil {
		run := FailedRun{Seed: *w.Seed, Permutation: w.Permutation, Rate: w.Rate}
		text += ", " + run.Alone()
	}
	return text
}
