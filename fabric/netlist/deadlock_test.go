package netlist

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// drawnRouters are the routers of a drawing.
func drawnRouters(t *testing.T, text string) (*fabric.Routers, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drawn.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	r, err := readFile(file, file)
	require.NoError(t, err)
	n := Network{}
	err = n.draw(r)
	return n.routers, err
}

// TestRoutesOfGridsAreFree: routes of meshes have no cycle. With an odd number of VCs a torus has
// one in the VC that both classes share; it is harmless if routers wait for the credit of the tail.
func TestRoutesOfGridsAreFree(t *testing.T) {
	for _, k := range []string{"[2]", "[5]", "[3, 4]", "[4, 4]", "[3, 2, 3]"} {
		for vcs := 1; vcs <= 5; vcs++ {
			r, err := drawnRouters(t, fmt.Sprintf("mesh: {k: %s}\nrouter: {vcs: %d}\n", k, vcs))
			require.NoError(t, err)
			require.Contains(t, r.Shown, "routes: deadlock-free (Dally and Seitz): ", "%s %d", k, vcs)
		}
	}
	for _, k := range []string{"[3]", "[5]", "[7]", "[3, 5]", "[5, 5]", "[3, 3, 3]"} {
		for vcs := 2; vcs <= 5; vcs++ {
			waiting, err := drawnRouters(t, fmt.Sprintf("torus: {k: %s}\nrouter: {vcs: %d, wait_for_tail_credit: true}\n", k, vcs))
			require.NoError(t, err)
			plain, err := drawnRouters(t, fmt.Sprintf("torus: {k: %s}\nrouter: {vcs: %d}\n", k, vcs))
			require.NoError(t, err)
			if vcs%2 == 0 || k == "[3]" || k == "[3, 3, 3]" { // of three in a ring no packet goes straight on
				require.Contains(t, plain.Shown, "deadlock-free (Dally and Seitz): ", "%s %d", k, vcs)
				require.Equal(t, plain.Shown, waiting.Shown)
				continue
			}
			require.Contains(t, waiting.Shown, "deadlock-free (Duato): ", "%s %d", k, vcs)
			require.Contains(t, plain.Shown, "may deadlock: packets of both classes share VCs", "%s %d", k, vcs)
		}
	}
	r, err := drawnRouters(t, "mesh: {k: [2, 2]}\nrouter: {vcs: 3}\n") // x before y: a turn at each router, both ways
	require.NoError(t, err)
	require.Equal(t, "routes: deadlock-free (Dally and Seitz): no cycle among 24 channels x VCs, 36 dependencies", r.Shown)
	_, err = drawnRouters(t, "torus: {k: [5]}\nrouter: {vcs: 1}\n")
	require.ErrorContains(t, err, "routes: may deadlock: a cycle of 5 channels: ")
}

// ringOfFour is a ring of four routers with routes in one direction and all VCs for every packet.
func ringOfFour(vcs int) *fabric.Routers {
	r := &fabric.Routers{Config: hw.RouterConfig{VCs: vcs, Depth: 2, RoutingDelay: 1}}
	for i := range 4 {
		r.Graph.Ports = append(r.Graph.Ports, 2)
		r.Graph.Nodes = append(r.Graph.Nodes, hw.RouterNode{Router: i, Port: 0, Latency: 1})
		r.Graph.Links = append(r.Graph.Links, hw.RouterLink{From: i, Output: 1, To: (i + 1) % 4, Input: 1, Latency: 1})
		for node := range 4 {
			port := uint8(1)
			if node == i {
				port = 0
			}
			r.Routes.Ports = append(r.Routes.Ports, port)
		}
	}
	return r
}

