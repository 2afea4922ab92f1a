package hw

import (
	"fmt"
	"math/bits"
)

// NewRouter returns a stand-alone router for a kernel with the same clock and one shard of one unit. Its Site
// replaces the neighbours. Flits carry the set of output VCs that they may take, and dataBits bits of data.
func NewRouter(path string, clock *Clock, config RouterConfig, ports, dataBits int,
	shards []Shard) (*RouterNetwork, error) {
	switch {
	case ports < 1 || config.VCs < 1 || ports*config.VCs > 64:
		return nil, fmt.Errorf("%s: %d ports with %d virtual channels each; allowed: 64 channels in all", path, ports,
			config.VCs)
	case config.Beyond() != "":
		return nil, fmt.Errorf("%s: a stand-alone router has no %s", path, config.Beyond())
	case dataBits < 1 || dataBits > RouterDataBits:
		return nil, fmt.Errorf("%s: %d bits of data; allowed: 1 to %d", path, dataBits, RouterDataBits)
	}
	graph := RouterGraph{Ports: []int{ports}}
	for port := range ports {
		graph.Nodes = append(graph.Nodes, RouterNode{0, port, 1})
	}
	n, err := NewRouterNetwork(path, clock, config, &graph, RouteTable{Carried: true}, &Packets{}, shards)
	if err == nil {
		n.Routers.pins.head, n.Routers.pins.dataBits = flitCarriedHead, dataBits
	}
	return n, err
}

// Site describes a router with as many ports as the largest router; surplus ports are unused. A flit carries the
// output VCs that it may take at this router, as bits port * VCs + VC.
func (x *Routers) Site() *Site {
	c, p := &x.config, x.pins
	parameters := map[string]int{
		"PORTS": x.wiring.portsMax, "VCS": c.VCs, "DEPTH": c.Depth, "ROUTING_DELAY": c.RoutingDelay,
		"CREDIT_DELAY":  c.CreditDelay,
		"WAIT_FOR_TAIL": int(bit(c.WaitForTail)), "VC_ALLOCATOR": int(c.VCAllocator),
		"SWITCH_ALLOCATOR": int(c.SwitchAllocator), "DATA_BITS": p.dataBits,
	}
	if p.valid == nil {
		p.build(x.wiring.first[len(x.wiring.ports)])
	}
	ports := x.flitPins("_i", true, x.arriving, nil)
	ports = append(ports, x.pin("route_i", x.wiring.portsMax*c.VCs, true,
		func(g int) uint64 { f, _ := x.arriving(g); return x.routeIn(g, f) },
		func(g int, v uint64) error { p.route[g] = v; return nil }))
	ports = append(ports, x.creditPins("_i", true, x.crediting, nil)...)
	ports = append(ports, x.flitPins("_o", false, x.leaving, x.send)...)
	return &Site{
		Twin: "vc_router", What: "routers", Parameters: Same(parameters), Elements: len(x.wiring.ports), Clocked: true,
		Path:  func(element int) string { return Index(x.Path(), element) },
		Ports: append(ports, x.creditPins("_o", false, x.freeing, x.free)...),
		Take:  x.takePins,
		Replace: func(element int, _ func() bool) {
			if p.replaced == nil {
				p.replaced = make([]bool, len(x.wiring.ports))
			}
			p.replaced[element] = true
			x.awake[element], x.moves[x.wiring.owner[element]] = 1, 1
		},
	}
}

// flitPins returns the pins of a flit. wire reads the flit of a port. take, unless nil, consumes a flit that was put
// on the pins.
func (x *Routers) flitPins(direction string, input bool, wire func(port int) (Flit, bool),
	take func(port int) error) []Port {
	p := x.pins
	flit := func(name string, bits int, get func(g int, f Flit) uint64, put func(g int, v uint64)) Port {
		return x.pin(name+direction, bits, input,
			func(g int) uint64 { f, _ := wire(g); return get(g, f) }, func(g int, v uint64) error { put(g, v); return nil })
	}
	data := x.pin("data"+direction, p.dataBits, input, func(g int) uint64 {
		f, _ := wire(g)
		if input && f.Head() {
			return dataOfFlit(f)&^1 | bit(x.hop(g, f).Phase) // the phase after this router
		}
		return dataOfFlit(f)
	}, func(g int, v uint64) error {
		if p.flit[g] |= flitOfData(v); take == nil {
			return nil
		}
		return take(g)
	})
	return []Port{
		x.pin("valid"+direction, 1, input,
			func(g int) uint64 { _, lit := wire(g); return bit(lit) },
			func(g int, v uint64) error { p.valid[g] = v != 0; return nil }),
		flit("head", 1, func(_ int, f Flit) uint64 { return bit(f&p.head != 0) },
			func(g int, v uint64) { p.flit[g] = Flit(v) * p.head }),
		flit("tail", 1, func(_ int, f Flit) uint64 { return bit(f.Tail()) },
			func(g int, v uint64) { p.flit[g] |= Flit(v) * flitTail }),
		flit("vc", IndexBits(x.config.VCs), func(_ int, f Flit) uint64 { return uint64(f.VC()) },
			func(g int, v uint64) { p.vc[g] = v }),
		data,
	}
}

