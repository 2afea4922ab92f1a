package hw

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
)

// Packets is a table of bare packets in columns: the input of the sources, and the results.
type Packets struct {
	Source, Destination []uint32
	Size                []uint16 // size in flits, at least 1
	Created             []uint32 // cycle of creation
	Choice              []uint64 // draws for routes, as Chance reads them; nil: Chance makes them
	Drawn               []uint8  // number of draws made, for rules of routes with Choice; nil otherwise
	// 1 + a node at the router that the packet visits before its destination, 0: not drawn yet; nil if routes have none
	Mid             []uint32
	FirstVC, LastVC []uint8 // virtual channels in which the packet may leave its source; nil for all

	Traffic *PacketTraffic // classes, requests and replies; nil: one FIFO of packets per source

	// Results. Sent is the cycle in which the source sends the head, and Received the cycle in which the tail is on
	// the sink's wire. Both start as PacketPending. Hops is the number of routers that the head has passed, 0 until
	// the number is known (CountHops).
	Sent, Received []uint32
	Hops           []uint16
	Harm           []uint32 // bits HarmCut, ... set by faults; nil without faults

	Sequence  []uint32 // ordinals at the source, from 1, for PrioritySequence; nil otherwise
	FirstFlit []uint32 // by packet: its first flit in FlitSent, for PriorityNetworkAge; nil otherwise
	FlitSent  []uint32 // cycle in which the source has sent a flit
}

// PacketTraffic divides packets into classes and types, with the meaning of BookSim 2. A source has one packet of each
// class in work, sends a flit of one class per cycle, and serves the classes in turn. The type of a packet selects
// its virtual channels, at the source and in all routers.
type PacketTraffic struct {
	Classes  int
	Class    []uint8   // by packet: class of a request or a plain packet; a reply has the class that has taken it
	Priority []int32   // by class, for PriorityClass
	Type     []uint8   // by packet: index in VCs; nil: all packets may use all VCs
	VCs      []VCRange // by type
	// by packet: 1 + the packet to which the packet is the reply, 0 for none; nil without replies. The sink of the
	// request creates the reply in the cycle of the request's tail, and its source may take it in the next cycle.
	Request []uint32
}

// PacketClassesMax is the maximum number of classes of packets.
const PacketClassesMax = 64

func (t *PacketTraffic) replies(packet uint32) bool {
	return t != nil && t.Request != nil && t.Request[packet] != 0
}

// priority returns the priority of a packet by its class.
func (t *PacketTraffic) priority(packet uint32) int32 {
	if t == nil {
		return 0
	}
	return t.Priority[t.Class[packet]]
}

// VCRange is a range of virtual channels that includes both ends.
type VCRange struct{ Low, High uint8 }

// PacketPending is the cycle of an event that has not happened yet.
const PacketPending = ^uint32(0)

// Count returns the number of packets.
func (p *Packets) Count() int { return len(p.Source) }

// Add appends a packet. Its number is the previous Count.
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
	if p.Mid != nil {
		p.Mid = append(p.Mid, 0)
	}
}

func (p *Packets) check(path string, nodes int) error {
	for i, source := range p.Source {
		if int(source) >= nodes || int(p.Destination[i]) >= nodes {
			return fmt.Errorf("%s: packet %d goes from %d to %d, but nodes are 0 to "+
				"%d", path, i, source, p.Destination[i], nodes-1)
		}
		if p.Mid != nil && int(p.Mid[i]) > nodes {
			return fmt.Errorf("%s: packet %d goes over node %d, but nodes are 0 to %d", path, i, p.Mid[i]-1, nodes-1)
		}
		if p.FirstVC != nil && p.FirstVC[i] > p.LastVC[i] {
			return fmt.Errorf("%s: packet %d may leave in VCs %d to %d", path, i, p.FirstVC[i], p.LastVC[i])
		}
		if p.Size[i] == 0 || p.Created[i] == PacketPending {
			return fmt.Errorf("%s: packet %d has %d flits and is created in cycle %d; allowed: 1 flit or more, cycles "+
				"below %d",
				path, i, p.Size[i], p.Created[i], PacketPending)
		}
	}
	return nil
}

// Arrived returns the numbers of the arrived packets by cycle of arrival, then source, then number.
func (p *Packets) Arrived() (order []uint32) {
	for i, received := range p.Received {
		if received != PacketPending {
			order = append(order, uint32(i))
		}
	}
	SortByKey(order, func(i *uint32) uint32 { return p.Source[*i] })
	SortByKey(order, func(i *uint32) uint32 { return p.Received[*i] })
	return order
}

