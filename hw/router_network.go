package hw

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// RouterNetwork is a network of routers with a source and a sink of bare packets at each node.
type RouterNetwork struct {
	Routers *Routers
	Flits   *Flits
	Credits *CreditWires
	Banks   []*CreditWires // credits of the other crossbar inputs of each port
	Sources *PacketSources
	Sinks   *PacketSinks
	Packets *Packets
}

// NewRouterNetwork returns a network for the packets. The units of shards are routers. Add its Components to a kernel
// with the same clock and shards.
func NewRouterNetwork(path string, clock *Clock, config RouterConfig, graph *RouterGraph, routing RouteTable,
	packets *Packets, shards []Shard,
) (*RouterNetwork, error) {
	return newRouterNetwork(path, clock, config, graph, routing, packets, shards, nil)
}

func newRouterNetwork(path string, clock *Clock, config RouterConfig, graph *RouterGraph, routing RouteTable,
	packets *Packets, shards []Shard, feed *Feed,
) (*RouterNetwork, error) {
	if err := config.check(path, slices.Max(append([]int{1}, graph.Ports...))); err != nil {
		return nil, err
	}
	config.Stages = config.Stages.filled()
	w, err := newRouterWiring(Join(path, "router"), graph, &config, shards)
	if err != nil {
		return nil, err
	}
	if err := routing.check(path, w, config.ClassVCs()); err != nil {
		return nil, err
	}
	if err := cmp.Or(packets.check(path, w.nodes), checkTraffic(path, packets, &config, &routing)); err != nil {
		return nil, err
	}
	readers, word := w.readers()
	n := &RouterNetwork{Flits: &Flits{}, Credits: &CreditWires{}, Packets: packets}
	n.Flits.build(Join(path, "flits"), clock, readers, w.delayMax, len(shards))
	banks := []*CreditWires{n.Credits}
	for k := range config.banks() {
		name := Join(path, "credits")
		if k > 0 {
			n.Banks, banks, name = append(n.Banks, &CreditWires{}), append(banks, &CreditWires{}), Index(name, k)
			banks[k] = n.Banks[k-1]
		}
		banks[k].build(name, clock, readers, w.delayMax, len(shards))
	}
	n.Routers = newRouters(Join(path, "router"), config, w, routing, n.Flits, banks, packets, newGeneral)
	if feed != nil {
		n.Sources = newFedSources(Join(path, "source"), config, clock, w, packets, n.Flits, banks, word, routing.Sets, feed)
		n.Sinks = newFedSinks(Join(path, "sink"), config, clock, w, packets, n.Flits, n.Credits, word, feed)
		return n, nil
	}
	n.Sources = newPacketSources(Join(path, "source"), config, clock, w, packets, n.Flits, banks, word, routing.Sets)
	n.Sinks = newPacketSinks(Join(path, "sink"), clock, w, packets, n.Flits, n.Credits, word)
	n.Sinks.sources = n.Sources
	return n, nil
}

// Begin loads packets into a network in reset. No packet has been sent.
func (n *RouterNetwork) Begin(packets Packets) error {
	x := n.Routers
	if err := cmp.Or(packets.check(x.Path(), x.wiring.nodes),
		checkTraffic(x.Path(), &packets, &x.config, &x.routing)); err != nil {
		return err
	}
	*n.Packets = packets
	n.Sources.begin(n.Sources.Path())
	n.Sinks.begin(n.Sinks.Path())
	return nil
}

// Components returns the parts of the network for a kernel.
func (n *RouterNetwork) Components() []Component {
	all := []Component{n.Flits, n.Credits}
	for _, bank := range n.Banks {
		all = append(all, bank)
	}
	return append(all, n.Routers, n.Sources, n.Sinks)
}

// Done reports whether all packets have arrived or were dropped.
func (n *RouterNetwork) Done() bool {
	return n.Sinks.Received()+n.Sinks.Dropped() == uint64(n.Packets.Count())
}

// CountHops records the hops of heads in flight. The hops of arrived and lost heads are already recorded.
func (n *RouterNetwork) CountHops() {
	x, p := n.Routers, n.Packets
	note := func(f Flit, ahead uint16) {
		if f.Head() {
			p.Hops[f.Packet()] = f.Hops() - ahead
		}
	}
	for g, count := range x.count {
		for place := range int(count) {
			// the head has not passed this router yet
			note(Flit(x.buffer[g*x.config.Depth+(int(x.head[g])+place)%x.config.Depth]), 1)
		}
	}
	n.Flits.each(func(at int) { note(Flit(n.Flits.ring[at]), 0) })
	x.path.eachCrossing(func(_ int, f Flit) { note(f, 0) })
	if e := n.Sinks.eject; e != nil {
		for vc, count := range e.count {
			for place := range int(count) {
				note(Flit(e.flits[vc*e.depth+(int(e.head[vc])+place)%e.depth]), 0)
			}
		}
	}
}

