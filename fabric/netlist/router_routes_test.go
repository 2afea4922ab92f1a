package netlist

import (
	"cmp"
	"fmt"
	"math"
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

// TestDatelines: with two classes rings and tori of any size are free, go the shorter way round, and run dry at any
// load.
func TestDatelines(t *testing.T) {
	drawn := "nodes: {\"r[0..%[1]d]\": {kind: router, ports: [east, west, local]}, \"p[0..%[1]d]\": processor}\n" +
		"links: [[\"r[0..%[2]d]:east\", \"r[1..%[1]d]:west\"], [\"r[%[1]d]:east\", \"r[0]:west\"], [\"p[0..%[1]d]\", \"r[0..%[1]d]:local\"]]\n"
	for text, sizes := range map[string][]int{
		"ring: {n: 4}\n": {4}, "ring: {n: 7}\n": {7}, "torus: {k: [4, 6]}\n": {4, 6}, "torus: {k: [2, 5, 3]}\n": {2, 5, 3}, fmt.Sprintf(drawn, 7, 6): {8},
	} {
		for vcs := 2; vcs <= 5; vcs++ {
			r, err := drawnRouters(t, fmt.Sprintf("%srouter: {vcs: %d, depth: 1}\nroutes: dateline\n", text, vcs))
			require.NoError(t, err, text)
			require.Contains(t, r.Shown, "deadlock-free (Dally and Seitz): ", text)
			nodes, packets := len(r.Graph.Nodes), &hw.Packets{}
			for i := range 30 * nodes {
				packets.Add(uint32(i%nodes), uint32((i*i+i/nodes)%nodes), uint16(1+i%6), 0)
			}
			runRouters(t, &Network{routers: r}, packets)
			for i := range packets.Source {
				require.NotEqual(t, hw.PacketPending, packets.Received[i])
				require.Equal(t, 1+aroundDistance(sizes, int(packets.Source[i]), int(packets.Destination[i])),
					int(packets.Hops[i]), text)
			}
		}
		_, err := drawnRouters(t, text+"router: {vcs: 1}\nroutes: dateline\n")
		require.ErrorContains(t, err, "there is only one channel", text)
	}
}

func aroundDistance(sizes []int, from, to int) (hops int) {
	for _, k := range sizes {
		d := max(from%k, to%k) - min(from%k, to%k)
		hops += min(d, k-d)
		from, to = from/k, to/k
	}
	return hops
}

// TestShortestRoutes: in random graphs each route is the first port of a shortest way, as Floyd and Warshall find it.
func TestShortestRoutes(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 8))
		text, nodes := randomAnynet(random)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "graph.txt"), []byte(text), 0o644))
		file := filepath.Join(dir, "drawn.yaml")
		require.NoError(t, os.WriteFile(file, []byte("anynet: graph.txt\nrouter: {}\nroutes: shortest\n"), 0o644))
		read, err := readFile(file, file)
		require.NoError(t, err)
		n := Network{}
		require.NoError(t, n.draw(read))
		r := n.routers
		routers := len(r.Graph.Ports)
		far := make([][]int, routers)
		for i := range far {
			far[i] = make([]int, routers)
			for k := range far[i] {
				if far[i][k] = math.MaxInt32; i == k {
					far[i][k] = 0
				}
			}
		}
		step := func(l hw.RouterLink) int { return 1000*l.Latency + 1 }
		for _, l := range r.Graph.Links {
			far[l.From][l.To] = min(far[l.From][l.To], step(l))
		}
		for m := range routers {
			for i := range routers {
				for k := range routers {
					far[i][k] = min(far[i][k], far[i][m]+far[m][k])
				}
			}
		}
		for router := range routers {
			for node := range nodes {
				want := r.Graph.Nodes[node].Port
				if to := r.Graph.Nodes[node].Router; to != router {
					want = math.MaxInt
					for _, l := range r.Graph.Links {
						if l.From == router && step(l)+far[l.To][to] == far[router][to] {
							want = min(want, l.Output)
						}
					}
				}
				require.Equal(t, want, int(r.Routes.Ports[router*nodes+node]), "seed %d", seed)
			}
		}
	}
}

