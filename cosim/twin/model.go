package twin

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/hw"
)

// Model is a Device that runs components of packages hw and nic. It is the reference in lockstep and can stand in for
// missing RTL. A hw.Site defines its ports:
//
//	inputs --Put--> element of a component in a Kernel --Get--> outputs
//
// An edge runs the three phases of a cycle (package hw), then Drive and Settle of the next cycle, so that the outputs
// show the new registers. Inputs are put before Latch, or in Drive if outputs depend on them within the cycle. reset
// resets the components at the edge. A Model has two states, never fails, and starts in the reset state.
type Model struct {
	name    string
	ports   []cosim.Port
	inputs  []uint64
	outputs []uint64

	workers *hw.Workers
	shards  []hw.Shard
	kernel  *hw.Kernel
	site    *hw.Site
	transfers
	source source
	reset  Pin
	given  device // nil unless the model is a device

	usage
	stimulation stimulation
	redraws     redraws
	Events      []Event

	// Where names the part of the component whose outputs differ in this cycle. Where is nil for a component without
	// parts.
	Where func(model, rtl []uint64) string

	attachment
	left choice
}

// A device is a model that is RTL.
type device interface {
	settle()
	latch()
	save() ([]byte, error)
	restore(snapshot []byte) error
	unknown() []uint64
	failed() error
	close() error
}

type transfers struct {
	puts   []input
	gets   []func()
	clears []clearing // wires that keep only set bits, driven by the inputs
}

type attachment struct {
	Edges  []string // inputs that enable a clock of the RTL
	Pulses []Pulses
	Idle   []string // inputs without effect for these parameters; RTL may omit them
}

type usage struct {
	Use       func(random *Random, inputs []uint64) // sets all inputs but reset to typical values; nil: random values
	OnlyInUse []Pin                                 // inputs that only Use may set

	// Keep corrects inputs that break a rule of the model's neighbours in the current state. It returns the first
	// broken rule, "" for none. Use obeys the rules. A nil Keep means that no rules exist. In a proof, the twin's
	// output kept_o reports whether the rules are obeyed.
	Keep func(inputs []uint64) (broken string)
}

type choice struct {
	outputs []string
	pins    []Pin
	values  []uint64
	take    func(values []uint64)
}

// Pin is a port of a Model: the index of the port's first word in Inputs or Outputs, and its width.
type Pin struct{ Word, Bits int }

// Of returns the words of the pin in all inputs, or in all outputs.
func (p Pin) Of(words []uint64) []uint64 { return words[p.Word:][:(p.Bits+63)/64] }

func (p Pin) any(words []uint64) bool {
	for _, word := range p.Of(words) {
		if word != 0 {
			return true
		}
	}
	return false
}

func newModel(name string) *Model {
	m := &Model{name: name, workers: hw.NewWorkers(1)}
	m.Units(1)
	return m
}

// Units sets the number of units in the model's banks, all in one shard. The default is 1.
func (m *Model) Units(units int) {
	m.shards = hw.Shards(units, units)
	m.kernel = hw.NewKernel(m.workers, m.shards)
}

// Stand makes the model represent the first element of a component.
func (m *Model) Stand(component hw.Sited) error {
	var read, driven []hw.Wire
	if d, ok := component.(hw.Driver); ok {
		driven = append(driven, d.Drives()...)
	}
	if s, ok := component.(hw.Combinational); ok {
		read, driven = append(read, s.Inputs()...), append(driven, s.Outputs()...)
	}
	if l, ok := component.(hw.Latcher); ok {
		read = append(read, l.Latches()...)
	}
	for _, w := range read {
		if !slices.Contains(driven, w) && !slices.Contains(m.source.wires, w) {
			m.source.wires = append(m.source.wires, w)
		}
	}
	return m.StandFor(component.Site(), component)
}

