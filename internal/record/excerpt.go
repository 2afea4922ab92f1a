package record

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/internal/emulator"
	"starloom/traces/vcd"
)

// Excerpt is a range of cycles of the signals below some paths.
type Excerpt struct {
	Paths    []string
	From, To uint64 // cycles, both included
	Cycles   []uint64
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
	slot  bool // the signal changes only at slot boundaries
}

func (x *Excerpt) under(signal string) int {
	return slices.IndexFunc(x.Paths, func(path string) bool {
		rest, ok := strings.CutPrefix(signal, path)
		return ok && (rest == "" || rest[0] == '.')
	})
}

// Under returns the index of the path above a signal.
func (x *Excerpt) Under(signal int) int { return x.under(x.Signals[signal].Path) }

const excerptSignalsMax = 2000

// Excerpts records excerpts of a run. It implements emulator.Observer.
type Excerpts struct {
	machine *emulator.Machine
	list    []*Excerpt
}

// Keep starts the recording of the excerpts' signals. The machine must run by cycles.
func Keep(m *emulator.Machine, list []*Excerpt) *Excerpts {
	declare := func(p hw.Probe, form vcd.Form, slot bool) {
		for _, x := range list {
			if len(x.Signals) < excerptSignalsMax && x.under(p.Path) >= 0 {
				x.Signals = append(x.Signals,
					ExcerptSignal{Path: p.Path, Bits: p.Bits, States: p.States, Form: form, probe: p, slot: slot})
			}
		}
	}
	declare(m.SlotProbe(), vcd.Form{Decimal: true}, true)
	m.FirmwareProbes(func(p hw.Probe, form vcd.Form) { declare(p, form, true) })
	m.VariableProbes(func(p hw.Probe, form vcd.Form) { declare(p, form, true) })
	plant.Signals(m.Hardware, func(p hw.Probe) { declare(p, vcd.Form{Decimal: p.Decimal}, false) })
	e := &Excerpts{machine: m, list: list}
	m.Attach(e, true, false)
	return e
}

// Cycle implements emulator.Observer. A signal that changes only at slot boundaries keeps the value from the first
// observed cycle of the slot, as in a waveform.
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

func (e *Excerpts) Boundary() error { return nil }

func (e *Excerpts) Dropped() error { return nil }

// JoinRails combines the two rails of each wire into one signal. Its value is dark, the word, or collision if both
// rails of a bit are lit.
func (x *Excerpt) JoinRails() {
	var joined []ExcerptSignal
	for i := 0; i < len(x.Signals); i++ {
		s := x.Signals[i]
		scope, ok := strings.CutSuffix(s.Path, ".rail1")
		if !ok || i+1 == len(x.Signals) || x.Signals[i+1].Path != scope+".rail0" {
			joined = append(joined, s)
			continue
		}
		if s.Path = scope; !strings.HasSuffix(scope, ".light") {
			s.Path += ".light"
		}
		s.States, s.Values = rails(s.Values, x.Signals[i+1].Values)
		joined = append(joined, s)
		i++
	}
	x.Signals = joined
}

func rails(rail1, rail0 []uint64) (texts []string, values []uint64) {
	values = make([]uint64, len(rail1))
	for c := range rail1 {
		text := fmt.Sprintf("%x", rail1[c])
		switch {
		case rail1[c]|rail0[c] == 0:
			text = "dark"
		case rail1[c]&rail0[c] != 0:
			text = "collision"
		}
		k := slices.Index(texts, text)
		if k < 0 {
			k = len(texts)
			texts = append(texts, text)
		}
		values[c] = uint64(k)
	}
	return texts, values
}
