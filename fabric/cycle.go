package fabric

import (
	"fmt"
	"slices"

	"starloom/hw"
	"starloom/nic"
)

// CycleTransport is the fabric of the cycle engine: transmitters, star couplers,
// fibre and receivers, simulated phit by phit.
//
//	serialisers --light, port--> star couplers --light--> fibre --light--> deserialisers
//	 (registered)                (combinational)        (propagation)        (registered)
//
// A collision is nothing that this code decides: two senders light both rails of
// a bit, and the receivers see it.
//
// The boundary of a slot is in the Settle phase of its last guard cycle: Hear reads the
// receivers' registers, Send and Listen are inputs of transmitters and receivers, and
// the Latch of that very cycle takes them. Slot 0 follows the last cycle of reset, which
// has no number. Light that is at the far end of a link in a last guard cycle counts for
// no slot: it is late. Models are never late.
type CycleTransport struct {
	pops   POPS
	timing nic.Timing
	kernel *hw.Kernel

	serialisers   *nic.Serialisers
	couplers      *hw.StarCouplers
	fibre         *hw.Fibre
	far           *hw.Light // at the far end of the links
	deserialisers *nic.Deserialisers
	rtl           RTL       // nil if everything is model
	datapath      *Datapath // when it stands for all hardware, else nil

	// Watch, if set, is called in every cycle between Settle and Latch.
	Watch func(cycle uint64) error
	// WatchError is the first error of Watch; nothing is watched after it.
	WatchError error

	sent   []uint16 // per processor: port it sent to in this slot, PortNone for none
	met    []uint32 // per coupler with a violation: the first cycle of this slot that shows it
	late   []int    // couplers whose links had light at the far end at the last boundary
	shards []cycleShard

	listened listened
	sums     *sentSums // with RTL, else nil
}

// cycleShard is a shard's part of the machine, and room to work in.
type cycleShard struct {
	hw.Shard
	violated []uint32
	noted    int // of the couplers' list of violations: those whose cycle is known
	wire     []byte
	view     nic.FrameView
}

// NewCycleTransport builds the hardware of a POPS network, of which rtl replaces parts;
// nil: everything is model.
func NewCycleTransport(pops POPS, timing nic.Timing, payloadBytes int, shards []hw.Shard, workers *hw.Workers, rtl RTL) (*CycleTransport, error) {
	t := &CycleTransport{pops: pops, timing: timing, rtl: rtl, kernel: hw.NewKernel(workers, shards), shards: make([]cycleShard, len(shards)), listened: newListened(pops)}
	for i := range t.shards {
		t.shards[i] = cycleShard{
			Shard: shards[i],
			wire:  make([]byte, nic.FrameBytes(payloadBytes)),
			view:  make(nic.FrameView, nic.FrameStride(payloadBytes)),
		}
	}
	t.sent, t.met = make([]uint16, pops.Processors()), make([]uint32, pops.Couplers())
	g, d, bits := pops.Groups, pops.GroupSize, timing.PhitBits
	clock := t.kernel.Clock()
	const unit = "pops.group"

	// The couplers that leave group a are read by their groups, one each.
	base := make([]uint32, pops.Processors())
	for i := range base {
		base[i] = uint32(i / d * g)
	}
	hears := hw.Gather{Inputs: g}
	for to := range g {
		for from := range g {
			hears.Wires = append(hears.Wires, uint32(pops.Coupler(from, to)))
		}
	}
	readers, err := hears.Readers(pops.Couplers())
	if err != nil {
		return nil, err
	}
	if t.serialisers, err = nic.NewSerialisers(nic.SerialiserConfig{
		Bank:  hw.Bank{Unit: unit, Name: "nic", Part: "tx", Units: g, PerUnit: d},
		Clock: clock, Shards: shards, PhitBits: bits, FrameBytesMax: nic.FrameBytes(payloadBytes), ComputeCycles: timing.ComputeCycles,
		Ports: g,
	}); err != nil {
		return nil, err
	}
	couplers := hw.Bank{Unit: unit, Name: "coupler", Units: g, PerUnit: g}
	near, err := hw.NewLight(couplers, "light", bits, shards, nil)
	if err != nil {
		return nil, err
	}
	if t.couplers, err = hw.NewStarCouplers(t.serialisers.Light(), t.serialisers.Ports(), near, base, g); err != nil {
		return nil, err
	}
	far, err := hw.NewLight(hw.Bank{Unit: unit, Name: "coupler", Part: "fibre", Units: g, PerUnit: g}, "light", bits, shards, readers)
	if err != nil {
		return nil, err
	}
	t.far = far
	if t.fibre, err = hw.NewFibre(far.Bank().Path(), clock, near, far, timing.PropagationCycles); err != nil {
		return nil, err
	}
	if t.deserialisers, err = nic.NewDeserialisers(nic.DeserialiserConfig{
		Bank:  hw.Bank{Unit: unit, Name: "nic", Part: "rx", Units: g, PerUnit: d},
		Clock: clock, Shards: shards, PhitBits: bits, FrameBytesMax: nic.FrameBytes(payloadBytes),
		In: far, Hears: hears,
	}); err != nil {
		return nil, err
	}
	parts := []hw.Sited{t.couplers, t.fibre, t.serialisers, t.deserialisers}
	components := make([]hw.Component, len(parts))
	for i, part := range parts {
		components[i] = part
	}
	if rtl != nil {
		t.sums = newSentSums(pops.Processors())
		whole := &Datapath{
			fabric: pops, timing: timing, clock: clock, seen: make([]uint32, pops.Couplers()),
			serialisers: t.serialisers, couplers: t.couplers, links: t.fibre, far: far, deserialisers: t.deserialisers,
		}
		var all bool
		if components, all, err = rtl.Replace(t.kernel, parts, whole); err != nil {
			return nil, err
		}
		if all {
			t.datapath = whole
		}
	}
	t.kernel.Add(components...)
	if err := t.kernel.Build(); err != nil {
		return nil, err
	}
	t.begin()
	return t, nil
}

