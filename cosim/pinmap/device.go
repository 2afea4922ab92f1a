package pinmap

import (
	"encoding/binary"
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/hw"
)

// Device is RTL with the ports of a model.
type Device struct {
	rtl cosim.Device
	routing
	ports                    []cosim.Port
	inputs, outputs, unknown []uint64
	resetWord                int      // index in inputs, -1 without reset
	resetOutputs             []uint64 // the model's outputs after a reset
	terms                    *Terms
	clocks
	resetCycles           int      // RTL cycles per reset cycle of the model; 0: not clocked during reset
	cycle                 uint64   // number of RTL cycles so far, which selects the next beat
	before, beforeUnknown []uint64 // early outputs, sampled just before the edge
	settled               []uint64 // inputs at the last Settle of the RTL; nil for none
	settledBuffer         []uint64
	now, live             exchanged // port words of a played row, and of the RTL itself
	player                *player   // nil if the device runs cycle by cycle
	err                   error
}

type clocks struct {
	beats []beat // nil without a clock
	gated []gated
	keeps bool // Map.KeepsState
}

// KeepsState is Map.KeepsState of the device's map.
func (d *Device) KeepsState() bool { return d.keeps }

type exchanged struct{ rtlIn, rtlOut, rtlUnknown []uint64 }

const feedbackTurns = 100

func (m *Map) adapt(model *twin.Model, rtl cosim.Device) (*Device, error) {
	w, err := m.Wire(model, rtl.Ports())
	if err != nil {
		return nil, err
	}
	terms, err := m.Terms(model, rtl.Ports())
	if err != nil {
		return nil, err
	}
	d := &Device{rtl: rtl, routing: route(w), ports: slices.Clone(model.Ports()), resetWord: -1, terms: terms}
	in, out := cosim.Words(d.ports)
	d.inputs, d.outputs, d.before = make([]uint64, in), make([]uint64, out), make([]uint64, out)
	if rtl.Unknown() != nil {
		d.unknown, d.beforeUnknown = make([]uint64, out), make([]uint64, out)
	}
	d.settledBuffer = make([]uint64, 0, in)
	d.live = exchanged{rtl.Inputs(), rtl.Outputs(), rtl.Unknown()}
	d.now, d.keeps = d.live, m.KeepsState()
	if m.Clock != "" {
		if d.beats, err = m.beats(rtl.Ports()); err != nil {
			return nil, err
		}
		d.gated = m.gated(model, rtl.Ports())
		if d.resetCycles, err = m.resetCycles(len(d.beats)); err != nil {
			return nil, err
		}
	}
	if model.Clocked() {
		d.resetWord = model.ResetWord()
		if err := resetOnce(model); err != nil {
			return nil, err
		}
	}
	d.resetOutputs = slices.Clone(model.Outputs())
	for _, fixed := range d.fixedIn {
		value, _ := d.value(fixed.bit)
		hw.PutBits(rtl.Inputs(), fixed.to, 1, value)
	}
	for _, fixed := range d.fixedOut {
		value, _ := d.value(fixed.bit)
		hw.PutBits(d.outputs, fixed.to, 1, value)
		hw.PutBits(d.before, fixed.to, 1, value)
	}
	d.pull()
	d.player = d.newPlayer()
	return d, nil
}

func resetOnce(m *twin.Model) error {
	reset := &m.Inputs()[m.ResetWord()]
	*reset = 1
	err := m.Edge(1)
	*reset = 0
	return err
}

func (d *Device) Ports() []cosim.Port { return d.ports }
func (d *Device) Inputs() []uint64    { return d.inputs }
func (d *Device) Outputs() []uint64   { return d.outputs }
func (d *Device) Unknown() []uint64   { return d.unknown }

// Late returns the latency of the RTL in cycles, by port of the model.
func (d *Device) Late() []int { return d.Wires.Late }

// Absent reports, by port of the model, whether the port is absent from the RTL.
func (d *Device) Absent() []bool { return d.Wires.Absent }

