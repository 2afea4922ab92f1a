package stream

import (
	"math/bits"

	"starloom/fabric"
	"starloom/fabric/plant"
	"starloom/hw"
	"starloom/nic"
)

// Bare is the hardware of a machine of routers without firmware. Its sources and sinks handle packets that are known
// at the start of a run. A slot is one cycle. Cross runs many slots: up to the next look, or to the last tail.
type Bare struct {
	routed
	until uint32                     // slot before which Cross stops
	told  uint32                     // number of slots with reported faults
	id    func(packet uint32) uint64 // identifier of a packet
	most  uint64                     // largest identifier
}

// cyclesPerLook is the maximum number of active cycles between two pauses of a run.
const cyclesPerLook = cyclesPerCredits

// NewBare builds the hardware of a network of routers. rtl, unless nil, replaces some routers. Load adds packets.
func NewBare(n fabric.Network, c *fabric.Config, workers *hw.Workers, rtl plant.RTL) (*Bare, error) {
	b := &Bare{}
	return b,
		b.build(n, c, workers, rtl, func(r *fabric.Routers, k *hw.Kernel) (*hw.RouterNetwork, []hw.Component, error) {
			network, err := hw.NewRouterNetwork(n.Kind(), k.Clock(), r.Config, &r.Graph, r.Routes, &hw.Packets{}, k.Shards())
			if err != nil {
				return nil, nil, err
			}
			return network, network.Components(), nil
		})
}

// Load sets the packets of a run and their identifiers. It returns the table of packets.
func (b *Bare) Load(packets hw.Packets, id func(packet uint32) uint64) (*hw.Packets, error) {
	if b.faults != nil {
		packets.Harm = make([]uint32, packets.Count())
	}
	b.id, b.most = id, 1
	for i := range packets.Count() {
		b.most = max(b.most, id(uint32(i)))
	}
	return b.wires.Packets, b.wires.Begin(packets)
}

// Until sets the slot before which Cross stops.
func (b *Bare) Until(slot uint32) { b.until = slot }

// Slots returns the number of crossed slots.
func (b *Bare) Slots() uint32 { return uint32(b.kernel.Cycle()) }

func (b *Bare) Start() {}

// Settle shows the wires of the current cycle, between slots.
func (b *Bare) Settle() { b.kernel.DriveAndSettle() }

func (b *Bare) Begin(int, uint32, bool) {}

// Hear updates a ledger up to a slot. A Bare has no processors.
func (b *Bare) Hear(_ int, _ *nic.Bank, ledger *fabric.Ledger, slot uint32, _ fabric.Window) {
	f, w := &ledger.Frames, b.wires
	f.Sent, f.Delivered, f.Faulted = w.Sent(), w.Sinks.Received(), w.Sinks.Dropped()
	b.hearFaults(ledger, b.told, slot, slot%cyclesPerLook == 0)
	b.told = slot + 1
}

func (b *Bare) Send(int, *nic.Bank, *fabric.Ledger, uint32, fabric.Window, []uint32) {}

func (b *Bare) Cross(uint32) { plant.Guarded(b.rtl, b.cross) }

// cross runs cycles, each with its clock edge. Stops and watchers do not change the results.
func (b *Bare) cross() {
	k, w := b.kernel, b.wires
	stop := min(uint64(b.until), (k.Cycle()/cyclesPerLook+1)*cyclesPerLook)
	for k.Cycle() < stop && !w.Done() && !b.failed() {
		if skip := k.QuietFor(uint64(b.until) - k.Cycle()); skip > 0 {
			if w.Still() {
				b.deadlocked = 1
				return
			}
			if b.Watch == nil {
				k.Skip(min(skip, b.nextLook()-k.Cycle()))
				continue
			}
		}
		k.DriveAndSettle()
		b.Look(k.Cycle())
		k.Latch()
	}
	if k.Cycle()%cyclesPerKnots == 0 && !w.Done() && len(b.Knots()) > 0 {
		b.deadlocked = 1
	}
}

// nextLook returns the next cycle in which credits or deadlocks must be checked even if nothing is active.
func (b *Bare) nextLook() uint64 {
	cycle, until := b.kernel.Cycle(), uint64(b.until)
	switch {
	case b.faults != nil && b.faults.LosesCredits():
		return min(until, (cycle/cyclesPerLook+1)*cyclesPerLook)
	case b.wires.Flying() > 0:
		return min(until, (cycle/cyclesPerKnots+1)*cyclesPerKnots)
	}
	return until
}

// Knots returns the deadlocks, nil with RTL.
func (b *Bare) Knots() []hw.Knot {
	if b.rtl != nil || b.wires.Done() {
		return nil
	}
	return b.wires.Knots(nil)
}

// Deadlock describes the packets of knots.
func (b *Bare) Deadlock(knots []hw.Knot, packet func(number uint32) string) Deadlock {
	return DeadlockOf(b.built, knots, packet)
}

// Wired returns the routers of the network.
func (b *Bare) Wired() *fabric.Routers { return b.routers }

// Standing describes the blocked packets with their places and reasons, "" for none or with RTL.
func (b *Bare) Standing(packet func(number uint32) string) string {
	if b.rtl != nil {
		return ""
	}
	return Standing(b.names, b.wires.Standing(nil), packet)
}

func (b *Bare) Latch() {}

// InFlight returns the number of packets between source and sink.
func (b *Bare) InFlight() (packets int) { return int(b.wires.Flying()) }

func (b *Bare) Stands() bool { return false }

func (b *Bare) AtEnd(_ *fabric.Checks, find func(fabric.Finding)) {
	b.wires.CountHops()
	b.missingCredits(find)
}

func (b *Bare) Forget(int) (goOn int) { return 0 }

func (b *Bare) Reset(uint64) {
	b.routed.reset()
	b.told = 0
}

func (b *Bare) Routers() *hw.RouterSignals {
	return b.signals(hw.PacketNumbers{Bits: bits.Len64(b.most), Of: b.id})
}

func (b *Bare) State(v *hw.StateVisitor) {
	b.routed.state(v)
	hw.StateScalar(v, hw.Future, "told", &b.told)
	if b.faults != nil {
		hw.StateColumn(v, hw.Future, "harm", b.wires.Packets.Harm)
	}
}

// Loads returns the channel loads: of the arrived packets, or of a relation all flits that have crossed. If there are
// more packets than pairs of nodes, Loads follows each path only once.
func (b *Bare) Loads() *ChannelLoads {
	loads, p := NewChannelLoads(b.routers), b.wires.Packets
	if loads.cross(b.wires) {
		return loads
	}
	nodes := uint32(len(b.routers.Graph.Nodes))
	var between []uint64 // flits, [source*nodes + destination]; nil with few packets
	if int(nodes)*int(nodes) <= p.Count() && b.routers.Routes.Outcomes() == 1 {
		between = make([]uint64, nodes*nodes)
	}
	for i, received := range p.Received {
		switch {
		case received == hw.PacketPending:
		case between == nil:
			loads.Note(p.Source[i], p.Destination[i], uint64(p.Size[i]), hw.ChanceOf(p, uint32(i)))
		default:
			between[p.Source[i]*nodes+p.Destination[i]] += uint64(p.Size[i])
		}
	}
	for pair, flits := range between {
		if flits > 0 {
			loads.Note(uint32(pair)/nodes, uint32(pair)%nodes, flits, hw.Chance{})
		}
	}
	return loads
}