func (x *Routers) creditPins(direction string, input bool, wire func(port, bank int) (uint64, bool),
	take func(port int) error) []Port {
	p := x.pins
	return []Port{
		x.pin("credit"+direction, 1, input,
			func(g int) uint64 { _, lit := wire(g, 0); return bit(lit) },
			func(g int, v uint64) error { p.credit[g] = v != 0; return nil }),
		x.pin("credit_vc"+direction, IndexBits(x.config.VCs), input, func(g int) uint64 { vc, _ := wire(g, 0); return vc },
			func(g int, v uint64) error {
				if p.creditVC[g] = v; take == nil {
					return nil
				}
				return take(g)
			}),
	}
}

// pin returns a port with the given number of bits per router port. get and put take port numbers across all
// routers.
func (x *Routers) pin(name string, bits int, input bool, get func(port int) uint64,
	put func(port int, value uint64) error) Port {
	return Port{
		Name: name, Bits: x.wiring.portsMax * bits, Input: input,
		Get: func(r int, to Pins) func() {
			lanes := to.Lanes(x.wiring.portsMax)[:x.wiring.ports[r]]
			return func() {
				for i := range lanes {
					lanes[i].Set(get(x.wiring.first[r] + i))
				}
			}
		},
		Put: func(r int, from Pins) func() error {
			lanes := from.Lanes(x.wiring.portsMax)[:x.wiring.ports[r]]
			return func() (first error) {
				for i := range lanes {
					if err := put(x.wiring.first[r]+i, lanes[i].Value()); err != nil && first == nil {
						first = fmt.Errorf("port %d: %w", i, err)
					}
				}
				return first
			}
		},
	}
}

// dataOfFlit returns the data bits: the flit without head, tail and VC.

func dataOfFlit(f Flit) uint64 {
	return uint64(f)>>flitHopsShift<<1 | bit(f&flitPhase != 0)
}

func flitOfData(data uint64) Flit {
	return Flit(data>>1)<<flitHopsShift | Flit(data&1)*flitPhase
}

// arriving and crediting read a port's input wires; leaving and freeing read its output wires.

func (x *Routers) arriving(port int) (Flit, bool) {
	f, lit := x.flits.at(uint32(port), 0)
	return Flit(f).further(), lit
}

func (x *Routers) crediting(port, bank int) (uint64, bool) {
	vc, lit := x.banks[bank].at(uint32(port), uint16(x.config.CreditDelay))
	return uint64(vc), lit
}

func (x *Routers) leaving(port int) (Flit, bool) {
	to := &x.wiring.outputs[port]
	if to.wire == unwired {
		return 0, false
	}
	f, lit := x.flits.at(to.wire, to.delay-2)
	return Flit(f), lit
}

func (x *Routers) freeing(port, bank int) (uint64, bool) {
	to := &x.wiring.inputs[port]
	if to.wire == unwired {
		return 0, false
	}
	vc, lit := x.banks[bank].at(to.wire, to.delay-1)
	return uint64(vc), lit
}

func (x *Routers) hop(port int, f Flit) Hop {
	r := int(x.wiring.router[port])
	if x.masks != nil {
		return Hop{Phase: f&flitPhase != 0}
	}
	hop := x.routing.NextBy(r, port-x.wiring.first[r], int(x.packets.Destination[f.Packet()]), x.wiring.nodes,
		f&flitPhase != 0, x.classVCs, Chance{x.packets, f.Packet()})
	first := int(x.classFirst[f.VC()])
	hop.Low, hop.High = hop.Low+first, hop.High+first
	return hop
}

func (x *Routers) routeIn(port int, f Flit) uint64 {
	if !f.Head() {
		return 0
	}
	if x.masks != nil {
		r := int(x.wiring.router[port])
		return x.masks.route(r, port, f.VC(), int(x.packets.Destination[f.Packet()]))[0] << x.classFirst[f.VC()]
	}
	hop := x.hop(port, f)
	return (^uint64(0) >> (63 - uint(hop.High-hop.Low)) << hop.Low) << (hop.Port * x.config.VCs)
}