const square = `nodes: {"r[0..3]": {kind: router, ports: [east, west, local]}, "p[0..3]": processor}
links: [["r[0..2]:east", "r[1..3]:west"], ["r[3]:east", "r[0]:west"], {endpoints: ["p[0..3]", "r[0..3]:local"]}]
router: {vcs: 4}
`

// TestTablesOfRoutes: a CSV file, a YAML file and the netlist itself give the same table, with its
// virtual channels; omitted values have their defaults.
func TestTablesOfRoutes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		return filepath.Join(dir, name)
	}
	own := "\"r[0]\": {\"p[2]\": west, \"p[3]\": \"east:1..2\"}, \"r[1..2]\": {\"p[3]\": \"0:3\"}"
	csv := write("table.csv", "router,destination,port,vcs\nr[0],p[2],west,\nr[0],p[3],east,1..2\nr[1..2],p[3],east,3\n")
	yaml := write("table.yaml", "{"+own+"}")
	var first *fabric.Routers
	for _, routes := range []string{"{" + own + "}", "{file: " + csv + "}", "{file: " + yaml + ", default: shortest}"} {
		r, err := drawnRouters(t, square+"routes: "+routes+"\n")
		require.NoError(t, err)
		if first == nil {
			first = r
		}
		require.Equal(t, first, r)
	}
	require.Equal(t, []uint8{2, 0, 1, 0 /**/, 1, 2, 0, 0 /**/, 0, 1, 2, 0 /**/, 0, 0, 1, 2}, first.Routes.Ports)
	require.Equal(t, []uint8{0, 0, 0, 1 /**/, 0, 0, 0, 2 /**/, 0, 0, 0, 2 /**/, 0, 0, 0, 0}, first.Routes.Classes)
	require.Equal(t, []hw.VCRange{{Low: 0, High: 3}, {Low: 1, High: 2}, {Low: 3, High: 3}}, first.Routes.VCs)
}

// TestTableOfDatelines: a table with the virtual channels of a dateline in each route gives the
// same cycles for every packet.
func TestTableOfDatelines(t *testing.T) {
	dateline, err := drawnRouters(t, square+"routes: dateline\n")
	require.NoError(t, err)
	rows := "router,destination,port,vcs\n"
	for i, port := range dateline.Routes.Ports {
		if i/4 == i%4 {
			continue
		}
		class := dateline.Routes.VCs[dateline.Routes.Classes[i]]
		rows += fmt.Sprintf("r[%d],p[%d],%s,%d..%d\n", i/4, i%4, dateline.Ports[i/4][port], class.Low, class.High)
	}
	file := filepath.Join(t.TempDir(), "table.CSV")
	require.NoError(t, os.WriteFile(file, []byte(rows), 0o644))
	table, err := drawnRouters(t, square+"routes: {file: "+file+"}\n")
	require.NoError(t, err)
	require.Equal(t, dateline.Shown, table.Shown)
	var first *hw.Packets
	for _, r := range []*fabric.Routers{dateline, table} {
		packets := &hw.Packets{}
		for i := range uint32(400) {
			packets.Add(i%4, (i*i+i/4)%4, uint16(1+i%5), i/16)
		}
		runRouters(t, &Network{routers: r}, packets)
		if first == nil {
			first = packets
		}
		require.Equal(t, first, packets)
	}
}

