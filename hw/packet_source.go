package hw

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// PacketSources is a bank of sources of bare packets. Each node sends an unbounded FIFO of packets, in order of
// creation, flit by flit into an input port of a router. A head uses the next virtual channel, in circular order
// after the last used one, that the packet may use, that has no owner, and that has a credit. Without such a channel
// the head waits. A packet created in cycle t may be sent in cycle t. Credits count in the cycle in which they
// arrive.
//
// Throughput one flit per cycle. Reset: all credits, all VCs free, no packet sent.
type PacketSources struct {
	Registers
	config  RouterConfig
	clock   *Clock
	wiring  *routerWiring
	packets *Packets
	flits   *Flits
	credits []*CreditWires // banks
	word    []int          // by shard: its first word of lit credits

	queue   []uint32 // [place*room + (number & mask)]: packets in order of sending
	room    int      // queue places per fed source, a power of two; 0 if all packets are known and queue is one list
	mask    uint32
	end     []uint32 // by place: end of its packets in queue
	start   []uint32 // by place: start of its packets in queue
	hold    uint64   // cycle before which no head leaves
	shardOf []uint16 // by fed place: shard of the place

	next   []uint32 // by place: number in queue of the current or next packet
	place  []uint16 // by place: number of flits sent of packet next
	vc     []uint8  // by place: VC of the current or last packet
	sent   []uint16 // by VC: number of sent flits whose credit has not returned
	used   []uint8  // by VC: 1 while a packet owns the VC
	tailed []uint8  // by VC: 1 if its last owner has sent its tail

	buffers *sharedBuffers // at the far ends; nil for private ones
	routes  *RouteSets     // rules of routes; nil for others
	lfsr    []uint32       // by place: register of the draws of midway routers; nil without
	classes *sourceClasses // state of sources with classes; nil for one FIFO per source
	shards  []sourceShard
}

// sourceShard holds the sources of a shard that are able to send. It is derived from the registers.
type sourceShard struct {
	ready   Set      // places relative to the shard's first
	created []uint32 // the shard's packets in order of creation
	cursor  int      // index into created; all packets before the index exist
	_       [48]byte // keeps shards on separate cache lines
}

func emptySources(config RouterConfig, clock *Clock, w *routerWiring, packets *Packets, flits *Flits,
	credits []*CreditWires, word []int, routes *RouteSets) *PacketSources {
	x := &PacketSources{config: config, clock: clock, wiring: w, packets: packets, flits: flits, credits: credits,
		routes: routes,
		word:   word, mask: ^uint32(0)}
	n := w.nodes
	x.next, x.place, x.vc = make([]uint32, n), make([]uint16, n), make([]uint8, n)
	x.sent, x.used, x.tailed = make([]uint16, n*config.VCs), make([]uint8, n*config.VCs), make([]uint8, n*config.VCs)
	x.buffers = newSharedBuffers(&config, n)
	x.shards = make([]sourceShard, w.shards)
	for i, s := range w.places {
		x.shards[i].ready = NewSet(max(1, s.End-s.First))
	}
	return x
}

func (x *PacketSources) registers() []Register {
	registers := []Register{
		Column("place", x.place),
		Column("vc", x.vc, AtMost(uint8(x.config.VCs-1))).ResetTo(uint8(x.config.VCs - 1)),
		Column("sent", x.sent, AtMost(uint16(x.config.Depth))), Column("used", x.used, AtMost[uint8](1)),
		Column("tailed", x.tailed, AtMost[uint8](1)),
	}
	if x.routes != nil && x.routes.MidBase != nil {
		column, register := routeLFSRs("lfsr", x.wiring.nodes)
		x.lfsr, registers = column, append(registers, register)
	}
	return append(registers, x.buffers.registers()...)
}

func newPacketSources(path string, config RouterConfig, clock *Clock, w *routerWiring, packets *Packets,
	flits *Flits, credits []*CreditWires, word []int, routes *RouteSets,
) *PacketSources {
	x := emptySources(config, clock, w, packets, flits, credits, word, routes)
	x.begin(path)
	return x
}

func (x *PacketSources) begin(path string) {
	x.sort()
	x.classes = newSourceClasses(x)
	ready := make([]uint8, x.wiring.nodes)
	registers := append([]Register{Column("next", x.next, x.checkNext).ResetTo(x.start...)},
		append(x.registers(), Column("ready", ready, AtMost[uint8](1)),
			Column("packet_sent", x.packets.Sent).ResetTo(PacketPending))...)
	x.Registers = Declare(Declaration{
		Path: path,
		Registers: slices.Concat(registers, x.packets.prioritize(x.config.Stages.Priority), x.rulesColumns(),
			x.classes.registers(x.packets)),
		Collect: func() { x.collect(ready) },
		Derive:  func() { x.derive(ready) },
	})
	x.Reset()
}

