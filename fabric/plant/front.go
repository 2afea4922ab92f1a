package plant

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// Front is what the Access of a discipline works on: the transmitters and receivers of all NICs, the media between
// them, and what is known of the slot that crosses. It runs no cycle: a Plant does.
type Front struct {
	site
	clock   *hw.Clock
	workers *hw.Workers

	serialisers   *nic.Serialisers
	media         fabric.Media
	deserialisers *nic.Deserialisers
	faults        *fabric.Faults // nil for none
	tap           *hw.LightTap   // where faults of media act, nil for none
	rtl           RTL            // nil if everything is model
	datapath      *Datapath      // when RTL stands for all hardware, else nil

	access  Access        // what its NICs do
	credits *flow.Credits // of NICs that send at all ports, nil if no port ever waits
	blocks  fabric.Blocks // nil if nothing ever does

	foresight
	sent   []uint16 // per transmitter: port it sent to in this slot, PortNone for none
	shards []plantShard
	seen   seenMedia
	sums   *sentSums // with RTL, else nil
}

type site struct {
	kind    string
	names   fabric.Names
	seed    uint64
	bankOf  func(processor int) (bank *nic.Bank, cell int)
	shape   fabric.Shape
	lanes   int // transmitters, and receivers, of a processor
	timing  nic.Timing
	payload int // bytes
	cuts    []hw.Shard
}

// seenMedia is what was seen of media, in the slot that crosses or has crossed.
type seenMedia struct {
	met     []uint32 // per medium with a violation: the first cycle that shows it
	harmed  []uint32 // plantShard.harmed of all shards, in ascending order
	counted uint32   // the slot that plantShard.placed is about
	late    []int    // media whose links had light at the far end at the last boundary
	marks   []uint8  // per medium: 1 if somebody has listened to it at this boundary
}

// plantShard is a shard's part of the machine, and room to work in.
type plantShard struct {
	hw.Shard
	exact    bool // the cycles of this slot's collisions matter
	violated []uint32

	// Frames of the slot that has crossed: sent, once for each port, and those that met another one.
	placed, met uint64
	harmed      []uint32 // where those were alone that are on media which faults have harmed, a place for each

	noted int      // of the list of violations: those whose cycle is known
	heard []uint32 // media that are marked
	wire  []byte
	view  nic.FrameView
}

// foresight is what a plant knows of frames when their first phits are on the wires: nothing that is between boundaries is kept.
type foresight struct {
	lit    []uint32 // per medium: 1 + the last slot in which a frame was found on it
	frames nic.Foreseen

	looks     bool // Placed finds who lights which medium
	foreseen  bool // frames of this slot are
	inherited bool // the slot was restored: light may be on its way that no one has sent
}

// Transmitters are those of all NICs. Where a NIC has one of them and one receiver for every port,
// they stand side by side, port by port: the one medium of a transmitter is its port 0, and
// Media.Hears has as many inputs for each processor.
func (t *Front) Transmitters() *nic.Serialisers { return t.serialisers }

// Receivers are those of all NICs; they come with Carry.
func (t *Front) Receivers() *nic.Deserialisers { return t.deserialisers }

// Shape is that of the network.
func (t *Front) Shape() fabric.Shape { return t.shape }

// Timing returns the shape of a slot.
func (t *Front) Timing() nic.Timing { return t.timing }

// Clock returns the one clock.
func (t *Front) Clock() *hw.Clock { return t.clock }

// Bank names perUnit elements for each unit, or parts of them.
func (t *Front) Bank(name, part string, perUnit int) hw.Bank {
	bank := hw.Bank{Unit: t.names.Unit(), Name: name, Part: part, Units: t.shape.Units, PerUnit: perUnit}
	if bank.Unit == "" { // there is one unit, which has no name of its own
		bank.Name = t.kind + "." + name
	}
	return bank
}

// Seed is that of the first run.
func (t *Front) Seed() uint64 { return t.seed }

// BankOf returns a processor's bank and its cell there.
func (t *Front) BankOf(processor int) (bank *nic.Bank, cell int) { return t.bankOf(processor) }

// Shards are those of the machine.
func (t *Front) Shards() []hw.Shard { return t.cuts }

// queues reports whether a slot may bring a receiver several frames, one after the other.
func (t *Front) queues() bool { return t.timing.Frames > 1 }

func (t *Front) nics(part string) hw.Bank {
	return t.shape.NameLanes(t.Bank("nic", part, t.shape.PerUnit*t.lanes))
}

func (t *Front) transmitters(shard int) (first, end int) {
	s := &t.shards[shard]
	return s.First * t.shape.PerUnit * t.lanes, s.End * t.shape.PerUnit * t.lanes
}

func (t *Front) silence(first, end int) {
	for i := first; i < end; i++ {
		t.sent[i] = nic.PortNone
	}
}

// hearing reports whether a processor's one receiver may have something to tell; most are idle.
func (t *Front) hearing(processor int) bool {
	return t.tap != nil || !t.deserialisers.Idle(processor)
}

func (t *Front) idle(processor int) bool {
	return t.tap == nil && t.deserialisers.AllIdle(processor*t.lanes, t.lanes)
}

// Load is the load input of one transmitter, with the port that it is switched to.
func (t *Front) Load(transmitter int, wire nic.Frame, port uint16, slot uint32) {
	if t.sums != nil {
		t.sums.send(slot, transmitter, wire)
	}
	t.serialisers.Load(transmitter, wire, port)
	t.sent[transmitter] = port
}

