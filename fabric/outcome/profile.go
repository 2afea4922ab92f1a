package outcome

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces"
)

// CallProfile is the cost of a call, divided by places in the code.
type CallProfile struct {
	Cost uint64 `json:"cost"`          // cost by the model's table; a processor executes a cost of clock_ratio per cycle
	Cut  bool   `json:"cut,omitempty"` // Cost covers only the first part of the call

	// Stack leads from the handler's function to the most expensive callees, while a callee costs more than the
	// caller itself; innermost first. Cost includes all callees. Source is the line of the next call, or the most
	// expensive line; code may have no line.
	Stack []ProfileLine `json:"stack"`
	// most expensive lines without callees, at most 8; functions without debug information
	Lines []ProfileLine `json:"lines"`

	all []firmware.ProfileStack
}

// ProfileLine is the cost of a place.
type ProfileLine struct {
	wasm.Frame        // Source is file:line
	Cost       uint64 `json:"cost"`
}

const profileLinesMax, profileLinesShown = 8, 3

// WriteFolded writes the stacks for flame graph tools: functions separated by semicolons, outermost first, and a
// cost.
func (c *CallProfile) WriteFolded(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, s := range c.all {
		for i, frame := range slices.Backward(s.Frames) {
			text := strings.ReplaceAll(frame.Function, ";", ",")
			if frame.Source != "" {
				text += " (" + frame.Source + ")"
			}
			out.WriteString(text + strings.Repeat(";", min(i, 1)))
		}
		fmt.Fprintf(out, " %d\n", s.Cost)
	}
	return out.Flush()
}

// Stacks returns the stacks of all places with their costs.
func (c *CallProfile) Stacks() []firmware.ProfileStack { return c.all }

func (c *CallProfile) rows() (rows []string) {
	percent := func(l ProfileLine) uint64 { return l.Cost * 100 / max(c.Cost, 1) }
	for _, l := range c.Stack {
		rows = append(rows, fmt.Sprintf("%3d%% %s", percent(l), l.Frame))
	}
	var lines []string
	for _, l := range c.Lines[:min(profileLinesShown, len(c.Lines))] {
		lines = append(lines, fmt.Sprintf("%d%% %s", percent(l), l.Frame))
	}
	rows = append(rows, "without callees: "+strings.Join(lines, ", "))
	if c.Cut {
		rows = append(rows, fmt.Sprintf("of the first part of the call, up to a cost of %d", c.Cost))
	}
	return rows
}

// NewCallProfile sums up a profile.
func NewCallProfile(p *firmware.Profile) *CallProfile {
	lines := dearest(p.Stacks, func(s *firmware.ProfileStack) wasm.Frame { return s.Frames[0] })
	return &CallProfile{Cost: p.Cost, Cut: p.Cut, Stack: dearestStack(p.Stacks),
		Lines: lines[:min(len(lines), profileLinesMax)], all: p.Stacks}
}

func dearestStack(stacks []firmware.ProfileStack) (path []ProfileLine) {
	place := func(depth int) func(*firmware.ProfileStack) wasm.Frame {
		return func(s *firmware.ProfileStack) wasm.Frame { return s.Frames[len(s.Frames)-1-depth] }
	}
	function := func(depth int) func(*firmware.ProfileStack) wasm.Frame {
		return func(s *firmware.ProfileStack) wasm.Frame { return wasm.Frame{Function: place(depth)(s).Function} }
	}
	for depth := 0; len(stacks) > 0; depth++ {
		this := dearest(stacks, function(depth))[0]
		var own, inside, next []firmware.ProfileStack
		var cost uint64
		for _, s := range stacks {
			if function(depth)(&s) != this.Frame {
				continue
			}
			if len(s.Frames) == depth+1 {
				own, cost = append(own, s), cost+s.Cost
			} else {
				inside = append(inside, s)
			}
		}
		if callees := dearest(inside, function(depth+1)); len(callees) > 0 && callees[0].Cost > cost {
			next = slices.DeleteFunc(inside,
				func(s firmware.ProfileStack) bool { return function(depth+1)(&s) != callees[0].Frame })
			own = next
		}
		for _, line := range dearest(own, place(depth)) {
			this.Source = cmp.Or(this.Source, line.Source)
		}
		path, stacks = append(path, this), next
	}
	slices.Reverse(path)
	return path
}

