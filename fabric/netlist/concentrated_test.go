package netlist

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/hw"
)

// TestConcentratedRoutes: the default routes go dimension by dimension, the lowest first, as BookSim's dor_no_express
// and ran_min do.
func TestConcentratedRoutes(t *testing.T) {
	for k := 2; k <= 5; k++ {
		routers, err := drawnRouters(t, fmt.Sprintf("cmesh: {k: %d}\nrouter: {}", k))
		require.NoError(t, err)
		requireRoutes(t, routers.Routes.Ports, k*k, 4*k*k, func(at, node int) int {
			x, y := node%(2*k)/2, node/(2*k)/2
			switch own := node/(2*k)%2*2 + node%2; {
			case x != at%k:
				return 4 + map[bool]int{true: 1}[x < at%k]
			case y != at/k:
				return 6 + map[bool]int{true: 1}[y < at/k]
			default:
				return own
			}
		})
	}
	for _, c := range []struct{ k, n, side, columns int }{
		{4, 2, 2, 4}, {3, 2, 3, 3}, {2, 4, 1, 4}, {3, 3, 2, 9}, {4, 1, 2, 4}, {5, 1, 2, 1}, {2, 3, 4, 2},
	} {
		routers, err := drawnRouters(t, fmt.Sprintf("flatfly: {k: %d, n: %d, side: %d, columns: %d}\nrouter: {}", c.k, c.n, c.side, c.columns))
		require.NoError(t, err)
		each, count := c.side*c.side, len(routers.Graph.Ports)
		requireRoutes(t, routers.Routes.Ports, count, count*each, func(at, node int) int {
			wide := c.columns * c.side
			home := node/wide/c.side*c.columns + node%wide/c.side
			for d, stride := 0, 1; d < c.n; d, stride = d+1, stride*c.k {
				own, digit := at/stride%c.k, home/stride%c.k
				if own == digit {
					continue
				}
				return each + d*(c.k-1) + digit - map[bool]int{true: 1}[digit > own]
			}
			return node/wide%c.side*c.side + node%wide%c.side
		})
		for _, l := range routers.Graph.Links {
			require.Positive(t, l.Latency)
		}
	}
}

func requireRoutes(t *testing.T, table []uint8, routers, nodes int, want func(router, node int) int) {
	t.Helper()
	require.Len(t, table, routers*nodes)
	for router := range routers {
		for node := range nodes {
			require.EqualValues(t, want(router, node), table[router*nodes+node], "router %d, node %d", router, node)
		}
	}
}

// TestFlyOfStages: every packet passes one router of each stage and leaves at its destination; each port has one link.
func TestFlyOfStages(t *testing.T) {
	for _, c := range []struct{ k, stages int }{{2, 2}, {2, 5}, {3, 3}, {4, 2}, {1, 3}} {
		text := fmt.Sprintf("fly: {k: %s}\nrouter: {}", form(slices.Repeat([]int{c.k}, c.stages)))
		routers, err := drawnRouters(t, text)
		require.NoError(t, err)
		nodes := len(routers.Graph.Nodes)
		require.Len(t, routers.Graph.Links, (c.stages-1)*nodes)
		require.Contains(t, routers.Shown, "deadlock-free (Dally and Seitz)")
		ways := routers.Ways()
		for source := range uint32(nodes) {
			for destination := range uint32(nodes) {
				passed, last := 1, routers.Graph.Sources[source].Router
				ways.Follow(source, destination, func(link int) {
					passed++
					require.Equal(t, last, routers.Graph.Links[link].From)
					last = routers.Graph.Links[link].To
				})
				require.Equal(t, c.stages, passed)
				require.Equal(t, routers.Graph.Nodes[destination].Router, last)
				at, out := routers.Graph.Nodes[destination], int(routers.Routes.Ports[last*nodes+int(destination)])
				require.Equal(t, at.Port, out)
			}
		}
	}
}