// rulesColumns adds the columns of packets that rules of routes need, and returns their registers.
func (x *PacketSources) rulesColumns() (registers []Register) {
	p := x.packets
	if x.routes != nil && x.routes.Picks != nil && p.Choice != nil {
		p.Drawn = make([]uint8, p.Count())
		registers = append(registers, Column("drawn", p.Drawn))
	}
	if x.lfsr != nil {
		if p.Mid == nil {
			p.Mid = make([]uint32, p.Count())
		}
		registers = append(registers, Column("mid", p.Mid).ResetTo(slices.Clone(p.Mid)...))
	}
	return registers
}

// sort builds the queues of all sources, and the order of creation of each shard. The numbers of packets usually
// follow this order.
func (x *PacketSources) sort() {
	p, w := x.packets, x.wiring
	x.queue = make([]uint32, p.Count())
	x.queue = x.queue[:0]
	for i := range uint32(p.Count()) {
		if !p.Traffic.replies(i) {
			x.queue = append(x.queue, i)
		}
	}
	SortByKey(x.queue, func(i *uint32) uint32 { return p.Created[*i] })
	for i := range w.places {
		x.shards[i].created = nil
	}
	owner := make([]uint16, w.nodes) // shard by place
	for i, s := range w.places {
		for place := s.First; place < s.End; place++ {
			owner[place] = uint16(i)
		}
	}
	x.start, x.end = make([]uint32, w.nodes), make([]uint32, w.nodes)
	for _, packet := range x.queue {
		place := w.place[p.Source[packet]]
		x.end[place]++
		shard := &x.shards[owner[place]]
		shard.created = append(shard.created, packet)
	}
	SortByKey(x.queue, func(i *uint32) uint32 { return uint32(w.place[p.Source[*i]]) })
	last := uint32(0)
	for place, count := range x.end {
		x.start[place] = last
		last += count
		x.end[place] = last
	}
}

// Reset puts every register into its reset state. The next cycle must be 0.
func (x *PacketSources) Reset() {
	x.Registers.Reset()
	for i := range x.shards {
		x.shards[i].ready.Clear()
		x.shards[i].cursor = 0
	}
}

func (x *PacketSources) checkNext(place int, next uint32) error {
	if next < x.start[place] || next > x.end[place] {
		return fmt.Errorf("element %d is %d, but the packets of this source are %d to %d", place, next,
			x.start[place], x.end[place])
	}
	return nil
}

func (x *PacketSources) collect(ready []uint8) {
	clear(ready)
	for i, s := range x.wiring.places {
		for at := range s.End - s.First {
			if x.shards[i].ready.Has(at) {
				ready[s.First+at] = 1
			}
		}
	}
}

// derive restores the ready sets, and sets cursor after the packets created before this cycle.
func (x *PacketSources) derive(ready []uint8) {
	for i, places := range x.wiring.places {
		s := &x.shards[i]
		s.ready.Clear()
		s.cursor, _ = slices.BinarySearchFunc(s.created, x.clock.cycle, func(packet uint32, cycle uint64) int {
			return cmp.Compare(uint64(x.packets.Created[packet]), cycle)
		})
		for place := places.First; place < places.End; place++ {
			if ready[place] == 1 {
				s.ready.Add(place - places.First)
			}
		}
	}
}

func (x *PacketSources) Latches() (wires []Wire) {
	for _, bank := range x.credits {
		wires = append(wires, &bank.channels)
	}
	return wires
}

func (x *PacketSources) Latch(s Shard) {
	shard, places := &x.shards[s.Index], x.wiring.places[s.Index]
	for _, bank := range x.credits {
		credits, lit := bank.now()
		lit = lit[x.word[s.Index]:]
		for k := range (places.End - places.First + 63) / 64 {
			for ; lit[k] != 0; lit[k] &= lit[k] - 1 {
				at := k*64 + bits.TrailingZeros64(lit[k])
				x.takeCredit(places.First+at, int(credits[x.wiring.first[len(x.wiring.ports)]+places.First+at]))
				shard.ready.Add(at)
			}
		}
	}
	now := x.clock.cycle
	for shard.cursor < len(shard.created) && uint64(x.packets.Created[shard.created[shard.cursor]]) <= now {
		shard.ready.Add(x.wiring.place[x.packets.Source[shard.created[shard.cursor]]] - places.First)
		shard.cursor++
	}
	n := places.End - places.First
	for at := shard.ready.Next(0, n); at < n; at = shard.ready.Next(at+1, n) {
		sent := false
		if x.classes != nil {
			sent = x.sendOfClasses(s.Index, places.First+at)
		} else {
			sent = x.send(s.Index, places.First+at)
		}
		if !sent {
			shard.ready.Remove(at)
		}
	}
}

