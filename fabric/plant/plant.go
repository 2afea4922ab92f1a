package plant

import (
	"slices"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// CyclePlant is the hardware of a machine in the cycle engine, simulated phit by phit: a kernel,
// the transmitters and receivers of all NICs, and between them the media, which a network's
// Build adds. It is the Transport of that engine.
//
//	serialisers --light, port--> media --light--> links --light--> deserialisers
//	 (registered)           (combinational)   (propagation)        (registered)
//
// This code does not decide collisions: two senders light both rails of a bit, and the
// receivers see it. Frames that nothing can happen to any more are foreseen: their first phits alone
// cross, unless somebody watches. What NICs do at the boundary of a slot is the Access of their Discipline.
//
// The boundary of a slot is in the Settle phase of its last guard cycle: Hear reads the
// receivers' registers, Send and Listen are inputs of transmitters and receivers, and
// the Latch of that very cycle takes them. Slot 0 follows the last cycle of reset, which
// has no number. Light that is at the far end of a link in a last guard cycle counts for
// no slot: it is late. Models are never late.
type Plant struct {
	site
	kernel *hw.Kernel

	serialisers   *nic.Serialisers
	media         fabric.Media
	deserialisers *nic.Deserialisers
	faults        *fabric.Faults // nil for none
	tap           *hw.LightTap   // where faults of media act, nil for none
	rtl           RTL            // nil if everything is model
	datapath      *Datapath      // when RTL stands for all hardware, else nil
	sited         []hw.Sited     // all components for which RTL may stand
	unsited       []hw.Component

	Watched
	access  Access         // what its NICs do
	credits *flow.Credits  // of NICs that send at all ports, nil if no port ever waits
	blocker fabric.Blocker // nil if nothing ever blocks

	foresight
	sent   []uint16 // per transmitter: port it sent to in this slot, PortNone for none
	shards []plantShard
	seen   seenMedia
	sums   *sentSums // with RTL, else nil
}

// site is what a plant is built for.
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

	// Frames of the slot that has crossed: those that were sent, once for each port, and those
	// of them that met another one.
	placed, met uint64
	harmed      []uint32 // where those were alone that are on media which faults have harmed, a place for each

	noted int      // of the list of violations: those whose cycle is known
	heard []uint32 // media that are marked
	wire  []byte
	view  nic.FrameView
}

