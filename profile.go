package starloom

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces"
)

// Which call of a handler was the longest shows only the end of a run, and a profile of every
// call would cost much time. But a run is a function of its scenario and seed. So it is
// repeated up to that call, which then runs once more, from the same state, in a copy that tells
// of every source line.

// CallProfile says where a call has spent its cost.
type CallProfile struct {
	Cost uint64 `json:"cost"`          // by the model's table; a processor works off clock_ratio of it in a cycle
	Cut  bool   `json:"cut,omitempty"` // only the first part of the call is profiled, up to this cost

	// Stack begins with the function of the handler and goes on to the callee that cost most, as long
	// as it cost more than the function itself; the innermost comes first. Cost is with all callees.
	// Source is the line that calls the next one, or cost most of its own; code may have no line.
	Stack []ProfileLine `json:"stack"`
	Lines []ProfileLine `json:"lines"` // what cost most without callees, 8 at most; without debug information by function

	all []firmware.ProfileStack
}

// ProfileLine is what was spent at a place.
type ProfileLine struct {
	wasm.Frame        // Source is file:line
	Cost       uint64 `json:"cost"`
}

// profileLinesMax bounds CallProfile.Lines, profileLinesShown those of the text form.
const profileLinesMax, profileLinesShown = 8, 3

// profiling is the call that is profiled while a run is repeated.
type profiling struct {
	processor int
	slot      uint32
	image     *firmware.Image   // the copy that tells of its lines
	profile   *firmware.Profile // of the call, once it has run
	err       error
}

// profileWorst repeats a run that has missed its budget, or of which a profile is wanted, and
// says in the report where the longest call of a slot handler has spent its cost. folded, if not
// nil, gets all stacks. Where there is no profile, the report says why.
func (m *Machine) profileWorst(ctx context.Context, report *Report, folded *traces.File, out *outputs, each func() error) error {
	f := &report.Firmware
	if f.Cycles == nil || folded == nil && (f.Overruns == nil || *f.Overruns == 0) {
		return nil
	}
	unknown, err := m.repeatWorst(ctx, report, each)
	if unknown != "" {
		report.Notes = append(report.Notes, "where the longest call has spent its cycles is not known: "+unknown)
	}
	if folded == nil || err != nil {
		return err
	}
	if unknown != "" {
		folded.Abort()
		return nil
	}
	out.written = append(out.written, OutputFile{Kind: "profile", Path: folded.Path()})
	return f.Cycles.Worst.Profile.writeFolded(folded)
}

// repeatWorst puts the profile of the longest call into the report, or says why it cannot.
func (m *Machine) repeatWorst(ctx context.Context, report *Report, each func() error) (unknown string, err error) {
	const ended = "the run was repeated to find it, and ended before"
	cycles := report.Firmware.Cycles
	switch {
	case cycles.Worst == nil:
		return "no slot handler was called", nil
	case report.cutShort:
		return ended, nil
	case report.Interrupted() || report.ToolFailed():
		return "the run was not whole", nil
	}
	image, err := m.host.LoadProfiled(m.image.name, m.metered, *m.config.Firmware.CPU.Meter)
	if ctx.Err() != nil {
		report.cutShort = true
		return ended, nil
	}
	if err != nil {
		return "", err
	}
	p := &profiling{processor: int(cycles.Worst.Processor), slot: uint32(cycles.Worst.Slot), image: image}
	m.profiling = p
	defer func() { m.profiling = nil }()
	err = m.repeat(ctx, report, nil, func() error {
		if p.profile != nil || p.err != nil {
			return errProfiled
		}
		return each()
	})
	switch {
	case ctx.Err() != nil:
		return ended, nil
	case err != nil && !errors.Is(err, errProfiled):
		return "", err
	case p.err != nil:
		return "", p.err
	case p.profile == nil:
		return ended, nil
	}
	if took := m.meter.cycles(uint32(p.profile.Cost)); !p.profile.Cut && took != cycles.Max {
		return fmt.Sprintf("the run was repeated to find it, and there it took %d cycles", took), nil
	}
	cycles.Worst.Profile = newCallProfile(p.profile)
	return "", nil
}

// errProfiled ends the repeated run.
var errProfiled = errors.New("the call was profiled")

// take profiles the call, if it is one of those that an instance is about to make.
func (p *profiling) take(m *Machine, instance firmware.Instance, called []uint32) {
	if p == nil || m.slot != p.slot {
		return
	}
	bank := instance.Bank()
	cell := p.processor - bank.First
	if cell < 0 || !slices.Contains(called, uint32(cell)) {
		return
	}
	again, err := p.image.NewInstance(bank.BankConfig)
	if err == nil {
		err = again.SetState(instance.Memory(), instance.Globals())
	}
	if p.err = err; err == nil {
		p.profile = again.(firmware.Profiler).ProfileSlot(uint32(cell), m.slot)
	}
}

// newCallProfile sums up a profile.
func newCallProfile(p *firmware.Profile) *CallProfile {
	lines := dearest(p.Stacks, func(s *firmware.ProfileStack) wasm.Frame { return s.Frames[0] })
	return &CallProfile{Cost: p.Cost, Cut: p.Cut, Stack: dearestStack(p.Stacks), Lines: lines[:min(len(lines), profileLinesMax)], all: p.Stacks}
}

// dearestStack is CallProfile.Stack.
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
			next = slices.DeleteFunc(inside, func(s firmware.ProfileStack) bool { return function(depth+1)(&s) != callees[0].Frame })
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

// dearest adds up the costs of stacks that are alike, the largest sum first.
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

// writeFolded writes the stacks as flame graph tools read them: the functions from the outermost
// on, separated by semicolons, and a cost.
func (c *CallProfile) writeFolded(w io.Writer) error {
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

// rows are the lines of the text form.
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
