package hw

// RouteTable selects the output port of heads at each router.
type RouteTable struct {
	Ports []uint8 // [router*nodes + destination]: port; nil for a rule or a torus
	// [router*nodes + destination]: index in VCs of the permitted VCs; nil for all VCs of the port
	Classes []uint8
	VCs     []VCRange                                // ranges of VCs by class
	Rule    func(router, node int) (port, class int) // computes routes; nil for a table or a torus
	Torus   TorusRoute
	Tree    TreeRoute
	Grid    *GridRoute // the same routes as Ports or Rule, computed faster; nil for other routes

	Sets *RouteSets // sets of output ports; nil for one port per router and destination

	Carried bool // flits carry their routes; only NewRouter permits Carried
}

// TorusRoute is dimension-order routing on a torus of K[d] nodes in dimension d. Packets travel the shorter way
// around; of two ways of equal length, a draw selects one: 1 towards larger coordinates, 0 towards smaller ones.
// Router r has the coordinates r mod K[0], r div K[0] mod K[1], .... Two classes of VCs, selected by a packet's phase,
// break the cycle of every ring. In n dimensions, output 2d leads to the next coordinate of dimension d, and output
// 2d+1 to the previous one. Outputs 2n and above lead to nodes: node r + k*routers is at port 2n+k of router r.
type TorusRoute struct{ K []int }

// Hop is the next step of a head: an output port, a range of VCs, and the packet's new phase.
type Hop struct {
	Port, Low, High int
	Phase           bool // phase of the packet after the hop
}

// Next returns the next hop of a head whose draws are 0; see NextBy.
func (t *RouteTable) Next(router, input, node, nodes int, phase bool, vcs int) Hop {
	return t.NextBy(router, input, node, nodes, phase, vcs, Chance{})
}

// NextBy returns the next hop of a head with a phase, from an input port of a router towards a node. nodes is the
// number of nodes. Low and High of the result count from the first VC of the packet's class; the class has vcs VCs.
func (t *RouteTable) NextBy(router, input, node, nodes int, phase bool, vcs int, by Chance) Hop {
	if t.Tree.K > 0 {
		return t.Tree.route(router, node, vcs, by)
	}
	if t.Grid != nil {
		return Hop{t.Grid.port(router, node), 0, vcs - 1, phase}
	}
	if t.Ports == nil && t.Rule == nil {
		return t.Torus.route(router, input, node, phase, vcs, by)
	}
	hop, at, class := Hop{High: vcs - 1, Phase: phase}, router*nodes+node, 0
	if t.Rule != nil {
		hop.Port, class = t.Rule(router, node)
	} else if hop.Port = int(t.Ports[at]); t.Classes != nil {
		class = int(t.Classes[at])
	}
	if t.VCs != nil {
		hop.Low, hop.High = int(t.VCs[class].Low), int(t.VCs[class].High)
	}
	return hop
}

// VCs returns the VCs between routers for packets with a phase. The middle VC of an odd number belongs to both
// classes.
func (TorusRoute) VCs(phase bool, vcs int) (low, high int) {
	if half := vcs / 2; phase {
		return half, vcs - 1
	} else {
		return 0, vcs - 1 - half
	}
}

func (t TorusRoute) route(router, input, destination int, phase bool, vcs int, by Chance) Hop {
	routers, port := 1, 2*len(t.K)
	for _, k := range t.K {
		routers *= k
	}
	for destination >= routers {
		destination -= routers
		port++
	}
	if router == destination {
		return Hop{port, 0, vcs - 1, phase}
	}
	goal := destination
	at, to, d := router, destination, 0
	for at%t.K[d] == to%t.K[d] {
		at, to, d = at/t.K[d], to/t.K[d], d+1
	}
	k := t.K[d]
	at, to = at%k, to%k
	port = input ^ 1 // straight on
	if input/2 != d {
		if right := (to - at + k) % k; k-2*right > 0 || 2*right == k && t.draws(d, goal, by) {
			port, phase = 2*d, at > to
		} else {
			port, phase = 2*d+1, to < at
		}
	}
	low, high := t.VCs(phase, vcs)
	return Hop{port, low, high, phase}
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
