package stream

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
)

// Deadlock describes sets of packets that wait for each other, with a shortest cycle of the first set.
type Deadlock struct {
	Text string // clause for the middle of a sentence, before Waits
	// the first waitsTold packets; each waits for the next; in a complete list, the last waits for the first
	Waits []fabric.Waiting
	Since uint64 // last cycle in which a flit of these packets moved
	Link  int    // number of the cycle's first channel between routers
}

const waitsTold = 16

// DeadlockOf describes knots. packet names a packet.
func DeadlockOf(n fabric.Network, knots []hw.Knot, packet func(number uint32) string) Deadlock {
	k, built := knots[0], fabric.RoutersOf(n)
	name := func(h hw.Held) string {
		if h.NIC {
			return starved(n, built, h)
		}
		return fmt.Sprintf("%s VC %d", built.Channel(h.From, h.Output, h.To), h.VC)
	}
	nics, first := 0, max(0, slices.IndexFunc(k.Cycle, func(h hw.Held) bool { return h.NIC }))
	cycle := slices.Concat(k.Cycle[first:], k.Cycle[:first])
	d := Deadlock{Since: k.Since,
		Link: cycle[max(0, slices.IndexFunc(cycle, func(h hw.Held) bool { return !h.NIC }))].Link}
	for i, h := range cycle {
		if h.NIC {
			nics++
		}
		if i >= waitsTold {
			continue
		}
		w := fabric.Waiting{Who: "a packet whose next flit has not arrived", Holds: name(h),
			Path: n.Names().Medium(built.Media + h.Link),
			For:  name(cycle[(i+1)%len(cycle)]), NIC: h.NIC}
		if h.Packet != hw.PacketPending {
			w.Who = packet(h.Packet)
		}
		if h.NIC {
			w.Holds = "the TX FIFO of " + place(n, built, h.From)
			w.For = "a place at its router, where the frames before it wait for " + w.For
		}
		d.Waits = append(d.Waits, w)
	}
	d.Text = "a ring of " + traces.Plural(uint64(len(cycle)-nics), "channel between routers", "channels between routers")
	if nics > 0 {
		d.Text += " and " + traces.Plural(uint64(nics), "NIC", "NICs")
	}
	d.Text += fmt.Sprintf(", in a knot of %d virtual channels", k.VCs)
	if len(knots) > 1 {
		d.Text += " (and " + traces.Plural(uint64(len(knots)-1), "more knot", "more knots") + ")"
	}
	d.Text += fmt.Sprintf(", without movement since cycle %d", d.Since)
	if len(cycle) > waitsTold {
		d.Text += fmt.Sprintf("; only the first %d of the cycle are listed", waitsTold)
	}
	return d
}

func place(n fabric.Network, built *fabric.Routers, node int) string {
	processor, port := built.NIC.At(node)
	if built.NIC.Ports(processor) == 1 {
		return n.Names().Processor(processor)
	}
	return n.Names().Port(processor, uint16(port))
}

func starved(n fabric.Network, built *fabric.Routers, h hw.Held) string {
	full := "its TX FIFO is full"
	if processor, _ := built.NIC.At(h.To); built.NIC.Ports(processor) > 1 {
		full = "the TX FIFO of " + place(n, built, h.From) + " is full"
	}
	return fmt.Sprintf("a place in the RX FIFO of %s, whose firmware reads no frame while %s", place(n, built, h.To), full)
}

// cyclesPerKnots is the period of the search for deadlocks. A deadlock ends a run. A handler call is a refusal if
// firmware takes no frame out of an RX FIFO while the processor's TX FIFO is full. After refusalsMax consecutive
// refusals, firmware counts as waiting for room in the TX FIFO.
const cyclesPerKnots, refusalsMax = 1 << 12, 64

// refuses counts a processor's consecutive handler calls with a full TX FIFO that leave all left frames of a port in
// the RX FIFO.
func (s *Stream) refuses(processor, node int, left uint8, taken bool) {
	if n := &s.refused[node]; taken || left == 0 || len(s.full(processor)) == 0 {
		*n = 0
	} else if *n < refusalsMax {
		*n++
	}
}

// full returns the nodes of a processor with a full share of the TX FIFO. If the whole FIFO is full, it returns all
// nodes with frames.
func (s *Stream) full(processor int) (nodes []int) {
	whole := int(s.taken.count[processor]) == s.taken.room
	for port := range s.routers.NIC.Ports(processor) {
		if frames := s.taken.to(processor, port); frames >= s.taken.room/s.ports || whole && frames > 0 {
			nodes = append(nodes, s.routers.NIC.Node(processor, port))
		}
	}
	return nodes
}

