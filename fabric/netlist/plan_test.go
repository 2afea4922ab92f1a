package netlist

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn are shorthands, and the same network drawn by hand.
var drawn = []struct{ name, short, hand string }{
	{"mesh", "mesh: {k: [4, 3]}", `
nodes: {"p[0..11]": {kind: processor, ports: [east, west, north, south], open: [east, west, north, south]}}
links:
- ["p[0..2]:east", "p[1..3]:west"]
- ["p[4..6]:east", "p[5..7]:west"]
- ["p[8..10]:east", "p[9..11]:west"]
- ["p[0..7]:north", "p[4..11]:south"]
`},
	{"torus", "torus: {k: [3, 3], latency: 2, duplex: half}", `
nodes: {"p[0..8]": {kind: processor, ports: [east, west, north, south]}}
links:
- {endpoints: ["p[0..1]:east", "p[1..2]:west"], latency: 2, duplex: half}
- {endpoints: ["p[2]:east", "p[0]:west"], latency: 2, duplex: half}
- {endpoints: ["p[3..4]:east", "p[4..5]:west"], latency: 2, duplex: half}
- {endpoints: ["p[5]:east", "p[3]:west"], latency: 2, duplex: half}
- {endpoints: ["p[6..7]:east", "p[7..8]:west"], latency: 2, duplex: half}
- {endpoints: ["p[8]:east", "p[6]:west"], latency: 2, duplex: half}
- {endpoints: ["p[0..5]:north", "p[3..8]:south"], latency: 2, duplex: half}
- {endpoints: ["p[6..8]:north", "p[0..2]:south"], latency: 2, duplex: half}
`},
	{"four dimensions", "mesh: {k: [2, 2, 2, 2], node: n}", `
kinds: {n: {kind: processor, ports: [+d0, -d0, +d1, -d1, +d2, -d2, +d3, -d3], open: [+d0, -d0, +d1, -d1, +d2, -d2, +d3, -d3]}}
nodes: {"n[0..15]": n}
links: [["n[0]:+d0", "n[1]:-d0"], ["n[2]:+d0", "n[3]:-d0"], ["n[4]:+d0", "n[5]:-d0"], ["n[6]:+d0", "n[7]:-d0"],
 ["n[8]:+d0", "n[9]:-d0"], ["n[10]:+d0", "n[11]:-d0"], ["n[12]:+d0", "n[13]:-d0"], ["n[14]:+d0", "n[15]:-d0"],
 ["n[0..1]:+d1", "n[2..3]:-d1"], ["n[4..5]:+d1", "n[6..7]:-d1"], ["n[8..9]:+d1", "n[10..11]:-d1"], ["n[12..13]:+d1", "n[14..15]:-d1"],
 ["n[0..3]:+d2", "n[4..7]:-d2"], ["n[8..11]:+d2", "n[12..15]:-d2"], ["n[0..7]:+d3", "n[8..15]:-d3"]]
`},
	{"ring", "ring: {n: 4}", `
nodes: {"p[0..3]": {kind: processor, ports: [east, west]}}
links: [["p[0..2]:east", "p[1..3]:west"], ["p[3]:east", "p[0]:west"]]
`},
	{"tree", "tree: {arity: 2, levels: 3}", `
nodes: {"p[0..6]": {kind: processor, ports: [up, "down[0]", "down[1]"], open: [up, "down[0]", "down[1]"]}}
links: [["p[0]:down[0..1]", "p[1..2]:up"], ["p[1]:down[0..1]", "p[3..4]:up"], ["p[2]:down[0..1]", "p[5..6]:up"]]
`},
	{"hypercube", "hypercube: {dimensions: 3}", `
nodes: {"p[0..7]": {kind: processor, ports: [d0, d1, d2]}}
links: [["p[0]:d0", "p[1]:d0"], ["p[2]:d0", "p[3]:d0"], ["p[4]:d0", "p[5]:d0"], ["p[6]:d0", "p[7]:d0"],
 ["p[0..1]:d1", "p[2..3]:d1"], ["p[4..5]:d1", "p[6..7]:d1"], ["p[0..3]:d2", "p[4..7]:d2"]]
`},
	{"dragonfly", "dragonfly: {a: 2, h: 1}", `
nodes: {"p[0..5]": {kind: processor, ports: ["local[0]", "global[0]"]}}
links: [["p[0]:local[0]", "p[1]:local[0]"], ["p[2]:local[0]", "p[3]:local[0]"], ["p[4]:local[0]", "p[5]:local[0]"],
 ["p[0]:global[0]", "p[2]:global[0]"], ["p[1]:global[0]", "p[4]:global[0]"], ["p[3]:global[0]", "p[5]:global[0]"]]
`},
	{"long cables", "dragonfly: {a: 1, h: 2, p: 1, latency: 2, global_latency: 9, node: q}", `
nodes: {"q[0..2]": {kind: processor, ports: ["global[0]", "global[1]"]}}
links: [{endpoints: ["q[0]:global[0]", "q[1]:global[0]"], latency: 9}, {endpoints: ["q[0]:global[1]", "q[2]:global[0]"], latency: 9},
 {endpoints: ["q[1]:global[1]", "q[2]:global[1]"], latency: 9}]
`},
	{"with more", "mesh: {k: [2, 2], ports: [radio]}\nnodes: {air: star}\nlinks: [[\"p[0..3]:radio\", air]]", `
nodes: {"p[0..3]": {kind: processor, ports: [east, west, north, south, radio], open: [east, west, north, south]}, air: star}
links: [["p[0]:east", "p[1]:west"], ["p[2]:east", "p[3]:west"], ["p[0..1]:north", "p[2..3]:south"], ["p[0..3]:radio", air]]
`},
}

