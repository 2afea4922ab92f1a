package hw

import "math/bits"

// GridRoute computes dimension-order routes on a mesh of K[d] routers in dimension d from coordinates. Router r has
// the coordinates r mod K[0], r div K[0] mod K[1], .... Output 2d leads to the next coordinate of dimension d, and
// output 2d+1 to the previous one.
type GridRoute struct {
	K      []int
	at, to []uint64 // by router: its coordinates; by node: its router's coordinates; gridBits per dimension
	local  []uint8  // by node: its port
}

// gridBits is the number of bits per coordinate in a word that holds all coordinates.
const gridBits = 8

// NewGridRoute returns the routes to nodes of a grid with these sides. It returns nil if the coordinates do not fit
// into a word.
func NewGridRoute(sides []int, nodes []RouterNode) *GridRoute {
	routers := 1
	for _, n := range sides {
		if routers *= n; n > 1<<gridBits || len(sides) > 64/gridBits {
			return nil
		}
	}
	g := &GridRoute{K: sides, at: make([]uint64, routers), to: make([]uint64, len(nodes)),
		local: make([]uint8, len(nodes))}
	for r := range g.at {
		g.at[r] = gridPlace(sides, r)
	}
	for i, node := range nodes {
		g.to[i], g.local[i] = g.at[node.Router], uint8(node.Port)
	}
	return g
}

// gridPlace returns the coordinates of a router of a grid, in a word.
func gridPlace(sides []int, router int) (place uint64) {
	for d, n := range sides {
		place |= uint64(router%n) << (gridBits * d)
		router /= n
	}
	return place
}

func (g *GridRoute) port(router, node int) int {
	at, to := g.at[router], g.to[node]
	if at == to {
		return int(g.local[node])
	}
	d := bits.TrailingZeros64(at^to) / gridBits
	shift := d * gridBits & 63
	port := 2 * d
	if at>>shift&(1<<gridBits-1) > to>>shift&(1<<gridBits-1) {
		port++
	}
	return port
}
