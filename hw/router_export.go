package hw

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
)

// exportedRouters describes a network of routers as Verilog: the site of the routers, and sites of the parts around
// them that RTL cannot replace.
//
//	packet_source -> delay_line -> vc_router -> delay_line -> packet_sink    flits
//	              <- delay_line <-           <- delay_line <-                credits
//	                                route_table
//
// A packet_ejector takes the place of a packet_sink that firmware empties.
// A flit carries data: the phase of a torus in bit 0, the destination, and the packet's number.
type exportedRouters struct {
	*RouterSignals
	*RouterNetwork
	vcs, vcBits, nodeBits int         // virtual channels; widths of a VC and of a destination
	dataBits, flitBits    int         // widths of the data, and of a flit with its flags and VC
	ports                 int         // per router
	injections            []injection // by place
	queue                 int         // longest queue of a source so far, in packets

	flits, credits exportedLinks
}

// exportedDriver is lane of a router's or node's output; its wire holds the value delay cycles later.
type exportedDriver struct {
	of            Wire
	element, lane int
	delay         uint16
}

// exportedLinks are the links of flits or of credits: the driver of each wire, its link, and the wires of the links.
type exportedLinks struct {
	drivers []exportedDriver
	number  []int
	wires   []int
}

func (l *exportedLinks) delay(link int) int { return int(l.drivers[l.wires[link]].delay) }

// injection is the packet that a source gets in a cycle, one per cycle. Simultaneous packets come in later cycles,
// which delays no flit.
type injection struct {
	cycle  uint64
	next   uint32 // number in PacketSources.queue of the first packet that the source has not got
	packet uint32
	is     bool
}

// FedBy describes the processors of a network with firmware.
type FedBy struct {
	Flits int                // maximum number of flits of a packet
	Holds bool               // handlers hold packets back at the start of a slot
	Freed func(node int) int // at a boundary: number of places of the node's sink that the processor frees
}

// FedBy makes the signals those of a network with firmware, for Sites.
func (s *RouterSignals) FedBy(by FedBy) { s.fed = by }

const (
	exportedDataBitsMax = RouterDataBits // DATA_BITS of vc_router
	exportedDelayMax    = 64             // CREDIT_DELAY of vc_router
)

// Sites describes the hardware of a network for an export. It returns an error for hardware that the Verilog modules
// lack. Call Sites in reset, when bare packets are known. The inputs of sources must be read in every cycle.
func (s *RouterSignals) Sites() ([]*Site, error) {
	n := s.network
	w, c := n.Routers.wiring, &n.Routers.config
	x := &exportedRouters{RouterSignals: s, RouterNetwork: n, vcs: c.VCs, vcBits: IndexBits(c.VCs),
		nodeBits: IndexBits(w.nodes), ports: w.portsMax}
	x.dataBits = 1 + x.nodeBits + s.called.Bits
	x.flitBits = 3 + x.vcBits + x.dataBits
	if err := x.check(c, w); err != nil {
		return nil, err
	}
	x.connect(w)
	x.queue, x.injections = 1, make([]injection, w.nodes)
	for place := range x.injections {
		x.injections[place] = injection{cycle: CycleOfReset, next: x.Sources.next[place]}
	}
	return []*Site{x.sources(w), x.flitLinks(w), x.creditLinks(w), x.tables(w), x.routers(w), x.sinks(w)}, nil
}

