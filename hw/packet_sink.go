package hw

import "math/bits"

// PacketSinks is a bank of sinks of bare packets. A sink consumes a flit on its node's input wire in the same cycle;
// the credit leaves in the next cycle. Flits of several packets may interleave on different virtual channels.
//
// Reset: no packet received.
type PacketSinks struct {
	Registers
	clock   *Clock
	wiring  *routerWiring
	packets *Packets
	flits   *Flits
	credits *CreditWires
	word    []int // by shard: its first word of lit flits
	shards  []sinkShard
	eject   *ejection // state of sinks that firmware empties; nil if sinks accept every flit
	fed     bool
	sources *PacketSources // they send the replies; nil without
}

type sinkShard struct {
	received uint64
	dropped  uint64   // number of packets dropped by faults
	arrived  []uint32 // packets of a fed network that Arrived has not yielded yet
	_        [24]byte
}

func newPacketSinks(path string, clock *Clock, w *routerWiring, packets *Packets, flits *Flits, credits *CreditWires,
	word []int) *PacketSinks {
	x := &PacketSinks{clock: clock, wiring: w, packets: packets, flits: flits, credits: credits, word: word,
		shards: make([]sinkShard, w.shards)}
	x.begin(path)
	return x
}

func (x *PacketSinks) begin(path string) {
	dropped := make([]uint64, 1)
	x.Registers = Declare(Declaration{
		Path: path,
		Registers: []Register{
			Column("packet_received", x.packets.Received).ResetTo(PacketPending), Column("hops", x.packets.Hops),
			Column("dropped", dropped, AtMost(uint64(x.packets.Count()))),
		},
		Collect: func() { dropped[0] = x.Dropped() },
		Derive:  func() { x.derive(dropped[0]) },
	})
	x.Reset()
}

func (x *PacketSinks) derive(dropped uint64) {
	clear(x.shards)
	x.shards[0].dropped = dropped
	for _, received := range x.packets.Received {
		if received != PacketPending {
			x.shards[0].received++
		}
	}
}

// Received returns the number of packets whose tails have arrived. Dropped packets are not counted.
func (x *PacketSinks) Received() (number uint64) {
	for i := range x.shards {
		number += x.shards[i].received
	}
	return number
}

// Dropped returns the number of packets that faults have dropped.
func (x *PacketSinks) Dropped() (number uint64) {
	for i := range x.shards {
		number += x.shards[i].dropped
	}
	return number
}

func (x *PacketSinks) Latches() []Wire { return []Wire{&x.flits.channels} }

func (x *PacketSinks) Latch(s Shard) {
	places := x.wiring.places[s.Index]
	flits, lit := x.flits.now()
	lit = lit[x.word[s.Index]:]
	ports := x.wiring.first[len(x.wiring.ports)]
	for k := range (places.End - places.First + 63) / 64 {
		for ; lit[k] != 0; lit[k] &= lit[k] - 1 {
			place := places.First + k*64 + bits.TrailingZeros64(lit[k])
			f := Flit(flits[ports+place])
			if x.eject != nil && !x.eject.takes(place, f) {
				continue
			}
			x.consume(s.Index, place, f)
		}
	}
	if x.eject != nil {
		x.eject.drain(x, s.Index, places)
	}
}

func (x *PacketSinks) consume(shard, place int, f Flit) {
	to := &x.wiring.sinks[place]
	x.credits.put(shard, to.wire, to.delay, uint8(f.VC()))
	if f.Head() {
		x.packets.Hops[f.Packet()] = f.Hops()
	}
	if f.Tail() {
		x.receive(shard, place, f.Packet())
	}
}

