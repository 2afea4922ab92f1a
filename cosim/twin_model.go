package cosim

import (
	"bytes"
	"errors"
	"fmt"

	"starloom/hw"
)

// Model is a Device whose circuit is components of packages hw and nic: the
// reference in lockstep, and what stands in for RTL that does not exist yet.
//
//	inputs --modelPins--> wires of a Kernel --show--> outputs
//
// An edge is the three phases of one cycle (package hw), with what a machine does in
// front of Latch (inputs of components that are no wires: take), then Drive and Settle of
// the next one, so that the outputs show the new registers. reset resets the components at the edge. A Model
// knows two states and never fails; it begins in the reset state.
type Model struct {
	name    string
	ports   []Port
	inputs  []uint64
	outputs []uint64

	workers *hw.Workers
	kernel  *hw.Kernel
	pins    modelPins
	clocked bool
	reset   modelPin

	// What a twin says of itself; each may be nil.
	ahead     func()                                // in front of Drive and Settle
	show      func()                                // wires to outputs
	take      func()                                // between Settle and Latch
	behind    func()                                // behind Latch
	cleared   func()                                // behind a reset
	registers func(v *hw.StateVisitor)              // registers of its own
	use       func(random *Random, inputs []uint64) // all inputs but reset, as in use

	asInUse     []modelPin // inputs that get nothing but what use gives
	stimulation stimulation
	events      []coverEvent // what inputs do together, for Coverage
}

// modelPin is a port of a Model.
type modelPin struct{ word, bits int }

// of returns its words in all inputs, or all outputs.
func (p modelPin) of(words []uint64) []uint64 { return words[p.word:][:(p.bits+63)/64] }

var modelShards = hw.Shards(1, 1)

func newModel(name string) *Model {
	m := &Model{name: name, workers: hw.NewWorkers(1)}
	m.kernel = hw.NewKernel(m.workers, modelShards)
	m.kernel.Add(&m.pins)
	return m
}

// The ports are declared in the order of the module. clocks declares clock and
// reset.

func (m *Model) clocks() {
	m.ports = append(m.ports, Port{Name: "clock", Bits: 1, Input: true, Clock: true, Word: -1})
	m.reset = m.input("reset", 1)
	m.asInUse = []modelPin{m.reset}
	m.clocked = true
}

func (m *Model) input(name string, bits int) modelPin {
	bits = max(bits, 1) // the component refuses it, with words
	p := Port{Name: name, Bits: bits, Input: true, Word: len(m.inputs)}
	m.ports = append(m.ports, p)
	m.inputs = append(m.inputs, make([]uint64, p.Words())...)
	return modelPin{p.Word, bits}
}

func (m *Model) output(name string, bits int) modelPin {
	bits = max(bits, 1)
	p := Port{Name: name, Bits: bits, Word: len(m.outputs)}
	m.ports = append(m.ports, p)
	m.outputs = append(m.outputs, make([]uint64, p.Words())...)
	return modelPin{p.Word, bits}
}

// finish builds the kernel and shows the reset state.
func (m *Model) finish() error {
	if err := m.kernel.Build(); err != nil {
		return errors.Join(err, m.Close())
	}
	m.settle()
	return nil
}

// isClocked reports whether the circuit has a clock, and with it a reset.
func (m *Model) isClocked() bool { return m.clocked }

// resetWord is where reset is in Inputs, -1 for a circuit without one.
func (m *Model) resetWord() int {
	if !m.clocked {
		return -1
	}
	return m.reset.word
}

// circuit is the kernel that the twin's components belong to.
func (m *Model) circuit() *hw.Kernel { return m.kernel }

// shards are what banks of the model are made for: one.
func (m *Model) shards() []hw.Shard { return modelShards }

// get reads an input of up to 64 bits, in reads the words of a wide one.
func (m *Model) get(p modelPin) uint64        { return hw.GetBits(m.inputs[p.word:], 0, p.bits) }
func (m *Model) in(p modelPin) []uint64       { return p.of(m.inputs) }
func (m *Model) put(p modelPin, value uint64) { m.outputs[p.word] = value }
func (m *Model) out(p modelPin) []uint64      { return p.of(m.outputs) }

// Ports, Inputs, Outputs, Unknown, Settle, Edge, Step, Save, Restore, Close
// implement Device.