// TestRingOfFourRouters: the four channels of a ring are named, with a packet for each; more VCs for all do not help.
func TestRingOfFourRouters(t *testing.T) {
	for vcs := 1; vcs <= 3; vcs++ {
		known := deadlocks(ringOfFour(vcs))
		require.Equal(t, verdict{text: "may deadlock: a cycle of 4 channels: " +
			"a packet from 2 to 1 holds router 3 to 0 VC 0 and asks for router 0 to 1 VC 0, " +
			"a packet from 0 to 2 holds router 0 to 1 VC 0 and asks for router 1 to 2 VC 0, " +
			"a packet from 1 to 0 holds router 1 to 2 VC 0 and asks for router 2 to 3 VC 0, " +
			"a packet from 1 to 0 holds router 2 to 3 VC 0 and asks for router 3 to 0 VC 0"}, known)
	}
	packets := &hw.Packets{}
	for i := range uint32(4) {
		packets.Add(i, (i+2)%4, 9, 0)
	}
	require.Equal(t, []hw.Knot{{VCs: 8, Since: 9, Cycle: []hw.Held{
		{From: 0, Output: 1, To: 1, Packet: 0}, {From: 1, Output: 1, To: 2, Link: 1, Packet: 1},
		{From: 2, Output: 1, To: 3, Link: 2, Packet: 2}, {From: 3, Output: 1, To: 0, Link: 3, Packet: 3}}}},
		runRouters(t, &Network{routers: ringOfFour(1)}, packets))
	large := ringOfFour(1)
	large.Graph.Nodes = make([]hw.RouterNode, 1<<26)
	known := deadlocks(large)
	require.True(t, known.skipped && !known.free)
	require.Equal(t, "not checked for deadlocks: 8 ports times 67108864 nodes are more than 2^27", known.text)
}

// TestSharedVCsOfTorus: with an odd number of VCs packets do come to wait for each other, unless they wait for the
// credit of the tail: a shared VC is taken while its buffer is full, all around the ring.
func TestSharedVCsOfTorus(t *testing.T) {
	knots := map[bool]int{}
	for _, wait := range []bool{false, true} {
		r, err := drawnRouters(t, fmt.Sprintf("torus: {k: [7]}\nrouter: {vcs: 3, wait_for_tail_credit: %v}\n", wait))
		require.NoError(t, err)
		for seed := range uint64(40) {
			random, packets := rand.New(rand.NewPCG(seed, 2)), &hw.Packets{}
			for i := range 700 {
				packets.Add(uint32(i%7), uint32((i+3-random.IntN(2)*random.IntN(2))%7),
					uint16(1+random.IntN(2)), uint32(random.IntN(10)))
			}
			if len(runRouters(t, &Network{routers: r}, packets)) > 0 {
				knots[wait]++
			}
		}
	}
	require.Equal(t, map[bool]int{false: 4}, knots)
}

// randomRoutes are ways to each node along a random tree, in a random graph.
func randomRoutes(r *rand.Rand) *fabric.Routers {
	b := &fabric.Routers{Config: hw.RouterConfig{VCs: 1 + r.IntN(5)/4, Depth: 1 + r.IntN(2), RoutingDelay: r.IntN(2),
		WaitForTail: r.IntN(2) == 0}}
	routers := 4 + r.IntN(5)
	neighbours := make([][]int, routers) // at port 1 and on
	join := func(x, y int) {
		if x != y && !slices.Contains(neighbours[x], y) {
			neighbours[x], neighbours[y] = append(neighbours[x], y), append(neighbours[y], x)
		}
	}
	for i := 1; i < routers; i++ {
		join(i, r.IntN(i))
	}
	for range r.IntN(3 * routers) {
		join(r.IntN(routers), r.IntN(routers))
	}
	b.Routes.Ports = make([]uint8, routers*routers)
	for i, list := range neighbours {
		b.Graph.Ports = append(b.Graph.Ports, 1+len(list))
		b.Graph.Nodes = append(b.Graph.Nodes, hw.RouterNode{Router: i, Port: 0, Latency: 1})
		for p, to := range list {
			b.Graph.Links = append(b.Graph.Links,
				hw.RouterLink{From: i, Output: 1 + p, To: to, Input: 1 + slices.Index(neighbours[to], i), Latency: 1 + r.IntN(2)})
		}
		for in := []int{i}; len(in) < routers; {
			at := r.IntN(routers)
			if p := r.IntN(len(neighbours[at])); !slices.Contains(in, at) && slices.Contains(in, neighbours[at][p]) {
				b.Routes.Ports[at*routers+i] = uint8(1 + p)
				in = append(in, at)
			}
		}
	}
	return b
}