func (x *exportedRouters) check(c *RouterConfig, w *routerWiring) error {
	path := x.Routers.Path()
	known := []string{"VCs", "Depth", "RoutingDelay", "CreditDelay", "WaitForTail", "VCAllocator", "SwitchAllocator",
		"Classes", "Stages"}
	if beyond := c.Beyond(); beyond != "" {
		return fmt.Errorf("%s: vc_router has no %s", path, beyond)
	}
	if option := unknownOption(*c, known); option != "" {
		return fmt.Errorf("%s: vc_router has no option %s", path, option)
	}
	known = []string{"Ports", "Classes", "VCs", "Rule", "Torus", "Grid"}
	if option := unknownOption(x.Routers.routing, known); option != "" {
		return fmt.Errorf("%s: route_table has no option %s", path, option)
	}
	switch {
	case x.Packets.Traffic != nil:
		return fmt.Errorf("%s: the sources have no classes of packets", path)
	case x.Routers.faults != nil:
		return fmt.Errorf("%s: faults act between the parts", path)
	case x.ports*x.vcs > 64:
		return fmt.Errorf("%s: %d ports with %d virtual channels each, but vc_router has at most 64 input VCs", path,
			x.ports, x.vcs)
	case c.CreditDelay > exportedDelayMax:
		return fmt.Errorf("%s: a credit delay of %d cycles, but vc_router has at most %d", path, c.CreditDelay,
			exportedDelayMax)
	case x.dataBits > exportedDataBitsMax || x.flitBits > 64:
		return fmt.Errorf("%s: numbers of packets have %d bits, but a flit has %d bits for destination and number", path,
			x.called.Bits, min(exportedDataBitsMax, 61-x.vcBits)-1)
	}
	return nil
}

// unknownOption returns the name of a field that is set but not known, "" for none.
func unknownOption(options any, known []string) string {
	v := reflect.ValueOf(options)
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !slices.Contains(known, name) && !v.Field(i).IsZero() {
			return name
		}
	}
	return ""
}

// connect finds the drivers of all wires.
func (x *exportedRouters) connect(w *routerWiring) {
	ports, late := w.first[len(w.ports)], uint16(x.Routers.config.CreditDelay)
	flits, credits := make([]exportedDriver, ports+w.nodes), make([]exportedDriver, ports+w.nodes)
	for g, r := range w.router {
		if to := w.outputs[g]; to.wire != unwired {
			flits[to.wire] = exportedDriver{x.Routers, int(r), g - w.first[r], to.delay - 2}
		}
		if to := w.inputs[g]; to.wire != unwired {
			delay := to.delay - 1
			if int(to.wire) < ports {
				delay -= late
			}
			credits[to.wire] = exportedDriver{x.Routers, int(r), g - w.first[r], delay}
		}
	}
	for place := range w.nodes {
		to := w.sources[place]
		flits[to.wire] = exportedDriver{x.Sources, place, 0, to.delay - 1}
		to = w.sinks[place]
		credits[to.wire] = exportedDriver{x.Sinks, place, 0, to.delay - 1 - late}
	}
	x.flits, x.credits = linksOf(flits), linksOf(credits)
}

// linksOf numbers the wires that have a driver.
func linksOf(drivers []exportedDriver) exportedLinks {
	l := exportedLinks{drivers: drivers, number: make([]int, len(drivers))}
	for wire := range drivers {
		if l.number[wire] = len(l.wires); drivers[wire].of != nil {
			l.wires = append(l.wires, wire)
		}
	}
	return l
}

// data returns the data of a packet's flit.
func (x *exportedRouters) data(packet uint32, phase bool) uint64 {
	return bit(phase) | uint64(x.Packets.Destination[packet])<<1 | x.called.Of(packet)<<(1+x.nodeBits)
}

// dataViews shows the data of a flit that begins at bit low of a port or of its lanes.
func (x *exportedRouters) dataViews(at string, low int) []View {
	return []View{
		{Name: at + "destination", Low: low + 1, Bits: x.nodeBits},
		{Name: at + "packet", Low: low + 1 + x.nodeBits, Bits: x.called.Bits},
	}
}

// line returns the value of a port of an element.
func line(of Wire, port string, element, bits int) Line {
	return Line{Wire: of, Field: port, Element: element, Bits: bits}
}

// drives makes an output drive its own line.
func drives(of Wire, p Port, views ...View) Port {
	p.Lines = func(element int) []Line { return []Line{line(of, p.Name, element, p.Bits)} }
	p.Views = views
	return p
}