// Sent returns the number of packets whose heads have left their sources.
func (n *RouterNetwork) Sent() (packets uint64) {
	x := n.Sources
	if x.classes != nil {
		for _, cycle := range x.packets.Sent {
			packets += bit(cycle != PacketPending)
		}
		return packets
	}
	for place, next := range x.next {
		packets += uint64(next - x.start[place])
		if x.place[place] > 0 {
			packets++
		}
	}
	return packets
}

// Flying returns the number of sent packets that have not arrived.
func (n *RouterNetwork) Flying() uint64 { return n.Sent() - n.Sinks.Received() - n.Sinks.Dropped() }

// Still reports whether the network will never change again: all packets have arrived, or the others are deadlocked.
// Call Still between cycles.
func (n *RouterNetwork) Still() bool {
	const ever = ^uint64(0)
	for _, c := range n.Components() {
		if c.(Quiet).QuietFor(ever) != ever {
			return false
		}
	}
	return true
}

func (t *RouteTable) check(path string, w *routerWiring, vcs int) error {
	if t.Carried || t.Rule != nil {
		return nil
	}
	if t.Sets != nil {
		return t.Sets.check(path, w, vcs)
	}
	if t.Ports == nil {
		small := slices.IndexFunc(t.Torus.K, func(k int) bool { return k < 2 })
		if t.Tree.K == 0 && (small >= 0 || len(t.Torus.K) == 0 || vcs < 2) {
			return fmt.Errorf("%s: a torus of %v nodes with %d virtual channels; allowed: numbers of 2 or more, and 2 channels "+
				"or more", path, t.Torus.K, vcs)
		}
		return nil
	}
	if len(t.Ports) != len(w.ports)*w.nodes {
		return fmt.Errorf("%s: a table of %d routes for %d routers and %d nodes", path, len(t.Ports), len(w.ports), w.nodes)
	}
	for i, port := range t.Ports {
		router, node := i/w.nodes, i%w.nodes
		if int(port) >= w.ports[router] || w.outputs[w.first[router]+int(port)].wire == unwired {
			return fmt.Errorf("%s: router %d sends to node %d through port %d, which is not wired", path, router, node, port)
		}
	}
	if t.Classes != nil && len(t.Classes) != len(t.Ports) {
		return fmt.Errorf("%s: a table of %d classes for %d routes", path, len(t.Classes), len(t.Ports))
	}
	for i, class := range t.Classes {
		if int(class) >= len(t.VCs) || t.VCs[class].Low > t.VCs[class].High || int(t.VCs[class].High) >= vcs {
			return fmt.Errorf("%s: router %d sends to node %d in a class of VCs that does not exist", path, i/w.nodes, i%w.nodes)
		}
	}
	return nil
}

func (s *RouteSets) check(path string, w *routerWiring, vcs int) error {
	if len(s.Base) != w.first[len(w.ports)]*len(s.Classes) {
		return fmt.Errorf("%s: %d bases of routes for %d ports and %d classes", path, len(s.Base), w.first[len(w.ports)],
			len(s.Classes))
	}
	for _, r := range s.Classes {
		if r.Low > r.High || int(r.High) >= vcs {
			return fmt.Errorf("%s: a class of VCs %d to %d; there are %d VCs", path, r.Low, r.High, vcs)
		}
	}
	return nil
}

// Crossed returns the number of flits that have crossed a link, if the routes are a relation. Otherwise the route of
// a packet determines its links, and counted is false.
func (n *RouterNetwork) Crossed(link int) (flits uint64, counted bool) {
	x := n.Routers
	if x.crossed == nil {
		return 0, false
	}
	l := &x.wiring.links[link]
	return x.crossed[x.wiring.first[l.From]+l.Output], true
}

// Crossings reports, for counters, the flits at the ends of channels in each cycle. Channel numbers are those of
// RouterFaults.
type Crossings struct {
	flits   *Flits
	channel []uint32 // [word*64 + bit] of the lit wires
}