// Terms returns the terms of the map's contract.
func (d *Device) Terms() *Terms { return d.terms }

// Log returns the output printed by the RTL.
func (d *Device) Log() string {
	if l, ok := d.rtl.(cosim.Logger); ok {
		return l.Log()
	}
	return ""
}

func (d *Device) push() {
	moveBits(d.in, d.inputs, d.now.rtlIn)
	if len(d.madeIn) > 0 {
		d.make(d.madeIn, d.now.rtlIn, nil)
	}
}

// Tracer returns the RTL with its own signal names, nil if it exposes only its ports.
func (d *Device) Tracer() cosim.Tracer {
	tracer, _ := d.rtl.(cosim.Tracer)
	return tracer
}

// Counter returns the RTL's coverage counters, or nil.
func (d *Device) Counter() cosim.Counter {
	counter, _ := d.rtl.(cosim.Counter)
	return counter
}

func (d *Device) pull() { d.pullTo(d.out, d.madeOut, d.outputs, d.unknown) }

func (d *Device) pullTo(moves []bitMove, gates []made, outputs, unknown []uint64) {
	if d.unknown == nil {
		moveBits(moves, d.now.rtlOut, outputs)
	} else {
		moveUnknown(moves, d.now.rtlOut, d.now.rtlUnknown, outputs, unknown)
	}
	if len(gates) > 0 {
		d.make(gates, outputs, unknown)
	}
}

func (d *Device) settle() error {
	if err := d.rtl.Settle(); err != nil {
		return err
	}
	for range feedbackTurns {
		if !d.feed() {
			return nil
		}
		if err := d.rtl.Settle(); err != nil {
			return err
		}
	}
	d.err = &cosim.Fault{
		Kind:   cosim.FaultOscillation,
		Device: "the pin map",
		Text:   fmt.Sprintf("its feedback changes more than %d times within one cycle", feedbackTurns),
	}
	return d.err
}

func (d *Device) feed() (changed bool) {
	in, out := d.now.rtlIn, d.now.rtlOut
	for i := range d.feedback {
		m := &d.feedback[i]
		value := hw.GetBits(out, m.from, m.bits) ^ m.invert
		if value != hw.GetBits(in, m.to, m.bits) {
			hw.PutBits(in, m.to, m.bits, value)
			changed = true
		}
	}
	return changed
}

func (d *Device) Settle() error {
	if d.err != nil {
		return d.err
	}
	d.push()
	if err := d.settle(); err != nil {
		return err
	}
	if len(d.ahead) > 0 || len(d.feedback) > 0 {
		d.settled = append(d.settledBuffer[:0], d.inputs...)
	}
	d.pull()
	return nil
}

func (d *Device) Edge(clocks uint64) error {
	if d.err != nil {
		return d.err
	}
	d.push()
	cycles := 1
	if clocks&1 == 0 || d.beats == nil {
		cycles = 0
	} else if d.inReset() {
		cycles = d.resetCycles
	}
	for k := range cycles {
		b := d.beats[d.cycle%uint64(len(d.beats))]
		b.last |= d.rises()
		if err := d.clock(&b, k == cycles-1); err != nil {
			return err
		}
		d.cycle++
	}
	if cycles == 0 {
		if err := d.clock(&beat{}, true); err != nil {
			return err
		}
	}
	d.pull()
	if len(d.ahead) > 0 && clocks&1 != 0 {
		d.showEarly()
	}
	return nil
}

// clock runs one cycle of the RTL's clocks. In the last RTL cycle of a model cycle, it samples the early outputs.
func (d *Device) clock(b *beat, last bool) error {
	for _, mask := range b.before {
		if err := d.feedAndClock(mask); err != nil {
			return err
		}
	}
	if last && (len(d.ahead) > 0 || len(d.feedback) > 0) {
		if d.settled == nil || len(b.before) > 0 || !slices.Equal(d.settled, d.inputs) {
			if err := d.settle(); err != nil {
				return err
			}
		}
		d.pullTo(d.early, d.madeEarly, d.before, d.beforeUnknown)
	}
	return d.feedAndClock(b.last)
}

