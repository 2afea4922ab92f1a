package twin

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"starloom/cosim"
	"starloom/hw"
)

// Model is a Device whose circuit is components of packages hw and nic: the
// reference in lockstep, and a stand-in for RTL that does not exist yet. Its ports,
// and what they do, are those of a hw.Site:
//
//	inputs --Put--> element of a component in a Kernel --Get--> outputs
//
// An edge is the three phases of one cycle (package hw), then Drive and Settle of the next
// one, so that the outputs show the new registers. The inputs are put before Latch, or in
// Drive where outputs follow them within the cycle. reset resets the components at the
// edge; the cycle after it is the last one of reset. A Model has two states and never
// fails; it begins in the reset state.
type Model struct {
	name    string
	ports   []cosim.Port
	inputs  []uint64
	outputs []uint64

	workers *hw.Workers
	shards  []hw.Shard
	kernel  *hw.Kernel
	site    *hw.Site
	puts    []input    // of the site
	gets    []func()   // its outputs
	clears  []clearing // wires that the inputs drive
	source  source
	reset   Pin

	usage
	stimulation stimulation
	redraws     redraws
	Events      []Event // what ports do together, for coverage

	// Where says in which part of the component the RTL's outputs differ from the model's in this cycle; nil: it is one part.
	Where func(model, rtl []uint64) string

	attachment
	left choice
}

// attachment is what a map may say of a model beside its ports.
type attachment struct {
	Edges  []string // inputs that say in which cycles a clock of the RTL rises
	Pulses []Pulses // other forms of its ports
	Idle   []string // inputs that change no output with these parameters: RTL need not have them
}

type usage struct {
	Use       func(random *Random, inputs []uint64) // puts all inputs but reset, as in use; nil: at random
	OnlyInUse []Pin                                 // inputs that only Use drives

	// Keep makes inputs keep the rules of neighbours in the model's present state, and returns which one they broke first,
	// "" for none. Use keeps them. nil: there are no rules. In a proof the twin says so, too: kept_o.
	Keep func(inputs []uint64) (broken string)
}

type choice struct {
	outputs []string
	pins    []Pin
	values  []uint64
	take    func(values []uint64)
}

// Pin is a port of a Model.
type Pin struct{ Word, Bits int }

// Of returns its words in all inputs, or all outputs.
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

// Units is how many units the banks of the model have, 1 unless Build says otherwise, all in one shard.
func (m *Model) Units(units int) {
	m.shards = hw.Shards(units, units)
	m.kernel = hw.NewKernel(m.workers, m.shards)
}

// Stand makes the model that of the first element of a component.
func (m *Model) Stand(c hw.Sited) error {
	var read, driven []hw.Wire
	if d, ok := c.(hw.Driver); ok {
		driven = append(driven, d.Drives()...)
	}
	if s, ok := c.(hw.Combinational); ok {
		read, driven = append(read, s.Inputs()...), append(driven, s.Outputs()...)
	}
	if l, ok := c.(hw.Latcher); ok {
		read = append(read, l.Latches()...)
	}
	for _, w := range read {
		if !slices.Contains(driven, w) && !slices.Contains(m.source.wires, w) {
			m.source.wires = append(m.source.wires, w)
		}
	}
	return m.StandFor(c.Site(), c)
}

// StandFor makes the model that of the first element of a site, whose component consists of parts.
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

// clearing is a wire of which only what is on is kept: light, request lines.
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

// Has reports whether there is a port of a name.
func (m *Model) Has(name string) bool {
	return slices.ContainsFunc(m.ports, func(p cosim.Port) bool { return p.Name == name })
}

// Pin returns the port of a name, which is one of the site's.
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

// leave says which outputs the RTL may choose, of up to 64 bits each, and what takes its choice: the
// model shows it where it is allowed, and else what is.
func (m *Model) leave(outputs []string, take func(values []uint64)) {
	m.left = choice{outputs: outputs, values: make([]uint64, len(outputs)), take: take}
	for _, name := range outputs {
		m.left.pins = append(m.left.pins, m.Pin(name))
	}
}

// Left names the outputs that the model leaves to the RTL: it follows them within bounds, so that it
// judges RTL whose outputs no model can foretell cycle by cycle.
func (m *Model) Left() []string { return m.left.outputs }

// Follow takes what the RTL has chosen of the outputs that are left to it, and settles. It
// comes when the RTL has settled, and after each edge.
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

// Clocked reports whether the circuit has a clock, and with it a reset.
func (m *Model) Clocked() bool { return m.site.Clocked }

// ResetWord is where reset is in Inputs, -1 for a circuit without one.
func (m *Model) ResetWord() int {
	if !m.site.Clocked {
		return -1
	}
	return m.reset.Word
}

// Kernel is the kernel that the twin's components belong to.
func (m *Model) Kernel() *hw.Kernel { return m.kernel }

// Shards are what banks of the model are made for: one.
func (m *Model) Shards() []hw.Shard { return m.shards }

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
	m.kernel.DriveAndSettle()
	for _, get := range m.gets {
		get()
	}
}

func (m *Model) Edge(clocks uint64) error {
	if m.site.Clocked && clocks&1 != 0 {
		if !m.inReset() {
			m.kernel.DriveAndSettle()
		}
		m.Latch()
	}
	m.settle()
	return nil
}

func (m *Model) inReset() bool { return m.inputs[m.reset.Word]&1 != 0 }

// Latch is the clock edge of a clocked model that is settled, without settling again.
func (m *Model) Latch() {
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

// State visits kernel and ports.
func (m *Model) State(v *hw.StateVisitor) {
	v.Within(m.kernel)
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

// source drives the wires that the component reads and that nothing else drives.
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

// wire is a signal of one element, nil for an illegal width, which the component reports.
func wire(name string, bits int) *hw.Signal {
	s, err := hw.NewSignal(one("pin"), name, bits)
	if err != nil {
		return nil
	}
	return s
}

// Rails returns the outputs that a violation is made of, in the order of m.Ports: each bit of it is 1
// where both rails of its part of them are lit at once. ok is false for an output that is no violation.
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