func dearest(stacks []firmware.ProfileStack, like func(*firmware.ProfileStack) wasm.Frame) (sums []ProfileLine) {
	for i := range stacks {
		frame := like(&stacks[i])
		k := slices.IndexFunc(sums, func(sum ProfileLine) bool { return sum.Frame == frame })
		if k < 0 {
			k = len(sums)
			sums = append(sums, ProfileLine{Frame: frame})
		}
		sums[k].Cost += stacks[i].Cost
	}
	slices.SortStableFunc(sums, func(a, b ProfileLine) int { return cmp.Compare(b.Cost, a.Cost) })
	return sums
}

// LongestProcessorsMax is the maximum number of processors for which a report contains the longest call of each.
const LongestProcessorsMax = 65_536

// HandlerCycles summarises the durations of handler calls in cycles of the fabric.
type HandlerCycles struct {
	Calls uint64  `json:"calls"` // calls without traps
	Max   uint64  `json:"max"`
	Mean  float64 `json:"mean"`
	P50   uint64  `json:"p50"` // median; exact to 4,095 cycles, then within 1 in 2,048
	P90   uint64  `json:"p90"`
	P99   uint64  `json:"p99"`
	P100  uint64  `json:"p100"`

	Worst *WorstCall `json:"worst,omitempty"` // the first call of Max cycles

	// for slot handlers, in networks with at most 65,536 processors
	MaxPerProcessor []uint64          `json:"max_per_processor,omitempty"` // longest call of each processor
	Slowest         []ProcessorCycles `json:"slowest,omitempty"`           // processors with the longest calls, at most 8

	Histogram []CyclesBin `json:"histogram,omitempty"` // bins by powers of two
}

// WorstCall is a call of a handler.
type WorstCall struct {
	// run of the call, in a report of several runs
	Seed        *uint64  `json:"seed,omitempty"`
	Permutation *uint64  `json:"permutation,omitempty"` // number of the permutation, if every permutation was run
	Rate        *float64 `json:"rate,omitempty"`        // rate of faults.random, if several are given

	Processor uint64 `json:"processor"`
	Path      string `json:"path"`
	Slot      uint64 `json:"slot"`

	Profile *CallProfile `json:"profile,omitempty"` // for a slot handler, with missed slots or starloom.RunOptions.Profile
}

// ProcessorCycles is the longest call of a processor's slot handler.
type ProcessorCycles struct {
	Processor int    `json:"processor"`
	Path      string `json:"path"`
	Max       uint64 `json:"max"` // cycles
}

// SlowestMax is the maximum length of HandlerCycles.Slowest, and slowestShown the number of entries in the text form.
const SlowestMax, slowestShown = 8, 3

func (h *HandlerCycles) slowestText() string {
	if h.Slowest == nil {
		return fmt.Sprintf("slowest: not recorded for more than %d processors", LongestProcessorsMax)
	}
	var each []string
	for _, p := range h.Slowest[:min(slowestShown, len(h.Slowest))] {
		each = append(each, fmt.Sprintf("%s %d", p.Path, p.Max))
	}
	text := "slowest: " + strings.Join(each, ", ")
	if len(h.MaxPerProcessor) > slowestShown {
		text += "; --json lists all processors"
	}
	return text
}

// CyclesBin counts the calls with more cycles than the previous bin.
type CyclesBin struct {
	UpTo  uint64 `json:"up_to"` // upper bound in cycles, inclusive
	Calls uint64 `json:"calls"`
}

func (h *HandlerCycles) text() string {
	if h.Calls == 0 {
		return "no calls"
	}
	return fmt.Sprintf("mean %s, 50%% %d, 90%% %d, 99%% %d, max %d (%s), %s",
		FormatFloat(h.Mean), h.P50, h.P90, h.P99, h.Max, h.Worst.Text(), traces.Plural(h.Calls, "call", "calls"))
}

// Text identifies the call.
func (w *WorstCall) Text() string {
	text := fmt.Sprintf("%s, slot %d", w.Path, w.Slot)
	if w.Seed != nil {
		run := FailedRun{Seed: *w.Seed, Permutation: w.Permutation, Rate: w.Rate}
		text += ", " + run.Alone()
	}
	return text
}
