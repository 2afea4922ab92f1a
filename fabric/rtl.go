package fabric

import (
	"fmt"
	"slices"

	"starloom/hw"
	"starloom/nic"
)

// RTLDevice is RTL behind the ports of a Verilog twin: a Device of package cosim,
// which stands above this one, with the ports of the twin in the order of the module.
type RTLDevice interface {
	Inputs() []uint64
	Outputs() []uint64
	Unknown() []uint64
	Settle() error
	Edge(clocks uint64) error
	Save() ([]byte, error)
	Restore(snapshot []byte) error
}

// RTLPart is a device and the components that it stands in for. A device for several
// has each port as often, side by side: component Elements[k] has the bits k*width
// and up of every port, with width that of a single one; clock and reset are common.
type RTLPart struct {
	Device   RTLDevice
	Elements []int // couplers, for links as well; processors
}

// RTL says which components of a Plant are RTL. All others are model.
//
// When the exchanges take place, all of them once per cycle:
//
//	star couplers   Settle   combinational; without a change of inputs none is needed
//	links           Latch    clock edge; with no delay in Settle, too
//	transmitters    Latch    clock edge
//	receivers       Latch    clock edge
//	datapath        Latch    clock edge
//
// Every device has one edge per cycle, as the registers of the models have. In the last
// cycle of a slot receivers show what they have received, from registers that were
// written before; the edge of that cycle takes what the firmware sends and hears next.
// After reset there is one cycle without a number, the last one of an empty slot, whose
// edge takes the inputs of slot 0.
type RTL struct {
	Couplers     []RTLPart // star_coupler
	Links        []RTLPart // link
	Transmitters []RTLPart // serialiser
	Receivers    []RTLPart // deserialiser
	Datapath     RTLDevice // pops_slot, in place of all of them
}

// RTLFault is how RTL ends a run.
type RTLFault struct {
	Path    string // of the component
	Cycle   uint64 // 0 for what happens before it, too
	Unknown bool   // an output was X or Z
	Err     error  // what the device said, or what was wrong with an output
}

// rtlResetEdges is how long reset is on: enough for a synchroniser in the RTL.
const rtlResetEdges = 4

// rtlPort is a port of a device, one component's part of it.
type rtlPort struct {
	name string
	bits int
	word int // the first one of the whole port; for all elements
}

// rtlPart is a device in a machine.
type rtlPart struct {
	RTLPart
	machine *rtlMachine
	path    func(element int) string
	in, out []rtlPort
	clocked bool // the first input is reset
}

// rtlMachine is what all parts of a machine have in common.
type rtlMachine struct {
	names   Names
	shape   Shape
	media   *Media
	timing  nic.Timing
	kernel  *hw.Kernel
	parts   []*rtlPart
	fault   *RTLFault // the first one; nothing is exchanged after it
	restore error     // of the last Restore

	transmitters *rtlTransmitters
	receivers    *rtlReceivers
	datapath     *rtlDatapath
}

// replace puts RTL in the place of components, and returns what the kernel runs.
func (t *Plant) replace(rtl *RTL, near, far *hw.Light, frameMax int) ([]hw.Component, error) {
	if len(t.shards) != 1 {
		return nil, fmt.Errorf("%d shards: RTL needs a machine of one", len(t.shards))
	}
	m := &rtlMachine{names: t.names, shape: t.shape, media: &t.media, timing: t.timing, kernel: t.kernel}
	t.rtl = m
	if rtl.Datapath != nil {
		var err error
		m.datapath, err = m.newDatapath(t.media.Links, t.media.Couplers, far, frameMax, rtl.Datapath)
		return []hw.Component{t.serialisers, t.media.Couplers, m.datapath, t.deserialisers}, err
	}
	var err error
	if m.transmitters, err = m.newTransmitters(t.serialisers, frameMax, rtl.Transmitters); err != nil {
		return nil, err
	}
	couplers, err := m.newCouplers(t.media.Couplers, t.serialisers, rtl.Couplers)
	if err != nil {
		return nil, err
	}
	links, err := m.newLinks(t.media.Links, near, far, rtl.Links)
	if err != nil {
		return nil, err
	}
	if m.receivers, err = m.newReceivers(t.deserialisers, far, frameMax, rtl.Receivers); err != nil {
		return nil, err
	}
	return []hw.Component{m.transmitters, couplers, links, m.receivers}, nil
}