// Sent is the port of a transmitter's last Load, nic.PortNone for none: Access.Placed asks.
func (t *Front) Sent(transmitter int) (port uint16) { return t.sent[transmitter] }

// listen sets what a receiver hears; most hear what they have heard before.
func (p *Front) listen(receiver int, input uint32) {
	if input != p.deserialisers.Hears(receiver) {
		p.deserialisers.Listen(receiver, input)
	}
}

// sendHead sends the head of a processor's TX FIFO, unless it has to wait, and reports the port.
func (p *Front) sendHead(bank *nic.Bank, cell int, ledger *fabric.Ledger, slot uint32) (port uint16, sent bool) {
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
		return nic.PortNone, false
	}
	processor := bank.First + cell
	port = frame.Port()
	frame.SetSource(uint32(processor))
	if p.blocks != nil && p.blocks(processor, port, slot) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return port, false
	}
	p.Load(processor, frame.AppendWire(p.serialisers.Blank(processor)), port, slot)
	ledger.NoteSent(processor, frame, slot)
	bank.NoteTx(cell, port, nic.TxSent, frame.Destination())
	bank.PopTx(cell)
	return port, true
}

// Placed counts a frame sent to a port by a transmitter of a shard in the slot that has crossed, for Access.Placed.
func (t *Front) Placed(shard, transmitter, port int) {
	s, media := &t.shards[shard], t.media.Medium
	s.placed++
	if medium := media.Reached(transmitter, port); t.looks {
		t.lights(transmitter, medium, t.seen.counted)
	} else if media.Met(medium) {
		s.met++
	} else if t.tap != nil {
		if effect, _ := t.faults.OnMedium(medium, t.seen.counted); effect != fabric.Unharmed {
			s.harmed = append(s.harmed, uint32(medium))
		}
	}
}

// lights notes that a transmitter lights a medium, in the slot that crosses. Two on one medium are of one shard, as the medium.
func (t *Front) lights(transmitter, medium int, slot uint32) {
	carries, goesOn := &t.frames.Carries[medium], t.frames.GoesOn
	if t.lit[medium] == slot+1 {
		goesOn[*carries], goesOn[transmitter] = true, true
	}
	t.lit[medium], *carries = slot+1, uint32(transmitter)
}

// RTL is whoever puts RTL in the place of a machine's hardware. Every device has one edge
// per cycle, as the registers of the models have.
type RTL interface {
	// Replace is called once, when the hardware is built, with its components, those that
	// may stand for several of them, and whole, which stands for all of them at once and is
	// nil if there is no such RTL. It returns what the kernel runs: the parts, each itself,
	// replaced, or in a composite that is; or, if all is true, nothing but whole, replaced.
	Replace(kernel *hw.Kernel, parts []hw.Sited, composites []hw.Composite, whole hw.Sited) (run []hw.Component, all bool, err error)

	// Failed reports whether RTL has ended the run: the slot is not crossed any further.
	Failed() bool

	// Broken ends the run: a model has found what cannot be, and RTL beside it has sent what no model sends.
	Broken(fault *hw.Fault)
}

// ReplaceRouters puts RTL in the place of routers among the components of a network.
func ReplaceRouters(rtl RTL, kernel *hw.Kernel, routers *hw.Routers, components []hw.Component) ([]hw.Component, error) {
	run, _, err := rtl.Replace(kernel, []hw.Sited{routers}, nil, nil)
	return append(run, slices.DeleteFunc(components, func(c hw.Component) bool { return c == routers })...), err
}

// Guarded runs hardware of which some may be RTL, nil for none: what breaks an invariant of a model is then the RTL's fault.
func Guarded(rtl RTL, run func()) {
	if rtl != nil {
		defer func() {
			switch value := recover().(type) {
			case nil:
			case *hw.Fault:
				rtl.Broken(value)
			default:
				panic(value)
			}
		}()
	}
	run()
}

// Access is a discipline's half of a Plant: what is between the banks of processors and the
// transmitters and receivers. It is called per shard and window, never per processor, except for
// frames that were received. Of the plant it needs Load and Sent of transmitters, Receivers, Receive
// and Placed: package fabric/fabrictest/tuned has a discipline from outside.
type Access interface {
	// Outputs is how many media a transmitter can be switched to, or outputs it can ask for.
	Outputs() int
	// Begin begins a slot: this cycle is the last one of the slot before.
	Begin()
	// Hear delivers what the receivers of a window say of a slot: see Transport.Hear.
	Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window)
	// Send sets the load inputs of transmitters and what receivers listen to: see Transport.Send.
	Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window, cells []uint32)
	// IsFor reports whether a NIC takes a frame that came to it. It is called for frames that were received.
	IsFor(processor int, frame nic.Frame) bool
	// Placed counts what the transmitters first..end-1 of a shard have sent in the slot that has
	// crossed: Plant.Placed for each frame and port.
	Placed(shard, first, end int)
	// Crossed is called when a slot has crossed, before anybody hears it.
	Crossed(slot uint32)
	// Reset forgets the run, and State visits all that a run has changed.
	Reset()
	State(v *hw.StateVisitor)
}

// free is the part of disciplines whose NICs do not ask: nothing is kept between boundaries.
type free struct{}

func (free) Begin()                    {}
func (free) Crossed(uint32)            {}
func (free) Reset()                    {}
func (free) State(*hw.StateVisitor)    {}
func (free) IsFor(int, nic.Frame) bool { return true }