// TestRandomRoutes: of 300 tables of routes none is called free and then has packets that wait for each other.
func TestRandomRoutes(t *testing.T) { checkRandomRoutes(t, 0, 300, 30) }

// TestLongRandomRoutes: nor of 1,000 others.
func TestLongRandomRoutes(t *testing.T) { checkRandomRoutes(t, 300, 1000, 100) }

func checkRandomRoutes(t *testing.T, first, count uint64, least int) {
	free, knots := 0, 0
	for seed := first; seed < first+count; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		built, packets := randomRoutes(r), &hw.Packets{}
		nodes := len(built.Graph.Nodes)
		for range 40 * nodes {
			packets.Add(uint32(r.IntN(nodes)), uint32(r.IntN(nodes)), uint16(1+r.IntN(16)), uint32(r.IntN(20)))
		}
		known := deadlocks(built)
		stand := runRouters(t, &Network{routers: built}, packets)
		if known.free {
			free++
			require.Empty(t, stand, "seed %d: %s", seed, known.text)
		}
		if len(stand) > 0 {
			knots++
		}
	}
	t.Logf("%d of %d free, %d with knots", free, count, knots)
	require.GreaterOrEqual(t, free, least)
	require.GreaterOrEqual(t, knots, least)
}

// checkSets compares the dependencies of sets with those of walks between all pairs of nodes.
func checkSets(t *testing.T, built *fabric.Routers, name string) (dependencies int) {
	t.Helper()
	d := newDependencies(built)
	d.classify()
	c := newRouteCheck(d, nil)
	c.asks = make([]bool, len(c.in)*c.width)
	c.explore(nil)
	count := c.depend()
	bySets := d.next
	d.next = make([][]uint32, len(bySets))
	walked := 0
	d.walk(func(_, _ int, held, asked uint32) bool {
		walked += d.add(held, asked)
		return true
	})
	require.Equal(t, walked, count, name)
	for v := range d.next {
		require.ElementsMatch(t, d.next[v], bySets[v], "%s: vertex %d", name, v)
	}
	return count
}

// TestDependenciesBySets: grids by coordinates, and tables with classes of VCs, of grids and of random graphs, have the
// dependencies that walks find.
func TestDependenciesBySets(t *testing.T) {
	for _, text := range []string{"mesh: {k: [3]}", "mesh: {k: [7, 11]}", "mesh: {k: [3, 2, 4]}", "mesh: {k: [8, 8]}",
		"mesh: {k: [300]}", "torus: {k: [3, 9]}\nroutes: dateline", "ring: {n: 9}",
		"dragonfly: {p: 2, a: 4, h: 2}", "mesh: {k: [4, 4]}\nroutes: shortest"} {
		r, err := drawnRouters(t, text+"\nrouter: {vcs: 4}\n")
		require.NoError(t, err)
		_, routed := strings.CutSuffix(text, "routes: shortest")
		require.Equal(t, strings.HasPrefix(text, "mesh") && !routed && text != "mesh: {k: [300]}", r.Routes.Grid != nil, text)
		require.Positive(t, checkSets(t, r, text), text)
	}
	shared := 0
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 4))
		built := randomRoutes(random)
		built.Config.VCs = 3
		built.Routes.VCs = []hw.VCRange{{Low: 0, High: 2}, {Low: 0, High: 1}, {Low: 1, High: 2}}
		built.Routes.Classes = make([]uint8, len(built.Routes.Ports))
		for i := range built.Routes.Classes {
			built.Routes.Classes[i] = uint8(random.IntN(3))
		}
		shared += checkSets(t, built, fmt.Sprint("seed ", seed))
	}
	require.Positive(t, shared)
}

// TestGridByCoordinates: coordinates give the ports of the rule, also with several nodes at a router.
func TestGridByCoordinates(t *testing.T) {
	for _, text := range []string{"mesh: {k: [5, 3, 4]}", "mesh: {k: [6, 7]}\nstreaming: {ports: 3}"} {
		r, err := drawnRouters(t, text+"\nrouter: {}\n")
		require.NoError(t, err)
		table, nodes := r.Routes, len(r.Graph.Nodes)
		require.NotNil(t, table.Grid)
		table.Grid = nil
		for i := range table.Ports {
			want := table.Next(i/nodes, 0, i%nodes, nodes, false, 2)
			require.Equal(t, want, r.Routes.Next(i/nodes, 0, i%nodes, nodes, false, 2))
		}
	}
}

