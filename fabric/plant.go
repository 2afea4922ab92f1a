package fabric

import (
	"slices"

	"starloom/hw"
	"starloom/nic"
)

// Plant is the hardware of a machine in the cycle engine, simulated phit by phit: a kernel,
// the transmitters and receivers of all NICs, and between them the media, which a network's
// Build adds. It is the Transport of that engine.
//
//	serialisers --light, port--> media --light--> links --light--> deserialisers
//	 (registered)           (combinational)   (propagation)        (registered)
//
// A collision is nothing that this code decides: two senders light both rails of
// a bit, and the receivers see it.
//
// The boundary of a slot is in the Settle phase of its last guard cycle: Hear reads the
// receivers' registers, Send and Listen are inputs of transmitters and receivers, and
// the Latch of that very cycle takes them. Slot 0 follows the last cycle of reset, which
// has no number. Light that is at the far end of a link in a last guard cycle counts for
// no slot: it is late. Models are never late.
type Plant struct {
	kind    string
	names   Names
	seed    uint64
	bankOf  func(processor int) (bank *nic.Bank, cell int)
	shape   Shape
	timing  nic.Timing
	payload int // bytes
	kernel  *hw.Kernel
	cuts    []hw.Shard

	serialisers   *nic.Serialisers
	media         Media
	deserialisers *nic.Deserialisers
	faults        *Faults      // nil for none
	tap           *hw.LightTap // where faults of media act, nil for none
	rtl           RTL          // nil if everything is model
	datapath      *Datapath    // when RTL stands for all hardware, else nil

	// Watch, if set, is called in every cycle between Settle and Latch.
	Watch func(cycle uint64) error
	// WatchError is the first error of Watch; nothing is watched after it.
	WatchError error

	switches *Switches // nil if a NIC has more than one

	lanes   int      // transmitters, and receivers, of a processor
	sent    []uint16 // per transmitter: port it sent to in this slot, PortNone for none
	asked   []uint8  // per processor: 1 if its NIC has asked in the slot that crosses; nil unless it must
	met     []uint32 // per medium with a violation: the first cycle of this slot that shows it
	harmed  []uint32 // plantShard.harmed of all shards, in ascending order
	counted uint32   // the slot that plantShard.placed is about
	late    []int    // media whose links had light at the far end at the last boundary
	marks   []uint8  // per medium: 1 if somebody has listened to it at this boundary
	shards  []plantShard
	sums    *sentSums // with RTL, else nil
}

// Media is what carries light from transmitters to receivers.
type Media struct {
	Couplers Couplers  // where frames meet, one for each medium
	Links    *hw.Fibre // to Far
	Far      *hw.Light // of each medium
	Hears    hw.Gather // the media that the ports of a unit's receivers hear
	// Blocks reports whether a frame has to wait in a slot because what its port leads to
	// is taken; nil: nothing ever blocks.
	Blocks func(processor int, port uint16, slot uint32) bool
	// Credits bound the frames on the way of all-port NICs; nil for no bound.
	Credits *Credits

	// Filters are where outputs have to be asked for (Shape.Addressed): who takes the request of
	// which processor. Parts are the components between the transmitters and Couplers.
	Filters interface {
		Take(output int, listens bool, tag uint16)
	}
	Parts []hw.Component
	// Composites may stand for some of Parts.
	Composites []hw.Composite
	// Collided reports whether what a processor has sent in this slot has met another frame,
	// where the medium tells; nil for none that does. Reseed gives a run another seed, nil for
	// hardware that draws nothing.
	Collided func(processor int) bool
	Reseed   func(seed uint64)
}

// Couplers are a component in which frames meet, such as hw.StarCouplers, with an element for
// each medium.
type Couplers interface {
	hw.Sited
	// Reached returns the medium that a transmitter's port leads to.
	Reached(transmitter, port int) int
	// Violated returns the media of a shard on which frames have met since ClearSlot, in no
	// particular order; Met reports whether a medium is one of them.
	Violated(shard int) []uint32
	Met(medium int) bool
	ClearSlot(shard int)
}

