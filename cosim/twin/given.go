package twin

import (
	"context"
	"encoding/binary"
	"fmt"
	"regexp"

	"starloom/cosim"
	"starloom/hw"
)

// Given describes a model that is itself a device: RTL, or an image of the user. It is the reference for RTL. It has
// the ports of the device, except that the clock is called clock, and the reset is called reset and is active high.
type Given struct {
	Is         string       // kind of the model: "is RTL"
	Source     cosim.Source // without Clocks
	Parameters Parameters   // integer parameters of the source

	Clock, Reset string // ports of the device; "" for none
	ResetLow     bool
	Assumed      bool // Reset is assumed to be named as in the map's RTL; a device without this port has no reset

	// Load builds the device and sets Shape.
	Load  func(ctx context.Context, g *Given, o cosim.BuildOptions) error
	Shape *Shape // nil until Load
}

// Shape is what a loaded device offers.
type Shape struct {
	Ports []cosim.Port

	// Open opens a device. A device with a method Inside() []uint64 shows registers, a word for each of Registers, and
	// a bit for each of Forks branches.
	Open      func() (cosim.Device, error)
	Registers []GivenRegister
	Forks     int
	Checks    int // $fatal and similar checks of RTL, which the device does not make

	// Verilog of the device, with an additional output for the X bits of each output; "" for none. Unknown returns
	// the name of the additional output for an output.
	Verilog string
	Unknown func(output string) string

	Close func() error // releases the device's code; all devices must have been closed
}

// Prepare loads the device if it is not loaded yet.
func (g *Given) Prepare(ctx context.Context, o cosim.BuildOptions) error {
	if g.Shape != nil {
		return nil
	}
	return g.Load(ctx, g, o)
}

// GivenRegister is a register that a given device shows.
type GivenRegister struct {
	Name string
	Bits int // 1 to 64
}

// Twin returns the twin whose models are the device.
func (g *Given) Twin() Twin {
	return Twin{Name: g.Source.Top, Does: g.Is + ": " + g.Source.Name(), Sets: []Parameters{g.Parameters}, Given: g,
		Build: g.build}
}

// Clocked returns the source with its clock.
func (g *Given) Clocked() cosim.Source {
	s := g.Source
	if g.Clock != "" {
		s.Clocks = []string{g.Clock}
	}
	return s
}

type given struct {
	hw.Registers
	of     *Given
	model  *Model
	device cosim.Device
	inside []uint64
	start  []byte // snapshot at power-on; nil if the device saves only whole states
	moves  []givenMove
	cells  [][]uint64 // of registers
	reset  *uint64    // of the device; nil for none
	clocks uint64
	err    error
}

type givenMove struct{ from, to, words int }

var notInPath = regexp.MustCompile(`[^A-Za-z0-9_.\[\]]+`)

func (g *Given) build(m *Model, _ Parameters) error {
	device, err := g.Shape.Open()
	if err != nil {
		return err
	}
	is := &given{of: g, model: m, device: device}
	m.given = is
	if shows, ok := device.(interface{ Inside() []uint64 }); ok {
		is.inside = shows.Inside()
	}
	var registers []hw.Register
	for _, r := range g.Shape.Registers {
		cell := make([]uint64, 1)
		is.cells = append(is.cells, cell)
		name, most := notInPath.ReplaceAllString(r.Name, "_"), ^uint64(0)>>(64-r.Bits)
		registers = append(registers, hw.Column(name, cell, hw.AtMost(most)).Shown(r.Bits))
	}
	path := notInPath.ReplaceAllString(g.Source.Top, "_")
	is.Registers = hw.Declare(hw.Declaration{Path: path, Bank: one("model"), Registers: registers})
	m.kernel.Add(is)
	m.site = &hw.Site{Twin: g.Source.Top, What: "models", Parameters: hw.Same(map[string]int{}), Elements: 1,
		Path: func(int) string { return is.Path() }, Clocked: g.Clock != "", Combinational: true}
	is.declare()
	if chooses, ok := device.(interface {
		Left() []string
		Follow(values []uint64)
	}); ok && len(chooses.Left()) > 0 {
		m.leave(chooses.Left(), chooses.Follow)
	}
	if keeper, ok := device.(cosim.Keeper); ok && keeper != nil {
		if is.start, err = device.Save(); err != nil {
			is.start = nil
		}
	}
	return nil
}

