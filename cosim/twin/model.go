package twin

import (
	"bytes"
	"errors"
	"fmt"

	"starloom/cosim"
	"starloom/hw"
)

// Model is a Device whose circuit is components of packages hw and nic: the
// reference in lockstep, and what stands in for RTL that does not exist yet.
//
//	inputs --pins--> wires of a Kernel --Show--> outputs
//
// An edge is the three phases of one cycle (package hw), with what a machine does
// before Latch (inputs of components that are not wires: Take), then Drive and Settle of
// the next one, so that the outputs show the new registers. reset resets the components
// at the edge. A Model knows two states and never fails; it begins in the reset state.
//
// Twin.Build declares the ports with ClockAndReset, Input and Output in the order of the
// module, adds components to Kernel, and sets the functions that it needs.
type Model struct {
	name    string
	ports   []cosim.Port
	inputs  []uint64
	outputs []uint64

	workers *hw.Workers
	shards  []hw.Shard
	kernel  *hw.Kernel
	pins    pins
	clocked bool
	reset   Pin

	// What a twin says of itself; each may be nil.
	Ahead     func()                                // in front of Drive and Settle
	Show      func()                                // wires to outputs
	Take      func()                                // between Settle and Latch
	Behind    func()                                // behind Latch
	Cleared   func()                                // behind a reset
	Registers func(v *hw.StateVisitor)              // registers of its own
	Use       func(random *Random, inputs []uint64) // all inputs but reset, as in use

	OnlyInUse   []Pin // inputs that get nothing but what Use gives
	stimulation stimulation
	Events      []Event // what inputs do together, for Coverage
}

// Pin is a port of a Model.
type Pin struct{ Word, Bits int }

// Of returns its words in all inputs, or all outputs.
func (p Pin) Of(words []uint64) []uint64 { return words[p.Word:][:(p.Bits+63)/64] }

func newModel(name string) *Model {
	m := &Model{name: name, workers: hw.NewWorkers(1)}
	m.Units(1)
	return m
}

// Units is how many units the banks of the model have, one unless Build begins with
// another number. They are all in one shard.
func (m *Model) Units(units int) {
	m.shards = hw.Shards(units, units)
	m.kernel = hw.NewKernel(m.workers, m.shards)
	m.kernel.Add(&m.pins)
}

// ClockAndReset declares the first two ports of a clocked module.
func (m *Model) ClockAndReset() {
	m.ports = append(m.ports, cosim.Port{Name: "clock", Bits: 1, Input: true, Clock: true, Word: -1})
	m.reset = m.Input("reset", 1)
	m.OnlyInUse = []Pin{m.reset}
	m.clocked = true
}

// Input declares an input.
func (m *Model) Input(name string, bits int) Pin {
	bits = max(bits, 1) // the component refuses it, with words
	p := cosim.Port{Name: name, Bits: bits, Input: true, Word: len(m.inputs)}
	m.ports = append(m.ports, p)
	m.inputs = append(m.inputs, make([]uint64, p.Words())...)
	return Pin{p.Word, bits}
}

// Output declares an output.
func (m *Model) Output(name string, bits int) Pin {
	bits = max(bits, 1)
	p := cosim.Port{Name: name, Bits: bits, Word: len(m.outputs)}
	m.ports = append(m.ports, p)
	m.outputs = append(m.outputs, make([]uint64, p.Words())...)
	return Pin{p.Word, bits}
}

// finish builds the kernel and shows the reset state.
func (m *Model) finish() error {
	if err := m.kernel.Build(); err != nil {
		return errors.Join(err, m.Close())
	}
	m.settle()
	return nil
}

// Clocked reports whether the circuit has a clock, and with it a reset.
func (m *Model) Clocked() bool { return m.clocked }

// ResetWord is where reset is in Inputs, -1 for a circuit without one.
func (m *Model) ResetWord() int {
	if !m.clocked {
		return -1
	}
	return m.reset.Word
}

// Kernel is the kernel that the twin's components belong to.
func (m *Model) Kernel() *hw.Kernel { return m.kernel }

// Shards are what banks of the model are made for: one.
func (m *Model) Shards() []hw.Shard { return m.shards }

// Get reads an input of up to 64 bits, In the words of a wide one; Put and Out are the
// same for outputs.

func (m *Model) Get(p Pin) uint64        { return hw.GetBits(m.inputs[p.Word:], 0, p.Bits) }
func (m *Model) In(p Pin) []uint64       { return p.Of(m.inputs) }
func (m *Model) Put(p Pin, value uint64) { m.outputs[p.Word] = value }
func (m *Model) Out(p Pin) []uint64      { return p.Of(m.outputs) }

// Ports, Inputs, Outputs, Unknown, Settle, Edge, Step, Save, Restore, Close
// implement Device.

func (m *Model) Ports() []cosim.Port { return m.ports }
func (m *Model) Inputs() []uint64    { return m.inputs }
func (m *Model) Outputs() []uint64   { return m.outputs }
func (m *Model) Unknown() []uint64   { return nil }

