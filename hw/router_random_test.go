package hw

import (
	"bytes"
	goflag "flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var full = goflag.Bool("full", false, "run the long tests")

// randomNetwork is a network that the yardstick supports, with its settings.
type randomNetwork struct {
	top      topology
	config   RouterConfig
	nodes    int
	settings []string
}

func newRandomNetwork(t testing.TB, r *rand.Rand) (n randomNetwork) {
	kind, vcsMax := r.IntN(4), 5
	switch kind {
	case 0:
		dimensions := 1 + r.IntN(3)
		k := 2 + r.IntN([]int{7, 4, 2}[dimensions-1])
		n.top, n.settings = mesh(k, dimensions), []string{"topology=mesh", fmt.Sprintf("k=%d", k), fmt.Sprintf("n=%d", dimensions)}
	case 1:
		dimensions := 1 + r.IntN(2)
		k := 3 + 2*r.IntN(4-dimensions)
		n.top, n.settings = torus(k, dimensions), []string{"topology=torus", fmt.Sprintf("k=%d", k), fmt.Sprintf("n=%d", dimensions)}
	case 2:
		k := 1 + r.IntN(12)
		n.top, n.settings = fly(k), []string{"topology=fly", fmt.Sprintf("k=%d", k), "n=1"}
	default:
		n.top = randomGraph(t, r, &n.settings)
	}
	n.nodes, vcsMax = len(n.top.graph.Nodes), min(vcsMax, 64/slices.Max(n.top.graph.Ports))
	n.config = RouterConfig{
		VCs: 1 + r.IntN(1+r.IntN(vcsMax)), Depth: 1 + r.IntN(8), RoutingDelay: r.IntN(2), CreditDelay: r.IntN(4),
		WaitForTail: r.IntN(2) == 1,
		VCAllocator: RouterAllocator(r.IntN(2)), SwitchAllocator: RouterAllocator(r.IntN(2)),
	}
	if kind == 1 {
		n.config.VCs = max(2, n.config.VCs)
	}
	wait := 0
	if n.config.WaitForTail {
		wait = 1
	}
	allocators := []string{"islip", "separable_input_first"}
	n.settings = append(n.settings, fmt.Sprintf("num_vcs=%d", n.config.VCs), fmt.Sprintf("vc_buf_size=%d", n.config.Depth),
		fmt.Sprintf("routing_delay=%d", n.config.RoutingDelay), fmt.Sprintf("credit_delay=%d", n.config.CreditDelay), fmt.Sprintf("wait_for_tail_credit=%d", wait),
		"vc_allocator="+allocators[n.config.VCAllocator], "sw_allocator="+allocators[n.config.SwitchAllocator])
	return n
}

// randomGraph returns a connected graph with unequal latencies, and writes its file for the yardstick.
func randomGraph(t testing.TB, r *rand.Rand, settings *[]string) topology {
	routers := 1 + r.IntN(9)
	latency := map[[2]int]int{}
	join := func(a, b int) {
		if a != b {
			latency[[2]int{a, b}], latency[[2]int{b, a}] = 1+r.IntN(5), 1+r.IntN(5)
		}
	}
	ring := r.IntN(3) == 0 // a ring deadlocks with few virtual channels
	for i := 1; i < routers; i++ {
		if ring {
			join(i, i-1)
		} else {
			join(i, r.IntN(i))
		}
	}
	if ring {
		join(0, routers-1)
	}
	for range r.IntN(routers + 1) {
		join(r.IntN(routers), r.IntN(routers))
	}
	nodes := []int{0}
	for range routers + r.IntN(routers) {
		nodes = append(nodes, r.IntN(routers))
	}
	var text strings.Builder
	for i := range routers {
		fmt.Fprintf(&text, "router %d", i)
		for node, at := range nodes {
			if at == i {
				fmt.Fprintf(&text, " node %d", node)
			}
		}
		for to := range routers {
			if l := latency[[2]int{i, to}]; l > 0 {
				fmt.Fprintf(&text, " router %d %d", to, l)
			}
		}
		text.WriteString("\n")
	}
	file := filepath.Join(t.TempDir(), "graph.txt")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	*settings = append(*settings, "topology=anynet", "network_file="+file)
	return irregular(latency, routers, nodes)
}

func randomPackets(r *rand.Rand, nodes int) *Packets {
	p, cycles := &Packets{}, 20+r.IntN(400)
	load, long := 0.02+0.6*r.Float64(), 1+r.IntN(12)
	hotspot := r.IntN(4) == 0
	for cycle := range cycles {
		for node := range nodes {
			if r.Float64() >= load {
				continue
			}
			to, size := r.IntN(nodes), 1
			if hotspot && r.IntN(2) == 0 {
				to = 0
			}
			if r.IntN(2) == 0 {
				size = long
			}
			p.Add(uint32(node), uint32(to), uint16(size), uint32(cycle))
		}
	}
	return p
}

// TestLongRoutersAsYardstick compares random networks, parameters and packets with the C++ yardstick packet by
// packet; in a deadlock the same packets remain. Halfway each run continues in a machine with other shards and the
// other allocation.
func TestLongRoutersAsYardstick(t *testing.T) {
	yardstick := buildYardstick(t)
	runs := 50
	if *full {
		runs = 1000
	}
	deadlocks, packets, kinds := 0, 0, map[string]int{}
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 27))
		n := newRandomNetwork(t, r)
		p := randomPackets(r, n.nodes)
		k, network := newTestNetwork(t, n.top, n.config, p, 1+r.IntN(len(n.top.graph.Ports)), 1+r.IntN(2))
		network.Routers.general = network.Routers.general || r.IntN(2) == 0
		for range r.IntN(200) {
			if seed%4 == 0 {
				requireInvariants(t, network)
			}
			k.DriveAndSettle()
			k.Latch()
		}
		var state bytes.Buffer
		require.NoError(t, Save(&state, k))
		other, second := newTestNetwork(t, n.top, n.config, p, 1+r.IntN(len(n.top.graph.Ports)), 1)
		second.Routers.general = !network.Routers.general
		require.NoError(t, Restore(&state, other))
		runNetwork(other, second)
		if !second.Done() {
			deadlocks++
		}
		kinds[n.settings[0]]++
		packets += p.Count()
		runYardstick(t, yardstick, p, n.settings...)
		requireLatencies(t, &n, p)
		if second.Done() {
			requireEmpty(t, other, second)
		}
	}
	t.Logf("%d packets in %d networks, %d with a deadlock: %v", packets, runs, deadlocks, kinds)
	require.Positive(t, deadlocks)
	require.Len(t, kinds, 4)
}