// RTLFault returns how RTL has ended the run, nil if it has not. Nothing is exchanged
// with any device from then on.
func (t *Plant) RTLFault() *RTLFault {
	if t.rtl == nil {
		return nil
	}
	return t.rtl.fault
}

// RTLRestored returns the error of the last Restore that a device has refused.
func (t *Plant) RTLRestored() error {
	if t.rtl == nil {
		return nil
	}
	return t.rtl.restore
}

func (m *rtlMachine) transmitterPath(processor int) string {
	return m.names.Processor(processor) + ".tx"
}
func (m *rtlMachine) receiverPath(processor int) string { return m.names.Processor(processor) + ".rx" }

// load, listen and heardBy do for RTL what the machine wants of transmitters and
// receivers in the last cycle of a slot; the last result says whether the one of this
// processor is RTL.

func (m *rtlMachine) load(processor int, frame []byte, port uint16) bool {
	if m.datapath != nil {
		m.datapath.load(processor, frame, port)
		return true
	}
	return m.transmitters.load(processor, frame, port)
}

func (m *rtlMachine) listen(processor int, port uint16) bool {
	if m.datapath != nil {
		m.datapath.listen(processor, port)
		return true
	}
	return m.receivers.listen(processor, port)
}

func (m *rtlMachine) heardBy(processor int) (nic.Status, nic.Frame, bool) {
	if m.datapath != nil {
		status, frame := m.datapath.status(processor)
		return status, frame, true
	}
	return m.receivers.status(processor)
}

// lastCycle reports whether this cycle is the last one of its slot.
func (m *rtlMachine) lastCycle() bool {
	return (m.kernel.Cycle()+1)%uint64(m.timing.SlotCycles()) == 0
}

func (m *rtlMachine) fail(path string, unknown bool, err error) {
	if m.fault == nil {
		m.fault = &RTLFault{Path: path, Unknown: unknown, Err: err}
		if cycle := m.kernel.Cycle(); cycle != hw.CycleOfReset {
			m.fault.Cycle = cycle
		}
	}
}

// add places the ports of a device. Reset is the first input of a clocked one.
func (m *rtlMachine) add(p RTLPart, path func(element int) string, clocked bool, in, out []rtlPort) (*rtlPart, error) {
	part := &rtlPart{RTLPart: p, machine: m, path: path, clocked: clocked}
	place := func(ports []rtlPort, isIn bool) (placed []rtlPort, words int) {
		for i, port := range ports {
			bits := port.bits * len(p.Elements)
			if isIn && clocked && i == 0 {
				bits = port.bits
			}
			port.word = words
			words += (bits + 63) / 64
			placed = append(placed, port)
		}
		return placed, words
	}
	var inWords, outWords int
	part.in, inWords = place(in, true)
	part.out, outWords = place(out, false)
	if len(p.Device.Inputs()) != inWords || len(p.Device.Outputs()) != outWords {
		return nil, fmt.Errorf("%s: the device has ports of %d and %d words, in and out; %d and %d are needed",
			part.at(0), len(p.Device.Inputs()), len(p.Device.Outputs()), inWords, outWords)
	}
	m.parts = append(m.parts, part)
	return part, nil
}

// at names element k.
func (p *rtlPart) at(k int) string { return p.path(p.Elements[k]) }

// put and get move at most 64 bits of element k's part of a port, from bit first on.

func (p *rtlPart) put(port, k, first, bits int, value uint64) {
	x := &p.in[port]
	hw.PutBits(p.Device.Inputs(), 64*x.word+k*x.bits+first, bits, value)
}

func (p *rtlPart) get(port, k, first, bits int) uint64 {
	x := &p.out[port]
	at := 64*x.word + k*x.bits + first
	if unknown := p.Device.Unknown(); unknown != nil {
		if bad := hw.GetBits(unknown, at, bits); bad != 0 {
			p.machine.fail(p.at(k), true, fmt.Errorf("output %s has X or Z in the bits %#x from bit %d on", x.name, bad, first))
		}
	}
	return hw.GetBits(p.Device.Outputs(), at, bits)
}

// set and read move a whole port of at most 64 bits.

func (p *rtlPart) set(port, k int, value uint64) { p.put(port, k, 0, p.in[port].bits, value) }
func (p *rtlPart) read(port, k int) uint64       { return p.get(port, k, 0, p.out[port].bits) }