// begin takes the hardware after a reset into its last cycle.
func (t *CycleTransport) begin() {
	t.kernel.BeforeCycle0()
}

// Start implements Transport.
func (t *CycleTransport) Start() { t.kernel.DriveAndSettle() }

// Begin implements Transport: this cycle is the last one of the slot before.
func (t *CycleTransport) Begin(shard int, slot uint32, _ bool) {
	t.couplers.ClearSlot(shard)
	t.deserialisers.EndSlot(shard)
	t.shards[shard].noted = 0
	t.listened.clear(t.shards[shard].Shard)
	first, end := t.processors(shard)
	for i := first; i < end; i++ {
		t.sent[i] = nic.PortNone
	}
	if t.sums != nil {
		t.sums.begin(slot, first, end)
	}
}

// processors returns the processors of a shard, end excluded.
func (t *CycleTransport) processors(shard int) (first, end int) {
	s := &t.shards[shard]
	return s.First * t.pops.GroupSize, s.End * t.pops.GroupSize
}

// Hear implements Transport.
func (t *CycleTransport) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	view := t.shards[shard].view
	groups, cells := t.pops.groupsOf(bank)
	ports := bank.Listen(slot)
	for i := range groups * (window.End - window.First) {
		cell := i%groups*cells + window.First + i/groups
		processor := bank.First + cell
		status := t.deserialisers.Status(processor)
		if status != nic.StatusIdle && status != nic.StatusCollision && int(ports[cell]) < t.pops.Groups {
			ledger.Frames.Heard += t.listened.first(int(ports[cell]), processor/t.pops.GroupSize)
		}
		switch status {
		case nic.StatusIdle:
			bank.RxStatus[cell] = uint8(nic.StatusIdle)
		case nic.StatusOK:
			frame := t.deserialisers.Frame(processor)
			if t.sums != nil && !t.sums.same(slot, frame) {
				ledger.altered(processor, ports[cell], frame)
			}
			view.PutWire(frame)
			ledger.heard(processor, ports[cell], bank.PushRx(cell, ports[cell], view), view, slot)
		default:
			bank.RxStatus[cell] = uint8(status)
			ledger.heard(processor, ports[cell], status, nil, slot)
		}
	}
}

// Send implements Transport: the load inputs of the transmitters and the ports of the
// receivers.
func (t *CycleTransport) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32) {
	s := &t.shards[shard]
	for _, cell := range cells {
		if bank.Registers[cell].TxCount > 0 {
			t.send(s, bank, int(cell), ledger, slot)
		}
	}
	ports := bank.Listen(slot)
	groups, groupCells := t.pops.groupsOf(bank)
	for i := range groups * (window.End - window.First) {
		cell := i%groups*groupCells + window.First + i/groups
		processor := bank.First + cell
		port := ports[cell]
		if int(port) >= t.pops.Groups {
			port = nic.PortNone
		}
		t.deserialisers.Listen(processor, port)
	}
}

// send is the load input of one transmitter.
func (t *CycleTransport) send(s *cycleShard, bank *nic.Bank, cell int, ledger *Ledger, slot uint32) {
	processor := bank.First + cell
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		silenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	frame.SetSource(uint32(processor))
	wire := frame.AppendWire(s.wire)
	if t.sums != nil {
		t.sums.send(slot, processor, wire)
	}
	t.serialisers.Load(processor, wire, frame.Port())
	t.sent[processor] = frame.Port()
	ledger.sent(processor, frame, slot)
	bank.PopTx(cell)
}