// Crossings returns the crossings of the network.
func (n *RouterNetwork) Crossings() *Crossings {
	x := &Crossings{n.Flits, make([]uint32, 64*n.Flits.words)}
	channels, _ := n.channels()
	for wire, channel := range channels {
		x.channel[int(n.Flits.word[wire])*64+int(n.Flits.bit[wire])] = channel
	}
	return x
}

// Each yields the channels from which a flit emerges in this cycle. Call it between Settle and Latch.
func (x *Crossings) Each(yield func(channel int)) {
	for k, word := range x.flits.lighting(0) {
		for ; word != 0; word &= word - 1 {
			yield(int(x.channel[k*64+bits.TrailingZeros64(word)]))
		}
	}
}

// Memory of routers in bytes, without buffers and route tables: per virtual channel of a port, per port with its
// wiring and wires, per router and per node.
const (
	memoryVC     = 6*2 + 4
	memoryPort   = 96
	memoryRouter = 64
	memoryNode   = 160
	memoryRoute  = 9 // per route, while tables are built
)

// RouterBytes estimates the memory of a network of routers in bytes, without packets.
func RouterBytes(config *RouterConfig, graph *RouterGraph, routing *RouteTable) (bytes uint64) {
	ports, most, latency := 0, 1, 1
	for _, n := range graph.Ports {
		ports, most = ports+n, max(most, n)
	}
	for i := range graph.Links {
		latency = max(latency, graph.Links[i].Latency)
	}
	words := uint64(max(1, (most*config.VCs+63)/64))
	vcs, nodes, routers := uint64(ports*config.VCs), uint64(len(graph.Nodes)), uint64(len(graph.Ports))
	slots := uint64(1) << bits.Len(uint(latency+2+config.CreditDelay))
	bytes = vcs*(8*uint64(config.Depth)+8*words+memoryVC) + uint64(ports)*memoryPort + routers*(memoryRouter+7*8*words)
	bytes += slots * (uint64(ports) + nodes) * (8 + 1) // flits and credits in flight
	bytes += nodes*(memoryNode+4*uint64(config.VCs)) + memoryRoute*uint64(len(routing.Ports))
	bytes += slots * (uint64(ports) + nodes) * uint64(config.banks()-1)
	if s := config.Stages.filled(); s.OutputSpeedup > 1 || s.InternalSpeedup > 1 || s.CrossbarDelay > 1 {
		bytes += vcs * uint64(config.Depth) * (8 + 2*uint64(s.InputSpeedup)) // queues of flits and of credits
	}
	return bytes + uint64(len(graph.Links))*8*5
}

// Suffer attaches faults to the network. The packets of the network must have the column Harm.
func (n *RouterNetwork) Suffer(faults RouterFaults) {
	w := n.Routers.wiring
	flits, credits := n.channels()
	n.Flits.loses = func(shard int, wire uint32, cycle uint64, f uint64) bool {
		lost := faults.LosesFlit(shard, int(flits[wire]), cycle, Flit(f))
		if lost && Flit(f).Head() {
			n.Packets.Hops[Flit(f).Packet()] = Flit(f).Hops()
		}
		return lost
	}
	for _, bank := range n.Routers.banks {
		bank.loses = func(shard int, wire uint32, cycle uint64, vc uint8) bool {
			return faults.LosesCredit(shard, int(credits[wire]), int(vc), cycle)
		}
	}
	n.Routers.dead = make([]uint64, len(w.ports))
	n.Routers.faults = faults
	n.Strike()
}

// Strike determines which routers die. Call it at the start of a run.
func (n *RouterNetwork) Strike() {
	x := n.Routers
	for r := range x.dead {
		x.dead[r] = x.faults.DeadFrom(r)
	}
}

func (n *RouterNetwork) channels() (flits, credits []uint32) {
	w := n.Routers.wiring
	ports := w.first[len(w.ports)]
	flits, credits = make([]uint32, ports+w.nodes), make([]uint32, ports+w.nodes)
	links := uint32(len(w.links))
	for i, l := range w.links {
		flits[w.first[l.To]+l.Input], credits[w.first[l.From]+l.Output] = uint32(i), uint32(i)
	}
	for place, node := range w.node {
		at := w.sources[place].wire
		flits[at], credits[ports+place] = links+2*uint32(node), links+2*uint32(node)
		flits[ports+place], credits[at] = links+2*uint32(node)+1, links+2*uint32(node)+1
	}
	return flits, credits
}