func (m *Model) Settle() error {
	m.settle()
	return nil
}

func (m *Model) settle() {
	m.driveAndSettle()
	if m.Show != nil {
		m.Show()
	}
}

func (m *Model) driveAndSettle() {
	if m.Ahead != nil {
		m.Ahead()
	}
	m.kernel.DriveAndSettle()
}

func (m *Model) Edge(clocks uint64) error {
	if m.clocked && clocks&1 != 0 {
		if m.Get(m.reset) == 0 {
			m.driveAndSettle()
		}
		m.Latch()
	}
	m.settle()
	return nil
}

// Latch is the clock edge of a clocked model that is settled, without settling again.
func (m *Model) Latch() {
	switch {
	case m.Get(m.reset) != 0:
		m.clear()
	default:
		if m.Take != nil {
			m.Take()
		}
		m.kernel.Latch()
		if m.Behind != nil {
			m.Behind()
		}
	}
}

func (m *Model) clear() {
	m.kernel.Reset()
	clear(m.outputs)
	if m.Cleared != nil {
		m.Cleared()
	}
}

func (m *Model) Step(clocks uint64, cycles int) error {
	for range cycles {
		if err := m.Edge(clocks); err != nil {
			return err
		}
	}
	return nil
}

// Path names the model in saved states.
func (m *Model) Path() string { return m.name }

// State visits kernel and ports.
func (m *Model) State(v *hw.StateVisitor) {
	v.Within(m.kernel)
	if m.Registers != nil {
		m.Registers(v)
	}
	hw.StateColumn(v, "inputs", m.inputs)
	hw.StateColumn(v, "outputs", m.outputs)
}

func (m *Model) Save() ([]byte, error) {
	var b bytes.Buffer
	err := hw.Save(&b, m)
	return b.Bytes(), err
}

func (m *Model) Restore(snapshot []byte) error {
	if err := hw.Restore(bytes.NewReader(snapshot), m); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

func (m *Model) Close() error {
	m.workers.Close()
	return nil
}

// pins puts the inputs on wires.
type pins struct {
	wires []hw.Wire
	drive []func()
}

func (p *pins) Path() string           { return "pins" }
func (p *pins) Reset()                 {}
func (p *pins) State(*hw.StateVisitor) {}
func (p *pins) Drives() []hw.Wire      { return p.wires }
func (p *pins) Drive(hw.Shard) {
	for _, drive := range p.drive {
		drive()
	}
}

// one is a bank of one element.
func one(name string) hw.Bank { return hw.Bank{Name: name, Units: 1, PerUnit: 1} }

// Signal is the wire that an input of up to 64 bits drives, nil for a wider one.
func (m *Model) Signal(name string, p Pin) *hw.Signal {
	wire, err := hw.NewSignal(one("pin"), name, p.Bits)
	if err != nil {
		return nil // the component refuses the width
	}
	m.pins.wires = append(m.pins.wires, wire)
	m.pins.drive = append(m.pins.drive, func() { wire.Value[0] = m.Get(p) })
	return wire
}

// Light is the bank of wires that two inputs drive, one for each rail: wire i is
// the bits i*bits and up of both.
func (m *Model) Light(bank hw.Bank, rail1, rail0 Pin, bits int, readers []uint32) (*hw.Light, error) {
	wire, err := hw.NewLight(bank, "light", bits, m.shards, readers)
	if err != nil {
		return nil, err
	}
	m.pins.wires = append(m.pins.wires, wire)
	m.pins.drive = append(m.pins.drive, func() {
		wire.Clear(0)
		in1, in0 := m.In(rail1), m.In(rail0)
		for i := range bank.Size() {
			wire.Put(0, uint32(i), hw.GetBits(in1, i*bits, bits), hw.GetBits(in0, i*bits, bits))
		}
	})
	return wire, nil
}

// ShowSignal shows a wire of one element on an output.
func (m *Model) ShowSignal(p Pin, wire *hw.Signal) {
	before := m.Show
	m.Show = func() {
		if before != nil {
			before()
		}
		m.Put(p, wire.Value[0])
	}
}

// GetBytes fills a frame from a packed vector: byte k is the bits first+8k to
// first+8k+7. first is a multiple of 8.
func GetBytes(words []uint64, first int, frame []byte) {
	for k := range frame {
		bit := first + 8*k
		frame[k] = byte(words[bit>>6] >> (bit & 63))
	}
}

// PutBytes does the reverse.
func PutBytes(words []uint64, first int, frame []byte) {
	for k, b := range frame {
		bit := first + 8*k
		hw.PutBits(words, bit, 8, uint64(b))
	}
}

// An Event is what bits of a model's inputs can do together.
type Event struct {
	Input string
	Never string                       // what did not happen: lit by two senders at once
	Bits  int                          // of a phit
	Of    func(inputs []uint64) uint64 // the bits that do so in this cycle
}