// TestWrongRoutes: mistakes in routers and routes are reported with their place.
func TestWrongRoutes(t *testing.T) {
	table := filepath.Join(t.TempDir(), "wrong.csv")
	require.NoError(t, os.WriteFile(table, []byte("router,port\nr[0],east\n"), 0o644))
	for _, c := range []struct{ routes, said string }{
		{"none", "routes: none is only for networks without routers: packets need routes through routers; delete it, or write routes: shortest"}, {"dor", "routes: dor does not suit this network"}, {"anynet", "routes: anynet does not suit this network"},
		{"{\"r[0]\": {\"p[3]\": east}, \"r[1]\": {\"p[3]\": west}}", "the route to p[3] loops: from r[1] back to r[0]"},
		{"{\"r[0]\": {\"p[3]\": local}}", "the route from r[0] to p[3] leads to p[0]"},
		{"{\"r[0]\": {\"p[3]\": north}}", "r[0] has no port north"}, {"{\"r[0]\": {\"p[3]\": 3}}", "r[0] has no port 3"},
		{"{\"r[0]\": {\"p[3]\": \"east:4\"}}", "\"4\" are no virtual channels"}, {"{\"r[0]\": {\"p[3]\": \"east:2..1\"}}", "\"2..1\" are no virtual channels"},
		{"{\"r[4]\": {\"p[3]\": east}}", "there is no router r[4]"}, {"{\"r[0]\": {\"q\": east}}", "there is no processor q"},
		{"{\"r[0]\": {\"p[3]\": east, \"p[2..3]\": west}}", "there are two routes from r[0] to p[3]; the first is at "},
		{"{file: " + table + "}", "wrong.csv:1:1: there is no column destination"}, {"{file: nothing.csv}", "nothing.csv cannot be read"},
	} {
		_, err := drawnNetwork(t, square+"routes: "+c.routes+"\n")
		require.ErrorContains(t, err, c.said, c.routes)
	}
	for _, c := range [][3]string{
		{"vcs: 4}", "vcs: 4}\naccess: all", "has both routers and access"}, {"\"p[0..3]\": processor", "\"p[0..3]\": processor, s: star", "no port sends into the star s; add a link into it from a port"},
		{"\"p[0..3]\", \"r[0..3]:local\"", "\"p[0..3]:0\", \"r[0..3]:local\"], latency: 0", "latency is 0"}, {"kind: router,", "kind: router, vcs: 3,", "common settings of all routers go in router"},
		{"{endpoints: [\"p[0..3]\", \"r[0..3]:local\"]}", "[\"p[0..1]\", \"p[2..3]\"]", "no processor is linked to a router; link processors to them"},
		{"[\"r[3]:east\", \"r[0]:west\"], ", "", "routes: dateline: r[3] is linked with no router other than r[2]"},
		{"[\"r[3]:east\", \"r[0]:west\"]", "{endpoints: [\"r[3]:east\", \"r[0]:west\"], duplex: half}", "a half-duplex link"},
		{"[\"r[0..2]:east\", \"r[1..3]:west\"], [\"r[3]:east\", \"r[0]:west\"], ", "", "no way leads from r[1] to p[0]"},
	} {
		text := strings.Replace(square+"routes: dateline\n", c[0], c[1], 1)
		if c[2][:2] == "no" {
			text = strings.Replace(text, "dateline", "shortest", 1)
		}
		text = strings.Replace(text, "], latency: 0]}", "], latency: 0}", 1)
		_, err := drawnNetwork(t, text)
		require.ErrorContains(t, err, c[2], text)
	}
	_, err := drawnNetwork(t, "mesh: {k: [2, 2]}\nroutes: dor\n")
	require.ErrorContains(t, err, "routes: dor is for routers")
	_, err = drawnNetwork(t, "torus: {k: [4]}\nrouter: {}\nroutes: nca\n")
	require.ErrorContains(t, err, "routes: nca does not suit this network of routers; dor is for a mesh")
	_, err = drawnNetwork(t, "torus: {k: [5]}\nrouter: {}\nroutes: {\"p[0]\": {\"p[1]\": east}}\n")
	require.ErrorContains(t, err, "have no table, in which other routes could be entered")
}

