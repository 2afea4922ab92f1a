package hw

import (
	"fmt"
	"math/bits"
	"slices"
)

// Feed holds the parameters of a network whose packets firmware queues between cycles.
type Feed struct {
	TxFrames int  // maximum number of packets in a source, including the packet being sent
	RxFrames int  // maximum number of packets in a sink that the processor has not taken
	Harm     bool // faults may harm packets: RouterNetwork.Suffer
	Chosen   bool // each packet names the virtual channels in which it may leave; otherwise packets may leave in all
	Lossless bool // a sink returns credits only for packets that fit; otherwise the sink accepts every flit
}

// FedNetwork is a network that receives packets from firmware while it runs. Packet numbers are reused.
//
//	between cycles   Feed: a processor has queued a packet     -> its source may send it from this cycle on
//	                 Arrived: packets whose tails have arrived -> Release: the caller no longer uses them
//	                 Freed: a processor has taken packets      -> its sink has free places
type FedNetwork struct {
	*RouterNetwork
	table *packetTable
}

type packetTable struct {
	Registers
	packets *Packets
	link    []uint32 // for a free packet, the next free packet; otherwise the caller's data
	free    [1]uint32
	live    int
}

// noPacket ends a list.
const noPacket = ^uint32(0)

// NewFedNetwork returns a network without packets.
func NewFedNetwork(path string, clock *Clock, config RouterConfig, graph *RouterGraph, routing RouteTable, feed Feed,
	shards []Shard) (*FedNetwork, error) {
	switch by := config.Stages.Priority; by {
	case PriorityNetworkAge, PrioritySequence:
		return nil, fmt.Errorf("%s: priority %v, but packets of firmware have only the priorities age, local_age, "+
			"queue_length and hop_count", path, by)
	}
	packets := &Packets{}
	if feed.Harm {
		packets.Harm = []uint32{}
	}
	if feed.Chosen {
		packets.FirstVC, packets.LastVC = []uint8{}, []uint8{}
	}
	if routing.Sets != nil && routing.Sets.MidBase != nil {
		packets.Mid = []uint32{}
	}
	n, err := newRouterNetwork(path, clock, config, graph, routing, packets, shards, &feed)
	if err != nil {
		return nil, err
	}
	t := &packetTable{packets: packets}
	nodes := uint32(len(graph.Nodes) - 1)
	registers := []Register{
		Column("free", t.free[:]).ResetTo(noPacket),
		List("source", &packets.Source, AtMost(nodes)), List("destination", &packets.Destination, AtMost(nodes)),
		List("size", &packets.Size),
		List("created", &packets.Created), List("sent", &packets.Sent), List("received", &packets.Received),
		List("hops", &packets.Hops),
		List("link", &t.link),
	}
	if feed.Harm {
		registers = append(registers, List("harm", &packets.Harm))
	}
	if feed.Chosen {
		highest := AtMost(uint8(config.VCs - 1))
		registers = append(registers, List("first_vc", &packets.FirstVC, highest), List("last_vc", &packets.LastVC, highest))
	}
	if packets.Mid != nil {
		registers = append(registers, List("mid", &packets.Mid, AtMost(nodes+1)))
	}
	t.Registers = Declare(Declaration{Path: Join(path, "packets"), Registers: registers, Derive: t.derive})
	t.Reset()
	return &FedNetwork{n, t}, nil
}

func (t *packetTable) derive() {
	t.live = 0
	for _, size := range t.packets.Size {
		if size > 0 {
			t.live++
		}
	}
}

func (t *packetTable) QuietFor(limit uint64) uint64 { return limit }

// Components returns the parts of the network for a kernel.
func (n *FedNetwork) Components() []Component { return append(n.RouterNetwork.Components(), n.table) }

// Live returns the number of packets that are not released.
func (n *FedNetwork) Live() int { return n.table.live }

// Feed queues a packet at the source of a node. The source must have room. vcs are the virtual channels in which the
// packet may leave; without Feed.Chosen they are ignored. Feed returns the packet's number.
func (n *FedNetwork) Feed(node int, destination uint32, size uint16, created uint32, vcs VCRange) (packet uint32) {
	t, p := n.table, n.Packets
	t.live++
	if packet = t.free[0]; packet == noPacket {
		packet = uint32(p.Count())
		p.Add(uint32(node), destination, size, created)
		t.link = append(t.link, noPacket)
	} else {
		t.free[0] = t.link[packet]
		p.Source[packet], p.Destination[packet], p.Size[packet], p.Created[packet] = uint32(node), destination, size, created
		if p.Sent[packet], p.Received[packet], p.Hops[packet] = PacketPending, PacketPending, 0; p.Harm != nil {
			p.Harm[packet] = 0
		}
		if p.Mid != nil {
			p.Mid[packet] = 0
		}
	}
	if p.FirstVC != nil {
		p.FirstVC[packet], p.LastVC[packet] = vcs.Low, vcs.High
	}
	x := n.Sources
	place := x.wiring.place[node]
	if int(x.end[place]-x.next[place]) >= x.room {
		broken(Index(x.Path(), node), "a packet for a full source")
	}
	x.queue[place*x.room+int(x.end[place]&x.mask)] = packet
	x.end[place]++
	shard := x.shardOf[place]
	x.shards[shard].ready.Add(place - x.wiring.places[shard].First)
	return packet
}