// setFrame and readFrame move bytes, the first one in the low bits.

func (p *rtlPart) setFrame(port, k, first int, frame []byte) {
	for i, b := range frame {
		p.put(port, k, first+8*i, 8, uint64(b))
	}
}

func (p *rtlPart) readFrame(port, k, first int, frame []byte) {
	for i := range frame {
		frame[i] = byte(p.get(port, k, first+8*i, 8))
	}
}

// settle and edge exchange with the device, unless something has failed.

func (p *rtlPart) settle() {
	if p.machine.fault == nil {
		p.judge(p.Device.Settle())
	}
}

func (p *rtlPart) edge() {
	if p.machine.fault == nil {
		p.judge(p.Device.Edge(1))
	}
}

func (p *rtlPart) judge(err error) {
	if err == nil {
		return
	}
	if n := len(p.Elements); n > 1 {
		err = fmt.Errorf("one of %d components in this device: %w", n, err)
	}
	p.machine.fail(p.at(0), false, err)
}

// reset takes all devices to their reset state.
func (m *rtlMachine) reset() {
	for _, p := range m.parts {
		clear(p.Device.Inputs())
		if !p.clocked {
			p.settle()
			continue
		}
		p.Device.Inputs()[0] = 1
		for range rtlResetEdges {
			p.edge()
		}
		p.Device.Inputs()[0] = 0
	}
	if m.transmitters != nil {
		m.transmitters.idle()
	}
	if m.receivers != nil {
		m.receivers.idle()
	}
	if m.datapath != nil {
		m.datapath.idle()
	}
}

// state visits what the devices hold. RTL without a clock holds nothing.
func (m *rtlMachine) state(v *hw.StateVisitor) {
	m.restore = nil
	for i, p := range m.parts {
		if !p.clocked {
			v.AfterRestore(p.settle)
			continue
		}
		var snapshot []byte
		if v.Saving() {
			var err error
			if snapshot, err = p.Device.Save(); err != nil {
				v.Fail(fmt.Errorf("%s: %w", p.at(0), err))
			}
		}
		hw.StateList(v, hw.Index("rtl", i)+".snapshot", &snapshot)
		v.AfterRestore(func() {
			if err := p.Device.Restore(snapshot); err != nil && m.restore == nil {
				m.restore = fmt.Errorf("%s: %w", p.at(0), err)
			}
		})
	}
	if m.transmitters != nil {
		hw.StateColumn(v, "rtl.tx.loaded", m.transmitters.loaded)
		hw.StateColumn(v, "rtl.tx.length", m.transmitters.length)
	}
	if m.receivers != nil {
		hw.StateColumn(v, "rtl.rx.state", m.receivers.state)
		hw.StateColumn(v, "rtl.rx.bits", m.receivers.bits)
	}
}

// rtlPlace is where a component is: element k of a part, or nowhere.
type rtlPlace struct {
	part *rtlPart
	k    int
}

// placeOf is the table from components to their places.
func placeOf(parts []*rtlPart, size int) []rtlPlace {
	table := make([]rtlPlace, size)
	for _, p := range parts {
		for k, element := range p.Elements {
			table[element] = rtlPlace{p, k}
		}
	}
	return table
}

// rtlCouplers are star couplers of which some are RTL.
type rtlCouplers struct {
	*hw.StarCouplers
	machine *rtlMachine
	parts   []*rtlPart
	places  []rtlPlace // by coupler
	in      *hw.Light
	ports   *hw.PortSelect
	asked   []uint64 // inputs that are compared
}

// Ports of star_coupler.
const (
	couplerRail1, couplerRail0                   = 0, 1
	couplerOut1, couplerOut0, couplerOutViolated = 0, 1, 2
)

func (m *rtlMachine) newCouplers(model *hw.StarCouplers, tx *nic.Serialisers, parts []RTLPart) (*rtlCouplers, error) {
	c := &rtlCouplers{StarCouplers: model, machine: m, in: tx.Light(), ports: tx.Ports()}
	phit := m.timing.PhitBits
	for _, p := range parts {
		part, err := m.add(p, m.names.Medium, false,
			[]rtlPort{{name: "rail1_i", bits: m.shape.PerUnit * phit}, {name: "rail0_i", bits: m.shape.PerUnit * phit}},
			[]rtlPort{{name: "rail1_o", bits: phit}, {name: "rail0_o", bits: phit}, {name: "violation_o", bits: 1}})
		if err != nil {
			return nil, err
		}
		c.parts = append(c.parts, part)
		for _, coupler := range p.Elements {
			model.Replace(coupler)
		}
	}
	c.places = placeOf(c.parts, m.shape.Media)
	return c, nil
}