// drawnNetwork is a network as a file draws it.
func drawnNetwork(t *testing.T, text string) (n Network, err error) {
	file := filepath.Join(t.TempDir(), "drawn.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	r, err := readFile(file, file)
	if err == nil {
		err = n.draw(r)
	}
	return n, err
}

// TestDragonflyMinimal: every minimal route of a dragonfly has at most one link in the first group,
// one link between groups if they differ, and one in the last group. Virtual channels are the lower
// half up to the link between groups and the upper half after it, which is free of deadlocks in
// every class. Shortest routes, which may take two links between groups, are not.
func TestDragonflyMinimal(t *testing.T) {
	for _, size := range [][4]int{{1, 2, 1, 2}, {2, 4, 2, 2}, {3, 3, 1, 5}, {1, 1, 4, 2}, {2, 3, 2, 4}} {
		p, a, h, vcs := size[0], size[1], size[2], size[3]
		n, err := readNetwork(t, fmt.Sprintf("dragonfly: {p: %d, a: %d, h: %d}\nrouter: {vcs: %d}", p, a, h, vcs))
		require.NoError(t, err)
		net, g := n.Net(), &n.routers.Graph
		require.Contains(t, n.routers.Shown, "routes: deadlock-free (Dally and Seitz)")
		require.Len(t, net.Processors, p*a*(a*h+1))
		for start := range g.Ports {
			for node, home := range g.Nodes {
				at, groups, hops := start, 0, 0
				for at != home.Router {
					port, shown := net.hop(at, node)
					l := slices.IndexFunc(g.Links, func(l hw.RouterLink) bool { return l.From == at && l.Output == port })
					require.GreaterOrEqual(t, l, 0)
					low, high := 0, vcs/2-1
					if at/a == home.Router/a {
						low, high = vcs/2, vcs-1
					}
					want := fmt.Sprintf("%d..%d", low, high)
					if low == high {
						want = fmt.Sprint(low)
					}
					require.Equal(t, want, shown)
					if to := g.Links[l].To; at/a != to/a {
						groups++
						require.Equal(t, home.Router/a, to/a)
					}
					at = g.Links[l].To
					hops++
				}
				port, _ := net.hop(at, node)
				require.Equal(t, home.Port, port)
				require.LessOrEqual(t, hops, 3)
				require.Equal(t, start/a != home.Router/a, groups == 1)
			}
		}
	}
	n, err := readNetwork(t, "dragonfly: {p: 2, a: 4, h: 2}\nrouter: {vcs: 2}\nroutes: shortest")
	require.NoError(t, err)
	require.Contains(t, n.routers.Shown, "routes: may deadlock")
	n, err = readNetwork(t, "dragonfly: {p: 2, a: 4, h: 2}\nrouter: {vcs: 4, classes: 2}\nstreaming: {ports: 2}")
	require.NoError(t, err)
	require.Contains(t, n.routers.Shown, "routes: deadlock-free (Dally and Seitz)")
}

// TestRulesWithoutATable: the rule of a large network gives the same routes as a table; other rules
// are rejected by their size.
func TestRulesWithoutATable(t *testing.T) {
	for _, c := range []struct{ text, rule, entry string }{
		{"mesh: {k: [33, 32]}\nrouter: {}\n", routesDOR, `"p[0]": {"p[1]": east}`},
		{"torus: {k: [33, 32], node: q}\nrouter: {vcs: 4, classes: 2}\n", routesDateline, `"q[0]": {"q[1]": "east:1..1"}`},
		{"ring: {n: 1025}\nrouter: {vcs: 3}\n", routesDateline, `"p[0]": {"p[1]": "east:1..2"}`},
		{"dragonfly: {p: 2, a: 12, h: 5}\nrouter: {}\n", routesMinimal, `"r[0]": {"p[0]": "terminal[0]"}`},
	} {
		n := requireWritten(t, c.text+"routes: "+c.rule)
		table, err := read(t, c.text+"routes: {default: "+c.rule+", "+c.entry+"}")
		require.NoError(t, err)
		require.NoError(t, cmp.Or(n.routers.Later(), table.routers.Later()))
		require.Nil(t, n.routers.Routes.Ports)
		nodes, vcs := len(n.routers.Graph.Nodes), n.routers.Config.ClassVCs()
		require.Len(t, table.routers.Routes.Ports, len(n.routers.Graph.Ports)*nodes)
		for router := range n.routers.Graph.Ports {
			for node := range nodes {
				want := table.routers.Routes.Next(router, 0, node, nodes, false, vcs)
				if got := n.routers.Routes.Next(router, 0, node, nodes, false, vcs); want != got {
					require.Equal(t, want, got, "%s%d to %d", c.text, router, node)
				}
			}
		}
		require.Equal(t, table.routers.Shown, n.routers.Shown)
	}
	for _, text := range []string{"mesh: {k: [128, 128]}\nroutes: shortest", "mesh: {k: [128, 128]}\nroutes: {\"p[0]\": {\"p[1]\": east}}", "nodes: {\"p[0..9999]\": processor, " +
		"\"r[0..9999]\": router}\nlinks: [[\"p[0..9999]\", \"r[0..9999]\"], [\"r[0..9998]\", \"r[1..9999]\"]]"} {
		_, err := read(t, text+"\nrouter: {}")
		require.ErrorContains(t, err, "; at most 67108864 are allowed; use fewer, or dor of a mesh, dateline of a torus "+
			"or a ring, or minimal of a dragonfly, which need no table")
	}
}