// Release frees the number of an arrived packet.
func (n *FedNetwork) Release(packet uint32) {
	t := n.table
	n.Packets.Size[packet] = 0
	t.link[packet], t.free[0] = t.free[0], packet
	t.live--
}

// Gone returns the number of packets that have left a node's source, modulo 2^32.
func (n *FedNetwork) Gone(node int) uint32 { return n.Sources.next[n.Sources.wiring.place[node]] }

// Fed returns the number of packets fed to a node, modulo 2^32.
func (n *FedNetwork) Fed(node int) uint32 { return n.Sources.end[n.Sources.wiring.place[node]] }

// Begun returns the number of flits that a source has sent of its next packet.
func (n *FedNetwork) Begun(node int) uint16 { return n.Sources.place[n.Sources.wiring.place[node]] }

// Number returns the packet with an ordinal among the packets fed to the node. Only recent ordinals are valid.
func (n *FedNetwork) Number(node int, number uint32) (packet uint32) {
	x := n.Sources
	return x.queue[x.wiring.place[node]*x.room+int(number&x.mask)]
}

// Arrived yields the packets whose tails have arrived since the last call. The packets of a node are in order of
// arrival.
func (n *FedNetwork) Arrived(yield func(packet uint32)) {
	for i := range n.Sinks.shards {
		s := &n.Sinks.shards[i]
		for _, packet := range s.arrived {
			yield(packet)
		}
		s.arrived = s.arrived[:0]
	}
}

// Hold stops sources from sending heads before the cycle.
func (n *FedNetwork) Hold(cycle uint64) { n.Sources.hold = cycle }

// Freed returns places to a node's sink.
func (n *FedNetwork) Freed(node, places int) {
	if e := n.Sinks.eject; e != nil {
		e.freed(n.Sinks.wiring.place[node], places)
	}
}

// Still reports whether the network stays unchanged until a processor acts.
func (n *FedNetwork) Still() bool { return n.RouterNetwork.Still() }

func newFedSources(path string, config RouterConfig, clock *Clock, w *routerWiring, packets *Packets,
	flits *Flits, credits []*CreditWires, word []int, routes *RouteSets, feed *Feed,
) *PacketSources {
	x := emptySources(config, clock, w, packets, flits, credits, word, routes)
	x.room = 1 << bits.Len(uint(2*feed.TxFrames)) // twice TxFrames: sent packets stay readable until the next boundary
	x.mask = uint32(x.room - 1)
	x.queue, x.end = make([]uint32, w.nodes*x.room), make([]uint32, w.nodes)
	x.shardOf = make([]uint16, w.nodes)
	for i, s := range w.places {
		for place := s.First; place < s.End; place++ {
			x.shardOf[place] = uint16(i)
		}
	}
	x.Registers = Declare(Declaration{
		Path: path,
		Registers: append([]Register{Column("next", x.next), Column("end", x.end),
			Column("queue", x.queue)}, x.registers()...),
		Derive: x.deriveFed,
	})
	x.Reset()
	return x
}

func (x *PacketSources) deriveFed() {
	for i, s := range x.wiring.places {
		shard := &x.shards[i]
		shard.ready.Clear()
		for place := s.First; place < s.End; place++ {
			if x.next[place] != x.end[place] {
				shard.ready.Add(place - s.First)
			}
		}
	}
}

func newFedSinks(path string, config RouterConfig, clock *Clock, w *routerWiring, packets *Packets,
	flits *Flits, credits *CreditWires, word []int, feed *Feed,
) *PacketSinks {
	x := &PacketSinks{clock: clock, wiring: w, packets: packets, flits: flits, credits: credits, word: word,
		shards: make([]sinkShard, w.shards), fed: true}
	var saved []uint32
	d := Declaration{Path: path, Registers: []Register{List("arrived", &saved)}}
	d.Collect = func() {
		saved = saved[:0]
		for i := range x.shards {
			saved = append(saved, x.shards[i].arrived...)
		}
		slices.Sort(saved) // at most one packet per node: earlier arrivals are taken before a state is saved
	}
	if feed.Lossless {
		x.eject = newEjection(w, &config, feed.RxFrames)
		d.Registers = append(d.Registers, x.eject.registers()...)
	}
	d.Derive = func() {
		for i := range x.shards {
			x.shards[i].arrived = x.shards[i].arrived[:0]
		}
		x.shards[0].arrived = append(x.shards[0].arrived, saved...)
		if x.eject != nil {
			x.eject.derive()
		}
	}
	x.Registers = Declare(d)
	x.Reset()
	return x
}