// plantShard is a shard's part of the machine, and room to work in.
type plantShard struct {
	hw.Shard
	exact    bool // the cycles of this slot's collisions matter
	violated []uint32

	// Frames of the slot that has crossed: those that were sent, once for each port, and those
	// of them that met another one.
	placed, met uint64
	harmed      []uint32 // where those were alone that are on media which faults have harmed, a place for each

	noted int      // of the couplers' list of violations: those whose cycle is known
	heard []uint32 // media that are marked
	wire  []byte
	view  nic.FrameView
}

// NewPlant builds the hardware of a network, of which rtl replaces parts; nil: everything
// is model.
func NewPlant(n Network, c *Config, workers *hw.Workers, rtl RTL) (*Plant, error) {
	t, err := Lay(n, c, hw.NewKernel(workers, c.Shards))
	if err != nil {
		return nil, err
	}
	run := t.unsited()
	for _, part := range t.Components() {
		run = append(run, part)
	}
	if rtl != nil {
		t.rtl, t.sums = rtl, newSentSums(t.shape.Processors(), t.lanes)
		var whole hw.Sited
		if d := t.Whole(n); d != nil && t.tap == nil { // which is inside of it
			whole = d
		}
		var all bool
		if run, all, err = rtl.Replace(t.kernel, t.Components(), t.media.Composites, whole); err != nil {
			return nil, err
		}
		run = append(run, t.unsited()...)
		if all {
			t.datapath = whole.(*Datapath)
		}
	}
	t.kernel.Add(run...)
	if err := t.kernel.Build(); err != nil {
		return nil, err
	}
	t.kernel.BeforeCycle0()
	return t, nil
}

// Lay lays out a plant for a kernel, to which its components are still to be added.
func Lay(n Network, c *Config, kernel *hw.Kernel) (*Plant, error) {
	t := &Plant{kind: n.Kind(), seed: c.Seed, faults: c.Faults, bankOf: c.Bank, names: n.Names(), shape: n.Shape(), lanes: n.Shape().Lanes(), timing: c.Timing, payload: c.PayloadBytes, cuts: c.Shards,
		kernel: kernel, shards: make([]plantShard, len(c.Shards))}
	for i := range t.shards {
		t.shards[i] = plantShard{
			Shard: c.Shards[i],
			wire:  make([]byte, nic.FrameBytes(t.payload)),
			view:  make(nic.FrameView, nic.FrameStride(t.payload)),
		}
	}
	processors := t.shape.Processors()
	t.sent, t.met, t.marks = make([]uint16, processors*t.lanes), make([]uint32, t.shape.Media), make([]uint8, t.shape.Media)
	if t.shape.Asks() {
		t.asked = make([]uint8, processors)
	}
	t.switches = NewSwitches(n)
	var err error
	if t.serialisers, err = nic.NewSerialisers(nic.SerialiserConfig{
		Bank: t.nics("tx"), Clock: t.kernel.Clock(), Shards: t.cuts, PhitBits: t.timing.PhitBits,
		FrameBytesMax: nic.FrameBytes(t.payload), ComputeCycles: t.timing.ComputeCycles, Ports: t.outputs(),
		ArbitrationCycles: t.timing.ArbitrationCycles, OfferCycles: (t.timing.Frames - 1) * t.timing.FramePhits,
	}); err != nil {
		return nil, err
	}
	if err := n.Build(t); err != nil {
		return nil, err
	}
	return t, nil
}

// Components are those of the plant that RTL can stand for.
func (t *Plant) Components() []hw.Sited {
	parts := []hw.Sited{t.media.Couplers, t.media.Links}
	if t.media.Credits != nil {
		parts = append(parts, t.media.Credits.Counters)
	}
	if !t.queues() {
		parts = append(parts, t.serialisers, t.deserialisers)
	}
	if t.tap != nil {
		parts = append(parts, t.tap)
	}
	for _, part := range t.media.Parts {
		if sited, ok := part.(hw.Sited); ok && t.replaceable(part) {
			parts = append(parts, sited)
		}
	}
	return parts
}

// unsited are the others.
func (t *Plant) unsited() (parts []hw.Component) {
	if t.queues() {
		parts = append(parts, t.serialisers, t.deserialisers)
	}
	for _, part := range t.media.Parts {
		if _, ok := part.(hw.Sited); !ok || !t.replaceable(part) {
			parts = append(parts, part)
		}
	}
	return parts
}

