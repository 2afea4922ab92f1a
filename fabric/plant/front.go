package plant

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// Front is the part of a Plant that the Access of a discipline uses: the transmitters and receivers of all NICs, the
// media between them, and the observations of the crossing slot. Plant runs the cycles.
type Front struct {
	site
	clock   *hw.Clock
	workers *hw.Workers

	serialisers   *nic.Serialisers
	media         fabric.Media
	deserialisers *nic.Deserialisers
	faults        *fabric.Faults // nil for none
	tap           *hw.LightTap   // applies faults of media; nil for none
	rtl           RTL            // nil without RTL
	datapath      *Datapath      // set if RTL replaces all hardware

	access  Access        // discipline of the NICs
	credits *flow.Credits // credits of NICs that send at all ports, nil for none
	blocks  fabric.Blocks // nil if no frame is ever blocked

	foresight
	sent   []uint16 // by transmitter: destination port in this slot, PortNone for none
	shards []plantShard
	seen   seenMedia
	sums   *sentSums // nil without RTL
}

type site struct {
	kind    string
	names   fabric.Names
	seed    uint64
	bankOf  func(processor int) (bank *nic.Bank, cell int)
	shape   fabric.Shape
	lanes   int // number of transmitters, and of receivers, per processor
	timing  nic.Timing
	payload int // maximum payload in bytes
	cuts    []hw.Shard
}

// seenMedia holds observations of media in the crossing or crossed slot.
type seenMedia struct {
	met     []uint32 // by violated medium: first cycle with a visible violation
	harmed  []uint32 // all shards' plantShard.harmed, in ascending order
	counted uint32   // slot whose frames plantShard.placed counts
	late    []int    // media with light at the link's far end at the last boundary
	marks   []uint8  // by medium: state of Frames.Listened at this boundary
}

type plantShard struct {
	hw.Shard
	exact    bool // the exact cycles of this slot's collisions are required
	violated []uint32

	// numbers of frames in the crossed slot: sent frames, counted once per port, and collided frames
	placed, met uint64
	harmed      []uint32 // media on which faults harmed a frame that was alone, one entry per frame

	noted         int      // number of violations, from the first, with known cycles
	heard         []uint32 // media with a mark
	cells, inputs []uint32 // buffers
	small         nic.SmallFrame
	wire          []byte
	view          nic.FrameView
}

// foresight predicts frames. It has no state between boundaries.
type foresight struct {
	frames nic.Foreseen // Mark counts predictions, also beyond a reset or the restoring of an earlier slot

	looks     bool // Placed records the transmitter and medium of each frame
	foreseen  bool
	inherited bool // the slot was restored, so light of unknown senders may be in flight
}

// Transmitters returns the transmitters of all NICs (fabric.Plant).
func (t *Front) Transmitters() *nic.Serialisers { return t.serialisers }

// Receivers returns the receivers of all NICs, nil before Carry.
func (t *Front) Receivers() *nic.Deserialisers { return t.deserialisers }

// Shape returns the shape of the network.
func (t *Front) Shape() fabric.Shape { return t.shape }

// Timing returns the shape of a slot.
func (t *Front) Timing() nic.Timing { return t.timing }

// Clock returns the global clock.
func (t *Front) Clock() *hw.Clock { return t.clock }

// Bank names a bank with perUnit elements per unit, or with a part in each element.
func (t *Front) Bank(name, part string, perUnit int) hw.Bank {
	bank := hw.Bank{Unit: t.names.Unit(), Name: name, Part: part, Units: t.shape.Units, PerUnit: perUnit}
	if bank.Unit == "" { // a single unit has no name
		bank.Name = t.kind + "." + name
	}
	return bank
}

// Seed returns the seed of the first run.
func (t *Front) Seed() uint64 { return t.seed }

// BankOf returns a processor's bank and its cell in the bank.
func (t *Front) BankOf(processor int) (bank *nic.Bank, cell int) { return t.bankOf(processor) }

// Shards returns the shards of the machine.
func (t *Front) Shards() []hw.Shard { return t.cuts }

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

// results lists the cells of a window whose receivers may have a result. Most receivers are idle; results sets their
// statuses.
func (t *Front) results(shard int, bank *nic.Bank, window fabric.Window) []uint32 {
	cells := t.all(shard, window)
	if t.tap != nil {
		return cells
	}
	clear(bank.RxStatus[window.First:window.End]) // StatusIdle
	return t.deserialisers.ListHeard(cells, bank.First)
}

// all lists the cells of a window.
func (t *Front) all(shard int, window fabric.Window) []uint32 {
	s := &t.shards[shard]
	s.cells = slices.Grow(s.cells[:0], window.End-window.First)[:window.End-window.First]
	for i := range s.cells {
		s.cells[i] = uint32(window.First + i)
	}
	return s.cells
}

func (t *Front) idle(processor int) bool {
	return t.tap == nil && t.deserialisers.AllIdle(processor*t.lanes, t.lanes)
}