func (is *given) declare() {
	m := is.model
	if is.of.Clock != "" {
		m.ports = append(m.ports, cosim.Port{Name: "clock", Bits: 1, Input: true, Clock: true, Word: -1})
		m.reset = m.declare("reset", 1, true)
		m.OnlyInUse = []Pin{m.reset}
	}
	clock := uint64(1)
	for _, p := range is.device.Ports() {
		switch {
		case p.Clock && p.Name == is.of.Clock:
			is.clocks |= clock
		case p.Name == is.of.Reset && p.Input && is.of.Reset != "":
			is.reset = &is.device.Inputs()[p.Word]
		case p.Input && !p.Clock:
			pin := m.declare(p.Name, p.Bits, true)
			is.moves = append(is.moves, givenMove{pin.Word, p.Word, p.Words()})
		case !p.Clock:
			m.declare(p.Name, p.Bits, false)
		}
		if p.Clock {
			clock <<= 1
		}
	}
	for i := range m.ports {
		for _, p := range is.device.Ports() {
			if m.ports[i].Name == p.Name {
				m.ports[i].Parts = p.Parts
			}
		}
	}
	m.outputs = is.device.Outputs()
}

func (is *given) push() {
	in := is.device.Inputs()
	for _, move := range is.moves {
		copy(in[move.to:][:move.words], is.model.inputs[move.from:])
	}
	if is.reset != nil {
		*is.reset = 0
		if is.model.inReset() != is.of.ResetLow {
			*is.reset = 1
		}
	}
}

func (is *given) show() {
	for i, cell := range is.cells {
		cell[0] = is.inside[i]
	}
}

func (is *given) settle() {
	if is.err == nil {
		is.push()
		is.err = is.device.Settle()
		is.show()
	}
}

func (is *given) latch() {
	if is.err == nil {
		is.push()
		is.err = is.device.Edge(is.clocks)
		is.show()
	}
}

func (is *given) save() (state []byte, err error) {
	if is.start == nil {
		state, err = is.device.Save()
	} else {
		state, _, err = is.device.(cosim.Keeper).SaveSince(is.start)
	}
	if err != nil {
		return nil, err
	}
	all := make([]byte, 0, 8*len(is.model.inputs)+len(state))
	for _, word := range is.model.inputs {
		all = binary.LittleEndian.AppendUint64(all, word)
	}
	return append(all, state...), nil
}

func (is *given) restore(snapshot []byte) error {
	in := is.model.inputs
	if len(snapshot) < 8*len(in) {
		return fmt.Errorf("a state of %d bytes is too short", len(snapshot))
	}
	for i := range in {
		in[i] = binary.LittleEndian.Uint64(snapshot[8*i:])
	}
	state := snapshot[8*len(in):]
	defer is.show()
	if is.start == nil {
		return is.device.Restore(state)
	}
	return is.device.(cosim.Keeper).RestoreSince(is.start, state)
}

// forks returns the branches as observed bits.
func (is *given) forks() (all []Observed) {
	for i := range is.of.Shape.Forks {
		at := len(is.cells) + i/64
		all = append(all, Observed{Name: fmt.Sprintf("branch %d", i), Bits: 1, word: &is.inside[at], mask: 1,
			shift: i % 64})
	}
	return all
}

func (is *given) unknown() []uint64 { return is.device.Unknown() }
func (is *given) failed() error     { return is.err }
func (is *given) close() error      { return is.device.Close() }
