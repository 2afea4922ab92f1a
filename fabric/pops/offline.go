package pops

import (
	"fmt"

	"starloom/fabric"
)

// The schedule word of one processor in one slot.
//
//	 63     37  36   35    34    33    32   31         16 15          0
//	+---------+----+-----+-----+-----+-----+-------------+-------------+
//	|    0    |end | max | min |final| own | listen port |  send port  |
//	+---------+----+-----+-----+-----+-----+-------------+-------------+
//
// A processor has three packets: its own packet, a packet that it holds for others, and its final packet, which is
// addressed to it. In a slot the processor
//
//   - sends a packet to the send port, unless that is WordPortNone: a copy of its own packet (WordOwn), or the
//     held packet, which it then gives up;
//   - hears the listen port, unless that is WordPortNone: the received packet becomes the final packet (WordFinal) or
//     the held packet, possibly in place of the packet sent in the same slot;
//   - then keeps as its own packet the smaller (WordKeepMin) or the larger (WordKeepMax) of its own and its
//     final packet, if one of these bits is set.
//
// Firmware sees the result of a slot at the start of the next slot, and acts on bits 33 to 35 then.
const (
	WordSendShift   = 0       // bits 0 to 15: the send port
	WordListenShift = 16      // bits 16 to 31: the listen port
	WordPortMask    = 0xFFFF  // mask of a port, shifted down
	WordPortNone    = 0xFFFF  // the processor neither sends nor hears
	WordOwn         = 1 << 32 // the processor sends its own packet instead of the held packet
	WordFinal       = 1 << 33 // the received packet becomes the final packet
	WordKeepMin     = 1 << 34 // the processor keeps the smaller of its own and its final packet
	WordKeepMax     = 1 << 35 // the processor keeps the larger of these packets
	WordEnd         = 1 << 36 // the schedule is over

	// WordIdle neither sends nor hears.
	WordIdle = WordPortNone<<WordListenShift | WordPortNone<<WordSendShift
)

func wordSend(word, group, flags uint64) uint64 {
	return word&^(WordPortMask<<WordSendShift) | group<<WordSendShift | flags
}

func wordListen(word, group, flags uint64) uint64 {
	return word&^(WordPortMask<<WordListenShift) | group<<WordListenShift | flags
}

// OfflineSlots returns the number of slots of off-line routing of a permutation: 1 for d = 1, otherwise 2*ceil(d/g).
func OfflineSlots(p Network) int {
	if p.GroupSize == 1 {
		return 1
	}
	return 2 * ((p.GroupSize + p.Groups - 1) / p.Groups)
}

// routes holds the sizes of a plan with two hops. The packets form max(d,g) classes of width = min(d,g). Packets of a
// class have different source groups and different destination groups. A batch of two slots carries g classes, one
// for each intermediate group r; processor j of group r holds packet j of the class.
type routes struct {
	groups, groupSize, width, classes int
}

func routesOf(p Network) routes {
	return routes{
		groups: p.Groups, groupSize: p.GroupSize,
		width: min(p.Groups, p.GroupSize), classes: max(p.Groups, p.GroupSize),
	}
}

func (r routes) batch(slot int) (first, end, hop int) {
	first = slot / 2 * r.groups
	return first, min(first+r.groups, r.classes), slot % 2
}

func (r routes) hop(dst []uint64, hop int, packet, destination uint32, between, j int) {
	d := uint32(r.groupSize)
	holder := between*r.groupSize + j
	if hop == 0 {
		dst[packet] = wordSend(dst[packet], uint64(between), WordOwn)
		dst[holder] = wordListen(dst[holder], uint64(packet/d), 0)
		return
	}
	dst[holder] = wordSend(dst[holder], uint64(destination/d), 0)
	dst[destination] = wordListen(dst[destination], uint64(between), WordFinal)
}

// OfflinePlan is the off-line routing of one permutation. It implements Schedule.
//
// Each packet takes two hops, to an intermediate group and then to its destination; with one processor per group, one
// hop. A coupler carries at most one packet per slot. A processor holds at most three packets: its own packet, its
// final packet, and a packet in transit. For d <= g it holds a single packet.
type OfflinePlan struct {
	net         Network
	routes      routes
	destination []uint32
	order       []uint32 // packets by class; nil for d = 1
}

// PlanOffline plans the routes of a permutation, packet i to destination[i], on any POPS(d,g). A packet that starts
// at its destination is routed like all others. The plan refers to destination, which must not change. PlanOffline
// returns an error if destination is not a permutation.
//
// The packets' groups form a d-regular bipartite multigraph. For d >= g the perfect matchings of the graph are the
// classes. For d < g there are fewer matchings than groups, so the colours are spread over g classes of d packets
// each.
//
// Cost: O(n log d) time. The plan keeps 4 bytes per processor beside destination; its computation needs 21 more
// (about 50 for d < g).
func PlanOffline(p Network, destination []uint32) (*OfflinePlan, error) {
	if err := fabric.CheckPermutation(destination, p.Processors()); err != nil {
		return nil, fmt.Errorf("off-line routing: %w", err)
	}
	plan := &OfflinePlan{net: p, routes: routesOf(p), destination: destination}
	if p.GroupSize > 1 {
		plan.order = offlineOrder(p, destination)
	}
	return plan, nil
}

func offlineOrder(p Network, destination []uint32) []uint32 {
	d := uint32(p.GroupSize)
	c := newColourer(p.Groups, len(destination))
	for i, to := range destination {
		c.edges[i] = edge{to: to / d, id: uint32(i)}
	}
	c.colour(0, p.GroupSize)
	order := make([]uint32, len(destination))
	if p.GroupSize >= p.Groups {
		for i := range order {
			order[i] = c.edges[i].id
		}
		return order
	}
	colour := make([]uint32, len(order))
	for i, e := range c.edges {
		colour[e.id] = uint32(i / p.Groups)
	}
	from, to := make([]uint32, len(order)), make([]uint32, len(order))
	for i := range order {
		from[i], to[i] = uint32(i)/d, destination[i]/d
	}
	if err := equaliseColours(from, to, colour, p.Groups, p.Groups); err != nil {
		panic("pops: " + err.Error()) // there are d*g edges and g colours
	}
	order = order[:0]
	for _, class := range classesOf(colour, p.Groups) {
		order = append(order, class...)
	}
	return order
}

func (o *OfflinePlan) Slots() int { return OfflineSlots(o.net) }

// Words implements Schedule. Cost: O(n). Words keeps no state, so calls may run in parallel.
func (o *OfflinePlan) Words(slot int, dst []uint64) {
	if slot >= o.Slots() {
		endWords(dst)
		return
	}
	idleWords(dst)
	if o.order == nil {
		for i, to := range o.destination {
			dst[i] = wordSend(dst[i], uint64(to), WordOwn)
			dst[to] = wordListen(dst[to], uint64(i), WordFinal)
		}
		return
	}
	first, end, hop := o.routes.batch(slot)
	width := o.routes.width
	for class := first; class < end; class++ {
		for j, packet := range o.order[class*width : (class+1)*width] {
			o.routes.hop(dst, hop, packet, o.destination[packet], class-first, j)
		}
	}
}

func endWords(dst []uint64) {
	for i := range dst {
		dst[i] = WordIdle | WordEnd
	}
}

func idleWords(dst []uint64) {
	for i := range dst {
		dst[i] = WordIdle
	}
}