func (x *PacketSinks) receive(shard, place int, packet uint32) {
	if node := x.wiring.node[place]; int(x.packets.Destination[packet]) != node {
		broken(Index(x.Path(), node), "packet %d arrives, its destination is %d", packet, x.packets.Destination[packet])
	} else if x.packets.Received[packet] != PacketPending || x.packets.Sent[packet] == PacketPending {
		broken(Index(x.Path(), node), "packet %d arrives unsent or again", packet)
	}
	if x.packets.dropped(packet) {
		x.shards[shard].dropped++
	} else {
		x.packets.Received[packet] = uint32(x.clock.cycle)
		x.shards[shard].received++
		if x.sources != nil {
			x.sources.reply(shard, place, packet)
		}
	}
	if x.fed {
		x.shards[shard].arrived = append(x.shards[shard].arrived, packet)
	}
}

// QuietFor implements Quiet. A sink acts only when a flit arrives, or when there is room for a held flit.
func (x *PacketSinks) QuietFor(limit uint64) uint64 {
	if x.eject != nil && x.eject.moves() {
		return 0
	}
	return limit
}

// ejection is the state of sinks that firmware empties. Packets get places in the order in which their heads arrive.
// Before a packet has a place, its flits stay in the buffer that the router's credits cover. A sink consumes one flit
// per cycle, from the first packet with a place and a flit in the buffer. With enough places, a sink consumes each
// flit on arrival.
//
// Reset: all places free, no flits.
type ejection struct {
	wiring     *routerWiring
	vcs, depth int
	places     uint16 // places per sink

	taken   []uint16 // by sink: number of places in use, each from the arrival of a packet's head on
	packets []uint16 // by sink: number of incomplete packets
	granted []uint16 // by sink: number of incomplete packets with a place, counted from the first
	order   []uint8  // [sink * room + k]: VC of the k-th incomplete packet
	room    int
	flits   []uint64 // [(sink * VCs + VC) * depth + place]: ring buffers
	head    []uint16 // position of the first flit by VC
	count   []uint16
	held    []Set // by shard: set of sinks with buffered flits, derived from count
	shardOf []uint16
}

func newEjection(w *routerWiring, config *RouterConfig, places int) *ejection {
	n := w.nodes
	e := &ejection{wiring: w, vcs: config.VCs, depth: config.Depth, places: uint16(places),
		room:  config.VCs * (config.Depth + 1),
		taken: make([]uint16, n), packets: make([]uint16, n), granted: make([]uint16, n),
		flits: make([]uint64, n*config.VCs*config.Depth), head: make([]uint16, n*config.VCs),
		count: make([]uint16, n*config.VCs), shardOf: make([]uint16, n)}
	e.order = make([]uint8, n*e.room)
	for i, s := range w.places {
		e.held = append(e.held, NewSet(max(1, s.End-s.First)))
		for place := s.First; place < s.End; place++ {
			e.shardOf[place] = uint16(i)
		}
	}
	return e
}

func (e *ejection) registers() []Register {
	return []Register{
		Column("taken", e.taken, AtMost(e.places)), Column("packets", e.packets, AtMost(uint16(e.room))),
		Column("granted", e.granted, AtMost(uint16(e.room))),
		Column("order", e.order, AtMost(uint8(e.vcs-1))), Column("flits", e.flits),
		Column("head", e.head, AtMost(uint16(e.depth-1))), Column("count", e.count, AtMost(uint16(e.depth))),
	}
}

func (e *ejection) derive() {
	for i, s := range e.wiring.places {
		e.held[i].Clear()
		for place := s.First; place < s.End; place++ {
			if e.holds(place) {
				e.held[i].Add(place - s.First)
			}
		}
	}
}

func (e *ejection) holds(place int) bool {
	for _, n := range e.count[place*e.vcs : (place+1)*e.vcs] {
		if n > 0 {
			return true
		}
	}
	return false
}

func (e *ejection) freed(place, places int) { e.taken[place] -= min(e.taken[place], uint16(places)) }

