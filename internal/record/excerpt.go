package record

import (
	"slices"
	"strings"

	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/traces/vcd"
)

// Excerpt is a few cycles of the signals under some paths.
type Excerpt struct {
	Paths    []string // of scopes and signals
	From, To uint64   // cycles, both included
	Cycles   []uint64 // that were seen
	Signals  []ExcerptSignal
}

// ExcerptSignal is a signal with a value for each cycle of its excerpt.
type ExcerptSignal struct {
	Path   string
	Bits   int
	States []string
	Form   vcd.Form
	Values []uint64

	probe hw.Probe
	slot  bool // it changes only at the boundary of a slot
}

// excerptSignalsMax bounds the signals of an excerpt.
const excerptSignalsMax = 2000

// Excerpts keeps excerpts of a run. It implements emulator.Observer.
type Excerpts struct {
	machine *emulator.Machine
	list    []*Excerpt
}

// Keep looks for the signals of the excerpts, and keeps their values from now on. The machine has cycles.
func Keep(m *emulator.Machine, list []*Excerpt) *Excerpts {
	declare := func(p hw.Probe, form vcd.Form, slot bool) {
		for _, x := range list {
			under := func(path string) bool {
				rest, ok := strings.CutPrefix(p.Path, path)
				return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
			}
			if len(x.Signals) < excerptSignalsMax && slices.ContainsFunc(x.Paths, under) {
				x.Signals = append(x.Signals, ExcerptSignal{Path: p.Path, Bits: p.Bits, States: p.States, Form: form, probe: p, slot: slot})
			}
		}
	}
	declare(m.SlotProbe(), vcd.Form{Decimal: true}, true)
	m.FirmwareProbes(func(p hw.Probe, form vcd.Form) { declare(p, form, true) })
	m.Plant.Probes(func(p hw.Probe) { declare(p, vcd.Form{}, false) })
	e := &Excerpts{machine: m, list: list}
	m.Attach(e, true, false)
	return e
}

// Cycle implements emulator.Observer. What changes only at the boundary of a slot keeps the value that it has in
// the first cycle that is seen of it, as in a waveform.
func (e *Excerpts) Cycle(cycle uint64) {
	first := uint64(e.machine.Timing().SlotCycle(e.machine.Slots())) == cycle
	for _, x := range e.list {
		if cycle < x.From || cycle > x.To {
			continue
		}
		x.Cycles = append(x.Cycles, cycle)
		for i := range x.Signals {
			s := &x.Signals[i]
			if n := len(s.Values); s.slot && n > 0 && !first {
				s.Values = append(s.Values, s.Values[n-1])
				continue
			}
			s.Values = append(s.Values, s.probe.Value())
		}
	}
}

// Boundary implements emulator.Observer.
func (e *Excerpts) Boundary() error { return nil }

// Dropped implements emulator.Observer.
func (e *Excerpts) Dropped() error { return nil }
