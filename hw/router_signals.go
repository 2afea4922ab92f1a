package hw

import "slices"

// RouterSignals are the waveform signals of a network of routers. They show registers and wires before the clock edge
// of a cycle.
//
//	router[r].input[i]        flit that arrives, credit that returns; pointers choice and switch_accept
//	         .input[i].vc[v]  state; count of the buffer; output and output_vc; pointer vc_accept;
//	                          of a relation also route: the output VCs that a waiting head requests
//	         .output[o]       flit that leaves, credit that arrives; pointer switch_grant
//	         .output[o].vc[v] credits; owned by a packet; pointer vc_grant
//	node.out                  flit that its source sends, credit that arrives; vc[v].credits
//	node.in                   flit that arrives at its sink, credit that returns
//
// The signals of a router and its nodes form a group. Moved yields only the groups that may have changed, so the work
// grows with the traffic. A router replaced by RTL shows only its wires.
type RouterSignals struct {
	network *RouterNetwork
	node    func(node int) string // path of a node
	called  PacketNumbers
	fed     FedBy

	places []Shard  // by router: places of its nodes
	until  []uint64 // by router: first cycle with unchanging signals
	next   uint64   // cycle after the last call of Moved
}

// PacketNumbers maps packets to the numbers shown in waveforms, Bits bits wide.
type PacketNumbers struct {
	Bits int
	Of   func(packet uint32) uint64
}

// States of an input VC in waveforms.
const (
	vcIdle = iota
	vcRouting
	vcWaiting
	vcActive
)

var vcStates = []string{"idle", "routing", "waiting", "active"}

// Signals returns the signals of the network. node returns the path of a node.
func (n *RouterNetwork) Signals(node func(node int) string, called PacketNumbers) *RouterSignals {
	w := n.Routers.wiring
	s := &RouterSignals{network: n, node: node, called: called,
		until: make([]uint64, len(w.ports)), next: CycleOfReset - 1}
	place := 0
	for r := range w.ports {
		first := place
		for place < w.nodes && int(w.sources[place].wire) < w.first[r+1] {
			place++
		}
		s.places = append(s.places, Shard{r, first, place})
	}
	return s
}

type wireSignals struct {
	flit    func() (Flit, bool)
	credits []func() (vc uint64, lit bool) // a port with a speed-up of inputs has several in a cycle
}

// Groups yields all signals with their groups.
func (s *RouterSignals) Groups(yield func(group int, p Probe)) {
	x := s.network.Routers
	w := x.wiring
	for r := range w.ports {
		show := func(p Probe) { yield(r, p) }
		for port := w.first[r]; port < w.first[r+1]; port++ {
			if w.inputs[port].wire != unwired {
				s.input(w.input(r, port-w.first[r]), port, show)
			}
		}
		for port := w.first[r]; port < w.first[r+1]; port++ {
			if w.outputs[port].wire != unwired {
				s.output(w.output(r, port-w.first[r]), port, show)
			}
		}
		for place := s.places[r].First; place < s.places[r].End; place++ {
			s.ends(place, show)
		}
	}
}

func (s *RouterSignals) Probes(yield func(Probe)) { s.Groups(func(_ int, p Probe) { yield(p) }) }