// StandFor makes the model represent the first element of a site, whose component consists of parts.
func (m *Model) StandFor(site *hw.Site, parts ...hw.Component) error {
	if err := site.Check(); err != nil {
		return err
	}
	if site.Twin != m.name {
		return fmt.Errorf("%s: its component is a %s", m.name, site.Twin)
	}
	m.site = site
	m.kernel.Add(parts...)
	if site.Clocked {
		m.ports = append(m.ports, cosim.Port{Name: "clock", Bits: 1, Input: true, Clock: true, Word: -1})
		m.reset = m.declare("reset", 1, true)
		m.OnlyInUse = []Pin{m.reset}
	}
	for _, p := range site.Ports {
		m.declare(p.Name, p.Bits, p.Input)
	}
	m.bind()
	for _, w := range m.source.wires {
		if sparse, ok := w.(clearing); ok {
			m.clears = append(m.clears, sparse)
		}
	}
	m.source.model = m
	m.kernel.Add(&m.source)
	return nil
}

func (m *Model) declare(name string, bits int, input bool) Pin {
	words := &m.outputs
	if input {
		words = &m.inputs
	}
	p := cosim.Port{Name: name, Bits: bits, Input: input, Word: len(*words)}
	m.ports = append(m.ports, p)
	*words = append(*words, make([]uint64, p.Words())...)
	return Pin{p.Word, bits}
}

// clearing is a wire that keeps only set bits: light, request lines.
type clearing interface{ Clear(driver int) }

type input struct {
	name string
	put  func() error
}

func (m *Model) bind() {
	m.puts, m.gets = nil, nil
	first := len(m.ports) - len(m.site.Ports)
	for i := range m.site.Ports {
		p, own := &m.site.Ports[i], &m.ports[first+i]
		if p.Input {
			m.puts = append(m.puts, input{p.Name, p.Put(0, hw.Pins{Words: m.inputs, First: 64 * own.Word, Bits: p.Bits})})
		} else {
			m.gets = append(m.gets, p.Get(0, hw.Pins{Words: m.outputs, First: 64 * own.Word, Bits: p.Bits}))
		}
	}
}

// Has reports whether the named port exists.
func (m *Model) Has(name string) bool {
	return slices.ContainsFunc(m.ports, func(p cosim.Port) bool { return p.Name == name })
}

// Pin returns the named port, which must exist.
func (m *Model) Pin(name string) Pin {
	i := slices.IndexFunc(m.ports, func(p cosim.Port) bool { return p.Name == name })
	return Pin{m.ports[i].Word, m.ports[i].Bits}
}

func (m *Model) put() {
	for _, w := range m.clears {
		w.Clear(0)
	}
	for i := range m.puts {
		if err := m.puts[i].put(); err != nil {
			panic(fmt.Sprintf("%s: input %s: %v", m.name, m.puts[i].name, err))
		}
	}
	if m.site.Take != nil {
		m.site.Take(0)
	}
}

// leave lets the RTL choose outputs of up to 64 bits each. take receives the RTL's values; the model adopts allowed
// values and otherwise shows its own.
func (m *Model) leave(outputs []string, take func(values []uint64)) {
	m.left = choice{outputs: outputs, values: make([]uint64, len(outputs)), take: take}
	for _, name := range outputs {
		m.left.pins = append(m.left.pins, m.Pin(name))
	}
}

// Left names the outputs that the model leaves to the RTL within bounds, because no model can predict these outputs
// cycle by cycle.
func (m *Model) Left() []string { return m.left.outputs }

// Follow adopts the RTL's values of the outputs that the model leaves to the RTL, and settles the model. It is called
// when the RTL has settled and after each edge.
func (m *Model) Follow(outputs []uint64) {
	if m.left.take == nil {
		return
	}
	for i, p := range m.left.pins {
		m.left.values[i] = outputs[p.Word]
	}
	m.left.take(m.left.values)
	m.settle()
}

func (m *Model) finish() error {
	if err := m.kernel.Build(); err != nil {
		return errors.Join(err, m.Close())
	}
	m.kernel.BeforeCycle0()
	m.settle()
	if m.Use == nil {
		m.Use = m.atRandom
	}
	return nil
}

// Clocked reports whether the circuit has a clock and a reset.
func (m *Model) Clocked() bool { return m.site.Clocked }

// ResetWord returns the index of reset in Inputs, -1 for a circuit without reset.
func (m *Model) ResetWord() int {
	if !m.site.Clocked {
		return -1
	}
	return m.reset.Word
}

// Kernel returns the kernel that runs the model's components.
func (m *Model) Kernel() *hw.Kernel { return m.kernel }

// Shards returns the only shard of the model's banks.
func (m *Model) Shards() []hw.Shard { return m.shards }