func (x *Routers) send(port int) error {
	p := x.pins
	if !p.valid[port] {
		return nil
	}
	f, to := p.flit[port], &x.wiring.outputs[port]
	switch {
	case p.vc[port] >= uint64(x.config.VCs):
		return fmt.Errorf("a flit for VC %d, but there are %d VCs", p.vc[port], x.config.VCs)
	case to.wire == unwired:
		return fmt.Errorf("a flit on an unwired port")
	case int(f.Packet()) >= x.packets.Count():
		return fmt.Errorf("a flit of packet %d, but there are %d packets", f.Packet(), x.packets.Count())
	}
	came := Flit(0) // hop bits with which the flit arrived
	if f.Head() {
		came = (Flit(x.packets.Hops[f.Packet()])<<flitHopsShift | flitHead).further() & flitHopsMask
	}
	if f&(flitHopsMask|flitNothing) != came {
		return fmt.Errorf("a flit of packet %d with changed data", f.Packet())
	}
	if x.crossed != nil {
		x.crossed[port]++
	}
	x.flits.put(0, to.wire, to.delay-2, uint64(f.onVC(int(p.vc[port]))))
	return nil
}

func (x *Routers) free(port int) error {
	p := x.pins
	if !p.credit[port] {
		return nil
	}
	to := &x.wiring.inputs[port]
	switch {
	case p.creditVC[port] >= uint64(x.config.VCs):
		return fmt.Errorf("a credit for VC %d, but there are %d VCs", p.creditVC[port], x.config.VCs)
	case to.wire == unwired:
		return fmt.Errorf("a credit on an unwired port")
	}
	x.banks[0].put(0, to.wire, to.delay-1, uint8(p.creditVC[port]))
	return nil
}

// takePins consumes the values put on the inputs of a stand-alone router, and its outputs. It drops values that no
// neighbour sends: a flit for a full buffer or an invalid VC, and a credit for an invalid VC or, when it counts,
// without an outstanding flit.
func (x *Routers) takePins(r int) {
	p, vcs := x.pins, x.config.VCs
	for port := x.wiring.first[r]; port < x.wiring.first[r+1]; port++ {
		x.flits.take(x.wiring.outputs[port].wire)
		x.banks[0].take(x.wiring.inputs[port].wire)
		if g := port*vcs + int(p.vc[port]); p.valid[port] && p.vc[port] < uint64(vcs) && int(x.count[g]) < x.config.Depth {
			x.flits.put(0, uint32(port), 0, uint64(p.flit[port].onVC(int(p.vc[port]))))
			p.carried[g*x.config.Depth+(int(x.head[g])+int(x.count[g]))%x.config.Depth] = p.route[port]
		}
		if p.credit[port] && p.creditVC[port] < uint64(vcs) {
			x.banks[0].put(0, uint32(port), uint16(x.config.CreditDelay), uint8(p.creditVC[port]))
		}
		if vc, lit := x.banks[0].at(uint32(port), 0); lit && x.sent[port*vcs+int(vc)] == 0 {
			x.banks[0].take(uint32(port))
		}
	}
}

// Room returns the number of free places for flits in an input VC's buffer of a stand-alone router. inside reports
// whether more flits of the last packet will follow.
func (x *Routers) Room(port, vc int) (flits int, inside bool) {
	g, depth := port*x.config.VCs+vc, x.config.Depth
	if n := int(x.count[g]); n > 0 {
		last := Flit(x.buffer[g*depth+(int(x.head[g])+n-1)%depth])
		return depth - n, !last.Tail()
	}
	return depth, x.active[0]>>g&1 != 0
}

// Owed returns the number of outstanding credits of an output VC of a stand-alone router.
func (x *Routers) Owed(port, vc int) (flits int) {
	flits = int(x.sent[port*x.config.VCs+vc])
	for cycles := range uint16(x.config.CreditDelay) {
		if of, lit := x.banks[0].at(uint32(port), cycles); lit && int(of) == vc {
			flits--
		}
	}
	return flits
}

// Owner returns the output VC that the packet of an input VC of a stand-alone router owns. After a tail, the result
// is the last output VC owned. For a waiting packet only output is valid.
func (x *Routers) Owner(port, vc int) (output, outVC int, owns, waits bool) {
	g := port*x.config.VCs + vc
	out := int(x.out[g])
	if waits = x.waiting[0]>>g&1 != 0; waits {
		out = bits.TrailingZeros64(x.route[g])
	}
	return out / x.config.VCs, out % x.config.VCs, x.active[0]>>g&1 != 0, waits
}
