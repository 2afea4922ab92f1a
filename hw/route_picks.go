package hw

// RoutePick makes a head request one of several options in place of all. An option is an output port with classes of
// VCs. The load of a port is the number of flits sent through it whose credits have not returned.
type RoutePick struct {
	By   PickBy
	Ties bool // equal loads: a draw decides; otherwise the first option
	Hops bool // multiply a load by the number of links to the destination, over the packet's midway router if it leads there
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

// Midway says which routers packets visit before their destinations.
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

// rowOf returns the row and the options of a head from an input port towards another router. x.midway is the packet's
// midway router.
func (x *Routers) rowOf(router, port, class, to, midway int) (row int, options []routeOption) {
	m := x.masks
	row = m.Row(router, port, class, to)
	if options = m.options[row]; m.MidBase == nil || midway == router {
		return row, options
	}
	mid := int(m.MidBase[port*len(m.Classes)+class]) + m.Group(router, midway)
	switch {
	case len(m.Rows[mid]) == 0:
		return row, options
	case len(options) > 0 && len(m.options[mid]) > 0 && options[0].pick == m.options[mid][0].pick:
		return row, append(options[:len(options):len(options)], m.options[mid]...)
	}
	return mid, m.options[mid]
}

// pickRoute stores the route of the head at the front of input VC g: all candidates without a pick, and the selected
// option.
func (x *Routers) pickRoute(router, g int, f Flit) {
	m, p, packet, port := x.masks, x.packets, f.Packet(), g/x.config.VCs
	to, midway := int(m.home[p.Destination[packet]]), router
	if to == router {
		shiftSet(x.of(x.route, g), m.route(router, port, f.VC(), int(p.Destination[packet])), int(x.classFirst[f.VC()]))
		return
	}
	if p.Mid != nil && p.Mid[packet] > 0 {
		midway = int(m.home[p.Mid[packet]-1])
	}
	row, options := x.rowOf(router, port, int(m.classOf[f.VC()]), to, midway)
	route := x.of(x.route, g)
	shiftSet(route, m.rows[row*m.words:(row+1)*m.words], int(x.classFirst[f.VC()]))
	if len(options) == 0 {
		return
	}
	set := options[x.choose(g, options, packet, router, to, midway)].set
	carry := uint64(0)
	for k, word := range set {
		route[k] |= word<<x.classFirst[f.VC()] | carry
		carry = word >> (63 - x.classFirst[f.VC()]) >> 1
	}
}

// choose returns the number of the selected option of the head in input VC g.
func (x *Routers) choose(g int, options []routeOption, packet uint32, router, to, midway int) int {
	pick, n := options[0].pick, len(options)
	switch {
	case n == 1:
		return 0
	case pick.By == PickDraw:
		return x.draw(g, packet, n)
	case pick.By == PickLoadOfTwo:
		first := x.draw(g, packet, n)
		if second := x.draw(g, packet, n); x.load(router, options[second].port) < x.load(router, options[first].port) {
			return second
		}
		return first
	}
	best, least, equal := 0, 0, 0
	value := func(k int) int {
		o := &options[k]
		load, m := x.load(router, o.port), x.masks
		switch {
		case pick.Hops && o.mid:
			load *= m.hops(router, midway) + m.hops(midway, to)
		case pick.Hops:
			load *= m.hops(router, to)
		}
		if k > 0 {
			load += pick.Bias
		}
		return load
	}
	for k := range options {
		switch v := value(k); {
		case k == 0 || v < least:
			best, least, equal = k, v, 1
		case v == least:
			equal++
		}
	}
	if !pick.Ties || equal == 1 {
		return best
	}
	for drawn := x.draw(g, packet, equal); ; best++ {
		if value(best) == least {
			if drawn == 0 {
				return best
			}
			drawn--
		}
	}
}

// load returns the number of flits sent through an output whose credits have not returned.
func (x *Routers) load(router, port int) (flits int) {
	first := (x.wiring.first[router] + port) * x.config.VCs
	for _, sent := range x.sent[first : first+x.config.VCs] {
		flits += int(sent)
	}
	return flits
}

// draw returns the next draw of a packet, from 0 to outcomes-1: of its file, or of the register of input VC g.
func (x *Routers) draw(g int, packet uint32, outcomes int) int {
	if p := x.packets; p.Choice != nil {
		i := int(p.Drawn[packet])
		p.Drawn[packet]++
		return int(p.Choice[packet]>>(ChoiceBits*i&63)&(1<<ChoiceBits-1)) % outcomes
	}
	return drawLFSR(&x.lfsr[g], outcomes)
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
