// Package referees holds referees of packets for several networks, and trackers of packets and frames.
package referees

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

// Packets is the referee of one packet per processor, or of one packet for all processors. A packet is delivered when
// its addressee receives it in a data frame.
//
// Firmware may announce a received packet (sl_deliver). The announcement counts if the packet is the processor's own,
// or if a good frame has brought it to this processor before. The frame proves that the packet was at the processor
// once, but not that it still is. A packet for another processor breaks the rule exactly_once, so one byte of
// evidence per processor suffices; only the processor's own shard writes it.
type Packets struct {
	Destination []uint32 // by source processor
	Arrived     []uint8  // by processor: receptions, saturating

	everywhere bool  // there is one packet, for all processors
	source     int   // source of the packet for all
	perUnit    int   // set by ArriveInUnit; 0 if packets must reach the destination itself
	arrived    []own // by shard: origins of packets that have reached the destination's unit

	evidence []uint8 // by processor; nil if firmware makes no announcements
}

// own puts the data of each shard into separate cache lines.
type own struct {
	origins []uint32
	_       [40]byte
}

const (
	evidencePacket     = 1 << iota // a frame with the packet for this processor was received
	evidenceUnreadable             // a payload was received that is not a packet
)

// NewPackets returns a referee of one packet per processor.
func NewPackets(processors int) *Packets {
	p := &Packets{Destination: make([]uint32, processors), Arrived: make([]uint8, processors)}
	hw.AdviseHuge(p.Destination)
	hw.AdviseHuge(p.Arrived)
	return p
}

// ArriveInUnit changes the condition of arrival: a packet arrives at any processor of the destination's unit. The
// sender then learns of the arrival.
func (p *Packets) ArriveInUnit(units, perUnit int) {
	p.perUnit, p.arrived = perUnit, make([]own, units)
}

func (p *Packets) Load(l *fabric.Load) error {
	w, to := l.Workload, p.Destination
	if p.everywhere = w.OneToAll != nil; p.everywhere {
		p.source = w.OneToAll.Source
		fabric.FillIdentity(to)
		return nil
	}
	switch w.Permutation.Kind {
	case fabric.PermutationIdentity, fabric.PermutationAll:
		fabric.FillIdentity(to)
	case fabric.PermutationReverse:
		fabric.FillReverse(to)
	case fabric.PermutationList:
		copy(to, w.Permutation.List)
	default:
		fabric.FillRandom(to, l.Seed)
	}
	return nil
}

// Tell implements Referee. A word is the destination of a processor's packet, or the source of the packet for all
// processors.
func (p *Packets) Tell(first int, words []uint32) {
	if !p.everywhere {
		copy(words, p.Destination[first:])
		return
	}
	for i := range words {
		words[i] = uint32(p.source)
	}
}

// Routed returns p, for referees that embed Packets.
func (p *Packets) Routed() *Packets { return p }

// PacketsOf returns the Packets of a referee, nil if it has none.
func PacketsOf(r fabric.Referee) *Packets {
	if routed, ok := r.(interface{ Routed() *Packets }); ok {
		return routed.Routed()
	}
	return nil
}

// ToAll returns the source of the packet for all processors, -1 for none.
func (p *Packets) ToAll() int {
	if p.everywhere {
		return p.source
	}
	return -1
}

func (p *Packets) Overhears() bool { return p.everywhere || p.perUnit > 0 }

func (p *Packets) Arrive(l *fabric.Ledger, slot uint32, arrivals []fabric.Arrival) {
	if p.perUnit > 0 {
		list := &p.arrived[l.Shard].origins
		for _, a := range arrivals {
			if p.belongs(int(a.Processor), a.Origin) {
				*list = append(*list, a.Origin)
			}
		}
		return
	}
	for _, a := range arrivals {
		p.deliver(l, int(a.Processor), a.Origin, slot)
	}
}

func (p *Packets) deliver(l *fabric.Ledger, processor int, origin, slot uint32) {
	if !p.belongs(processor, origin) {
		if l.Checks.ExactlyOnce {
			l.Find(fabric.Finding{Kind: fabric.FindMisrouted, Slot: slot, Index: processor, Value: origin})
		}
		return
	}
	if p.Arrived[processor] > 0 && l.Checks.ExactlyOnce {
		l.Find(fabric.Finding{Kind: fabric.FindDuplicate, Slot: slot, Index: processor, Value: origin})
	}
	if p.Arrived[processor] < 255 {
		p.Arrived[processor]++
	}
}

func (p *Packets) Acknowledges() bool { return p.perUnit > 0 }

func (p *Packets) Acknowledge(yield func(processor int)) {
	for i := range p.arrived {
		for _, origin := range p.arrived[i].origins {
			p.Arrived[p.Destination[origin]] = 1
			yield(int(origin))
		}
		p.arrived[i].origins = p.arrived[i].origins[:0]
	}
}

func (p *Packets) Witness(announces bool) fabric.Witness {
	if !announces {
		return nil
	}
	p.evidence = make([]uint8, len(p.Destination))
	return p
}

func (p *Packets) belongs(processor int, origin uint32) bool {
	switch {
	case uint64(origin) >= uint64(len(p.Destination)):
		return false
	case p.everywhere:
		return origin == uint32(p.source)
	case p.perUnit > 0:
		return int(p.Destination[origin])/p.perUnit == processor/p.perUnit
	}
	return p.Destination[origin] == uint32(processor)
}

