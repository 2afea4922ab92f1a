package contend

import (
	"fmt"
	"math/bits"
	"slices"

	"starloom/fabric"
	"starloom/fabric/flow"
	"starloom/hw"
	"starloom/nic"
)

// SlotTransport returns a network of buses in the slot engine. Tables hold the frames, and arbiters decide instantly.
// It returns an error if a slot is too long for the arbiter's turns.
func (b *Buses) SlotTransport(shape fabric.Shape, names fabric.Names, of fabric.Switched,
	c *fabric.Config) (fabric.Transport, error) {
	if _, err := b.slice(c.Timing); err != nil {
		return nil, err
	}
	n := len(b.Taps.Bus)
	t := &busTransport{
		taps: b.Taps, arbitrated: b.Arbiter != None, switches: flow.NewSwitches(names, of, shape),
		timing: c.Timing, stride: nic.FrameStride(c.PayloadBytes), payloadBytes: c.PayloadBytes,
		sending: hw.NewSet(n), port: make([]uint16, n), hears: make([]uint16, n),
		buses: make([]busSlot, len(b.Taps.Members)),
	}
	if t.arbitrated {
		t.arbiters = b.arbiters().decisions(b.arbiterBank(), b.Taps.Longest)
	}
	for i := range t.frames {
		t.frames[i] = make([]byte, n*t.stride)
	}
	t.Reset(c.Seed)
	return t, nil
}

// busTransport is the slot engine of buses. Two tables of frames alternate. A bank may therefore send in slot t while
// another bank still hears slot t-1. Latency: one slot. The network is one shard.
type busTransport struct {
	taps         *hw.Taps
	arbitrated   bool
	arbiters     *decisions // decisions of the arbiters; nil without arbiters
	switches     *flow.Switches
	timing       nic.Timing
	stride       int
	payloadBytes int

	frames  [2][]byte // frames by sender
	sending hw.Set    // vertices with a frame or a request in the crossing slot
	port    []uint16  // ports of these vertices
	hears   []uint16  // port that each vertex hears, nic.PortNone for none

	// Result of a slot.
	buses []busSlot
	used  []uint32 // buses with a sender
	met   []uint32 // buses with several senders, ascending
}

type busSlot struct {
	sender   int32 // sender of the frame, the first sender of several frames, or noOne
	senders  uint32
	differ   uint64          // bits in which the headers of several frames differ; the first bit is the highest
	listened fabric.Listened // of a frame that is alone
}

func (t *busTransport) Path() string { return "fabric" }

// Start, Begin and Latch implement Transport. The frames are already in the tables.

func (t *busTransport) Start()                  {}
func (t *busTransport) Begin(int, uint32, bool) { t.switches.Begin() }
func (t *busTransport) Latch()                  {}

func (t *busTransport) frame(slot uint32, vertex int) nic.FrameView {
	return t.frames[slot&1][vertex*t.stride : (vertex+1)*t.stride]
}

func (t *busTransport) bus(vertex int, port uint16) *busSlot {
	return &t.buses[t.taps.Bus[vertex][port]]
}

// Send implements Transport. It collects the frames and requests of all vertices, and the ports that they hear.
func (t *busTransport) Send(_ int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32,
	w fabric.Window, cells []uint32) {
	if t.arbitrated { // NICs repeat their requests
		for cell := w.First; cell < w.End; cell++ {
			t.send(bank, cell, ledger, slot)
		}
	} else {
		for _, cell := range cells {
			t.send(bank, int(cell), ledger, slot)
		}
	}
	ports := bank.Listen(slot)
	for cell := w.First; cell < w.End; cell++ {
		t.hears[bank.First+cell] = t.switches.Turn(ledger, bank.First+cell, ports[cell], slot)
	}
}