// TestClassesAreLookedAt: each class of traffic has VCs of its own and is analysed separately. A
// cycle in one class is reported with its VC; a class whose processors are attached to other
// routers has other dependencies.
func TestClassesAreLookedAt(t *testing.T) {
	r, err := drawnRouters(t, "mesh: {k: [2, 2]}\nrouter: {vcs: 2, classes: 2}\n")
	require.NoError(t, err)
	require.Equal(t, "routes: deadlock-free (Dally and Seitz): no cycle among 16 channels x VCs, 8 dependencies, in 2 classes of traffic", r.Shown)
	ported, err := drawnRouters(t, "mesh: {k: [2, 2]}\nrouter: {vcs: 2, classes: 2}\nstreaming: {ports: 2}\n")
	require.NoError(t, err)
	require.Equal(t, r.Shown, ported.Shown)
	_, err = drawnRouters(t, "torus: {k: [5]}\nrouter: {vcs: 2, classes: 2}\n")
	require.ErrorContains(t, err, "a cycle of 5 channels: ")
	require.ErrorContains(t, err, "write vcs: 4 or more")
	for _, routes := range []string{"dim_order", "dateline"} {
		r, err = drawnRouters(t, "torus: {k: [5, 5]}\nrouter: {vcs: 4, classes: 2}\nstreaming: {ports: 3}\nroutes: "+routes+"\n")
		require.NoError(t, err)
		require.Contains(t, r.Shown, "deadlock-free (Dally and Seitz)")
	}
	const ring = `nodes: {"r[0..4]": {kind: router}, "p[0..4]": {kind: processor, ports: [%s]}}
links: [["r[0..3]", "r[1..4]"], ["r[4]", "r[0]"], ["p[0..4]:ask", "r[0]"], ["p[0..4]:answer", "r[0..4]"]]
router: {vcs: 2, classes: 2}
`
	r, err = drawnRouters(t, fmt.Sprintf(ring, "ask, answer")) // requests never leave a router
	require.NoError(t, err)
	require.Regexp(t, "^routes: may deadlock: a cycle of 5 channels: a packet from . to . holds r.* VC 1 and asks for r.* VC 1, ", r.Shown)
	require.NotContains(t, r.Shown, "VC 0")
	r, err = drawnRouters(t, fmt.Sprintf(ring, "answer, ask"))
	require.NoError(t, err)
	require.Contains(t, r.Shown, "VC 0")
	require.NotContains(t, r.Shown, "VC 1")
}

// TestRoutesToPorts: a route to a processor serves all of its ports, unless it names one of them.
func TestRoutesToPorts(t *testing.T) {
	const drawn = `nodes: {"r[0..1]": {kind: router}, p: {kind: processor, ports: [a, b]}, q: processor}
links: [{endpoints: ["r[0]:3", "r[1]:3"]}, ["p:a", "r[0]:0"], ["p:b", "r[0]:1"], ["q", "r[1]:0"]]
router: {}
routes: {"r[1]": {p: %s}, "r[0]": {p: 1}}
`
	r, err := drawnRouters(t, fmt.Sprintf(drawn, "3:0"))
	require.NoError(t, err)
	nodes := len(r.Graph.Nodes)
	a, b := r.NIC.Node(0, 0), r.NIC.Node(0, 1)
	require.Equal(t, []int{3, 0, 2}, []int{nodes, a, b})
	require.Equal(t, []uint8{0, 1, 3, 3},
		[]uint8{r.Routes.Ports[a], r.Routes.Ports[b], r.Routes.Ports[nodes+a], r.Routes.Ports[nodes+b]})
	require.Equal(t, r.Routes.Classes[nodes+a], r.Routes.Classes[nodes+b])
	require.NotZero(t, r.Routes.Classes[nodes+a])
	_, err = drawnRouters(t, fmt.Sprintf(drawn, "0"))
	require.ErrorContains(t, err, "the route from r[1] to p leads to q")
}