func (d *Device) rises() (mask uint64) {
	for _, g := range d.gated {
		if d.inputs[g.word]&1 != 0 || d.inReset() {
			mask |= g.mask
		}
	}
	return mask
}

func (d *Device) feedAndClock(mask uint64) error {
	d.settled = nil
	if err := d.rtl.Edge(mask); err != nil {
		return err
	}
	if len(d.feedback) > 0 {
		return d.settle()
	}
	return nil
}

func (d *Device) inReset() bool { return d.resetWord >= 0 && d.inputs[d.resetWord]&1 != 0 }

func (d *Device) showEarly() {
	reset := d.inReset()
	for _, s := range d.ahead {
		value, unknown := hw.GetBits(d.before, s.first, s.bits), uint64(0)
		if d.unknown != nil {
			unknown = hw.GetBits(d.beforeUnknown, s.first, s.bits)
		}
		if reset {
			value, unknown = hw.GetBits(d.resetOutputs, s.first, s.bits), 0
		}
		hw.PutBits(d.outputs, s.first, s.bits, value)
		if d.unknown != nil {
			hw.PutBits(d.unknown, s.first, s.bits, unknown)
		}
	}
}

func (d *Device) Step(clocks uint64, cycles int) error {
	for range cycles {
		if err := d.Edge(clocks); err != nil {
			return err
		}
	}
	return nil
}

func (d *Device) Save() ([]byte, error) {
	state, err := d.rtl.Save()
	if err != nil {
		return nil, err
	}
	return d.withOwn(state), nil
}

func (d *Device) withOwn(state []byte) []byte {
	all := make([]byte, 0, d.ownBytes()+len(state))
	for _, column := range [][]uint64{d.inputs, d.outputs, d.unknown} {
		for _, word := range column {
			all = binary.LittleEndian.AppendUint64(all, word)
		}
	}
	all = binary.LittleEndian.AppendUint64(all, d.cycle)
	return append(all, state...)
}

func (d *Device) ownBytes() int { return 8 * (len(d.inputs) + len(d.outputs) + len(d.unknown) + 1) }

// SaveSince and RestoreSince implement cosim.Keeper. If the RTL is not a Keeper, they handle the whole state.

func (d *Device) SaveSince(snapshot []byte) (difference []byte, size int, err error) {
	keeper, ok := d.rtl.(cosim.Keeper)
	if !ok {
		difference, err = d.Save()
		return difference, len(difference), err
	}
	state, size, err := keeper.SaveSince(snapshot[d.ownBytes():])
	if err != nil {
		return nil, 0, err
	}
	return d.withOwn(state), d.ownBytes() + size, nil
}

func (d *Device) RestoreSince(snapshot, difference []byte) error {
	keeper, ok := d.rtl.(cosim.Keeper)
	if !ok {
		return d.Restore(difference)
	}
	return d.restore(difference, func(state []byte) error { return keeper.RestoreSince(snapshot[d.ownBytes():], state) })
}

func (d *Device) Restore(snapshot []byte) error { return d.restore(snapshot, d.rtl.Restore) }

func (d *Device) restore(snapshot []byte, rtl func(state []byte) error) error {
	own := d.ownBytes()
	if len(snapshot) < own {
		return fmt.Errorf("a snapshot of %d bytes is too short: it comes from a different device", len(snapshot))
	}
	d.settled = nil
	if err := rtl(snapshot[own:]); err != nil {
		return err
	}
	for _, column := range [][]uint64{d.inputs, d.outputs, d.unknown} {
		for i := range column {
			column[i] = binary.LittleEndian.Uint64(snapshot)
			snapshot = snapshot[8:]
		}
	}
	d.cycle = binary.LittleEndian.Uint64(snapshot)
	return nil
}

func (d *Device) Close() error { return d.rtl.Close() }