func (s *RouterSignals) input(path string, port int, show func(Probe)) {
	x := s.network.Routers
	r, vcs := int(x.wiring.router[port]), x.config.VCs
	s.wires(path,
		wireSignals{func() (Flit, bool) { return x.arriving(port) }, x.eachBank(port, x.freeing)}, show)
	if x.replaced(r) {
		return
	}
	stages := &x.config.Stages
	for k := range stages.InputSpeedup {
		show(NewProbe(several(path+".choice", k, stages.InputSpeedup), IndexBits(vcs), x.choice, port*stages.InputSpeedup+k))
		show(NewProbe(several(path+".switch_accept", k, stages.InputSpeedup),
			IndexBits(x.wiring.ports[r]*stages.OutputSpeedup), x.switchAccept, port*stages.InputSpeedup+k))
	}
	outputs := IndexBits(x.wiring.ports[r])
	for vc := range vcs {
		at, g := Index(path+".vc", vc), port*vcs+vc
		state := ViewProbe(at+".state", 2, func() uint64 { return x.vcState(r, port, vc) })
		state.States = vcStates
		show(state)
		show(NewProbe(at+".count", IndexBits(x.config.Depth+1), x.count, g))
		show(ViewProbe(at+".output", outputs, func() uint64 {
			switch {
			case x.has(x.active, r, port, vc):
				return uint64(int(x.out[g]) / vcs)
			case x.has(x.waiting, r, port, vc):
				return uint64(x.routedTo(g))
			}
			return 0
		}))
		if x.masks != nil && x.words == 1 {
			show(ViewProbe(at+".route", x.wiring.ports[r]*vcs, func() uint64 {
				if x.has(x.waiting, r, port, vc) {
					return x.route[g]
				}
				return 0
			}))
		}
		show(ViewProbe(at+".output_vc", IndexBits(vcs), func() uint64 {
			if x.has(x.active, r, port, vc) {
				return uint64(int(x.out[g]) % vcs)
			}
			return 0
		}))
		show(NewProbe(at+".vc_accept", IndexBits(x.wiring.ports[r]*vcs), x.vcAccept, g))
	}
}

func (s *RouterSignals) output(path string, port int, show func(Probe)) {
	x := s.network.Routers
	r, vcs := int(x.wiring.router[port]), x.config.VCs
	s.wires(path,
		wireSignals{func() (Flit, bool) { return x.leaving(port) }, x.eachBank(port, x.crediting)}, show)
	if x.replaced(r) {
		return
	}
	for k, stages := range slices.Repeat([]*RouterStages{&x.config.Stages}, x.config.Stages.OutputSpeedup) {
		show(NewProbe(several(path+".switch_grant", k, stages.OutputSpeedup),
			IndexBits(x.wiring.ports[r]*stages.InputSpeedup), x.switchGrant, port*stages.OutputSpeedup+k))
	}
	for vc := range vcs {
		at, g := Index(path+".vc", vc), port*vcs+vc
		show(creditsLeft(at+".credits", x.config.Depth, &x.sent[g]))
		show(ViewProbe(at+".owned", 1, func() uint64 { return bit(x.has(x.used, r, port, vc)) }))
		show(NewProbe(at+".vc_grant", IndexBits(x.wiring.ports[r]*vcs), x.vcGrant, g))
	}
}

func (s *RouterSignals) ends(place int, show func(Probe)) {
	n := s.network
	w, sources := n.Routers.wiring, n.Sources
	path, wire := s.node(w.node[place]), uint32(w.first[len(w.ports)]+place)
	from, to := w.sources[place], w.sinks[place]
	s.wires(path+".out", wireSignals{
		func() (Flit, bool) { f, lit := n.Flits.at(from.wire, from.delay-1); return Flit(f), lit },
		n.Routers.eachBank(0, func(_, bank int) (uint64, bool) {
			vc, lit := n.Routers.banks[bank].at(wire, 0)
			return uint64(vc), lit
		}),
	}, show)
	for vc := range sources.config.VCs {
		show(creditsLeft(Index(path+".out.vc", vc)+".credits", sources.config.Depth,
			&sources.sent[place*sources.config.VCs+vc]))
	}
	s.wires(path+".in", wireSignals{
		func() (Flit, bool) { f, lit := n.Flits.at(wire, 0); return Flit(f), lit },
		[]func() (uint64, bool){func() (uint64, bool) {
			vc, lit := n.Credits.at(to.wire, to.delay-1)
			return uint64(vc), lit
		}},
	}, show)
}

func creditsLeft(path string, depth int, sent *uint16) Probe {
	return ViewProbe(path, IndexBits(depth+1), func() uint64 { return uint64(depth - int(*sent)) })
}