func (x *PacketSources) takeCredit(place, vc int) {
	g := place*x.config.VCs + vc
	if x.sent[g] == 0 {
		broken(Index(x.Path(), x.wiring.node[place]), "a credit for VC %d without an outstanding flit", vc)
	}
	x.sent[g]--
	if x.config.WaitForTail && x.sent[g] == 0 && x.tailed[g] == 1 {
		x.used[g] = 0
	}
	if x.buffers != nil {
		x.buffers.credits(place, vc, x.sent[g] == 0 && x.used[g] == 1)
	}
}

// full reports whether a VC has no credit.
func (x *PacketSources) full(place, vc int) bool {
	if x.buffers != nil {
		return x.buffers.full(place, vc)
	}
	return int(x.sent[place*x.config.VCs+vc]) >= x.config.Depth
}

// send sends the next flit of a source. It returns false if the source must wait for a credit or a packet.
func (x *PacketSources) send(shard, place int) (sent bool) {
	at, p := x.next[place], x.packets
	if at == x.end[place] {
		return false
	}
	packet := x.queue[place*x.room+int(at&x.mask)]
	if uint64(p.Created[packet]) > x.clock.cycle {
		return false
	}
	vcs := x.config.VCs
	first := place * vcs
	f := Flit(packet) << flitPacketShift
	if x.place[place] == 0 {
		if x.holds() {
			return true
		}
		vc := x.freeVC(place, packet)
		if vc < 0 {
			return false
		}
		x.vc[place], x.used[first+vc], x.tailed[first+vc] = uint8(vc), 1, 0
		p.Sent[packet] = uint32(x.clock.cycle)
		if x.lfsr != nil && p.Mid[packet] == 0 {
			p.Mid[packet] = x.routes.drawMid(&x.lfsr[place], p.Source[packet], p.Destination[packet])
		}
		if f |= flitHead; p.Sequence != nil {
			p.Sequence[packet] = at - x.start[place] + 1
		}
	} else if x.full(place, int(x.vc[place])) {
		return false
	}
	f |= x.count(place, packet, int(x.place[place]), int(x.vc[place]))
	if x.place[place]++; f.Tail() {
		x.place[place] = 0
		x.next[place]++
	}
	to := &x.wiring.sources[place]
	x.flits.put(shard, to.wire, to.delay, uint64(f))
	return true
}

// count counts the flit of a packet with the given ordinal that a source sends on a VC. It returns the flit's bits,
// without those of a head.
func (x *PacketSources) count(place int, packet uint32, ordinal, vc int) (f Flit) {
	p, g := x.packets, place*x.config.VCs+vc
	f = Flit(vc) << flitVCShift
	x.sent[g]++
	if p.FlitSent != nil {
		f |= Flit(ordinal) << flitHopsShift // 0 for a head
		p.FlitSent[p.FirstFlit[packet]+uint32(ordinal)] = uint32(x.clock.cycle)
	}
	if ordinal+1 == int(p.Size[packet]) {
		f |= flitTail
		x.tailed[g] = 1
		if !x.config.WaitForTail {
			x.used[g] = 0
		}
	}
	if x.buffers != nil {
		x.buffers.sends(place, vc, f.Tail())
	}
	return f
}

// holds reports whether no head may leave in this cycle. The cycle of reset comes before cycle 0.
func (x *PacketSources) holds() bool { return int64(x.clock.cycle) < int64(x.hold) }

func (x *PacketSources) vcsOf(packet uint32) (low, high int) {
	if p := x.packets; p.FirstVC != nil {
		return int(p.FirstVC[packet]), int(p.LastVC[packet])
	}
	return 0, x.config.VCs - 1
}

// freeVC returns the next VC, in circular order after the last used one, that the packet may use, that has no owner,
// and that has a credit, or -1 if none.
func (x *PacketSources) freeVC(place int, packet uint32) int {
	low, high := x.vcsOf(packet)
	vc := int(x.vc[place])
	for range high - low + 1 {
		if vc++; vc < low || vc > high {
			vc = low
		}
		if g := place*x.config.VCs + vc; x.used[g] == 0 && !x.full(place, vc) {
			return vc
		}
	}
	return -1
}

// Cycle returns the current cycle.
func (x *PacketSources) Cycle() uint64 { return x.clock.cycle }

func (x *PacketSources) QuietFor(limit uint64) uint64 {
	for i := range x.shards {
		s := &x.shards[i]
		if n := x.wiring.places[i].End - x.wiring.places[i].First; n > 0 && s.ready.Next(0, n) < n {
			return 0
		}
		if s.cursor < len(s.created) {
			at := uint64(x.packets.Created[s.created[s.cursor]])
			limit = min(limit, max(at, x.clock.cycle)-x.clock.cycle)
		}
	}
	return limit
}