// Load sets the load input of a transmitter and the position of its port switch.
func (t *Front) Load(transmitter int, wire nic.Frame, port uint16, slot uint32) {
	if t.sums != nil {
		t.sums.send(slot, transmitter, wire)
	}
	t.serialisers.Load(transmitter, wire, port)
	t.sent[transmitter] = port
}

// Sent returns the port of a transmitter's last Load, or nic.PortNone, for Access.Placed.
func (t *Front) Sent(transmitter int) (port uint16) { return t.sent[transmitter] }

// senders lists the given cells that have a frame to send.
func (t *Front) senders(shard int, bank *nic.Bank, cells []uint32) []uint32 {
	s := &t.shards[shard]
	s.cells = append(s.cells[:0], cells...)
	return bank.ListSenders(s.cells, s.cells)
}

// sendHead sends the head of a processor's TX FIFO, unless the frame is blocked. It returns the frame's port.
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

// Placed counts a frame that was sent to a port in the crossed slot. Access.Placed calls it.
func (t *Front) Placed(shard, transmitter, port int) {
	s, media := &t.shards[shard], t.media.Medium
	s.placed++
	if medium := media.Reached(transmitter, port); t.looks {
		t.lights(shard, transmitter, medium)
	} else if media.Met(medium) {
		s.met++
	} else if t.tap != nil {
		if effect, _ := t.faults.OnMedium(medium, t.seen.counted); effect != fabric.Unharmed || t.faults.Misses() {
			s.harmed = append(s.harmed, uint32(medium))
		}
	}
}

// lights records that a transmitter lights a medium in the crossing slot. The medium and all its transmitters belong
// to one shard.
func (t *Front) lights(shard, transmitter, medium int) {
	f := &t.frames
	if f.Lit[medium] == f.Mark {
		f.GoesOn[f.Carries[medium]], f.GoesOn[transmitter] = true, true
	}
	f.Lit[medium], f.Carries[medium] = f.Mark, uint32(transmitter)
	f.Wires[shard] = append(f.Wires[shard], uint32(medium))
}

// RTL replaces hardware of a machine. Every device has one clock edge per cycle, like the registers of models.
type RTL interface {
	// Replace is called once, when the hardware is built. parts are the components; composites combine several parts.
	// whole is one component for all hardware, nil without a twin. Replace returns the components for the kernel:
	// parts and composites, some of them replaced; or, if all is true, only the replaced whole.
	Replace(kernel *hw.Kernel, parts []hw.Sited, composites []hw.Composite,
		whole hw.Sited) (run []hw.Component, all bool, err error)

	// Failed reports whether RTL has ended the run. The slot is then incomplete.
	Failed() bool

	// Broken ends the run because RTL has violated an invariant of an adjacent model.
	Broken(fault *hw.Fault)
}

// ReplaceRouters replaces routers by RTL among the components of a network.
func ReplaceRouters(rtl RTL, kernel *hw.Kernel, routers *hw.Routers,
	components []hw.Component) ([]hw.Component, error) {
	run, _, err := rtl.Replace(kernel, []hw.Sited{routers}, nil, nil)
	return append(run, slices.DeleteFunc(components, func(c hw.Component) bool { return c == routers })...), err
}

// Guarded calls run. If RTL is present, a violated invariant of a model is attributed to the RTL.
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

// Access is a discipline's part of a Plant, between the banks of processors and the transmitters and receivers. Its
// methods are called once per shard and window, not once per processor, except for received frames. They use Load and
// Sent of transmitters, and Receivers, Receive and Placed of the plant. Package fabric/fabrictest/tuned has an
// example.
type Access interface {
	// Outputs returns the number of media of a transmitter, or of outputs that the transmitter can request.
	Outputs() int
	// Begin begins a slot, in the last cycle of the previous slot.
	Begin()
	// Hear delivers the results of a window's receivers (Transport.Hear).
	Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window)
	// Send sets the load inputs of transmitters and the inputs of receivers (Transport.Send).
	Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window, cells []uint32)
	// IsFor reports whether a NIC accepts a received frame.
	IsFor(processor int, frame nic.Frame) bool
	// Placed calls Front.Placed for each frame and port of the transmitters first..end-1 of a shard in the crossed
	// slot.
	Placed(shard, first, end int)
	// Crossed is called after a slot has crossed, before any Hear.
	Crossed(slot uint32)
	// Reset discards the state of the run; State visits this state.
	Reset()
	State(v *hw.StateVisitor)
}

// placed calls Placed for the frames of a shard's served transmitters.
func (p *Front) placed(shard, first, end int) {
	for transmitter := first; transmitter < end; transmitter++ {
		if p.sent[transmitter] == nic.PortNone {
			continue
		}
		if port, ok := p.serialisers.Served(transmitter); ok {
			p.Placed(shard, transmitter, int(port))
		}
	}
}

type free struct{}

func (free) Begin()                    {}
func (free) Crossed(uint32)            {}
func (free) Reset()                    {}
func (free) State(*hw.StateVisitor)    {}
func (free) IsFor(int, nic.Frame) bool { return true }
