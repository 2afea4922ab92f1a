package fabric

import (
	"fmt"
	"math/bits"
	"slices"

	"starloom/hw"
	"starloom/nic"
)

// wired carries whole frames across any passive network by its Wiring alone: the transport of the
// slot engine of a network that brings none, and the reference with which faster ones are compared.
// Latency: one slot. Two frames on a medium, or on the two directions of a half-duplex link, deliver
// nothing and are StatusCollision at those who hear it. Work grows with all ports and media, not
// with what moves.
type wired struct {
	shape   Shape
	nic     nic.Discipline
	names   Names
	wiring  *Wiring
	timing  nic.Timing
	shards  []hw.Shard
	stride  int
	credits *Credits  // nil if no port ever waits
	turns   *Switches // of NICs with one switch, else nil
	blocker Blocker   // nil if nothing ever blocks

	// By transmitter, a processor's side by side: what it sends in an even slot, an odd one, and to
	// which port; nic.PortNone for nothing.
	frames [2][]byte
	to     [2][]uint16
	hears  []uint16 // by processor with one switch: the port that it hears

	media []wiredMedium // in the slot that has crossed
}

// wiredMedium is a medium in a slot.
type wiredMedium struct {
	sender  uint32 // the first transmitter with a frame on it
	senders uint32
	met     bool
	shows   uint32 // the bit of the frames in which two of them differ first
	heard   bool   // by anybody
}

// NewWired returns the transport of a passive network in the slot engine. NICs must not ask.
func NewWired(n Network, c *Config) (Transport, error) {
	t := &wired{
		shape: n.Shape(), names: n.Names(), wiring: WiringOf(n), timing: c.Timing, shards: c.Shards, stride: nic.FrameStride(c.PayloadBytes),
	}
	t.nic = t.shape.NIC()
	t.blocker, _ = n.(Blocker)
	if t.nic.Asks || t.timing.Frames > 1 {
		return nil, fmt.Errorf("%s: its NICs ask before they send, or send several frames in a slot; wiring alone does not say who is served", n.Kind())
	}
	switch d := t.shape.discipline().(type) {
	case OnePort, AllPorts:
	case Switched:
		t.turns, t.hears = NewSwitches(t.names, d, t.shape), make([]uint16, t.shape.Processors())
	default:
		return nil, fmt.Errorf("%s: wiring alone does not say what NICs of a discipline of its own do; bring a slot engine, too (fabric.Fast)", n.Kind())
	}
	if n, ok := n.(Creditor); ok {
		var err error
		if t.credits, err = n.NewCredits(c); err != nil {
			return nil, err
		}
	}
	transmitters := t.shape.Processors() * t.shape.Lanes()
	for i := range t.frames {
		t.frames[i], t.to[i] = make([]byte, transmitters*t.stride), make([]uint16, transmitters)
	}
	t.media = make([]wiredMedium, t.shape.Media)
	t.Reset(0)
	return t, nil
}

// frame is the place of what a transmitter sends in a slot.
func (t *wired) frame(slot uint32, transmitter int) nic.FrameView {
	return t.frames[slot&1][transmitter*t.stride : (transmitter+1)*t.stride]
}

// Start and Latch implement Transport: frames are where they have to be; credits count.

func (t *wired) Start() {}
func (t *wired) Latch() {
	if t.credits != nil {
		for _, s := range t.shards {
			t.credits.Counters.Latch(s)
		}
	}
}

// Begin implements Transport.
func (t *wired) Begin(shard int, slot uint32, _ bool) {
	first, end := t.transmitters(shard)
	for i := first; i < end; i++ {
		t.to[slot&1][i] = nic.PortNone
	}
	if t.turns != nil {
		t.turns.Begin()
	}
}

// transmitters returns those of a shard, end excluded.
func (t *wired) transmitters(shard int) (first, end int) {
	each := t.shape.PerUnit * t.shape.Lanes()
	return t.shards[shard].First * each, t.shards[shard].End * each
}

