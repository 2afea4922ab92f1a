package hw

// RoutePick makes a head request one of several options in place of all. An option is an output port with classes of
// VCs. The load of a port is the number of flits sent through it whose credits have not returned.
type RoutePick struct {
	By   PickBy
	Ties bool // equal loads: a draw decides; otherwise the first option
	Hops bool // multiply a load by the number of links to the destination, over the midway router of options to there
	Bias int  // added to each option but the first
}

// PickBy is the way in which a head selects an option.
type PickBy uint8

const (
	// PickDraw draws an option.
	PickDraw PickBy = iota
	// PickLoad takes the option with the least load.
	PickLoad
	// PickLoadOfTwo draws two options and takes the second if its load is less.
	PickLoadOfTwo
)

// Midway is the kind of routers that packets visit before their destinations.
type Midway uint8

const (
	// NoMidway sends packets to their destinations.
	NoMidway Midway = iota
	// MidwayNode draws the router of any node.
	MidwayNode
	// MidwayBox draws each coordinate between those of source and destination. On a flattened butterfly it draws each
	// coordinate in which the two differ.
	MidwayBox
)

// Selects reports whether heads do more than request all candidates.
func (s *RouteSets) Selects() bool { return s.Picks != nil || s.MidBase != nil || s.Prefers }

// routeOption is an option of a row: its set of output VCs, like a row of routeMasks.
type routeOption struct {
	pick *RoutePick
	port int
	mid  bool
	set  []uint64
}

// optionsOf returns the options of a row. fill adds a candidate's VCs to a set.
func (m *routeMasks) optionsOf(row []RouteCandidate, fill func(set []uint64, c RouteCandidate)) (all []routeOption) {
	last := RouteCandidate{}
	for _, c := range row {
		if c.Pick == 0 {
			continue
		}
		if c.Option != last.Option || c.Port != last.Port || all == nil {
			all = append(all, routeOption{&m.Picks[c.Pick-1], int(c.Port), c.Mid, make([]uint64, m.words)})
		}
		fill(all[len(all)-1].set, c)
		last = c
	}
	return all
}

// drawLFSR steps a register by 16 places, and maps its upper 16 bits to 0..outcomes-1.
func drawLFSR(register *uint32, outcomes int) int {
	for range 16 {
		*register = *register>>1 ^ -(*register&1)&LFSRPolynomial
	}
	return outcomes * int(*register>>16) >> 16
}

// routeLFSRs returns a register with a seed of its own for each of count users.
func routeLFSRs(name string, count int) ([]uint32, Register) {
	registers, seeds := make([]uint32, count), make([]uint32, count)
	for i := range seeds {
		seeds[i] = max(1, Stream(0).Draw(uint32(i), 0, 0))
	}
	return registers, Column(name, registers, checkLFSR).ResetTo(seeds...)
}

// hops returns the number of links between two routers of a grid.
func (s *RouteSets) hops(router, to int) (links int) {
	for _, k := range s.Grid {
		steps := max(router%k-to%k, to%k-router%k)
		if s.Direct {
			steps = min(steps, 1)
		} else if s.Around {
			steps = min(steps, k-steps)
		}
		links += steps
		router, to = router/k, to/k
	}
	return links
}

// drawMid returns 1 + a node at the router that a packet visits before its destination.
func (s *RouteSets) drawMid(register *uint32, source, destination uint32) uint32 {
	if s.Midway == MidwayNode {
		return uint32(1 + drawLFSR(register, len(s.home)))
	}
	from, to := int(s.home[source]), int(s.home[destination])
	mid, stride := 0, 1
	for _, k := range s.Grid {
		a, b := from%k, to%k
		switch {
		case a == b:
		case s.Direct:
			a = drawLFSR(register, k)
		default:
			a = min(a, b) + drawLFSR(register, max(a, b)-min(a, b)+1)
		}
		mid += a * stride
		from, to, stride = from/k, to/k, stride*k
	}
	return 1 + s.nodeAt[mid]
}