// Settle lets the model settle its couplers, then the RTL.
func (c *rtlCouplers) Settle(s hw.Shard) {
	c.StarCouplers.Settle(s)
	for _, p := range c.parts {
		c.asked = append(c.asked[:0], p.Device.Inputs()...)
		clear(p.Device.Inputs())
		c.light(p)
		// Without a clock, and with the inputs of the cycle before, nothing can change.
		if !slices.Equal(c.asked, p.Device.Inputs()) {
			p.settle()
		}
		for k, coupler := range p.Elements {
			c.Show(s.Index, uint32(coupler), p.read(couplerOut1, k), p.read(couplerOut0, k), p.read(couplerOutViolated, k) != 0)
		}
	}
}

// light puts the senders' light on the inputs of a device.
func (c *rtlCouplers) light(p *rtlPart) {
	d, g, phit := c.machine.shape.PerUnit, c.machine.shape.Ports, c.in.Bits()
	for _, i := range c.in.Lit(0, 0) {
		first, end := 0, 0
		switch port := c.ports.Value[i]; port {
		case hw.PortNone:
		case hw.PortAll:
			end = g
		default:
			first = int(port)
			end = first + 1
		}
		for port := first; port < end; port++ {
			coupler := c.machine.media.Sends.Medium(int(i), port)
			if place := c.places[coupler]; place.part == p {
				lane := int(i) % d * phit
				p.put(couplerRail1, place.k, lane, phit, c.in.Rail1[i])
				p.put(couplerRail0, place.k, lane, phit, c.in.Rail0[i])
			}
		}
	}
}

// rtlLinks is fibre of which some wires are RTL.
type rtlLinks struct {
	*hw.Fibre
	machine   *rtlMachine
	parts     []*rtlPart
	near, far *hw.Light
}

// Ports of link.
const (
	linkRail1, linkRail0 = 1, 2
	linkOut1, linkOut0   = 0, 1
)

func (m *rtlMachine) newLinks(model *hw.Fibre, near, far *hw.Light, parts []RTLPart) (*rtlLinks, error) {
	l := &rtlLinks{Fibre: model, machine: m, near: near, far: far}
	phit := m.timing.PhitBits
	for _, p := range parts {
		part, err := m.add(p, m.names.Link, true,
			[]rtlPort{{name: "reset", bits: 1}, {name: "rail1_i", bits: phit}, {name: "rail0_i", bits: phit}},
			[]rtlPort{{name: "rail1_o", bits: phit}, {name: "rail0_o", bits: phit}})
		if err != nil {
			return nil, err
		}
		l.parts = append(l.parts, part)
		for _, wire := range p.Elements {
			model.Replace(wire)
		}
	}
	return l, nil
}

// Latches is the light at the near end: RTL has a clock even without a delay.
func (l *rtlLinks) Latches() []hw.Wire { return []hw.Wire{l.near} }

// Drive shows the registers of the model and of the RTL.
func (l *rtlLinks) Drive(s hw.Shard) {
	l.Fibre.Drive(s)
	if l.machine.timing.PropagationCycles > 0 {
		l.show(s)
	}
}

// Settle carries light through links without a delay.
func (l *rtlLinks) Settle(s hw.Shard) {
	l.Fibre.Settle(s)
	for _, p := range l.parts {
		l.light(p)
		p.settle()
	}
	l.show(s)
}

// Latch gives the RTL its clock edge.
func (l *rtlLinks) Latch(s hw.Shard) {
	l.Fibre.Latch(s)
	for _, p := range l.parts {
		l.light(p)
		p.edge()
	}
}

func (l *rtlLinks) light(p *rtlPart) {
	for k, wire := range p.Elements {
		p.set(linkRail1, k, l.near.Rail1[wire])
		p.set(linkRail0, k, l.near.Rail0[wire])
	}
}

func (l *rtlLinks) show(s hw.Shard) {
	for _, p := range l.parts {
		for k, wire := range p.Elements {
			l.far.Put(s.Index, uint32(wire), p.read(linkOut1, k), p.read(linkOut0, k))
		}
	}
}