// replaceable reports whether RTL has a place in a part: filters that count the frames of a slot
// have no twin.
func (t *Plant) replaceable(part hw.Component) bool {
	_, filter := part.(*hw.Filters)
	return !filter || !t.queues()
}

// queues reports whether a slot may bring a receiver several frames, one after the other.
func (t *Plant) queues() bool { return t.timing.Frames > 1 }

// outputs returns how many media a transmitter can be switched to, or outputs it can ask for.
func (t *Plant) outputs() int {
	if t.shape.Addressed {
		return t.shape.Processors()
	}
	return t.shape.Ports
}

// What a network's Build needs and gives.

// Transmitters and Receivers are those of all NICs; the receivers come with Carry. Where a
// NIC has one of each for every port, they stand side by side, port by port: the one medium of
// a transmitter is its port 0, and Media.Hears has as many inputs for each processor.

func (t *Plant) Transmitters() *nic.Serialisers { return t.serialisers }
func (t *Plant) Receivers() *nic.Deserialisers  { return t.deserialisers }

// Timing returns the shape of a slot.
func (t *Plant) Timing() nic.Timing { return t.timing }

// Clock returns the one clock.
func (t *Plant) Clock() *hw.Clock { return t.kernel.Clock() }

// Light makes a wire for every medium, perUnit of them for each unit; readers is by whose
// shard each is read, in units, nil for the unit that it belongs to.
func (t *Plant) Light(name, part string, perUnit int, readers []uint32) (*hw.Light, error) {
	return t.LightOf(t.Bank(name, part, perUnit), readers)
}

// LightOf is Light for a bank with labels.
func (t *Plant) LightOf(bank hw.Bank, readers []uint32) (*hw.Light, error) {
	return hw.NewLight(bank, "light", t.timing.PhitBits, t.cuts, readers)
}

// Bank names perUnit elements for each unit, or parts of them.
func (t *Plant) Bank(name, part string, perUnit int) hw.Bank {
	bank := hw.Bank{Unit: t.names.Unit(), Name: name, Part: part, Units: t.shape.Units, PerUnit: perUnit}
	if bank.Unit == "" { // there is one unit, which has no name of its own
		bank.Name = t.kind + "." + name
	}
	return bank
}

// Seed is that of the first run.
func (t *Plant) Seed() uint64 { return t.seed }

// BankOf returns a processor's bank and its cell there.
func (t *Plant) BankOf(processor int) (bank *nic.Bank, cell int) { return t.bankOf(processor) }

// Shards are those of the machine.
func (t *Plant) Shards() []hw.Shard { return t.cuts }

// Carry gives the plant its media; the receivers are those of all NICs.
func (t *Plant) Carry(m Media) (err error) {
	t.media = m
	in := m.Far
	if t.faults != nil && t.faults.On(true) {
		if t.tap, in, err = hw.NewLightTap(t.kernel.Clock(), m.Far, t.timing.SlotCycles(), t.harm); err != nil {
			return err
		}
	}
	t.deserialisers, err = nic.NewDeserialisers(nic.DeserialiserConfig{
		Bank: t.nics("rx"), Clock: t.kernel.Clock(), Shards: t.cuts, PhitBits: t.timing.PhitBits,
		FrameBytesMax: nic.FrameBytes(t.payload), In: in, Hears: m.Hears, Taps: t.shape.Taps, Queues: t.queues(),
	})
	return err
}

// harm is what faults do to a medium in a slot, for the tap.
func (t *Plant) harm(medium, slot uint32) hw.Harm {
	switch effect, number := t.faults.OnMedium(int(medium), slot); effect {
	case Dark:
		return hw.Harm{Dark: true}
	case Flipped:
		return hw.Harm{Flips: true, Bit: uint16(t.faults.Bit(number, int(medium), slot))}
	}
	return hw.Harm{}
}

// Media returns what Carry was given.
func (t *Plant) Media() *Media { return &t.media }

// nics is the bank of a part of all NICs.
func (t *Plant) nics(part string) hw.Bank {
	bank := t.Bank("nic", part, t.shape.PerUnit*t.lanes)
	if labels := t.shape.PortLabels; t.shape.AllPorts && labels != nil {
		bank.Name, bank.Labels = "port", labels
	} else if t.shape.AllPorts {
		bank.Parts = t.lanes
	}
	return bank
}