// TestLongRoutersOfManyPorts requires that routers of more than 64 virtual channels keep the invariants and deliver.
func TestLongRoutersOfManyPorts(t *testing.T) {
	for seed, c := range []struct {
		top    topology
		config RouterConfig
	}{
		{fly(70), RouterConfig{VCs: 1, Depth: 3, RoutingDelay: 1}},
		{mesh(3, 3), RouterConfig{VCs: 10, Depth: 2, WaitForTail: true, VCAllocator: SeparableInputFirst}},
		{torus(3, 2),
			RouterConfig{VCs: 130, Depth: 1, RoutingDelay: 1, CreditDelay: 1, SwitchAllocator: SeparableInputFirst}},
	} {
		p := randomPackets(rand.New(rand.NewPCG(uint64(seed), 28)), len(c.top.graph.Nodes))
		k, n := newTestNetwork(t, c.top, c.config, p, 2, 2)
		require.Greater(t, n.Routers.words, 1)
		for range 30 {
			requireInvariants(t, n)
			k.DriveAndSettle()
			k.Latch()
		}
		runNetwork(k, n)
		require.True(t, n.Done())
		requireEmpty(t, k, n)
	}
}

// requireInvariants checks section 8 of the specification between two cycles.
func requireInvariants(t testing.TB, n *RouterNetwork) {
	x, s, w := n.Routers, n.Sources, n.Routers.wiring
	vcs, ports := x.config.VCs, w.first[len(w.ports)]
	type at struct {
		wire uint32
		vc   int
	}
	flits, credits, flying := map[at]int{}, map[at]int{}, 0
	n.Flits.collect()
	for i, wire := range n.Flits.saved.wire {
		flits[at{wire, Flit(n.Flits.saved.value[i]).VC()}]++
		flying++
	}
	n.Credits.collect()
	for i, wire := range n.Credits.saved.wire {
		credits[at{wire, int(n.Credits.saved.value[i])}]++
	}
	for port := range ports {
		r := int(w.router[port])
		for vc := range vcs {
			g := port*vcs + vc
			if wire := w.outputs[port].wire; wire != unwired {
				requireCredits(t, x, int(x.sent[g]), wire, vc, flits[at{wire, vc}]+credits[at{uint32(port), vc}])
			}
			requireOwner(t, x, r, (port-w.first[r])*vcs+vc, g)
			requireQueue(t, x, r, (port-w.first[r])*vcs+vc, g)
			flying += int(x.count[g])
		}
	}
	sent := 0
	for place := range w.nodes {
		for vc := range vcs {
			wire := w.sources[place].wire
			requireCredits(t, x, int(s.sent[place*vcs+vc]), wire, vc, flits[at{wire, vc}]+credits[at{uint32(ports + place), vc}])
		}
		for _, packet := range s.queue[s.start[place]:s.next[place]] {
			sent += int(n.Packets.Size[packet])
		}
		sent += int(s.place[place])
	}
	for i, received := range n.Packets.Received {
		if received != PacketPending {
			sent -= int(n.Packets.Size[i])
		}
	}
	require.GreaterOrEqual(t, sent, flying, "flits that are in the network and were not sent") // also consumed flits of incomplete packets
}

