package hw

// RouteSets is a routing relation: at each router a head requests the free VCs of a set of candidates. The set
// depends on the input port, the class of the head's VC and the router of its destination. Destinations of a router
// with the same candidates form a group.
type RouteSets struct {
	Classes []VCRange          // classes of VCs without a common VC
	Rows    [][]RouteCandidate // candidates, [base + group]
	// [input port * len(Classes) + class]: row of group 0. Ports count through all routers.
	Base []uint32

	// Of a grid of Sides[d] routers, the group is the sum over d of Codes[d][x*Sides[d] + t] for the coordinates x of
	// the router and t of its destination; of other networks it is Groups[router*routers + destination].
	Sides  []int
	Codes  [][]uint16
	Groups []uint16

	Picks   []RoutePick
	Midway  Midway
	MidBase []uint32 // like Base, of packets on their way to their midway router; nil without
	Grid    []int    // sides of a grid for RoutePick.Hops and MidwayBox
	Around  bool     // the grid has wrap-around links
	Prefers bool     // a candidate has First
	Direct  bool     // each router is linked with all others of its row in each dimension

	routers int
	place   []uint64 // by router of a grid: its coordinates, gridBits per dimension
	home    []uint32 // by node: its router
	local   []uint8  // by node: its port
	nodeAt  []uint32 // by router: one of its nodes
}

// routeMasks are the rows of a relation as sets of output VCs, for routers with words words in a set.
type routeMasks struct {
	*RouteSets
	words   int
	classOf [VCsMax]uint8   // by VC
	rows    []uint64        // [row * words]
	eject   []uint64        // [port * words]: all VCs of class 0 of traffic
	first   []uint64        // [row * words]: candidates with First; nil without
	lfsr    []uint32        // by input VC: register of draws, a register of the routers
	options [][]routeOption // by row: options of picks; nil if no rule picks
}

// RouteCandidate is an output port with a class of VCs. Of candidates with a pick, heads request one option: those
// with the same option and port.
type RouteCandidate struct {
	Port, Class uint8
	Pick        uint8 // 1 + index in RouteSets.Picks; 0: always requested
	Option      uint8
	Mid         bool // leads to the packet's midway router
	First       bool // an input prefers it to the head's other candidates, if the allocator of VCs knows priorities
}

// Row returns the index in Rows for a head of a class at an input port, towards another router.
func (s *RouteSets) Row(router, port, class, to int) int {
	return int(s.Base[port*len(s.Classes)+class]) + s.Group(router, to)
}

// Group returns the group of a destination at a router.
func (s *RouteSets) Group(router, to int) (group int) {
	if s.Groups != nil {
		return int(s.Groups[router*s.routers+to])
	}
	at, goal := s.place[router], s.place[to]
	for d, codes := range s.Codes {
		group += int(codes[int(at&(1<<gridBits-1))*s.Sides[d]+int(goal&(1<<gridBits-1))])
		at, goal = at>>gridBits, goal>>gridBits
	}
	return group
}

// Begin prepares the relation for a number of routers, and nodes at ports of routers. Call it before Row and Group.
func (s *RouteSets) Begin(routers int, nodes []RouterNode) {
	s.routers, s.home, s.local, s.place, s.nodeAt = routers, nil, nil, nil, make([]uint32, routers)
	for i, node := range nodes {
		s.nodeAt[node.Router] = uint32(i)
		s.home, s.local = append(s.home, uint32(node.Router)), append(s.local, uint8(node.Port))
	}
	for router := range routers {
		if s.Groups == nil {
			s.place = append(s.place, gridPlace(s.Sides, router))
		}
	}
}

// newRouteMasks returns the masks for routers with up to ports ports and vcs VCs per port, own of them for each class
// of traffic.
func newRouteMasks(s *RouteSets, ports, vcs, own, words int) *routeMasks {
	m := &routeMasks{RouteSets: s, words: words, rows: make([]uint64, len(s.Rows)*words),
		eject: make([]uint64, ports*words)}
	fill := func(set []uint64, port int, of VCRange) {
		for vc := int(of.Low); vc <= int(of.High); vc++ {
			at := port*vcs + vc
			set[at/64] |= 1 << (at % 64)
		}
	}
	for class, r := range s.Classes {
		for vc := int(r.Low); vc <= int(r.High); vc++ {
			for first := 0; first < vcs; first += own {
				m.classOf[first+vc] = uint8(class)
			}
		}
	}
	for row, candidates := range s.Rows {
		for _, c := range candidates {
			if c.Pick == 0 {
				fill(m.rows[row*words:(row+1)*words], int(c.Port), s.Classes[c.Class])
			}
			if c.First {
				if m.first == nil {
					m.first = make([]uint64, len(m.rows))
				}
				fill(m.first[row*words:(row+1)*words], int(c.Port), s.Classes[c.Class])
			}
		}
		if s.Picks != nil || s.MidBase != nil {
			m.options = append(m.options, m.optionsOf(candidates,
				func(set []uint64, c RouteCandidate) { fill(set, int(c.Port), s.Classes[c.Class]) }))
		}
	}
	for port := range ports {
		fill(m.eject[port*words:(port+1)*words], port, VCRange{High: uint8(own - 1)})
	}
	return m
}

// prefers stores the preferred output VCs of a head, like route.
func (m *routeMasks) prefers(to []uint64, router, port, vc, node, first int) {
	if clear(to); int(m.home[node]) != router {
		row := m.Row(router, port, int(m.classOf[vc]), int(m.home[node]))
		shiftSet(to, m.first[row*m.words:(row+1)*m.words], first)
	}
}

// route returns the set of output VCs of a head in VC vc of an input port. The VCs are those of class 0 of traffic.
func (m *routeMasks) route(router, port, vc, node int) []uint64 {
	if to := int(m.home[node]); to != router {
		row := m.Row(router, port, int(m.classOf[vc]), to)
		return m.rows[row*m.words : (row+1)*m.words]
	}
	at := int(m.local[node])
	return m.eject[at*m.words : (at+1)*m.words]
}

// shiftSet stores from, moved up by less than 64 places, in to.
func shiftSet(to, from []uint64, places int) {
	carry := uint64(0)
	for k, word := range from {
		to[k] = word<<places | carry
		carry = word >> (63 - places) >> 1
	}
}