// Start implements Transport.
func (t *Plant) Start() { t.kernel.DriveAndSettle() }

// Begin implements Transport: this cycle is the last one of the slot before.
func (t *Plant) Begin(shard int, slot uint32, exact bool) {
	t.media.Couplers.ClearSlot(shard)
	t.deserialisers.EndSlot(shard)
	s := &t.shards[shard]
	s.noted, s.exact = 0, exact
	for _, medium := range s.heard {
		t.marks[medium] = 0
	}
	s.heard = s.heard[:0]
	if t.switches != nil {
		t.switches.Begin()
	}
	first, end := t.transmitters(shard)
	for i := first; i < end; i++ {
		t.sent[i] = nic.PortNone
	}
	if t.sums != nil {
		t.sums.begin(slot, first, end)
	}
}

// transmitters returns the transmitters of a shard, end excluded.
func (t *Plant) transmitters(shard int) (first, end int) {
	s := &t.shards[shard]
	return s.First * t.shape.PerUnit * t.lanes, s.End * t.shape.PerUnit * t.lanes
}

// input is the input of its unit that a processor's receiver hears at a port.
func (t *Plant) input(processor int, port uint16) int {
	if t.shape.AllPorts || t.shape.Addressed && !t.shape.Shared() {
		return processor%t.shape.PerUnit*t.lanes + int(port)
	}
	return int(port)
}

// heard is the medium that a processor's receiver hears at a port.
func (t *Plant) heard(processor int, port uint16) uint32 {
	if taps := t.shape.Taps; taps != nil {
		return taps.Bus[processor][port]
	}
	return t.media.Hears.Wire(processor/t.shape.PerUnit, t.input(processor, port))
}

// Hear implements Transport.
func (t *Plant) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	units, cells := t.shape.UnitsOf(bank)
	s, ports := &t.shards[shard], bank.Listen(slot)
	if t.shape.Asks() {
		t.answer(bank, ledger, slot, window)
	}
	for unit := range units {
		for cell := unit*cells + window.First; cell < unit*cells+window.End; cell++ {
			switch {
			case t.shape.AllPorts:
				for lane := range t.lanes {
					t.hear(s, bank, cell, lane, uint16(lane), ledger, slot)
					if t.media.Credits != nil {
						t.media.Credits.Heard(shard, bank, cell, uint16(lane), ledger, slot)
					}
				}
			case t.tap == nil && t.deserialisers.Idle(bank.First+cell): // most of them
				bank.RxStatus[cell] = uint8(nic.StatusIdle)
			case t.switches != nil:
				t.hear(s, bank, cell, 0, t.deserialisers.Hears(bank.First+cell), ledger, slot)
			default:
				t.hear(s, bank, cell, 0, ports[cell], ledger, slot)
			}
		}
	}
	ledger.Judge(slot)
}

// hear takes what one receiver has received.
func (t *Plant) hear(s *plantShard, bank *nic.Bank, cell, lane int, port uint16, ledger *Ledger, slot uint32) {
	processor := bank.First + cell
	receiver := processor*t.lanes + lane
	status := t.deserialisers.Status(receiver)
	if t.tap != nil {
		if medium, ok := t.deserialisers.Wire(receiver); ok && t.tap.Reached(medium, slot) {
			if effect := ledger.Suffer(bank, cell, port, slot, status == nic.StatusCollision); effect != Unharmed && t.mark(s, medium) {
				ledger.Frames.NoteHarmed(effect, t.carried(medium))
			}
		}
	}
	if t.queues() {
		t.deserialisers.Queued(receiver, func(frame nic.Frame) {
			ledger.Frames.Heard++
			t.take(s, bank, cell, port, frame, ledger, slot)
		})
		if status == nic.StatusOK {
			return
		}
	}
	if status != nic.StatusIdle && status != nic.StatusCollision && int(port) < t.shape.Ports {
		if t.mark(s, t.heard(processor, port)) {
			ledger.Frames.Heard++
		}
	}
	switch status {
	case nic.StatusIdle:
		bank.SetRx(cell, port, nic.StatusIdle)
	case nic.StatusOK:
		t.take(s, bank, cell, port, t.deserialisers.Frame(receiver), ledger, slot)
	default:
		bank.SetRx(cell, port, status)
		ledger.NoteHeard(processor, port, status, nil, slot)
	}
}