func (t *busTransport) send(bank *nic.Bank, cell int, ledger *fabric.Ledger, slot uint32) {
	if bank.Registers[cell].TxCount == 0 {
		return
	}
	frame, vertex := bank.TxHead(cell), bank.First+cell
	if !bank.Legal(cell, frame) {
		fabric.SilenceIllegal(bank, cell, frame, ledger, slot)
		return
	}
	frame.SetSource(uint32(vertex))
	frame.CopyTo(t.frame(slot, vertex))
	t.sending.Add(vertex)
	t.port[vertex] = frame.Port()
	t.switches.Send(vertex, frame.Port())
	if t.arbitrated {
		ledger.Sending = true
		return
	}
	ledger.NoteSent(vertex, frame, slot)
	bank.NoteTx(cell, frame.Port(), nic.TxSent, frame.Destination())
	bank.PopTx(cell)
}

// Cross implements Transport. It decides the frame on each bus.
func (t *busTransport) Cross(slot uint32) {
	t.clear()
	for vertex := t.sending.Next(0, len(t.port)); vertex < len(t.port); vertex = t.sending.Next(vertex+1, len(t.port)) {
		number := t.taps.Bus[vertex][t.port[vertex]]
		bus := &t.buses[number]
		switch {
		case t.arbitrated:
			t.arbiters.ask(number, uint32(t.taps.Tap[vertex][t.port[vertex]]))
		case bus.sender == noOne:
			t.carry(number, vertex)
		default:
			bus.senders++
			bus.differ |= t.frame(slot, int(bus.sender)).HeadBits() ^ t.frame(slot, vertex).HeadBits()
		}
	}
	if t.arbitrated {
		for _, q := range t.arbiters.choose(slot) {
			t.arbiters.grant(q)
			t.carry(q.Arbiter, t.taps.Members[q.Arbiter][q.Requester])
		}
		return
	}
	for _, number := range t.used {
		if t.buses[number].senders > 1 {
			t.met = append(t.met, number)
		}
	}
	slices.Sort(t.met)
}

func (t *busTransport) carry(number uint32, vertex int) {
	t.buses[number].sender, t.buses[number].senders = int32(vertex), 1
	t.used = append(t.used, number)
}

func (t *busTransport) clear() {
	for _, number := range t.used {
		t.buses[number] = busSlot{sender: noOne}
	}
	t.used, t.met = t.used[:0], t.met[:0]
}

// Hear implements Transport. It answers requests and delivers frames.
func (t *busTransport) Hear(_ int, bank *nic.Bank, ledger *fabric.Ledger, slot uint32, w fabric.Window) {
	first, end := bank.First+w.First, bank.First+w.End
	for vertex := t.sending.Next(first, end); vertex < end; vertex = t.sending.Next(vertex+1, end) {
		t.sending.Remove(vertex)
		if !t.arbitrated {
			continue
		}
		outcome := noOne
		if t.bus(vertex, t.port[vertex]).sender == int32(vertex) {
			outcome = int(t.port[vertex])
		}
		flow.Answer(bank, ledger, vertex-bank.First, outcome, 0, slot)
	}
	for cell := w.First; cell < w.End; cell++ {
		vertex := bank.First + cell
		port := t.hears[vertex]
		if port == nic.PortNone {
			bank.SetRx(cell, port, nic.StatusIdle)
			continue
		}
		switch bus := t.bus(vertex, port); {
		case bus.sender == noOne:
			bank.SetRx(cell, port, nic.StatusIdle)
		case ledger.Faults != nil && t.harmed(bus, bank, cell, port, ledger, slot):
		case bus.senders > 1:
			bank.SetRx(cell, port, nic.StatusCollision)
			ledger.NoteHeard(vertex, port, nic.StatusCollision, nil, slot)
		default:
			bus.listened = ledger.Frames.Listened(bus.listened, fabric.Unharmed, 1)
			frame := t.frame(slot, int(bus.sender))
			ledger.NoteHeard(vertex, port, bank.PushRx(cell, port, frame), frame, slot)
		}
	}
	ledger.Judge(slot)
}

