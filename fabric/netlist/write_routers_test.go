package netlist

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireWritten checks that `netlist show --yaml` writes the same network of routers: media,
// latencies, keys and the route of every packet.
func requireWritten(t *testing.T, text string) *Net {
	t.Helper()
	n, err := read(t, text)
	require.NoError(t, err, text)
	var b bytes.Buffer
	require.NoError(t, n.WriteYAML(&b))
	again, err := read(t, b.String())
	require.NoError(t, err, "%s\n%s", text, b.String())
	require.Equal(t, canonical(n), canonical(again), "%s\n%s", text, b.String())
	require.Equal(t, n.Words, again.Words)
	old, own := n.routers, again.routers
	require.Equal(t, old.Graph, own.Graph, b.String())
	require.Equal(t, old.Config, own.Config)
	require.Equal(t, old.NIC, own.NIC)
	require.Equal(t, []any{old.Tick, old.Bits, old.Sink, old.ByTag}, []any{own.Tick, own.Bits, own.Sink, own.ByTag})
	if old.Routes.Ports == nil {
		require.Equal(t, old.Routes, own.Routes)
		return n
	}
	for router := range old.Graph.Ports {
		for node := range old.Graph.Nodes {
			port, vcs := n.hop(router, node)
			otherPort, otherVCs := again.hop(router, node)
			require.Equal(t, port, otherPort, "%d to %d: %s", router, node, b.String())
			require.Equal(t, vcs, otherVCs, "%d to %d: %s", router, node, b.String())
		}
	}
	return n
}

// TestRoutersWritten: every network of routers is written as nodes and links that read as the same
// network.
func TestRoutersWritten(t *testing.T) {
	for _, text := range []string{
		"mesh: {k: [3, 2]}\nrouter: {}", "mesh: {k: [2, 2, 2], node: r, latency: 3}\nrouter: {vcs: 1, depth: 8, allocator: separable_input_first}",
		"torus: {k: [4, 3]}\nrouter: {}\nroutes: dateline", "torus: {k: [3, 5], node: core}\nrouter: {vcs: 4, wait_for_tail_credit: true}\nstreaming: {ports: 2}",
		"ring: {n: 6}\nrouter: {vcs: 4, classes: 2}\nstreaming: {ports: 2, tick: 40, vc: tag, eject: sink, flit_bits: 128}",
		"dragonfly: {p: 2, a: 3, h: 1, global_latency: 4}\nrouter: {}", "dragonfly: {a: 2, h: 2, node: r}\nrouter: {vcs: 4, classes: 2}\nstreaming: {ports: 2}",
		"fly: {k: [5]}\nrouter: {routing_delay: 0, credit_delay: 2}", "anynet: g.anynet\nrouter: {}",
		square + "routes: dateline", square + "routes: {\"r[0]\": {\"p[2]\": west, \"p[3]\": \"east:1..2\"}, \"r[1..2]\": {\"p[3]\": \"0:3\"}}",
		"mesh: {k: [3, 3]}\nrouter: {}\nroutes: {\"p[0]\": {\"p[8]\": north}, default: dor}",
		"nodes: {\"r[0..3]\": router, \"p[0..2]\": {kind: processor, ports: [a, b]}}\nlinks: [[\"r[0..2]\", \"r[1..3]\"], [\"r[3]\", \"r[0]\"], [\"p[0..2]:a\", \"r[0..2]\"], " +
			"[\"p[0..2]:b\", \"r[1..3]\"]]\nrouter: {vcs: 4}\nroutes: dateline", // ports of one processor by two routers
		"nodes: {a: router, b: router, p: processor, q: processor}\nlinks: [{endpoints: [\"a:1\", \"b:1\"], oneway: true}, {endpoints: [\"b:2\", \"a:2\"], oneway: true, latency: 4}, [p, \"a:0\"], [q, \"b:0\"]]",
		"nodes: {a: router, b: router, \"p[0..1]\": processor, s: star}\nlinks: [[\"p[0]:0\", \"a:0\"], {endpoints: [\"p[0]:1\", \"p[1]:1\"], latency: 7}, {endpoints: [\"a:1\", \"b:1\"], oneway: true}, " +
			"{endpoints: [\"b:1\", \"a:1\"], oneway: true}, [\"p[1]:0\", \"b:0\"], [\"p[0..1]:2\", s], {endpoints: [\"p[0]:3\", \"p[1]:3\"], duplex: half}]",
	} {
		n := requireWritten(t, text)
		var shown, graph bytes.Buffer
		require.NoError(t, n.WriteText(&shown))
		require.NoError(t, n.WriteDOT(&graph))
		require.Contains(t, shown.String(), n.routersText()+"; ")
		for _, m := range n.Media {
			require.Contains(t, shown.String(), "  "+m.Path+"  ")
		}
		require.Equal(t, 2*len(n.routers.Graph.Nodes)+len(n.routers.Graph.Links)+n.slotted-strings.Count(text, "star"),
			strings.Count(graph.String(), "label="), graph.String())
	}
}