// mark notes that somebody has listened to a medium at this boundary, and reports whether that is new.
func (t *Plant) mark(s *plantShard, medium uint32) bool {
	if t.marks[medium] != 0 {
		return false
	}
	t.marks[medium] = 1
	s.heard = append(s.heard, medium)
	return true
}

// carried counts the frames in the slot that has crossed on a medium that faults have harmed, if none has met another.
func (t *Plant) carried(medium uint32) (frames uint64) {
	first, _ := slices.BinarySearch(t.harmed, medium)
	for _, other := range t.harmed[first:] {
		if other != medium {
			break
		}
		frames++
	}
	return frames
}

// take puts a good frame into the RX FIFO.
func (t *Plant) take(s *plantShard, bank *nic.Bank, cell int, port uint16, frame nic.Frame, ledger *Ledger, slot uint32) {
	processor := bank.First + cell
	if t.sums != nil && !t.sums.same(slot, frame) {
		ledger.altered(processor, port, frame)
	}
	s.view.PutWire(frame)
	if t.shape.Shared() && s.view.Destination() != uint32(processor) {
		bank.SetRx(cell, port, nic.StatusIdle) // the NIC drops what is for others
		return
	}
	ledger.NoteHeard(processor, port, bank.PushRx(cell, port, s.view), s.view, slot)
}

// Send implements Transport: the load inputs of the transmitters and the ports of the
// receivers.
func (t *Plant) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, window Window, cells []uint32) {
	s := &t.shards[shard]
	if t.media.Credits != nil {
		t.media.Credits.Free(shard, bank, ledger, slot)
	}
	if t.shape.Asks() { // NICs ask again by themselves
		t.ask(s, bank, ledger, slot, window)
		cells = nil
	}
	for _, cell := range cells {
		if bank.Registers[cell].TxCount > 0 {
			t.send(s, bank, int(cell), ledger, slot)
		}
	}
	ports := bank.Listen(slot)
	units, unitCells := t.shape.UnitsOf(bank)
	for unit := range units {
		for cell := unit*unitCells + window.First; cell < unit*unitCells+window.End; cell++ {
			processor := bank.First + cell
			if !t.shape.AllPorts {
				port := ports[cell]
				if int(port) >= t.shape.Ports {
					port = nic.PortNone
				}
				if t.switches != nil {
					port = t.switches.Turn(ledger, processor, port, slot)
				}
				if t.shape.Addressed {
					t.media.Filters.Take(processor, port == 0, bank.Accepts(cell))
					if port == 0 {
						port = uint16(t.input(processor, port))
					}
				}
				if port != t.deserialisers.Hears(processor) { // most hear what they have heard before
					t.deserialisers.Listen(processor, port)
				}
				continue
			}
			for lane := range t.lanes {
				input := uint16(nic.PortNone)
				if bank.Hears(cell, uint16(lane), slot) {
					input = uint16(t.input(processor, uint16(lane)))
				}
				t.deserialisers.Listen(processor*t.lanes+lane, input)
			}
		}
	}
}

// send is the load inputs of a processor's transmitters.
func (t *Plant) send(s *plantShard, bank *nic.Bank, cell int, ledger *Ledger, slot uint32) {
	if t.shape.AllPorts {
		if illegal := bank.SendAll(cell, func(frame nic.FrameView) (taken bool) {
			return t.transmit(s, bank, cell, frame, ledger, slot)
		}); illegal != nil {
			SilenceIllegal(bank, cell, illegal, ledger, slot)
		}
		return
	}
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		SilenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	if t.transmit(s, bank, cell, frame, ledger, slot) {
		bank.NoteTx(cell, frame.Port(), nic.TxSent, frame.Destination())
		bank.PopTx(cell)
	}
}