// takes reports whether the sink consumes an arriving flit at once. Otherwise takes buffers the flit.
func (e *ejection) takes(place int, f Flit) bool {
	shard := e.shardOf[place]
	at := place - e.wiring.places[shard].First
	if f.Head() {
		e.order[place*e.room+int(e.packets[place])] = uint8(f.VC())
		e.packets[place]++
		e.grant(place)
	}
	if !e.held[shard].Has(at) && e.packets[place] == e.granted[place] {
		if f.Tail() {
			e.end(place, f.VC())
		}
		return true
	}
	vc := place*e.vcs + f.VC()
	e.flits[vc*e.depth+(int(e.head[vc])+int(e.count[vc]))%e.depth] = uint64(f)
	e.count[vc]++
	e.held[shard].Add(at)
	return false
}

func (e *ejection) grant(place int) {
	for e.granted[place] < e.packets[place] && e.taken[place] < e.places {
		e.granted[place]++
		e.taken[place]++
	}
}

// end removes the first packet of a VC from the order, after its tail. The packet keeps its place.
func (e *ejection) end(place, vc int) {
	order := e.order[place*e.room : place*e.room+int(e.packets[place])]
	for k := range order {
		if order[k] == uint8(vc) {
			copy(order[k:], order[k+1:])
			break
		}
	}
	e.packets[place]--
	e.granted[place]--
}

// first returns the VC of the first packet with a place and a flit, -1 if none. Packets get places first. If lit, f
// arrives in this cycle and counts.
func (e *ejection) first(place int, f Flit, lit bool) int {
	packets := int(e.packets[place])
	order := e.order[place*e.room : place*e.room+packets]
	if lit && f.Head() {
		packets++
	}
	granted := min(packets, int(e.granted[place])+int(e.places-e.taken[place]))
	// VCs of earlier packets; an earlier packet of the same VC precedes this one in the buffer
	var seen [VCsMax / 64]uint64
	for k := range granted {
		vc := f.VC()
		if k < len(order) {
			vc = int(order[k])
		}
		if bit := uint64(1) << (vc & 63); seen[vc>>6]&bit == 0 {
			if e.count[place*e.vcs+vc] > 0 || lit && vc == f.VC() {
				return vc
			}
			seen[vc>>6] |= bit
		}
	}
	return -1
}

// next returns the flit that the sink consumes in this cycle, if f arrives in this cycle (lit).
func (e *ejection) next(place int, f Flit, lit bool) (Flit, bool) {
	vc := e.first(place, f, lit)
	if vc < 0 {
		return 0, false
	}
	if at := place*e.vcs + vc; e.count[at] > 0 {
		f = Flit(e.flits[at*e.depth+int(e.head[at])])
	}
	return f, true
}

// pop removes the flit that the sink consumes from the buffer.
func (e *ejection) pop(place int) (Flit, bool) {
	e.grant(place)
	v := e.first(place, 0, false)
	if v < 0 {
		return 0, false
	}
	vc := place*e.vcs + v
	f := Flit(e.flits[vc*e.depth+int(e.head[vc])])
	e.head[vc] = uint16((int(e.head[vc]) + 1) % e.depth)
	e.count[vc]--
	if f.Tail() {
		e.end(place, v)
	}
	return f, true
}

// drain consumes one flit at each sink of the shard with buffered flits.
func (e *ejection) drain(x *PacketSinks, shard int, places Shard) {
	held, n := &e.held[shard], places.End-places.First
	for at := held.Next(0, n); at < n; at = held.Next(at+1, n) {
		place := places.First + at
		f, ok := e.pop(place)
		if !ok {
			continue
		}
		if !e.holds(place) {
			held.Remove(at)
		}
		x.consume(shard, place, f)
	}
}

func (e *ejection) moves() bool {
	for i := range e.held {
		places := e.wiring.places[i]
		n := places.End - places.First
		for at := e.held[i].Next(0, n); at < n; at = e.held[i].Next(at+1, n) {
			if e.movesAt(places.First + at) {
				return true
			}
		}
	}
	return false
}

func (e *ejection) movesAt(place int) bool {
	return e.first(place, 0, false) >= 0 || e.granted[place] < e.packets[place] && e.taken[place] < e.places
}