// Cross implements Transport: the cycles of the slot, up to Settle of the last one. Cycles
// in which nothing happens are skipped unless somebody watches. RTL that fails ends the
// slot.
func (t *CycleTransport) Cross(slot uint32) {
	boundary := t.timing.BoundaryCycle(slot)
	for t.kernel.Cycle() < boundary && !t.failed() {
		if t.Watch == nil || t.WatchError != nil {
			if skip := t.kernel.QuietFor(boundary - t.kernel.Cycle()); skip > 0 {
				t.kernel.Skip(skip)
				continue
			}
		}
		t.kernel.DriveAndSettle()
		t.settled(slot)
		t.kernel.Latch()
	}
	if !t.failed() {
		t.kernel.DriveAndSettle()
		t.settled(slot)
		t.noteLate()
	}
}

func (t *CycleTransport) failed() bool { return t.rtl != nil && t.rtl.Failed() }

// Latch implements Transport: the edge at the end of a slot.
func (t *CycleTransport) Latch() { t.kernel.Latch() }

// settled looks at the wires of a cycle.
func (t *CycleTransport) settled(slot uint32) {
	t.noteViolations(uint32(t.kernel.Cycle() - t.timing.SlotCycle(slot)))
	if t.Watch != nil && t.WatchError == nil {
		t.WatchError = t.Watch(t.kernel.Cycle())
	}
}

// noteViolations notes the cycle of the slot for couplers whose violation has just shown.
func (t *CycleTransport) noteViolations(cycle uint32) {
	for i := range t.shards {
		s := &t.shards[i]
		violated := t.couplers.Violated(i)
		for _, coupler := range violated[s.noted:] {
			t.met[coupler] = cycle
			if t.datapath != nil {
				t.met[coupler] = t.datapath.Met(int(coupler), cycle)
			}
		}
		s.noted = len(violated)
	}
}

// noteLate looks for light at the far ends of the links in the last cycle of a slot.
func (t *CycleTransport) noteLate() {
	t.late = t.late[:0]
	far := t.far
	for driver := range far.Shards() {
		for reader := range far.Shards() {
			for _, coupler := range far.Lit(driver, reader) {
				t.late = append(t.late, int(coupler))
			}
		}
	}
	if len(t.late) == 0 {
		return
	}
	slices.Sort(t.late)
	if t.rtl == nil {
		panic(fmt.Sprintf("%s: cycle %d: light at the far end in the last cycle of a slot", t.pops.LinkPath(t.late[0]), t.kernel.Cycle()))
	}
}

// Late returns the couplers, in ascending order, whose links had light at the far end in
// the last cycle of the slot that has crossed. Only RTL can be late.
func (t *CycleTransport) Late() []int { return t.late }

// Collisions implements Transport: a frame has met another one when its coupler
// shows a code violation.
func (t *CycleTransport) Collisions(shard int, _ uint32, yield func(coupler int, cycle uint32)) (met, alone uint64) {
	violated := t.couplers.Violated(shard)
	placed := uint64(0)
	first, end := t.processors(shard)
	for processor := first; processor < end; processor++ {
		group := processor / t.pops.GroupSize * t.pops.Groups
		switch port := t.sent[processor]; port {
		case nic.PortNone:
		case nic.PortAll:
			placed += uint64(t.pops.Groups)
			for c := group; c < group+t.pops.Groups; c++ {
				met += uint64(t.couplers.Violation[c])
			}
		default:
			placed++
			met += uint64(t.couplers.Violation[group+int(port)])
		}
	}
	if s := &t.shards[shard]; yield != nil && len(violated) > 0 {
		s.violated = append(s.violated[:0], violated...)
		slices.Sort(s.violated)
		for _, c := range s.violated {
			yield(int(c), t.met[c])
		}
	}
	return met, placed - met
}

// Reset implements Transport.
func (t *CycleTransport) Reset() {
	t.kernel.Reset()
	for i := range t.sent {
		t.sent[i] = nic.PortNone
	}
	t.WatchError = nil
	t.late = t.late[:0]
	t.begin()
}

// Probes yields the signals of all hardware; those inside RTL that replaces everything are
// not among them.
func (t *CycleTransport) Probes(yield func(hw.Probe)) { t.kernel.Probes(yield) }

// Path implements hw.Stateful.
func (t *CycleTransport) Path() string { return "fabric" }

// State implements hw.Stateful.
func (t *CycleTransport) State(v *hw.StateVisitor) {
	v.Within(t.kernel)
	hw.StateColumn(v, "sent", t.sent)
	hw.StateColumn(v, "met", t.met)
	v.AfterRestore(func() {
		for i := range t.shards {
			t.shards[i].noted = len(t.couplers.Violated(i))
		}
	})
	if t.sums != nil {
		t.sums.state(v)
	}
}