// transmit puts a frame on the inputs of the transmitters that its port means, unless it
// has to wait.
func (t *Plant) transmit(s *plantShard, bank *nic.Bank, cell int, frame nic.FrameView, ledger *Ledger, slot uint32) (taken bool) {
	processor, port := bank.First+cell, frame.Port()
	frame.SetSource(uint32(processor))
	blocks, credits := t.media.Blocks, t.media.Credits
	if blocks != nil && blocks(processor, port, slot) || credits != nil && credits.Blocks(processor, port) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return false
	}
	if t.switches != nil {
		t.switches.Send(processor, port)
	}
	if credits != nil {
		credits.Sent(processor, port, slot)
	}
	wire := frame.AppendWire(s.wire)
	switch {
	case !t.shape.AllPorts:
		t.load(processor, wire, port, slot)
	case port != nic.PortAll:
		t.load(processor*t.lanes+int(port), wire, 0, slot)
	default:
		for lane := range t.lanes {
			t.load(processor*t.lanes+lane, wire, 0, slot)
		}
	}
	ledger.NoteSent(processor, frame, slot)
	return true
}

// ask is the load input of the transmitters of a window where NICs ask before they send, for an
// output or for the medium of a port: whether their frames go is decided in the slot.
func (t *Plant) ask(s *plantShard, bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	for cell := window.First; cell < window.End; cell++ {
		if bank.Registers[cell].TxCount == 0 {
			continue
		}
		frame := bank.TxHead(cell)
		if !bank.Legal(cell, frame) {
			SilenceIllegal(bank, cell, frame, ledger, slot)
			continue
		}
		processor, port := bank.First+cell, frame.Port()
		frame.SetSource(uint32(processor))
		if t.shape.Addressed {
			if port = nic.PortNone; frame.Destination() != nic.ListedDestination {
				port = uint16(frame.Destination())
			}
		}
		if t.switches != nil {
			t.switches.Send(processor, port)
		}
		t.serialisers.Load(processor, frame.AppendWire(s.wire), port)
		t.sent[processor], t.asked[processor] = 0, 1
		ledger.Sending = true
	}
}

// answer tells the NICs of a window what has become of what they have asked for in a slot.
func (t *Plant) answer(bank *nic.Bank, ledger *Ledger, slot uint32, window Window) {
	for cell := window.First; cell < window.End; cell++ {
		if processor := bank.First + cell; t.asked[processor] != 0 {
			t.asked[processor] = 0
			Answer(bank, ledger, cell, t.outcome(processor), slot)
		}
	}
}

// outcome is what has become of a processor's request in the slot that has crossed: Answer
// takes it.
func (t *Plant) outcome(processor int) int {
	output, ok := t.serialisers.Served(processor)
	switch {
	case !ok:
		return Nobody
	case t.media.Collided != nil && t.media.Collided(processor):
		return Met
	}
	return int(output)
}

// load is the load input of one transmitter.
func (t *Plant) load(transmitter int, wire nic.Frame, port uint16, slot uint32) {
	if t.sums != nil {
		t.sums.send(slot, transmitter, wire)
	}
	t.serialisers.Load(transmitter, wire, port)
	t.sent[transmitter] = port
}

// Cross implements Transport: the cycles of the slot, up to Settle of the last one. Cycles
// in which nothing happens are skipped unless somebody watches. RTL that fails ends the
// slot.
func (t *Plant) Cross(slot uint32) {
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
		t.noteServed(slot)
	}
	t.countFrames(slot)
}

func (t *Plant) failed() bool { return t.rtl != nil && t.rtl.Failed() }

// Latch implements Transport: the edge at the end of a slot.
func (t *Plant) Latch() { t.kernel.Latch() }

// settled looks at the wires of a cycle.
func (t *Plant) settled(slot uint32) {
	t.noteViolations(uint32(t.kernel.Cycle() - t.timing.SlotCycle(slot)))
	if t.Watch != nil && t.WatchError == nil {
		t.WatchError = t.Watch(t.kernel.Cycle())
	}
}

