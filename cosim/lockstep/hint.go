package lockstep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/pinmap"
)

const hintWithin = 200 // cycles; a completely wrong map differs earlier

// hint searches for a change of the map that removes an early difference: the opposite reset polarity, or outputs one
// cycle earlier or later. It returns the text for the map, or "".
func (l *pair) hint(d *Divergence, agrees func(m *pinmap.Map) bool) string {
	m := l.pinMap
	if d.Kind != DivergenceValue || d.Found.Cycle >= hintWithin || d.Found.PowerOn > 1 || d.Found.Explored ||
		l.options.Stimulus != nil ||
		l.options.NoShrink || m.Backend == cosim.BackendIcarus || !l.model.Clocked() {
		return ""
	}
	var late []string
	for _, p := range l.model.Ports() {
		if name := strings.TrimSuffix(p.Name, "_o"); !p.Input && l.mask[p.Word] != 0 && m.PinsOf(p.Name) != nil {
			late = append(late, name)
		}
	}
	try := func(change func(other *pinmap.Map)) bool {
		other := *m
		change(&other)
		return agrees(&other)
	}
	if m.Reset != "" && !strings.HasPrefix(m.Reset, "~") {
		text := fmt.Sprintf("reset: {pin: %s, active: low}", m.Reset)
		if m.ResetLow {
			text = fmt.Sprintf("reset: {pin: %s, active: high}", m.Reset)
		}
		if try(func(other *pinmap.Map) { other.ResetLow = !m.ResetLow }) {
			return text
		}
	}
	for _, cycles := range []int{-1, 1} {
		latency := maps.Clone(m.Latency)
		if latency == nil {
			latency = map[string]int{}
		}
		var texts []string
		for _, name := range late {
			if latency[name] == 0 && latency[name+"_o"] == 0 {
				latency[name] = cycles
				texts = append(texts, fmt.Sprintf("%s: %d", name, cycles))
			}
		}
		text := "latency: {" + strings.Join(texts, ", ") + "}"
		if len(texts) > 0 && try(func(other *pinmap.Map) { other.Latency = latency }) {
			return text
		}
	}
	return ""
}

// inIcarus runs a map in Icarus Verilog, a second reader of the RTL. It returns nil if Icarus cannot run the map.
func inIcarus(ctx context.Context, m *pinmap.Map, o Options) *Report {
	if m.Backend == cosim.BackendIcarus || m.Image != "" {
		return nil
	}
	o.NoExplore, o.Brief = true, true
	r, err := Run(ctx, m.On(cosim.BackendIcarus), o)
	if err != nil {
		return nil
	}
	return r
}

// alone reports whether Icarus Verilog agrees with the model on the shown case. Cases that depend on state surviving
// a reset are excluded: in Icarus such state is X, and `if` treats X as 0.
func alone(ctx context.Context, m *pinmap.Map, r *Report) bool {
	d := r.Divergence
	if d.Kind != DivergenceValue || d.BeforeRun || r.Shown.Stimulus == nil || d.Undefined ||
		d.MissingReset || d.ShortReset {
		return false
	}
	again := inIcarus(ctx, m, Options{Stimulus: r.Shown.Stimulus})
	return again != nil && again.Divergence == nil
}

// elsewhere warns if Icarus Verilog differs from the model, or from Verilator on inputs guided to branches of the
// RTL.
func (l *pair) elsewhere(ctx context.Context, report *Report) error {
	m := l.pinMap
	r := inIcarus(ctx, m, Options{Cycles: hintCycles})
	switch {
	case r == nil:
	case r.Divergence != nil && r.Divergence.Kind == DivergenceValue:
		report.simulators(m, "the model in cycle %d of random inputs, but Verilator does not: one simulator misreads the "+
			"RTL; --backend icarus shows it",
			r.Divergence.Cycle)
	case l.options.Stimulus == nil:
		report.Second = &flatten.Second{Cycles: int(r.Cycles)}
		if d := r.Divergence; d != nil {
			report.Second.Absent = fmt.Sprintf("it stopped in cycle %d (%s)", d.Cycle, d.Kind)
		}
		l.led(ctx, report)
	}
	return ctx.Err()
}

// led compares both simulators with a flattened print of the RTL, on inputs guided to its branches. If only one
// simulator differs from the print, that simulator reads the RTL differently. If the RTL cannot be printed, nothing
// is compared.
func (l *pair) led(ctx context.Context, report *Report) {
	m := l.pinMap
	s := m.Clocked()
	if len(m.Timing.Clocks) > 1 { // the map schedules their edges
		return
	}
	print, err := flatten.Print(ctx, s, m.Build)
	if err != nil {
		return
	}
	print.Rules = m.Guard
	_, first := flatten.Compare(ctx, s, print, m.Build, hintCycles, 1)
	second, other := flatten.CompareSecond(ctx, s, print, m.Build, 1)
	var differs *flatten.Difference
	switch {
	case first == nil && other == nil && second.Absent == "":
		report.Second = &second
	case (first == nil) != (other == nil) && errors.As(errors.Join(first, other), &differs):
		report.simulators(m, "Verilator in cycle %d of inputs guided to its branches, in %s: one simulator misreads the "+
			"RTL, or the RTL leaves the value open",
			differs.Cycle, differs.What)
	}
}

// third compares passing RTL with the netlist that slang makes of it. A difference is a warning.
func (l *pair) third(ctx context.Context, report *Report) error {
	m := l.pinMap
	report.Third = &flatten.Third{}
	if len(m.Timing.Clocks) > 1 {
		report.Third.Absent = "the map schedules the edges of several clocks"
		return nil
	}
	print, err := flatten.Print(ctx, m.Clocked(), m.Build)
	if err == nil {
		print.Rules = m.Guard
		*report.Third, err = flatten.CompareThird(ctx, m.Clocked(), print, m.Build, 1, 0)
	}
	var differs *flatten.Difference
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &differs):
		report.Third = nil
		report.Warnings = append(report.Warnings,
			cosim.Warning{Code: "READERS", Place: m.Source.Name(), Text: differs.Error()})
	case err != nil:
		report.Third.Absent = cosim.OneLine([]byte(err.Error()))
	}
	return nil
}

func (r *Report) simulators(m *pinmap.Map, differs string, of ...any) {
	r.Second = nil
	r.Warnings = append(r.Warnings, cosim.Warning{Code: "SIMULATORS", Place: m.Source.Name(),
		Text: "Icarus Verilog, which reads the RTL independently, differs from " + fmt.Sprintf(differs, of...)})
}