func exported(name string, bits int, get func(element int) uint64) Port {
	return Port{Name: name, Bits: bits, Get: GetValue(get), Put: Unread}
}

func exportedInput(name string, bits int, get func(element int) uint64, from func(element int) Expression) Port {
	return Port{Name: name, Bits: bits, Input: true, Get: GetValue(get), From: from}
}

// sent returns a field of a driver's output.
func (d *exportedDriver) sent(port string, ports, bits int) Expression {
	if ports == 0 {
		return Carried(line(d.of, port, d.element, bits))
	}
	return Carried(line(d.of, port, d.element, ports*bits)).Slice(d.lane*bits, bits)
}

func (x *exportedRouters) lanes(d *exportedDriver) int {
	if d.of == Wire(x.Routers) {
		return x.ports
	}
	return 0
}

func (x *exportedRouters) flitLinks(w *routerWiring) *Site {
	wires := x.flits.wires
	word := func(wire, later int) uint64 {
		f, lit := x.Flits.at(uint32(wire), uint16(later))
		if !lit {
			return 0
		}
		return 1 | bit(Flit(f).Head())<<1 | bit(Flit(f).Tail())<<2 | uint64(Flit(f).VC())<<3 |
			x.data(Flit(f).Packet(), Flit(f)&flitPhase != 0)<<(3+x.vcBits)
	}
	views := append([]View{
		{Name: "valid", Bits: 1}, {Name: "head", Low: 1, Bits: 1}, {Name: "tail", Low: 2, Bits: 1},
		{Name: "vc", Low: 3, Bits: x.vcBits},
	}, x.dataViews("", 3+x.vcBits)...)
	return &Site{
		Twin: "delay_line", What: "links", Elements: len(wires), Clocked: true,
		Parameters: func(k int) map[string]int {
			return map[string]int{"WIDTH": x.flitBits, "CYCLES": x.flits.delay(k), "RESET": 1}
		},
		Path: func(k int) string { return x.end(w, wires[k], w.input, ".in") + ".flit" },
		Ports: []Port{
			exportedInput("data_i", x.flitBits,
				func(k int) uint64 { return word(wires[k], x.flits.delay(k)) },
				func(k int) Expression {
					d := &x.flits.drivers[wires[k]]
					lanes := x.lanes(d)
					return Together(d.sent("valid_o", lanes, 1), d.sent("head_o", lanes, 1), d.sent("tail_o", lanes, 1),
						d.sent("vc_o", lanes, x.vcBits), d.sent("data_o", lanes, x.dataBits))
				}),
			drives(x.Flits, exported("data_o", x.flitBits, func(k int) uint64 { return word(wires[k], 0) }), views...),
			{Name: "filled_o", Bits: 1},
		},
	}
}

// end returns the path of the reader of a wire: a port of a router, or a node.
func (x *exportedRouters) end(w *routerWiring, wire int, port func(router, port int) string, node string) string {
	if ports := w.first[len(w.ports)]; wire >= ports {
		return x.node(w.node[wire-ports]) + node
	}
	r := int(w.router[wire])
	return port(r, wire-w.first[r])
}

func (x *exportedRouters) creditLinks(w *routerWiring) *Site {
	ports, wires := w.first[len(w.ports)], x.credits.wires
	word := func(wire, later int) uint64 {
		if wire < ports {
			later += x.Routers.config.CreditDelay
		}
		vc, lit := x.Credits.at(uint32(wire), uint16(later))
		if !lit {
			return 0
		}
		return 1 | uint64(vc)<<1
	}
	return &Site{
		Twin: "delay_line", What: "credit links", Elements: len(wires), Clocked: true,
		Parameters: func(k int) map[string]int {
			return map[string]int{"WIDTH": 1 + x.vcBits, "CYCLES": x.credits.delay(k), "RESET": 1}
		},
		Path: func(k int) string { return x.end(w, wires[k], w.output, ".out") + ".credit" },
		Ports: []Port{
			exportedInput("data_i", 1+x.vcBits,
				func(k int) uint64 { return word(wires[k], x.credits.delay(k)) },
				func(k int) Expression {
					d := &x.credits.drivers[wires[k]]
					lanes := x.lanes(d)
					return Together(d.sent("credit_o", lanes, 1), d.sent("credit_vc_o", lanes, x.vcBits))
				}),
			drives(x.Credits, exported("data_o", 1+x.vcBits, func(k int) uint64 { return word(wires[k], 0) }),
				View{Name: "valid", Bits: 1}, View{Name: "vc", Low: 1, Bits: x.vcBits}),
			{Name: "filled_o", Bits: 1},
		},
	}
}