func (p *Packets) Sent(*fabric.Ledger, int, nic.FrameView, uint32)    {}
func (p *Packets) Blocked(*fabric.Ledger, int, nic.FrameView, uint32) {}

// Received implements Witness. It records a frame with the packet for this processor, or with a payload that is not a
// packet: a short payload, an ack or a control frame.
func (p *Packets) Received(_ *fabric.Ledger, processor int, frame nic.FrameView, _ uint32) {
	switch {
	case frame.IsPacket():
		if p.belongs(processor, frame.Origin()) {
			p.evidence[processor] |= evidencePacket
		}
	case frame.PayloadBytes() > 0:
		p.evidence[processor] |= evidenceUnreadable
	}
}

func (p *Packets) Announce(l *fabric.Ledger, processor int, origin, slot uint32) {
	l.NoteAnnounced(processor, origin)
	if p.Unfounded(processor, origin) {
		if l.Checks.ExactlyOnce {
			l.Find(fabric.Finding{Kind: fabric.FindUnbacked, Slot: slot, Index: processor, Value: origin})
		}
		return
	}
	if p.belongs(processor, origin) && origin != uint32(processor) && !p.brought(processor, origin) {
		l.Frames.OnTrust++
	}
	if p.perUnit > 0 {
		return // only frames inform a sender of the arrival of its packet
	}
	if l.Checks.ExactlyOnce {
		wrong := fabric.Finding{Slot: slot, Index: processor, Value: origin}
		switch {
		case int(origin) >= len(p.Destination):
			wrong.Kind, wrong.Text = fabric.FindMisrouted, fmt.Sprintf("announced a packet of processor %d; there are "+
				"processors 0 to %d", origin, len(p.Destination)-1)
		case !p.belongs(processor, origin):
			wrong.Kind, wrong.Text = fabric.FindMisrouted, fmt.Sprintf("announced the packet of processor %d, which is not "+
				"for it", origin)
		case p.Arrived[processor] > 0:
			wrong.Kind, wrong.Text = fabric.FindDuplicate, fmt.Sprintf("announced the packet of processor %d, which had "+
				"arrived before", origin)
		}
		if wrong.Text != "" {
			l.Find(wrong)
			return
		}
	}
	before := p.Arrived[processor]
	p.deliver(l, processor, origin, slot)
	if before == 0 && p.Arrived[processor] > 0 {
		l.Announced++
	}
}

// Unfounded reports whether an announcement is provably false: the packet is for this processor but not from it, and
// no received frame can have brought the packet.
func (p *Packets) Unfounded(processor int, origin uint32) bool {
	return p.belongs(processor, origin) && origin != uint32(processor) && !p.brought(processor, origin) &&
		(p.evidence == nil || p.evidence[processor]&evidenceUnreadable == 0)
}

func (p *Packets) brought(processor int, origin uint32) bool {
	if p.perUnit > 0 {
		// any processor of the unit may receive the packet; a frame counts as arrival at the unit
		return p.Arrived[p.Destination[origin]] > 0
	}
	return p.evidence != nil && p.evidence[processor]&evidencePacket != 0
}

// Metrics implements Referee. It returns the numbers of delivered and lost packets, and the maximum number held by a
// processor. The number of lost packets is known only if the run has finished or all packets are delivered, because
// others may be in flight. The number of held packets comes from firmware or from frames.
func (p *Packets) Metrics(e *fabric.End, carries bool) (m fabric.Metrics) {
	if carries {
		delivered := -e.NotArrived
		for _, arrived := range p.Arrived {
			if arrived > 0 {
				delivered++
			}
		}
		lost := len(p.Arrived) - delivered
		m.Add("delivered", delivered)
		m.AddKnown(e.Finished || lost == 0, "lost", lost)
	}
	m.AddKnown(e.HeldMax > 0, "packets_per_processor_max", e.HeldMax)
	return m
}

func (p *Packets) Missing(yield func(fabric.Finding) bool) {
	if !slices.Contains(p.Arrived, 0) {
		return
	}
	for origin, to := range p.Destination {
		if p.Arrived[to] != 0 {
			continue
		}
		f := fabric.Finding{Kind: fabric.FindMissing, Index: int(to), Value: uint32(origin)}
		if p.everywhere {
			if f.Value = uint32(p.source); f.Index == p.source {
				f.Text = "never announced its own packet (sl_deliver), which the workload requires"
			}
		}
		if !yield(f) {
			return
		}
	}
}

func (p *Packets) Reset() {
	clear(p.Arrived)
	clear(p.evidence)
	for i := range p.arrived {
		p.arrived[i].origins = p.arrived[i].origins[:0]
	}
}

func (p *Packets) State(v *hw.StateVisitor) {
	hw.StateColumn(v, hw.Derived, "destination", p.Destination, hw.AtMost(uint32(len(p.Destination)-1)))
	hw.StateColumn(v, hw.Future, "arrived", p.Arrived)
	hw.StateColumn(v, hw.Future, "evidence", p.evidence, hw.AtMost[uint8](evidencePacket|evidenceUnreadable))
}

// Touch prefetches the destinations of packets before they are judged. The result prevents the compiler from removing
// the loads.
func (p *Packets) Touch(arrivals []fabric.Arrival) (any uint64) {
	for _, a := range arrivals {
		if uint64(a.Origin) < uint64(len(p.Destination)) {
			any ^= uint64(p.Destination[a.Origin])
		}
	}
	return any
}
