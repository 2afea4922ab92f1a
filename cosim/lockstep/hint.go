package lockstep

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"starloom/cosim"
	"starloom/cosim/pinmap"
)

const hintWithin = 200 // cycles in which a map that is wrong as a whole shows

// hint looks for a small change of the map with which RTL that differs at once does not: the other sense of reset, outputs a cycle earlier or
// later. agrees runs one in lockstep. It returns what to write, "" for nothing.
func (l *pair) hint(d *Divergence, agrees func(m *pinmap.Map) bool) string {
	m := l.pinMap
	if d.Kind != DivergenceValue || d.Found.Cycle >= hintWithin || d.Found.PowerOn > 1 || d.Found.Explored || l.options.Stimulus != nil ||
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

// inIcarus runs a map in Icarus Verilog, which reads the text that Verilator reads by itself; nil if it does not take it.
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

// alone reports whether the case that is shown is none in Icarus Verilog: all that is compared is known there, and right. A case that rests
// on what survives a reset says nothing: there Icarus has X, which `if` takes for 0.
func alone(ctx context.Context, m *pinmap.Map, r *Report) bool {
	d := r.Divergence
	if d.Kind != DivergenceValue || d.BeforeRun || r.Shown.Stimulus == nil || d.Undefined || d.MissingReset || d.ShortReset {
		return false
	}
	again := inIcarus(ctx, m, Options{Stimulus: r.Shown.Stimulus})
	return again != nil && again.Divergence == nil
}

// elsewhere warns if Icarus Verilog differs from a model that RTL agrees with in Verilator.
func elsewhere(ctx context.Context, m *pinmap.Map) (warnings []cosim.Warning) {
	if r := inIcarus(ctx, m, Options{Cycles: hintCycles}); r != nil && r.Divergence != nil && r.Divergence.Kind == DivergenceValue {
		warnings = append(warnings, cosim.Warning{Code: "SIMULATORS", Place: m.Source.Name(), Text: fmt.Sprintf("Icarus Verilog, which reads the RTL by itself, "+
			"differs from the model in cycle %d of random inputs, and Verilator does not: one of them does not do what the RTL says; --backend icarus shows it",
			r.Divergence.Cycle)})
	}
	return warnings
}
