package hw

import "math/bits"

// PacketSinks is a bank of the sinks of bare packets: a flit on a node's input wire is consumed in
// that cycle, and its credit leaves in the next. Flits of several packets may alternate, on
// different virtual channels.
//
// Reset: nothing received.
type PacketSinks struct {
	Registers
	clock   *Clock
	wiring  *routerWiring
	packets *Packets
	flits   *Flits
	credits *CreditWires
	word    []int // of each shard, its first word of lit flits
	shards  []sinkShard
	eject   *ejection // of sinks that firmware empties, nil if they take every flit
	fed     bool
}

type sinkShard struct {
	received uint64   // packets
	dropped  uint64   // packets that were thrown away
	arrived  []uint32 // packets of sinks of fed networks, until they are taken
	_        [24]byte
}

func newPacketSinks(path string, clock *Clock, w *routerWiring, packets *Packets, flits *Flits, credits *CreditWires, word []int) *PacketSinks {
	x := &PacketSinks{clock: clock, wiring: w, packets: packets, flits: flits, credits: credits, word: word, shards: make([]sinkShard, w.shards)}
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

// Received is the number of packets whose tails have arrived.
func (x *PacketSinks) Received() (n uint64) {
	for i := range x.shards {
		n += x.shards[i].received
	}
	return n
}

// Dropped is the number of packets that were thrown away.
func (x *PacketSinks) Dropped() (n uint64) {
	for i := range x.shards {
		n += x.shards[i].dropped
	}
	return n
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

// consume takes a flit: its credit leaves.
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
		broken(Index(x.Path(), node), "packet %d arrives, which was not sent, or has arrived before", packet)
	}
	if x.packets.dropped(packet) {
		x.shards[shard].dropped++
	} else {
		x.packets.Received[packet] = uint32(x.clock.cycle)
		x.shards[shard].received++
	}
	if x.fed {
		x.shards[shard].arrived = append(x.shards[shard].arrived, packet)
	}
}

// QuietFor implements Quiet: nothing but flits, and places that get free, make a sink do anything.
func (x *PacketSinks) QuietFor(limit uint64) uint64 {
	if x.eject != nil && x.eject.moves() {
		return 0
	}
	return limit
}