// NewPlant builds the hardware of a network, of which rtl replaces parts; nil: everything
// is model.
func New(n fabric.Network, c *fabric.Config, workers *hw.Workers, rtl RTL) (*Plant, error) {
	t, err := Lay(n, c, hw.NewKernel(workers, c.Shards))
	if err != nil {
		return nil, err
	}
	run := slices.Clone(t.unsited)
	for _, part := range t.sited {
		run = append(run, part)
	}
	if rtl != nil {
		t.rtl, t.sums = rtl, newSentSums(t.shape.Processors(), t.lanes)
		var whole hw.Sited
		if d := t.Whole(n); d != nil && t.tap == nil { // which is inside of it
			whole = d
		}
		var all bool
		if run, all, err = rtl.Replace(t.kernel, t.sited, t.media.Composites, whole); err != nil {
			return nil, err
		}
		run = append(run, t.unsited...)
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
func Lay(n fabric.Network, c *fabric.Config, kernel *hw.Kernel) (*Plant, error) {
	shape := n.Shape()
	t := &Plant{
		site: site{
			kind: n.Kind(), names: n.Names(), seed: c.Seed, bankOf: c.Bank, shape: shape, lanes: shape.Lanes(),
			timing: c.Timing, payload: c.PayloadBytes, cuts: c.Shards,
		},
		kernel: kernel, faults: c.Faults, shards: make([]plantShard, len(c.Shards)),
		seen: seenMedia{met: make([]uint32, shape.Media), marks: make([]uint8, shape.Media)},
	}
	for i := range t.shards {
		t.shards[i] = plantShard{
			Shard: c.Shards[i],
			wire:  make([]byte, nic.FrameBytes(t.payload)),
			view:  make(nic.FrameView, nic.FrameStride(t.payload)),
		}
	}
	processors := t.shape.Processors()
	t.sent = make([]uint16, processors*t.lanes)
	t.silence(0, len(t.sent))
	var err error
	t.blocker, _ = n.(fabric.Blocker)
	if t.access, err = accessOf(t.shape.Chosen(), t); err != nil {
		return nil, err
	}
	if t.serialisers, err = nic.NewSerialisers(nic.SerialiserConfig{
		Bank: t.nics("tx"), Clock: t.kernel.Clock(), Shards: t.cuts, PhitBits: t.timing.PhitBits,
		FrameBytesMax: nic.FrameBytes(t.payload), ComputeCycles: t.timing.ComputeCycles, Ports: t.access.Outputs(),
		ArbitrationCycles: t.timing.ArbitrationCycles, OfferCycles: (t.timing.Frames - 1) * t.timing.FramePhits, Processors: processors,
	}); err != nil {
		return nil, err
	}
	if t.credits, err = flow.CreditsOf(n, t.cuts); err != nil {
		return nil, err
	}
	if err := n.Build(t); err != nil {
		return nil, err
	}
	t.foresight = foresight{lit: make([]uint32, t.shape.Media), frames: nic.Foreseen{
		Transmitters: t.serialisers, Carries: make([]uint32, t.shape.Media), GoesOn: make([]bool, processors*t.lanes),
	}}
	return t, nil
}

// Components are those of the plant that RTL can stand for.
func (t *Plant) Components() []hw.Sited { return t.sited }

// Start implements Transport.
func (t *Plant) Start() { t.kernel.DriveAndSettle() }

// Begin implements Transport: this cycle is the last one of the slot before.
func (t *Plant) Begin(shard int, slot uint32, exact bool) {
	t.media.Medium.ClearSlot(shard)
	t.deserialisers.EndSlot(shard)
	s := &t.shards[shard]
	s.noted, s.exact = 0, exact
	for _, medium := range s.heard {
		t.seen.marks[medium] = 0
	}
	s.heard = s.heard[:0]
	t.access.Begin()
	first, end := t.transmitters(shard)
	t.silence(first, end)
	if t.sums != nil {
		t.sums.begin(slot, first, end)
	}
}

// silence says that some transmitters send nothing.
func (t *Plant) silence(first, end int) {
	for i := first; i < end; i++ {
		t.sent[i] = nic.PortNone
	}
}

// transmitters returns the transmitters of a shard, end excluded.
func (t *Plant) transmitters(shard int) (first, end int) {
	s := &t.shards[shard]
	return s.First * t.shape.PerUnit * t.lanes, s.End * t.shape.PerUnit * t.lanes
}

// Hear implements Transport.
func (t *Plant) Hear(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window) {
	t.access.Hear(shard, bank, ledger, slot, window)
	ledger.Judge(slot)
}

// hearing reports whether a processor's one receiver may have something to tell; most have not, and
// are idle.
func (t *Plant) hearing(processor int) bool {
	return t.tap != nil || !t.deserialisers.Idle(processor)
}

// idle reports whether no receiver of a processor has something to tell.
func (t *Plant) idle(processor int) bool {
	return t.tap == nil && t.deserialisers.AllIdle(processor*t.lanes, t.lanes)
}

// Send implements Transport: the load inputs of the transmitters and the ports of the
// receivers.
func (t *Plant) Send(shard int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, window fabric.Window, cells []uint32) {
	t.access.Send(shard, bank, ledger, slot, window, cells)
}

// Load is the load input of one transmitter, with the port that it is switched to.
func (t *Plant) Load(transmitter int, wire nic.Frame, port uint16, slot uint32) {
	if t.sums != nil {
		t.sums.send(slot, transmitter, wire)
	}
	t.serialisers.Load(transmitter, wire, port)
	t.sent[transmitter] = port
}

// Sent is the port that a transmitter was switched to by Load in the slot that crosses or has
// crossed, nic.PortNone for none: Access.Placed asks.
func (t *Plant) Sent(transmitter int) (port uint16) { return t.sent[transmitter] }

// Cross implements Transport: the cycles of the slot, up to Settle of the last one. Cycles
// in which nothing happens are skipped unless somebody watches. RTL that fails ends the
// slot.
func (t *Plant) Cross(slot uint32) { t.CrossBeside(slot, nil) }

// CrossBeside is Cross with another kernel, if it is not nil, that runs the same cycles, and is first in each. Then no frame is
// foreseen.
func (t *Plant) CrossBeside(slot uint32, other *hw.Kernel) {
	boundary, begun := t.timing.BoundaryCycle(slot), t.timing.FirstPhitCycle(slot)+1
	t.forget()
	for t.kernel.Cycle() < boundary && !t.failed() {
		if t.Watch == nil || t.WatchError != nil {
			skip := t.kernel.QuietFor(boundary - t.kernel.Cycle())
			if other != nil {
				skip = other.QuietFor(skip)
			}
			if skip > 0 {
				t.kernel.Skip(skip)
				if other != nil {
					other.Skip(skip)
				}
				continue
			}
		}
		t.settle(slot, other)
		t.kernel.Latch()
		switch {
		case other != nil:
			other.Latch()
		case t.kernel.Cycle() == begun:
			t.foresee(slot)
		}
	}
	if !t.failed() {
		t.settle(slot, other)
	}
	t.crossed(slot)
}

// settle is a cycle up to its edge.
func (t *Plant) settle(slot uint32, other *hw.Kernel) {
	if other != nil {
		other.DriveAndSettle()
	}
	t.kernel.DriveAndSettle()
	t.noteViolations(uint32(t.kernel.Cycle() - t.timing.SlotCycle(slot)))
	t.Look(t.kernel.Cycle())
}

// crossed looks at a slot that has crossed.
func (t *Plant) crossed(slot uint32) {
	if !t.failed() {
		t.noteLate()
		t.access.Crossed(slot)
	}
	if !t.foreseen || !t.calm() { // else all are counted, and none has met another
		t.countFrames(slot)
	}
}

func (t *Plant) failed() bool { return t.rtl != nil && t.rtl.Failed() }

// Latch implements Transport: the edge at the end of a slot.
func (t *Plant) Latch() { t.kernel.Latch() }

// Reset implements Transport.
func (t *Plant) Reset(seed uint64) {
	if t.media.Reseed != nil {
		t.media.Reseed(seed)
	}
	t.kernel.Reset()
	t.access.Reset()
	t.silence(0, len(t.sent))
	t.WatchError = nil
	clear(t.lit)
	clear(t.seen.met)
	t.seen.late = t.seen.late[:0]
	for i := range t.shards {
		t.shards[i].exact, t.shards[i].noted = false, 0
	}
	t.kernel.BeforeCycle0()
}

// Probes yields the signals of all hardware; those inside RTL that replaces everything are
// not among them.
func (t *Plant) Probes(yield func(hw.Probe)) { t.kernel.Probes(yield) }

// Routers implements Hardware.
func (t *Plant) Routers() *hw.RouterSignals { return nil }

// Credits implements flow.Credited.
func (t *Plant) Credits() *flow.Credits { return t.credits }

// Path implements hw.Stateful.
func (t *Plant) Path() string { return "fabric" }

// State implements hw.Stateful.
func (t *Plant) State(v *hw.StateVisitor) {
	v.Within(t.kernel)
	hw.StateColumn(v, "sent", t.sent, func(transmitter int, port uint16) error {
		discipline := t.shape.NIC()
		return discipline.CheckSent(transmitter, port, t.access.Outputs())
	})
	hw.StateColumn(v, "met", t.seen.met)
	t.access.State(v)
	exact := make([]uint8, len(t.shards)) // for the slot that has begun
	for i := range t.shards {
		if t.shards[i].exact {
			exact[i] = 1
		}
	}
	hw.StateColumn(v, "exact", exact, hw.AtMost[uint8](1))
	v.AfterRestore(func() {
		t.inherited = true
		for i := range t.shards {
			t.shards[i].exact = exact[i] != 0
			t.shards[i].noted = len(t.media.Medium.Violated(i))
		}
	})
	if t.sums != nil {
		t.sums.state(v)
	}
}