func (m *Model) Ports() []Port     { return m.ports }
func (m *Model) Inputs() []uint64  { return m.inputs }
func (m *Model) Outputs() []uint64 { return m.outputs }
func (m *Model) Unknown() []uint64 { return nil }

func (m *Model) Settle() error {
	m.settle()
	return nil
}

func (m *Model) settle() {
	m.driveAndSettle()
	if m.show != nil {
		m.show()
	}
}

func (m *Model) driveAndSettle() {
	if m.ahead != nil {
		m.ahead()
	}
	m.kernel.DriveAndSettle()
}

func (m *Model) Edge(clocks uint64) error {
	if m.clocked && clocks&1 != 0 {
		if m.get(m.reset) == 0 {
			m.driveAndSettle()
		}
		m.latch()
	}
	m.settle()
	return nil
}

// latch is the clock edge of a clocked model that is settled, without settling again.
func (m *Model) latch() {
	switch {
	case m.get(m.reset) != 0:
		m.clear()
	default:
		if m.take != nil {
			m.take()
		}
		m.kernel.Latch()
		if m.behind != nil {
			m.behind()
		}
	}
}

func (m *Model) clear() {
	m.kernel.Reset()
	clear(m.outputs)
	if m.cleared != nil {
		m.cleared()
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
	if m.registers != nil {
		m.registers(v)
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

// modelPins puts the inputs on wires.
type modelPins struct {
	wires []hw.Wire
	drive []func()
}

func (p *modelPins) Path() string           { return "pins" }
func (p *modelPins) Reset()                 {}
func (p *modelPins) State(*hw.StateVisitor) {}
func (p *modelPins) Drives() []hw.Wire      { return p.wires }
func (p *modelPins) Drive(hw.Shard) {
	for _, drive := range p.drive {
		drive()
	}
}

// one is a bank of one element.
func one(name string) hw.Bank { return hw.Bank{Name: name, Units: 1, PerUnit: 1} }

// signal is the wire that an input of up to 64 bits drives, nil for a wider one.
func (m *Model) signal(name string, p modelPin) *hw.Signal {
	wire, err := hw.NewSignal(one("pin"), name, p.bits)
	if err != nil {
		return nil // the component refuses the width
	}
	m.pins.wires = append(m.pins.wires, wire)
	m.pins.drive = append(m.pins.drive, func() { wire.Value[0] = m.get(p) })
	return wire
}

// light is the bank of wires that two inputs drive, one for each rail: wire i is
// the bits i*bits and up of both.
func (m *Model) light(bank hw.Bank, rail1, rail0 modelPin, bits int, readers []uint32) (*hw.Light, error) {
	wire, err := hw.NewLight(bank, "light", bits, modelShards, readers)
	if err != nil {
		return nil, err
	}
	m.pins.wires = append(m.pins.wires, wire)
	m.pins.drive = append(m.pins.drive, func() {
		wire.Clear(0)
		in1, in0 := m.in(rail1), m.in(rail0)
		for i := range bank.Size() {
			wire.Put(0, uint32(i), hw.GetBits(in1, i*bits, bits), hw.GetBits(in0, i*bits, bits))
		}
	})
	return wire, nil
}

// showSignal shows a wire of one element on an output.
func (m *Model) showSignal(p modelPin, wire *hw.Signal) {
	before := m.show
	m.show = func() {
		if before != nil {
			before()
		}
		m.put(p, wire.Value[0])
	}
}

// getBytes and putBytes move a frame: byte k is the bits first+8k to first+8k+7.
// first is a multiple of 8.

func getBytes(words []uint64, first int, frame []byte) {
	for k := range frame {
		bit := first + 8*k
		frame[k] = byte(words[bit>>6] >> (bit & 63))
	}
}

func putBytes(words []uint64, first int, frame []byte) {
	for k, b := range frame {
		bit := first + 8*k
		hw.PutBits(words, bit, 8, uint64(b))
	}
}

// A coverEvent is what bits of a model's inputs can do together.
type coverEvent struct {
	input string
	never string                       // what did not happen: lit by two senders at once
	bits  int                          // of a phit
	of    func(inputs []uint64) uint64 // the bits that do so in this cycle
}
