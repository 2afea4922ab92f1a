package hw

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
	return drawLFSR(&x.masks.lfsr[g], outcomes)
}