func (m *Model) Ports() []cosim.Port { return m.ports }
func (m *Model) Inputs() []uint64    { return m.inputs }
func (m *Model) Outputs() []uint64   { return m.outputs }

// Unknown returns the bits that are X of a given model's outputs, nil for other models.
func (m *Model) Unknown() []uint64 {
	if m.given == nil {
		return nil
	}
	return m.given.unknown()
}

// Failed returns the fault that ended the device of a given model, nil for none and for other models.
func (m *Model) Failed() error {
	if m.given == nil {
		return nil
	}
	return m.given.failed()
}

func (m *Model) Settle() error {
	m.settle()
	return nil
}

func (m *Model) settle() {
	if m.given != nil {
		m.given.settle()
		return
	}
	m.kernel.DriveAndSettle()
	for _, get := range m.gets {
		get()
	}
}

func (m *Model) Edge(clocks uint64) error {
	if m.site.Clocked && clocks&1 != 0 {
		if m.given == nil && !m.inReset() {
			m.kernel.DriveAndSettle()
		}
		m.Latch()
	}
	m.settle()
	return nil
}

func (m *Model) inReset() bool { return m.inputs[m.reset.Word]&1 != 0 }

// Latch is the clock edge of a settled model, without settling afterwards.
func (m *Model) Latch() {
	if m.given != nil {
		m.given.latch()
		return
	}
	if m.inReset() {
		m.kernel.Reset()
		m.kernel.BeforeCycle0()
		clear(m.outputs)
		return
	}
	if !m.site.Combinational {
		m.put()
	}
	m.kernel.Latch()
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

// State visits the kernel and the ports.
func (m *Model) State(v *hw.StateVisitor) {
	v.Within(m.kernel)
	hw.StateColumn(v, hw.Future, "inputs", m.inputs)
	hw.StateColumn(v, hw.Future, "outputs", m.outputs)
}

func (m *Model) Save() ([]byte, error) {
	if m.given != nil {
		return m.given.save()
	}
	var b bytes.Buffer
	err := hw.Save(&b, m)
	return b.Bytes(), err
}

func (m *Model) Restore(snapshot []byte) error {
	if m.given != nil {
		return m.given.restore(snapshot)
	}
	if err := hw.Restore(bytes.NewReader(snapshot), m); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

func (m *Model) Close() error {
	m.workers.Close()
	if m.given != nil {
		return m.given.close()
	}
	return nil
}

// source drives the wires that the component reads and no other component drives.
type source struct {
	model *Model
	wires []hw.Wire
}

func (s *source) Path() string           { return "pins" }
func (s *source) Reset()                 {}
func (s *source) State(*hw.StateVisitor) {}
func (s *source) Drives() []hw.Wire      { return s.wires }
func (s *source) Drive(hw.Shard) {
	if s.model.site.Combinational {
		s.model.put()
	}
}

func one(name string) hw.Bank { return hw.Bank{Name: name, Units: 1, PerUnit: 1} }

// wire returns a signal of one element, or nil for an illegal width, which the component reports.
func wire(name string, bits int) *hw.Signal {
	s, err := hw.NewSignal(one("pin"), name, bits)
	if err != nil {
		return nil
	}
	return s
}

// Rails returns the indexes in m.Ports of the two rails that a violation output compares: bit i of the output is 1
// where both rails of part i are lit. ok is false for other outputs.
func (m *Model) Rails(output string) (rail1, rail0 int, ok bool) {
	find := func(name string) int {
		return slices.IndexFunc(m.ports, func(p cosim.Port) bool { return p.Name == name && !p.Input })
	}
	own := find(output)
	if rail1, rail0 = find("rail1_o"), find("rail0_o"); output != "violation_o" || own < 0 || rail1 < 0 || rail0 < 0 {
		return 0, 0, false
	}
	return rail1, rail0, m.ports[rail1].Bits%m.ports[own].Bits == 0 && m.ports[rail1].Bits == m.ports[rail0].Bits
}

// Pulses describes a single port that replaces two ports: Valid, with a bit per lane, and Index, with a number per
// lane. The replacement has a bit for each number of each lane, at lane*Numbers + number. The bit is 1 if the lane is
// valid and has that number.
type Pulses struct {
	Name, Valid, Index string
	Numbers            int
}
