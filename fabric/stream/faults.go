package stream

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// harmed receives a frame that a fault has harmed; false: none has.
func (s *Stream) harmed(x *streamShard, processor int, port uint16, packet uint32, ledger *fabric.Ledger, slot uint32) (status nic.Status, harmed bool) {
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

// Stands implements Flying: what is on its way will never come. Only faults bring that about; of RTL no one knows.
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
				Text: fmt.Sprintf("a frame from processor %d has not come %d cycles after it was queued in cycle %d, at most %d are allowed",
					from, wait, p.Created[packet], checks.LatencyMax)})
		}
	}
}

func (s *Stream) frameText(packet uint32) string {
	from, to := s.ends(packet)
	return fmt.Sprintf("frame %d (%d to %d, queued in cycle %d)", s.serial[packet], from, to, s.network.Packets.Created[packet])
}

func (s *Stream) ends(packet uint32) (source, destination uint32) {
	p := s.network.Packets
	from, _ := s.routers.NIC.At(int(p.Source[packet]))
	to, _ := s.routers.NIC.At(int(p.Destination[packet]))
	return uint32(from), uint32(to)
}

// standing are the packets that stand; processors are in the place of their ports.
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