// requireCredits requires that the flits counted by a sender are in flight, in the far buffer, or returning as
// credits.
func requireCredits(t testing.TB, x *Routers, counted int, wire uint32, vc, between int) {
	if int(wire) < len(x.wiring.router) {
		between += int(x.count[int(wire)*x.config.VCs+vc])
	}
	require.Equal(t, counted, between)
	require.LessOrEqual(t, counted, x.config.Depth)
}

// requireOwner requires that a used output VC has one owner, or waits for the credits after a tail.
func requireOwner(t testing.TB, x *Routers, r, out, g int) {
	owners := 0
	for member := range members(x.of(x.active, r)) {
		if int(x.out[x.wiring.first[r]*x.config.VCs+member]) == out {
			owners++
		}
	}
	used := has(x.of(x.used, r), out)
	switch {
	case owners == 1:
		require.True(t, used)
	case used:
		require.Zero(t, owners)
		require.True(t, x.config.WaitForTail && has(x.of(x.tailed, r), out) && x.sent[g] > 0)
	default:
		require.Zero(t, owners)
	}
}

// requireQueue requires that packets in a buffer follow one another from head to tail.
func requireQueue(t testing.TB, x *Routers, r, member, g int) {
	inside := has(x.of(x.active, r), member) // a packet whose first flits may have left
	require.False(t, inside && has(x.of(x.waiting, r), member))
	packet := int64(-1)
	for k := range int(x.count[g]) {
		f := Flit(x.buffer[g*x.config.Depth+(int(x.head[g])+k)%x.config.Depth])
		switch {
		case k == 0 && inside:
		case packet < 0:
			require.True(t, f.Head(), "place %d", k)
		default:
			require.False(t, f.Head())
			require.Equal(t, packet, int64(f.Packet()))
		}
		if packet = int64(f.Packet()); f.Tail() {
			packet = -1
		}
	}
	require.Equal(t, x.count[g] > 0, has(x.of(x.filled, r), member))
}

// requireLatencies requires that no packet beats an empty network, and that hops match the route.
func requireLatencies(t testing.TB, n *randomNetwork, p *Packets) {
	g, fastest := &n.top.graph, n.config
	fastest.Stages.InternalSpeedup = math.Ceil(fastest.Stages.InternalSpeedup)
	leads := map[[2]int]RouterLink{}
	for _, l := range g.Links {
		leads[[2]int{l.From, l.Output}] = l
	}
	for i := range p.Source {
		if p.Received[i] == PacketPending {
			continue
		}
		to := int(p.Destination[i])
		from, end := g.Nodes[p.Source[i]], g.Nodes[to]
		r, input, phase, hops, latency := from.Router, from.Port, false, 1, 1+from.Latency+end.Latency+int(p.Size[i])-1
		for r != end.Router {
			port := 0
			if n.top.routing.Ports != nil {
				port = int(n.top.routing.Ports[r*len(g.Nodes)+to])
			} else {
				route := n.top.routing.Torus.route(r, input, to, phase, n.config.VCs, Chance{})
				port, phase = route.Port, route.Phase
			}
			l := leads[[2]int{r, port}]
			r, input, hops, latency = l.To, l.Input, hops+1, latency+l.Latency
		}
		require.Equal(t, hops, int(p.Hops[i]))
		require.GreaterOrEqual(t, int(p.Received[i]-p.Sent[i]), latency+hops*fastest.PassCycles())
	}
}

// requireEmpty requires the reset state, except pointers, some cycles after the last tail.
func requireEmpty(t testing.TB, k *Kernel, n *RouterNetwork) {
	for range 40 {
		k.DriveAndSettle()
		k.Latch()
	}
	require.True(t, n.Still())
	for _, column := range [][]uint16{n.Routers.count, n.Routers.sent, n.Sources.sent} {
		require.Zero(t, slices.Max(column))
	}
	for _, column := range [][]uint64{n.Routers.used, n.Routers.active, n.Routers.waiting,
		n.Routers.filled, n.Routers.full} {
		for r, ports := range n.Routers.wiring.ports {
			for member := range members(n.Routers.of(column, r)) {
				require.GreaterOrEqual(t, member, ports*n.Routers.config.VCs)
			}
		}
	}
	require.Zero(t, slices.Max(n.Sources.used))
}