// arrival and credit return bits of a flit's or credit's wire, 0 without a wire.

func (x *exportedRouters) arrival(wire, low, bits int) Expression {
	return x.flits.carried(x.Flits, wire, x.flitBits, low, bits)
}

func (x *exportedRouters) credit(wire, low, bits int) Expression {
	return x.credits.carried(x.Credits, wire, 1+x.vcBits, low, bits)
}

func (l *exportedLinks) carried(of Wire, wire, width, low, bits int) Expression {
	if l.drivers[wire].of == nil {
		return Constant(bits, 0)
	}
	return Carried(line(of, "data_o", l.number[wire], width)).Slice(low, bits)
}

// perPort joins an expression of each port of a router, 0 for surplus ports.
func (x *exportedRouters) perPort(w *routerWiring, r, bits int, of func(port int) Expression) Expression {
	all := make([]Expression, x.ports)
	for i := range all {
		if all[i] = Constant(bits, 0); i < w.ports[r] {
			all[i] = of(w.first[r] + i)
		}
	}
	return Together(all...)
}

func (x *exportedRouters) routers(w *routerWiring) *Site {
	site := x.Routers.Site()
	parameters := site.Parameters(0)
	parameters["DATA_BITS"] = x.dataBits
	site.Parameters = Same(parameters)
	all := x.vcs * x.ports
	low := map[string]int{"valid_i": 0, "head_i": 1, "tail_i": 2, "vc_i": 3, "data_i": 3 + x.vcBits}
	views := map[string][]View{
		"valid_o": {{Name: "output[*].flit.valid", Bits: 1}}, "head_o": {{Name: "output[*].flit.head", Bits: 1}},
		"tail_o": {{Name: "output[*].flit.tail", Bits: 1}}, "vc_o": {{Name: "output[*].flit.vc", Bits: x.vcBits}},
		"data_o": x.dataViews("output[*].flit.", 0), "credit_o": {{Name: "input[*].credit.valid", Bits: 1}},
		"credit_vc_o": {{Name: "input[*].credit.vc", Bits: x.vcBits}},
	}
	for i := range site.Ports {
		p := &site.Ports[i]
		switch p.Name {
		case "data_i":
			*p = x.Routers.pin(p.Name, x.dataBits, true, func(g int) uint64 {
				f, lit := x.Routers.arriving(g)
				if !lit {
					return 0
				}
				return x.data(f.Packet(), f.Head() && x.Routers.hop(g, f).Phase)
			}, nil)
		case "data_o":
			*p = x.Routers.pin(p.Name, x.dataBits, false, func(g int) uint64 {
				f, lit := x.Routers.leaving(g)
				if !lit {
					return 0
				}
				return x.data(f.Packet(), f&flitPhase != 0)
			}, nil)
		}
		width := p.Bits / x.ports
		if !p.Input {
			for k := range views[p.Name] {
				views[p.Name][k].Lanes = x.ports
			}
			*p = drives(x.Routers, *p, views[p.Name]...)
			continue
		}
		from := func(g int) Expression { return x.arrival(g, low[p.Name], width) }
		switch p.Name {
		case "data_i":
			from = func(g int) Expression {
				r := int(w.router[g])
				phase := Carried(line(x.Routers, "phase_o", r, x.ports)).Slice(g-w.first[r], 1)
				return Together(phase, x.arrival(g, low["data_i"]+1, width-1))
			}
		case "credit_i":
			from = func(g int) Expression { return x.credit(g, 0, 1) }
		case "credit_vc_i":
			from = func(g int) Expression { return x.credit(g, 1, width) }
		case "route_i":
			p.From = func(r int) Expression { return Carried(line(x.Routers, "route_o", r, x.ports*all)) }
			continue
		}
		p.From = func(r int) Expression { return x.perPort(w, r, width, from) }
	}
	return site
}