// TestPlans: a shorthand gives the same network as a hand-written netlist, with the same numbers.
func TestPlans(t *testing.T) {
	for _, d := range drawn {
		t.Run(d.name, func(t *testing.T) {
			short, err := read(t, d.short)
			require.NoError(t, err)
			hand, err := read(t, d.hand)
			require.NoError(t, err)
			require.Equal(t, canonical(hand), canonical(short))
			require.Equal(t, hand.Words, short.Words)
		})
	}
	for _, d := range []*Drawing{New("").Mesh(4, 3), New("").Ring(4), New("").Tree(2, 3), New("").Hypercube(3), New("").Dragonfly(2, 1)} {
		n, err := d.Network()
		require.NoError(t, err)
		key := d.plans[0].key
		for i := range drawn {
			if drawn[i].name == key {
				same, err := read(t, drawn[i].short)
				require.NoError(t, err)
				require.Equal(t, canonical(same), canonical(n.Net()), key)
			}
		}
	}
}

// TestDragonflyJoined: according to the definition one link joins each two nodes of a group and
// each two groups, and every port has one link.
func TestDragonflyJoined(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 4}, {2, 1}, {4, 2}, {3, 3}, {8, 4}} {
		a, h := size[0], size[1]
		p := (&Dragonfly{A: a, H: h}).plan()
		require.Equal(t, a*(a*h+1), p.Nodes)
		require.Len(t, p.Ports, a-1+h)
		ports, within, between := map[[2]int]bool{}, map[[2]int]bool{}, map[[2]int]bool{}
		for _, l := range p.Links {
			ports[[2]int{l.From, l.FromPort}], ports[[2]int{l.To, l.ToPort}] = true, true
			if l.From/a == l.To/a {
				within[[2]int{l.From, l.To}] = true
				require.Less(t, max(l.FromPort, l.ToPort), a-1)
			} else {
				between[[2]int{l.From / a, l.To / a}] = true
			}
		}
		require.Len(t, ports, p.Nodes*(a-1+h))
		require.Len(t, within, p.Nodes*(a-1)/2)
		require.Len(t, between, (a*h+1)*a*h/2)
		require.Len(t, p.Links, len(within)+len(between))
	}
}

// TestGridNumbers: according to the definition coordinate d of node r is r div k^d mod k, and port
// 2d leads to the neighbour with the larger coordinate and arrives at its port 2d + 1.
func TestGridNumbers(t *testing.T) {
	for _, k := range []int{3, 5} {
		for _, wraps := range []bool{false, true} {
			g := Grid{K: []int{k, k, k}}
			p := g.plan(wraps)
			joined := map[string]bool{}
			for _, l := range p.Links {
				joined[fmt.Sprint(l.From, l.FromPort, l.To, l.ToPort)] = true
			}
			links := 0
			for r := range k * k * k {
				stride := 1
				for d := range 3 {
					x := r / stride % k
					if wraps || x+1 < k {
						links++
						to := r + ((x+1)%k-x)*stride
						require.True(t, joined[fmt.Sprint(r, 2*d, to, 2*d+1)], "%d: %d to %d in dimension %d", k, r, to, d)
					}
					stride *= k
				}
			}
			require.Len(t, p.Links, links)
		}
	}
}