// lookForKnots periodically searches for deadlocks before a tick. Only models have a known wait-for graph.
func (s *Stream) lookForKnots() {
	if now := s.kernel.Cycle(); now/cyclesPerKnots != (now+uint64(s.timing.SlotCycles()))/cyclesPerKnots &&
		s.knots() != nil {
		s.deadlocked = 1
	}
}

func (s *Stream) knots() []hw.Knot {
	if s.network.Live() == 0 || s.rtl != nil {
		return nil
	}
	return s.network.Knots(func(node int) (hw.Taking, []int) {
		processor, _ := s.routers.NIC.At(node)
		if full := s.full(processor); s.refused[node] == refusalsMax && len(full) > 0 {
			return hw.Stuck, full
		}
		return hw.Takes, nil
	})
}

// findDeadlock reports frames that wait for each other forever.
func (s *Stream) findDeadlock(find func(fabric.Finding)) {
	knots := s.knots()
	if knots == nil {
		return
	}
	d := DeadlockOf(s.built, knots, s.frameText)
	some := traces.Plural(uint64(s.network.Live()), "frame", "frames")
	find(fabric.Finding{Kind: fabric.FindDeadlock, Index: s.routers.Media + d.Link, Cycle: d.Since, Waits: d.Waits,
		Text: fmt.Sprintf("some of %s in flight will never arrive: they wait for each other (deadlock); %s", some, d.Text)})
}

// harmed receives a frame damaged by a fault. It returns false for an intact frame.
func (s *Stream) harmed(x *streamShard, processor int, port uint16, packet uint32, ledger *fabric.Ledger,
	slot uint32) (status nic.Status, harmed bool) {
	p, fate := s.network.Packets, fabric.FateDropped
	switch {
	case p.Harm == nil || p.Harm[packet] == 0:
		return 0, false
	case p.Received[packet] == hw.PacketPending:
		ledger.Frames.Alone++
		ledger.Frames.Faulted++
	default:
		status, fate, ledger.At = nic.StatusCRC, fabric.FateDamaged, uint64(p.Received[packet])+1
		ledger.NoteHeard(processor, port, status, nil, slot)
	}
	ledger.NoteFate(s.frame(packet), slot, fate)
	x.freed = append(x.freed, int(p.Destination[packet]))
	return status, true
}

// Stands implements Flying. Only faults can prevent the arrival of all frames in flight. With RTL the answer is
// unknown.
func (s *Stream) Stands() bool {
	if s.faults == nil || s.rtl != nil || !s.network.Still() {
		return false
	}
	for i := range s.shards {
		if len(s.shards[i].fed)+len(s.shards[i].freed) > 0 {
			return false
		}
	}
	starves := func(int) (hw.Taking, []int) { return hw.Starves, nil }
	return !slices.ContainsFunc(s.network.Standing(starves), func(x hw.Stand) bool { return x.Full >= 0 })
}

func (s *Stream) AtEnd(checks *fabric.Checks, find func(fabric.Finding)) {
	s.missingCredits(find)
	if s.faults != nil && s.rtl == nil {
		if text := Standing(s.names, s.standing(), s.frameText); text != "" {
			find(fabric.Finding{Kind: fabric.FindStanding, Cycle: s.kernel.Cycle(), Text: text})
		}
	}
	s.findDeadlock(find)
	p, now := s.network.Packets, uint32(s.kernel.Cycle())
	for packet, size := range p.Size {
		pending := size > 0 && p.Received[packet] == hw.PacketPending && p.Created[packet] < now
		if wait := now - p.Created[packet]; checks.LatencyMax > 0 && pending && wait > checks.LatencyMax {
			from, to := s.ends(uint32(packet))
			find(fabric.Finding{Kind: fabric.FindSlow, Index: int(to), Value: from, Cycle: s.kernel.Cycle(),
				Text: fmt.Sprintf("a frame from processor %d had not arrived %d cycles after it was queued in cycle %d; at most "+
					"%d "+
					"are allowed",
					from, wait, p.Created[packet], checks.LatencyMax)})
		}
	}
}

func (s *Stream) frameText(packet uint32) string {
	from, to := s.ends(packet)
	return fmt.Sprintf("frame %d (%d to %d, queued in cycle %d)", s.serial[packet], from, to,
		s.network.Packets.Created[packet])
}

func (s *Stream) ends(packet uint32) (source, destination uint32) {
	p := s.network.Packets
	from, _ := s.routers.NIC.At(int(p.Source[packet]))
	to, _ := s.routers.NIC.At(int(p.Destination[packet]))
	return uint32(from), uint32(to)
}

func (s *Stream) standing() []hw.Stand {
	stands := s.network.Standing(nil)
	for i := range stands {
		for _, node := range []*int{&stands[i].Node, &stands[i].Full} {
			if *node >= 0 {
				*node, _ = s.routers.NIC.At(*node)
			}
		}
	}
	return stands
}