// tables are the route tables of the routers. An entry has the output port, the set of VCs in the flit's class, and
// the packet's phase after the router. On a torus, an input port and a phase select one of several tables.
func (x *exportedRouters) tables(w *routerWiring) *Site {
	routing, classVCs := &x.Routers.routing, x.Routers.classVCs
	torus := routing.Grid == nil && routing.Ports == nil && routing.Rule == nil
	portBits, tables := IndexBits(x.ports), 1
	if torus {
		tables = 2 * x.ports
	}
	entryBits := portBits + classVCs + 1
	entry := func(r, table, node int) Expression {
		if table/2 >= w.ports[r] {
			return Constant(entryBits, 0)
		}
		hop := routing.Next(r, table/2, node, w.nodes, table%2 != 0, classVCs)
		set := ^uint64(0) >> (63 - uint(hop.High-hop.Low)) << hop.Low
		return Constant(entryBits, uint64(hop.Port)|set<<portBits|bit(hop.Phase)<<(portBits+classVCs))
	}
	each := func(name string, low, bits int, get func(f Flit) uint64) Port {
		p := x.Routers.pin(name, bits, true, func(g int) uint64 {
			f, lit := x.Routers.arriving(g)
			if !lit {
				return 0
			}
			return get(f)
		}, nil)
		p.From = func(r int) Expression {
			return x.perPort(w, r, bits, func(g int) Expression { return x.arrival(g, low, bits) })
		}
		return p
	}
	dataLow := 3 + x.vcBits
	routes := func(r int) Expression {
		var all []Expression
		for table := range tables {
			for node := range w.nodes {
				all = append(all, entry(r, table, node))
			}
		}
		return Together(all...)
	}
	constants := Port{Name: "routes_i", Bits: tables * w.nodes * entryBits, Input: true, From: routes,
		Get: func(r int, to Pins) func() { return routes(r).Bind(to, nil) }}
	return &Site{
		Twin: "route_table", What: "route tables", Elements: len(w.ports),
		Parameters: Same(map[string]int{"PORTS": x.ports, "VCS": x.vcs, "CLASS_VCS": classVCs, "NODES": w.nodes,
			"BY_INPUT": int(bit(torus))}),
		Path: func(r int) string { return Index(x.Routers.Path(), r) + ".routes" },
		Ports: []Port{
			each("head_i", 1, 1, func(f Flit) uint64 { return bit(f.Head()) }),
			each("vc_i", 3, x.vcBits, func(f Flit) uint64 { return uint64(f.VC()) }),
			each("phase_i", dataLow, 1, func(f Flit) uint64 { return bit(f&flitPhase != 0) }),
			each("destination_i", dataLow+1, x.nodeBits,
				func(f Flit) uint64 { return uint64(x.Packets.Destination[f.Packet()]) }),
			constants,
			drives(x.Routers, x.Routers.pin("route_o", x.ports*x.vcs, false, func(g int) uint64 {
				f, _ := x.Routers.arriving(g)
				return x.Routers.routeIn(g, f)
			}, nil)),
			drives(x.Routers, x.Routers.pin("phase_o", 1, false, func(g int) uint64 {
				f, _ := x.Routers.arriving(g)
				return bit(f.Head() && x.Routers.hop(g, f).Phase)
			}, nil)),
		},
	}
}