// TestRandomRoutersWritten: likewise of graphs at random.
func TestRandomRoutersWritten(t *testing.T) {
	for seed := range uint64(10) {
		text, _ := randomAnynet(rand.New(rand.NewPCG(seed, 26)))
		file := filepath.Join(t.TempDir(), "g.anynet")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		for _, more := range []string{"", "routes: shortest\n", "streaming: {ports: 2}\n"} {
			requireWritten(t, fmt.Sprintf("anynet: %s\nrouter: {vcs: 4}\n%s", file, more))
		}
	}
}

// TestRoutersShown: the printed ports of a router lead to the other ends of their links, and its
// routes to processors.
func TestRoutersShown(t *testing.T) {
	n, err := read(t, square+"routes: {\"r[0]\": {\"p[2]\": west, \"p[3]\": \"east:1..2\"}}")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, n.WriteText(&b))
	words := strings.Join(strings.Fields(b.String()), " ")
	for _, row := range []string{
		"4 processors of up to 1 port, at routers; 4 routers of up to 3 ports with 4 virtual channels of 4 flits, 8 channels between them; hash ",
		"note: routes: may deadlock: a cycle of 4 channels", "0 0 netlist.p[0].port[0] 8 p[0].out 9 p[0].in", "1 netlist.router[1].output[1] 1 r[1]:west r[0]:east",
		"8 netlist.p[0].out 1 p[0]:0 r[0]:local", "0 r[0] east 0 router[0].output[0] 1 router[1].output[1]", "0 r[0] local 9 p[0].in 8 p[0].out",
		"0 r[0] east all p[1] 0 r[0] east 1..2 p[3] 0 r[0] west all p[2] 0 r[0] local all p[0] 1 r[1]",
	} {
		require.Contains(t, words, row, b.String())
	}
	require.Equal(t, []string{"a", "p[0..2]", "p[4]", "q[5].x[1]", "b"}, joined([]string{"a", "p[0]", "p[1]", "p[2]", "p[4]", "q[5].x[1]", "b"}))

	for text, lines := range map[string][2]int{"mesh: {k: [4, 4]}\nrouter: {}": {48, 0}, "torus: {k: [3, 3]}\nrouter: {}": {36, 12}, "dragonfly: {p: 3, a: 2, h: 1}\nrouter: {}": {12, 0}, square: {8, 0}} {
		n, err := readNetwork(t, text)
		require.NoError(t, err)
		s, ok := n.sketch()
		require.True(t, ok)
		require.Len(t, s.Lines, lines[0])
		require.Len(t, s.Round, lines[1])
		require.Len(t, s.Media, len(n.routers.Graph.Ports))
		for _, l := range s.Lines {
			require.NotEqual(t, s.Media[l.From].Place, s.Media[l.To].Place)
		}
	}
}