func (s *RouterSignals) wires(path string, w wireSignals, show func(Probe)) {
	p, vcs := s.network.Packets, s.network.Routers.config.VCs
	flit := func(name string, bits int, of func(f Flit) uint64) {
		probe := ViewProbe(path+".flit."+name, bits, func() uint64 {
			if f, lit := w.flit(); lit {
				return of(f)
			}
			return 0
		})
		probe.Decimal = bits > 1
		show(probe)
	}
	flit("valid", 1, func(Flit) uint64 { return 1 })
	flit("head", 1, func(f Flit) uint64 { return bit(f.Head()) })
	flit("tail", 1, func(f Flit) uint64 { return bit(f.Tail()) })
	flit("vc", IndexBits(vcs), func(f Flit) uint64 { return uint64(f.VC()) })
	flit("destination", IndexBits(s.network.Routers.wiring.nodes),
		func(f Flit) uint64 { return uint64(p.Destination[f.Packet()]) })
	flit("packet", s.called.Bits, func(f Flit) uint64 { return s.called.Of(f.Packet()) })
	for k, credit := range w.credits {
		at := several(path+".credit", k, len(w.credits))
		show(ViewProbe(at+".valid", 1, func() uint64 { _, lit := credit(); return bit(lit) }))
		show(ViewProbe(at+".vc", IndexBits(vcs), func() uint64 { vc, _ := credit(); return vc }))
	}
}

// several returns the path of the k-th of count signals: that of a single one has no index.
func several(path string, k, count int) string {
	if count == 1 {
		return path
	}
	return Index(path, k)
}

// eachBank returns the credits of a port on each bank of credit wires.
func (x *Routers) eachBank(port int, credit func(port, bank int) (uint64, bool)) (all []func() (uint64, bool)) {
	for bank := range x.banks {
		all = append(all, func() (uint64, bool) { return credit(port, bank) })
	}
	return all
}

func (x *Routers) replaced(r int) bool { return x.pins.replaced != nil && x.pins.replaced[r] }

func (x *Routers) has(sets []uint64, r, port, vc int) bool {
	member := (port-x.wiring.first[r])*x.config.VCs + vc
	return sets[r*x.words+member/64]>>(member&63)&1 != 0
}

// vcState returns the state of an input VC in this cycle, including an arriving flit.
func (x *Routers) vcState(r, port, vc int) uint64 {
	f, lit := x.arriving(port)
	switch {
	case x.has(x.active, r, port, vc):
		return vcActive
	case x.has(x.waiting, r, port, vc):
		return vcWaiting
	case x.count[port*x.config.VCs+vc] == 0 && !(lit && f.VC() == vc):
		return vcIdle
	case x.config.RoutingDelay == 0:
		return vcWaiting
	}
	return vcRouting
}

// shownCycles is the number of cycles in which one event can change a router's signals: from the arrival of a flit
// until the flit has left the output register.
const shownCycles = 4

// Moved yields the groups whose signals may have changed since the last call. If the previous cycle had no call,
// Moved yields all groups.
func (s *RouterSignals) Moved(yield func(group int)) {
	x, now := s.network.Routers, s.network.Routers.flits.clock.cycle
	all := now != s.next
	s.next = now + 1
	for r := range s.until {
		if x.happens(r) || s.nodesMove(r) {
			s.until[r] = now + shownCycles
		}
		if all || now < s.until[r] {
			yield(r)
		}
	}
}

// happens reports whether a router is active in this cycle or receives a credit for a later cycle.
func (x *Routers) happens(r int) bool {
	something, first, end := uint64(x.awake[r]), r*x.wiring.portWords, (r+1)*x.wiring.portWords
	for _, bank := range x.banks {
		back, shown := bank.lighting(0), bank.lighting(x.config.CreditDelay)
		for k := first; k < end; k++ {
			something |= back[k] | shown[k]
		}
	}
	for _, arrived := range x.flits.lighting(0)[first:end] {
		something |= arrived
	}
	return something != 0
}

func (s *RouterSignals) nodesMove(r int) bool {
	n := s.network
	w := n.Routers.wiring
	shard, ports := int(w.owner[r]), uint32(w.first[len(w.ports)])
	for place := s.places[r].First; place < s.places[r].End; place++ {
		_, flit := n.Flits.at(ports+uint32(place), 0)
		credit := false
		for _, bank := range n.Routers.banks {
			_, lit := bank.at(ports+uint32(place), 0)
			credit = credit || lit
		}
		ready, eject := n.Sources.shards[shard].ready.Has(place-w.places[shard].First), n.Sinks.eject
		if flit || credit || ready || eject != nil && eject.movesAt(place) {
			return true
		}
	}
	return false
}