// injected returns the packet that a source gets in this cycle.
func (x *exportedRouters) injected(place int) (packet uint32, ok bool) {
	s, i := x.Sources, &x.injections[place]
	if i.cycle == s.clock.cycle {
		return i.packet, i.is
	}
	i.cycle, i.is = s.clock.cycle, i.next != s.end[place]
	if !i.is {
		return 0, false
	}
	i.packet = s.queue[place*s.room+int(i.next&s.mask)]
	if i.is = uint64(x.Packets.Created[i.packet]) <= i.cycle; i.is {
		i.next++
		x.queue = max(x.queue, int(i.next-s.next[place]))
	}
	return i.packet, i.is
}

func (x *exportedRouters) sources(w *routerWiring) *Site {
	most := uint16(max(1, x.fed.Flits))
	for _, size := range x.Packets.Size {
		most = max(most, size)
	}
	outside := func(name string, bits int, of func(packet uint32) uint64) Port {
		return Port{Name: name, Bits: bits, Input: true, Outside: true, Get: GetValue(func(place int) uint64 {
			packet, ok := x.injected(place)
			if !ok {
				return 0
			}
			return of(packet)
		})}
	}
	c := &x.Routers.config
	ports := uint32(w.first[len(w.ports)])
	flit := func(place int) (Flit, bool) {
		to := w.sources[place]
		f, lit := x.Flits.at(to.wire, to.delay-1)
		return Flit(f), lit
	}
	field := func(name string, bits int, of func(f Flit) uint64, views ...View) Port {
		return drives(x.Sources, exported(name, bits, func(place int) uint64 {
			if f, lit := flit(place); lit {
				return of(f)
			}
			return 0
		}), views...)
	}
	credit := func(place int) (uint64, bool) {
		vc, lit := x.Credits.at(ports+uint32(place), 0)
		return uint64(vc), lit
	}
	all := ^uint64(0) >> (64 - c.VCs)
	constant := func(name string, bits int, value uint64) Port {
		return exportedInput(name, bits, func(int) uint64 { return value },
			func(int) Expression { return Constant(bits, value) })
	}
	vcs, hold := constant("vcs_i", c.VCs, all), constant("hold_i", 1, 0)
	if x.Packets.FirstVC != nil {
		vcs = outside("vcs_i", c.VCs, func(p uint32) uint64 {
			return all >> (c.VCs - 1 - int(x.Packets.LastVC[p])) &^ (1<<x.Packets.FirstVC[p] - 1)
		})
	}
	if x.fed.Holds {
		hold = Port{Name: "hold_i", Bits: 1, Input: true, Outside: true,
			Get: GetValue(func(int) uint64 { return bit(x.Sources.holds()) })}
	}
	return &Site{
		Twin: "packet_source", What: "sources of packets", Elements: w.nodes, Clocked: true, Always: true,
		Parameters: func(int) map[string]int { // queue is known after a run
			return map[string]int{"VCS": c.VCs, "DEPTH": c.Depth, "WAIT_FOR_TAIL": int(bit(c.WaitForTail)),
				"DATA_BITS": x.dataBits, "SIZE_BITS": bits.Len16(most), "QUEUE": x.queue}
		},
		Path: func(place int) string { return x.node(w.node[place]) + ".out.flit" },
		Ports: []Port{
			outside("create_i", 1, func(uint32) uint64 { return 1 }),
			outside("size_i", bits.Len16(most), func(p uint32) uint64 { return uint64(x.Packets.Size[p]) }),
			outside("data_i", x.dataBits, func(p uint32) uint64 { return x.data(p, false) }),
			vcs,
			hold,
			exportedInput("credit_i", 1, func(place int) uint64 { _, lit := credit(place); return bit(lit) },
				func(place int) Expression { return x.credit(int(ports)+place, 0, 1) }),
			exportedInput("credit_vc_i", x.vcBits, func(place int) uint64 { vc, _ := credit(place); return vc },
				func(place int) Expression { return x.credit(int(ports)+place, 1, x.vcBits) }),
			field("valid_o", 1, func(Flit) uint64 { return 1 }, View{Name: "valid", Bits: 1}),
			field("head_o", 1, func(f Flit) uint64 { return bit(f.Head()) }, View{Name: "head", Bits: 1}),
			field("tail_o", 1, func(f Flit) uint64 { return bit(f.Tail()) }, View{Name: "tail", Bits: 1}),
			field("vc_o", x.vcBits, func(f Flit) uint64 { return uint64(f.VC()) },
				View{Name: "vc", Bits: x.vcBits}),
			field("data_o", x.dataBits, func(f Flit) uint64 { return x.data(f.Packet(), false) },
				x.dataViews("", 0)...),
		},
	}
}

