package hw

// Chance makes the draws of a packet for its routes. Draws of a file are in Packets.Choice; other draws are a function
// of the packet's number and of the ordinal of the draw, so that no order of evaluation matters.
type Chance struct {
	packets *Packets // nil: every draw is the number
	packet  uint32
}

// ChanceOf returns the draws of a packet.
func ChanceOf(packets *Packets, packet uint32) Chance { return Chance{packets, packet} }

// AlwaysDraws returns draws that are all equal to a number, modulo the number of outcomes.
func AlwaysDraws(number int) Chance { return Chance{packet: uint32(number)} }

// A word of Packets.Choice holds ChoicesMax draws of ChoiceBits bits each, the first one in the lowest bits.
const (
	ChoiceBits = 4
	ChoicesMax = 64 / ChoiceBits
)

// draw returns draw i of the packet, from 0 to outcomes-1.
func (c Chance) draw(i, outcomes int) int {
	switch {
	case c.packets == nil:
		return int(c.packet) % outcomes
	case c.packets.Choice != nil:
		return int(c.packets.Choice[c.packet]>>(ChoiceBits*i&63)&(1<<ChoiceBits-1)) % outcomes
	}
	return int(Below(Stream(0).Draw(c.packet, 0, uint16(i)), uint32(outcomes)))
}

// Outcomes returns the number of outcomes of a draw for a route, 1 if routes draw nothing.
func (t *RouteTable) Outcomes() int {
	if t.Tree.K > 1 {
		return t.Tree.K
	}
	for _, k := range t.Torus.K {
		if k%2 == 0 {
			return 2
		}
	}
	return 1
}

// draws returns whether a packet goes right where both directions of a dimension are equally long. The draw is the
// packet's next one after those of lower dimensions.
func (t TorusRoute) draws(dimension, destination int, by Chance) (right bool) {
	source, before, stride := 0, 0, 1
	if by.packets != nil {
		source = int(by.packets.Source[by.packet])
	}
	for _, k := range t.K[:dimension] {
		if away := (destination/stride - source/stride) % k; 2*max(away, -away) == k {
			before++
		}
		stride *= k
	}
	return by.draw(before, 2) == 1
}

// TreeRoute is the route to the nearest common ancestor in a fat tree of N levels with K^(N-1) routers each, as in
// BookSim: up ports are drawn, down ports follow from the destination. Level 0 is the top; ports 0 to K-1 lead down,
// the others up.
type TreeRoute struct{ K, N int }

func (t TreeRoute) route(router, destination, vcs int, by Chance) Hop {
	each := 1 // routers of a level
	for range t.N - 1 {
		each *= t.K
	}
	level, at := router/each, router%each
	below := 1 // routers of the next level below this one, and its siblings
	for range t.N - 1 - level {
		below *= t.K
	}
	nodes := below * t.K
	first := at / below * nodes
	if first <= destination && destination < first+nodes {
		return Hop{Port: (destination - first) / (nodes / t.K), High: vcs - 1}
	}
	return Hop{Port: t.K + by.draw(t.N-1-level, t.K), High: vcs - 1}
}