// Reserve makes room for further packets.
func (p *Packets) Reserve(count int) {
	for _, column := range []*[]uint32{&p.Source, &p.Destination, &p.Created, &p.Sent, &p.Received} {
		*column = slices.Grow(*column, count)
	}
	p.Size, p.Hops = slices.Grow(p.Size, count), slices.Grow(p.Hops, count)
}

// Lists of at least keySortMin elements are sorted by digits of keyDigitBits bits.
const keySortMin, keyDigitBits = 1 << 10, 16

// SortByKey sorts a list by a key. Elements with equal keys keep their order. The time is proportional to the length
// of the list (radix sort).
func SortByKey[T any](list []T, key func(x *T) uint32) {
	most, last, sorted := uint32(0), uint32(0), true
	for i := range list {
		k := key(&list[i])
		sorted, most, last = sorted && k >= last, max(most, k), k
	}
	if sorted {
		return
	}
	if len(list) < keySortMin {
		slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(key(&a), key(&b)) })
		return
	}
	from, to := list, make([]T, len(list))
	for shift := 0; most>>shift > 0 && shift < 32; shift += keyDigitBits {
		digit := func(x *T) uint32 { return key(x) >> shift & (1<<keyDigitBits - 1) }
		place := make([]uint32, min(most>>shift, 1<<keyDigitBits-1)+2) // of the next element by digit
		for i := range from {
			place[digit(&from[i])+1]++
		}
		for i := range place[1:] {
			place[i+1] += place[i]
		}
		for i := range from {
			at := &place[digit(&from[i])]
			to[*at] = from[i]
			*at++
		}
		from, to = to, from
	}
	copy(list, from) // itself after an even number of digits
}

// Bits of Packets.Harm. Faults use the bits from HarmBits on.
const (
	HarmCut     = 1 << 0 // the packet has lost flits, and its tail never arrives
	HarmDropped = 1 << 1 // the sink drops the packet
	HarmFlipped = 1 << 2 // the packet arrives damaged
	HarmBits    = 3      // number of these bits
)

// Harmed adds harm to a packet. Shards may call it concurrently.
func (p *Packets) Harmed(packet, harm uint32) { atomic.OrUint32(&p.Harm[packet], harm) }

func (p *Packets) dropped(packet uint32) bool {
	return p.Harm != nil && p.Harm[packet]&HarmDropped != 0
}

// Flit is the content of a channel in one cycle: head and tail flags, the virtual channel of the buffer at the far
// end, and, in heads only, the phase of a torus. A flit also contains the packet's number, and in heads the number of
// routers passed; only the current holder of the flit writes these fields.
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

// VCsMax is the maximum number of virtual channels of a port.
const VCsMax = 256

// PacketNodesMax is the maximum number of nodes.
const PacketNodesMax = 1 << 20

// Head reports whether f is the first flit of its packet.
func (f Flit) Head() bool { return f&flitHead != 0 }

// Tail reports whether f is the last flit of its packet.
func (f Flit) Tail() bool { return f&flitTail != 0 }

// VC returns the virtual channel of f.
func (f Flit) VC() int { return int(f >> flitVCShift & flitVCMask) }

// Hops returns the number of routers that a head has reached, modulo 2^16.
func (f Flit) Hops() uint16 { return uint16(f >> flitHopsShift) }

// ordinal returns the ordinal of a flit in its packet. Sources write it if the priority is PriorityNetworkAge.
func (f Flit) ordinal() uint32 {
	if f.Head() {
		return 0
	}
	return uint32(f.Hops())
}

func (f Flit) further() Flit {
	return f&^flitHopsMask | (f+(f&flitHead)<<flitHopsShift)&flitHopsMask
}

// Packet returns the number of the packet.
func (f Flit) Packet() uint32 { return uint32(f >> flitPacketShift) }

func (f Flit) onVC(vc int) Flit { return f&^(flitVCMask<<flitVCShift) | Flit(vc)<<flitVCShift }

// Flits delay flits outside of buffers: the crossbar and output registers of a router, and the latency of its link. A
// source has one register instead of two. A flit put in cycle s arrives in cycle s+2+latency (from a source
// s+1+latency), in order and without stalls.
//
// The wires of all routers' input ports come first, then the wires of the sinks. Reset: no flits.
type Flits struct{ channels[uint64] }