func (x *exportedRouters) sinks(w *routerWiring) *Site {
	ports, eject := w.first[len(w.ports)], x.Sinks.eject
	arriving := func(place int) (Flit, bool) {
		f, lit := x.Flits.at(uint32(ports+place), 0)
		return Flit(f), lit
	}
	flit := func(from func(place int) (Flit, bool), of func(f Flit) uint64) func(place int) uint64 {
		return func(place int) uint64 {
			if f, lit := from(place); lit {
				return of(f)
			}
			return 0
		}
	}
	input := func(name string, low, bits int, of func(f Flit) uint64) Port {
		return exportedInput(name, bits, flit(arriving, of),
			func(place int) Expression { return x.arrival(ports+place, low, bits) })
	}
	taken := arriving
	if eject != nil {
		taken = func(place int) (Flit, bool) {
			f, lit := arriving(place)
			return eject.next(place, f, lit)
		}
	}
	result := func(name string, bits int, of func(f Flit) uint64) Port {
		p := exported(name, bits, flit(taken, of))
		p.Polled = true
		return p
	}
	back := func(place int) (uint64, bool) {
		to := w.sinks[place]
		vc, lit := x.Credits.at(to.wire, to.delay-1)
		return uint64(vc), lit
	}
	data := func(f Flit) uint64 { return x.data(f.Packet(), f&flitPhase != 0) }
	site := &Site{
		Twin: "packet_sink", What: "sinks of packets", Elements: w.nodes, Clocked: true, Always: true,
		Parameters: Same(map[string]int{"VCS": x.vcs, "DATA_BITS": x.dataBits}),
		Path:       func(place int) string { return x.node(w.node[place]) + ".in.credit" },
		Ports: []Port{
			input("valid_i", 0, 1, func(Flit) uint64 { return 1 }),
			input("head_i", 1, 1, func(f Flit) uint64 { return bit(f.Head()) }),
			input("tail_i", 2, 1, func(f Flit) uint64 { return bit(f.Tail()) }),
			input("vc_i", 3, x.vcBits, func(f Flit) uint64 { return uint64(f.VC()) }),
			input("data_i", 3+x.vcBits, x.dataBits, data),
			result("begin_o", 1, func(f Flit) uint64 { return bit(f.Head()) }),
			result("end_o", 1, func(f Flit) uint64 { return bit(f.Tail()) }),
			result("data_o", x.dataBits, func(f Flit) uint64 { return data(f) * bit(f.Head() || f.Tail()) }),
			drives(x.Sinks, exported("credit_o", 1, func(place int) uint64 { _, lit := back(place); return bit(lit) }),
				View{Name: "valid", Bits: 1}),
			drives(x.Sinks, exported("credit_vc_o", x.vcBits, func(place int) uint64 { vc, _ := back(place); return vc }),
				View{Name: "vc", Bits: x.vcBits}),
		},
	}
	if eject != nil {
		site.Twin, site.Parameters = "packet_ejector", Same(eject.parameters(x.dataBits))
		site.Ports[1] = Port{Name: "freed_i", Bits: IndexBits(int(eject.places) + 1), Input: true, Outside: true,
			Get: GetValue(func(place int) uint64 { return uint64(x.fed.Freed(w.node[place])) })}
	}
	return site
}