// noteViolations notes the cycle of the slot for couplers whose violation has just shown.
func (t *Plant) noteViolations(cycle uint32) {
	for i := range t.shards {
		s := &t.shards[i]
		if !s.exact {
			continue
		}
		violated := t.media.Couplers.Violated(i)
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
func (t *Plant) noteLate() {
	t.late = t.late[:0]
	far := t.media.Far
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
		t.Clock().Broken(t.names.Link(t.late[0]), "light at the far end in the last cycle of a slot")
	}
}

// noteServed remembers what was sent in a slot, for RTL, once it is known.
func (t *Plant) noteServed(slot uint32) {
	if t.sums == nil || !t.shape.Asks() {
		return
	}
	for processor, asked := range t.asked {
		if asked != 0 && t.outcome(processor) != Nobody {
			t.sums.send(slot, processor, t.serialisers.Sent(processor, t.shape.ListWords > 0))
		}
	}
}

// Late returns the media, in ascending order, whose links had light at the far end in
// the last cycle of the slot that has crossed. Only RTL can be late.
func (t *Plant) Late() []int { return t.late }

// countFrames counts the frames of each shard in the slot that has crossed, while no shard's
// next slot has begun: their media may belong to other shards.
func (t *Plant) countFrames(slot uint32) {
	t.counted = slot
	t.kernel.Workers().Run(len(t.shards), (*countTask)(t))
	if t.tap != nil {
		t.harmed = t.harmed[:0]
		for i := range t.shards {
			t.harmed = append(t.harmed, t.shards[i].harmed...)
		}
		slices.Sort(t.harmed)
	}
}

// countTask is the plant as a hw.Task: countFrames for one shard.
type countTask Plant

func (t *countTask) Do(shard int) {
	p, s, couplers := (*Plant)(t), &t.shards[shard], t.media.Couplers
	s.placed, s.met, s.harmed = 0, 0, s.harmed[:0]
	count := func(transmitter, port int) {
		s.placed++
		if medium := couplers.Reached(transmitter, port); couplers.Met(medium) {
			s.met++
		} else if t.tap != nil {
			if effect, _ := t.faults.OnMedium(medium, t.counted); effect != Unharmed {
				s.harmed = append(s.harmed, uint32(medium))
			}
		}
	}
	first, end := p.transmitters(shard)
	for transmitter := first; transmitter < end; transmitter++ {
		port := t.sent[transmitter]
		if t.shape.Asks() && port != nic.PortNone {
			port, _ = t.serialisers.Served(transmitter)
		}
		switch port {
		case nic.PortNone:
		case nic.PortAll:
			for p := range t.shape.Ports {
				count(transmitter, p)
			}
		default:
			count(transmitter, int(port))
		}
	}
}

// Collisions implements Transport: a frame has met another one when its medium
// shows a code violation.
func (t *Plant) Collisions(shard int, _ uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	s := &t.shards[shard]
	if violated := t.media.Couplers.Violated(shard); yield != nil && len(violated) > 0 {
		s.violated = append(s.violated[:0], violated...)
		slices.Sort(s.violated)
		for _, c := range s.violated {
			yield(int(c), t.met[c])
		}
	}
	return s.met, s.placed - s.met
}

// Reset implements Transport.
func (t *Plant) Reset(seed uint64) {
	if t.media.Reseed != nil {
		t.media.Reseed(seed)
	}
	t.kernel.Reset()
	if t.media.Credits != nil {
		t.media.Credits.Reset()
	}
	for i := range t.sent {
		t.sent[i] = nic.PortNone
	}
	clear(t.asked)
	t.WatchError = nil
	t.late = t.late[:0]
	t.kernel.BeforeCycle0()
}

// Probes yields the signals of all hardware; those inside RTL that replaces everything are
// not among them.
func (t *Plant) Probes(yield func(hw.Probe)) { t.kernel.Probes(yield) }

// Credits implements Credited.
func (t *Plant) Credits() *Credits { return t.media.Credits }

// Path implements hw.Stateful.
func (t *Plant) Path() string { return "fabric" }

// State implements hw.Stateful.
func (t *Plant) State(v *hw.StateVisitor) {
	v.Within(t.kernel)
	hw.StateColumn(v, "sent", t.sent)
	hw.StateColumn(v, "met", t.met)
	if t.media.Credits != nil {
		t.media.Credits.State(v)
	}
	if t.asked != nil {
		hw.StateColumn(v, "asked", t.asked, hw.AtMost[uint8](1))
	}
	exact := make([]uint8, len(t.shards)) // for the slot that has begun
	for i := range t.shards {
		if t.shards[i].exact {
			exact[i] = 1
		}
	}
	hw.StateColumn(v, "exact", exact, hw.AtMost[uint8](1))
	v.AfterRestore(func() {
		for i := range t.shards {
			t.shards[i].exact = exact[i] != 0
			t.shards[i].noted = len(t.media.Couplers.Violated(i))
		}
	})
	if t.sums != nil {
		t.sums.state(v)
	}
}