// Send implements Transport.
func (t *wired) Send(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, w Window, cells []uint32) {
	if t.credits != nil {
		t.credits.Free(shard, bank, ledger, slot)
	}
	for _, c := range cells {
		if cell := int(c); bank.Registers[cell].TxCount > 0 {
			t.send(bank, cell, ledger, slot)
		}
	}
	if t.turns == nil {
		return
	}
	ports := bank.Listen(slot)
	for cell := w.First; cell < w.End; cell++ {
		t.hears[bank.First+cell] = t.turns.Turn(ledger, bank.First+cell, ports[cell], slot)
	}
}

// send takes what a processor's NIC sends in a slot.
func (t *wired) send(bank *nic.Bank, cell int, ledger *Ledger, slot uint32) {
	processor := bank.First + cell
	if t.nic.AllPorts {
		if illegal := bank.SendAll(cell, func(frame nic.FrameView) (taken bool) { return t.place(bank, cell, frame, ledger, slot) }); illegal != nil {
			SilenceIllegal(bank, cell, illegal, ledger, slot)
		}
		return
	}
	frame := bank.TxHead(cell)
	if !bank.Legal(cell, frame) {
		SilenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	frame.SetSource(uint32(processor))
	if t.blocker != nil && t.blocker.Blocks(processor, frame.Port(), slot) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return
	}
	frame.CopyTo(t.frame(slot, processor))
	t.to[slot&1][processor] = frame.Port()
	if t.turns != nil {
		t.turns.Send(processor, frame.Port())
	}
	ledger.NoteSent(processor, frame, slot)
	bank.NoteTx(cell, frame.Port(), nic.TxSent, frame.Destination())
	bank.PopTx(cell)
}

// place takes a frame of a NIC that sends at all ports, unless it has to wait for a credit.
func (t *wired) place(bank *nic.Bank, cell int, frame nic.FrameView, ledger *Ledger, slot uint32) (taken bool) {
	processor, port := bank.First+cell, frame.Port()
	frame.SetSource(uint32(processor))
	if t.blocker != nil && t.blocker.Blocks(processor, port, slot) || t.credits != nil && t.credits.Blocks(processor, port) {
		ledger.NoteBlocked(bank, cell, frame, slot)
		return false
	}
	if t.credits != nil {
		t.credits.Sent(processor, port, slot)
	}
	for lane := range t.shape.Ports {
		if port == nic.PortAll || int(port) == lane {
			transmitter := processor*t.shape.Ports + lane
			frame.CopyTo(t.frame(slot, transmitter))
			t.to[slot&1][transmitter] = uint16(lane)
		}
	}
	ledger.NoteSent(processor, frame, slot)
	return true
}

// Cross implements Transport: what is on each medium.
func (t *wired) Cross(slot uint32) {
	clear(t.media)
	t.each(slot, 0, len(t.to[0]), func(transmitter int, medium uint32) {
		m := &t.media[medium]
		if m.senders++; m.senders == 1 {
			m.sender, m.shows = uint32(transmitter), 64
			return
		}
		differ := t.frame(slot, int(m.sender)).HeadBits() ^ t.frame(slot, transmitter).HeadBits()
		m.met, m.shows = true, min(m.shows, uint32(bits.LeadingZeros64(differ)))
	})
	for i, other := range t.wiring.Opposite {
		m := &t.media[i]
		if other != uint32(i) && m.senders > 0 && t.media[other].senders > 0 {
			m.met, m.shows = true, 0 // at the first phit
		}
	}
}

// each yields what the transmitters first..end-1 send in a slot, in their order, medium by medium.
func (t *wired) each(slot uint32, first, end int, yield func(transmitter int, medium uint32)) {
	lanes := t.shape.Lanes()
	for transmitter := first; transmitter < end; transmitter++ {
		if port := t.to[slot&1][transmitter]; port != nic.PortNone {
			for _, medium := range t.wiring.sent(transmitter/lanes, t.shape.Ports, port) {
				if medium != NoMedium {
					yield(transmitter, medium)
				}
			}
		}
	}
}

