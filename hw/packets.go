package hw

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
)

// Packets are bare packets, column by column: what sources send and what becomes of it.
type Packets struct {
	Source, Destination []uint32
	Size                []uint16 // flits, >= 1
	Created             []uint32 // cycle
	FirstVC, LastVC     []uint8  // in which it may leave its source; nil: in all

	// What the run finds: the cycle in which the source sends the head, that in which the tail is on
	// the wire of the sink, both PacketPending before; the routers that the head has passed, 0 before it is there (see CountHops).
	Sent, Received []uint32
	Hops           []uint16
	Harm           []uint32 // what faults have done to it: HarmCut, ...; nil without faults
}

// PacketPending is the cycle of what has not happened yet.
const PacketPending = ^uint32(0)

// Count is the number of packets.
func (p *Packets) Count() int { return len(p.Source) }

// Add appends a packet; its number is the count before.
func (p *Packets) Add(source, destination uint32, size uint16, created uint32) {
	p.Source, p.Destination = append(p.Source, source), append(p.Destination, destination)
	p.Size, p.Created = append(p.Size, size), append(p.Created, created)
	p.Sent, p.Received = append(p.Sent, PacketPending), append(p.Received, PacketPending)
	if p.Hops = append(p.Hops, 0); p.Harm != nil {
		p.Harm = append(p.Harm, 0)
	}
	if p.FirstVC != nil {
		p.FirstVC, p.LastVC = append(p.FirstVC, 0), append(p.LastVC, 0)
	}
}

func (p *Packets) check(path string, nodes int) error {
	for i, source := range p.Source {
		if int(source) >= nodes || int(p.Destination[i]) >= nodes {
			return fmt.Errorf("%s: packet %d goes from %d to %d, nodes are 0 to %d", path, i, source, p.Destination[i], nodes-1)
		}
		if p.FirstVC != nil && p.FirstVC[i] > p.LastVC[i] {
			return fmt.Errorf("%s: packet %d may leave in VCs %d to %d", path, i, p.FirstVC[i], p.LastVC[i])
		}
		if p.Size[i] == 0 || p.Created[i] == PacketPending {
			return fmt.Errorf("%s: packet %d has %d flits and is created in cycle %d; allowed are 1 flit or more, cycles below %d",
				path, i, p.Size[i], p.Created[i], PacketPending)
		}
	}
	return nil
}

// Arrived are the numbers of the packets that have arrived, in order of arrival, those of one cycle
// by source, then by number.
func (p *Packets) Arrived() (order []uint32) {
	for i, received := range p.Received {
		if received != PacketPending {
			order = append(order, uint32(i))
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(p.Received[a], p.Received[b]), cmp.Compare(p.Source[a], p.Source[b]))
	})
	return order
}

// What has happened to a packet on its way: Packets.Harm. Above these bits stands what the faults want to know.
const (
	HarmCut     = 1 << 0 // it has lost flits: its tail never comes
	HarmDropped = 1 << 1 // its sink throws it away
	HarmFlipped = 1 << 2 // it arrives damaged
	HarmBits    = 3      // how many they are
)

// Harmed notes harm of a packet, of which shards may know several flits.
func (p *Packets) Harmed(packet, harm uint32) { atomic.OrUint32(&p.Harm[packet], harm) }

func (p *Packets) dropped(packet uint32) bool {
	return p.Harm != nil && p.Harm[packet]&HarmDropped != 0
}

// Flit is what a channel carries in one cycle: whether it is the first and the last one of its
// packet, the virtual channel in whose buffer it goes at the far end, and, used in heads only, the
// phase of a torus. The number of the packet, which says its destination, rides beside it, and so do the
// routers that a head has come to: no one but who holds a flit writes while it is under way.
type Flit uint64

const (
	flitHead  = 1 << 0
	flitTail  = 1 << 1
	flitPhase = 1 << 2

	flitVCShift     = 4
	flitVCMask      = VCsMax - 1
	flitHopsShift   = 12
	flitHopsMask    = (1<<16 - 1) << flitHopsShift
	flitNothing     = (1<<4 - 1) << (flitHopsShift + 16) // always 0
	flitPacketShift = 32
)

// VCsMax is the largest number of virtual channels of a port.
const VCsMax = 256

// PacketNodesMax is the largest number of sources and of sinks.
const PacketNodesMax = 1 << 20

// Head reports whether it is the first flit of its packet.
func (f Flit) Head() bool { return f&flitHead != 0 }

// Tail reports whether it is the last flit of its packet.
func (f Flit) Tail() bool { return f&flitTail != 0 }

// VC is the virtual channel that it takes.
func (f Flit) VC() int { return int(f >> flitVCShift & flitVCMask) }

// Hops are the routers that a head has come to, modulo 2^16.
func (f Flit) Hops() uint16 { return uint16(f >> flitHopsShift) }

func (f Flit) further() Flit {
	return f&^flitHopsMask | (f+(f&flitHead)<<flitHopsShift)&flitHopsMask
}

// Packet is the number of its packet.
func (f Flit) Packet() uint32 { return uint32(f >> flitPacketShift) }

func (f Flit) onVC(vc int) Flit { return f&^(flitVCMask<<flitVCShift) | Flit(vc)<<flitVCShift }

// Flits are the registers of a network's flits outside of buffers: of each channel the crossbar
// and output registers of its router, and the latency's worth of its link. A source has one register
// in place of two. What is put there in cycle s is at the far end in cycle s+2+latency (of a source
// s+1+latency), in order, and nothing stalls it.
//
// Wires 0, 1, ... are the input ports of all routers, then come the sinks. Reset: no flit.
type Flits struct{ channels[uint64] }