// TestDrawnRoutes: with every draw a packet arrives on a shortest way: in a fat tree over the nearest level above both
// ends, in an even torus in either direction.
func TestDrawnRoutes(t *testing.T) {
	for _, c := range []struct{ k, n int }{{2, 2}, {2, 4}, {3, 3}, {4, 2}} {
		routers, err := drawnRouters(t, fmt.Sprintf("fattree: {k: %d, n: %d}\nrouter: {}", c.k, c.n))
		require.NoError(t, err)
		require.Contains(t, routers.Shown, "deadlock-free (Dally and Seitz)")
		each := len(routers.Graph.Ports) / c.n
		requireArrivals(t, routers, c.k, func(source, destination uint32) int {
			steps := 0
			for a, b := int(source)/c.k, int(destination)/c.k; a != b; a, b = a/c.k, b/c.k {
				steps += 2
			}
			require.Equal(t, c.n-1, routers.Graph.Nodes[source].Router/each)
			return steps
		})
	}
	for k := 2; k <= 6; k++ {
		routers, err := drawnRouters(t, fmt.Sprintf("torus: {k: [%d, 3]}\nrouter: {vcs: 4}", k))
		require.NoError(t, err)
		require.Contains(t, routers.Shown, "deadlock-free (Dally and Seitz)")
		requireArrivals(t, routers, 2, func(source, destination uint32) int {
			away := func(a, b, k int) int { return min((a-b+k)%k, (b-a+k)%k) }
			return away(int(source)%k, int(destination)%k, k) + away(int(source)/k, int(destination)/k, 3)
		})
	}
}

func requireArrivals(t *testing.T, routers *fabric.Routers, outcomes int, links func(source, destination uint32) int) {
	t.Helper()
	ways, nodes := routers.Ways(), uint32(len(routers.Graph.Nodes))
	require.LessOrEqual(t, routers.Routes.Outcomes(), outcomes)
	for drawn := range outcomes {
		for pair := range nodes * nodes {
			source, destination := pair/nodes, pair%nodes
			passed, last := 0, routers.Graph.Nodes[source].Router
			ways.FollowBy(source, destination, hw.AlwaysDraws(drawn), func(link int) {
				passed++
				last = routers.Graph.Links[link].To
			})
			require.Equal(t, routers.Graph.Nodes[destination].Router, last)
			require.Equal(t, links(source, destination), passed)
		}
	}
}

// TestConcentratedRefused: networks that cannot be built, each with a remedy.
func TestConcentratedRefused(t *testing.T) {
	for text, refused := range map[string]string{
		"flatfly: {k: 4, n: 2, columns: 2}\nrouter: {}":       "flatfly: 2 columns of 16 routers; give a power of 4 as columns",
		"flatfly: {k: 2, n: 2, columns: 8}\nrouter: {}":       "flatfly: 8 columns of 4 routers; give a power of 2 as columns",
		"flatfly: {k: 256, n: 1, side: 2}\nrouter: {}":        "flatfly: routers of 259 ports; at most 256 are allowed",
		"flatfly: {k: 2, n: 16, side: 15}\nrouter: {}":        "flatfly: 65536 routers with 225 processors each; at most",
		"cmesh: {k: 4}\nfly: {k: [4]}\nrouter: {}":            "router: the network needs exactly one of mesh, torus, ring, dragonfly, fly, cmesh, fattree, flatfly, anynet and drawn routers",
		"fly: {k: [2, 3]}\nrouter: {}":                        "fly: k is [2 3]; give each stage the same number",
		"fly: {k: [2, 2]}\nrouter: {}\nstreaming: {ports: 2}": "fly: processors have one port; delete ports",
		"fly: {k: [2, 2]}\nrouter: {}\nroutes: shortest":      "routes: shortest does not suit this network of routers",
		"fly: {k: [4]}\nrouter: {}\nroutes: dest_tag":         "routes: dest_tag does not suit this network of routers",
		"cmesh: {k: 4}": "has the key cmesh, which draws routers, but not the key router; add router",
		"flatfly: {k: 2, n: 2, latency: 0}\nrouter: {}":             "flatfly.latency is 0; allowed: 1 to 4096",
		"cmesh: {k: 3}\nrouter: {}\nstreaming: {ports: 70}":         "ports is 70; allowed: 1 to 64",
		"flatfly: {k: 4, n: 2}\nrouter: {}\nstreaming: {ports: 64}": "flatfly: routers of 262 ports; at most 256 are allowed",
	} {
		_, err := drawnRouters(t, text)
		require.ErrorContains(t, err, refused, text)
	}
	routers, err := drawnRouters(t, "cmesh: {k: 2}\nrouter: {}\nstreaming: {ports: 3}")
	require.NoError(t, err)
	require.Equal(t, []int{16, 16, 16, 16}, routers.Graph.Ports)
	require.Equal(t, 3, routers.NIC.Ports(15))
}