// Hear implements Transport.
func (t *wired) Hear(shard int, bank *nic.Bank, ledger *Ledger, slot uint32, w Window) {
	units, cells := t.shape.UnitsOf(bank)
	ports := bank.Listen(slot)
	for unit := range units {
		for cell := unit*cells + w.First; cell < unit*cells+w.End; cell++ {
			switch {
			case t.nic.AllPorts:
				for lane := range uint16(t.shape.Ports) {
					t.hear(bank, cell, lane, bank.Hears(cell, lane, slot), ledger, slot)
					if t.credits != nil {
						t.credits.Heard(shard, bank, cell, lane, ledger, slot)
					}
				}
			case t.turns != nil:
				port := t.hears[bank.First+cell]
				t.hear(bank, cell, port, port != nic.PortNone, ledger, slot)
			default:
				t.hear(bank, cell, ports[cell], int(ports[cell]) < t.shape.Ports, ledger, slot)
			}
		}
	}
	ledger.Judge(slot)
}

// hear delivers what a processor hears at a port.
func (t *wired) hear(bank *nic.Bank, cell int, port uint16, hears bool, ledger *Ledger, slot uint32) {
	processor := bank.First + cell
	bank.SetRx(cell, port, nic.StatusIdle)
	if !hears {
		return
	}
	medium := t.wiring.Hears[processor*t.shape.Ports+int(port)]
	if medium == NoMedium || t.media[medium].senders == 0 {
		return
	}
	m := &t.media[medium]
	if effect := ledger.Harm(bank, cell, port, slot, m.met); effect != Unharmed {
		if !m.met && !m.heard {
			m.heard = true
			ledger.Frames.NoteHarmed(effect, 1)
		}
		return
	}
	if m.met {
		bank.SetRx(cell, port, nic.StatusCollision)
		ledger.NoteHeard(processor, port, nic.StatusCollision, nil, slot)
		return
	}
	if !m.heard {
		m.heard = true
		ledger.Frames.Heard++
	}
	frame := t.frame(slot, int(m.sender))
	ledger.NoteHeard(processor, port, bank.PushRx(cell, port, frame), frame, slot)
}

// Collisions implements Transport. Media belong to units in their order, as many to each.
func (t *wired) Collisions(shard int, slot uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	first, end := t.transmitters(shard)
	t.each(slot, first, end, func(_ int, medium uint32) {
		if t.media[medium].met {
			met++
		} else {
			alone++
		}
	})
	if yield == nil {
		return met, alone
	}
	perUnit, s := t.shape.Media/t.shape.Units, t.shards[shard]
	for medium := s.First * perUnit; medium < s.End*perUnit; medium++ {
		if m := &t.media[medium]; m.met {
			yield(medium, uint32(t.timing.ComputeCycles+int(m.shows)/t.timing.PhitBits))
		}
	}
	return met, alone
}

// Reset implements Transport.
func (t *wired) Reset(uint64) {
	for i := range t.to {
		for k := range t.to[i] {
			t.to[i][k] = nic.PortNone
		}
	}
	for i := range t.hears {
		t.hears[i] = nic.PortNone
	}
	clear(t.media)
	if t.credits != nil {
		t.credits.Counters.Reset()
		t.credits.Reset()
	}
}

// Credits implements Credited.
func (t *wired) Credits() *Credits { return t.credits }

// Path implements hw.Stateful.
func (t *wired) Path() string { return "fabric" }

// State implements hw.Stateful: what is on the media follows from what is sent.
func (t *wired) State(v *hw.StateVisitor) {
	if t.credits != nil {
		v.Within(t.credits.Counters)
		t.credits.State(v)
	}
	port := func(_ int, port uint16) error {
		if int(port) >= t.shape.Ports && port != nic.PortNone && (port != nic.PortAll || t.nic.AllPorts || t.turns != nil) {
			return fmt.Errorf("port %d, there are %d", port, t.shape.Ports)
		}
		return nil
	}
	for i, name := range []string{"even", "odd"} {
		hw.StateColumn(v, name+".frames", t.frames[i])
		hw.StateColumn(v, name+".to", t.to[i], port)
	}
	hw.StateColumn(v, "hears", slices.Clip(t.hears), port)
}

// SlotTransportOf is a network in the slot engine.
func SlotTransportOf(n Network, c *Config) (Transport, error) {
	if f, ok := n.(Fast); ok {
		return f.SlotTransport(c)
	}
	return NewWired(n, c)
}