func (t *busTransport) harmed(bus *busSlot, bank *nic.Bank, cell int, port uint16,
	ledger *fabric.Ledger, slot uint32) bool {
	effect := ledger.Harm(bank, cell, port, slot, bus.senders > 1)
	if effect != fabric.Unharmed && bus.senders == 1 {
		bus.listened = ledger.Frames.Listened(bus.listened, effect, 1)
	}
	return effect != fabric.Unharmed
}

// Collisions implements Transport. Frames collide only without an arbiter. Both rails are lit from the first
// differing bit of two frames; the source always differs.
func (t *busTransport) Collisions(_ int, _ uint32, yield func(medium int, cycle uint32)) (met, alone uint64) {
	for _, number := range t.met {
		bus := &t.buses[number]
		met += uint64(bus.senders)
		if yield != nil {
			bit := bits.LeadingZeros64(bus.differ)
			yield(int(number), uint32(t.timing.ComputeCycles+t.timing.ArbitrationCycles+bit/t.timing.PhitBits))
		}
	}
	return met, uint64(len(t.used) - len(t.met))
}

func (t *busTransport) Reset(seed uint64) {
	t.sending.Clear()
	clear(t.port)
	for i := range t.hears {
		t.hears[i] = nic.PortNone
	}
	for i := range t.buses {
		t.buses[i] = busSlot{sender: noOne}
	}
	t.used, t.met = t.used[:0], t.met[:0]
	if t.arbiters != nil {
		t.arbiters.reset(seed)
	}
	for i := range t.frames {
		clear(t.frames[i])
	}
}

// State implements hw.Stateful. The result of a slot is not saved.
func (t *busTransport) State(v *hw.StateVisitor) {
	n := len(t.port)
	hw.StateColumn(v, hw.Future, "sending", t.sending.Words(), func(word int, bits uint64) error {
		if left := n - word<<6; left < 64 && bits>>left != 0 {
			return fmt.Errorf("bits above the bit of processor %d", n-1)
		}
		return nil
	})
	hw.StateColumn(v, hw.Future, "port", t.port,
		func(vertex int, port uint16) error { return t.checkPort(vertex, port, port == 0) })
	hw.StateColumn(v, hw.Future, "hears", t.hears,
		func(vertex int, port uint16) error { return t.checkPort(vertex, port, port == nic.PortNone) })
	if t.arbiters != nil {
		v.Within(t.arbiters)
	}
	stateTables(v, &t.frames, &t.sending, t.stride, nic.CheckFrames(t.stride, t.payloadBytes, n))
	v.Derive(func() {
		t.sending.Derive()
		t.clear()
	})
}

// stateTables visits two tables of frames by sender. Snapshots need only the frames of the crossing slot's senders.
func stateTables(v *hw.StateVisitor, tables *[2][]byte, senders *hw.Set, stride int, check func(int, byte) error) {
	if !v.Snapshots() {
		for i, name := range []string{"even", "odd"} {
			hw.StateColumn(v, hw.Future, name+".frames", tables[i], check)
		}
		return
	}
	n := len(tables[0]) / stride
	v.Live(hw.Live{
		Save: func(to []byte, slot uint32) []byte {
			for sender := senders.Next(0, n); sender < n; sender = senders.Next(sender+1, n) {
				frame := nic.FrameView(tables[slot&1][sender*stride : (sender+1)*stride])
				to = append(to, frame[:frame.Used()]...)
			}
			return to
		},
		Return: func(from []byte, slot uint32) []byte {
			senders.Derive()
			for sender := senders.Next(0, n); sender < n; sender = senders.Next(sender+1, n) {
				from = from[nic.FrameView(tables[slot&1][sender*stride:(sender+1)*stride]).Return(from):]
			}
			return from
		},
	})
}

func (t *busTransport) checkPort(vertex int, port uint16, none bool) error {
	if ports := len(t.taps.Bus[vertex]); !none && int(port) >= ports {
		return fmt.Errorf("vertex %d at port %d of %d", vertex, port, ports)
	}
	return nil
}

// Timeless implements fabric.Timeless: turns of slices depend on the slot.
func (t *busTransport) Timeless() bool { return t.arbiters == nil || t.arbiters.passed == nil }
