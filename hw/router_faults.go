package hw

// Suffer gives a network its faults. Its packets have the column Harm.
func (n *RouterNetwork) Suffer(faults RouterFaults) {
	w := n.Routers.wiring
	flits, credits := n.channels()
	n.Flits.loses = func(shard int, wire uint32, cycle uint64, f uint64) bool {
		lost := faults.LosesFlit(shard, int(flits[wire]), cycle, Flit(f))
		if lost && Flit(f).Head() {
			n.Packets.Hops[Flit(f).Packet()] = Flit(f).Hops()
		}
		return lost
	}
	n.Credits.loses = func(shard int, wire uint32, cycle uint64, vc uint8) bool {
		return faults.LosesCredit(shard, int(credits[wire]), int(vc), cycle)
	}
	n.Routers.dead = make([]uint64, len(w.ports))
	n.Routers.faults = faults
	n.Strike()
}

// Strike asks which routers die, at the beginning of a run.
func (n *RouterNetwork) Strike() {
	x := n.Routers
	for r := range x.dead {
		x.dead[r] = x.faults.DeadFrom(r)
	}
}

func (n *RouterNetwork) channels() (flits, credits []uint32) {
	w := n.Routers.wiring
	ports := w.first[len(w.ports)]
	flits, credits = make([]uint32, ports+w.nodes), make([]uint32, ports+w.nodes)
	links := uint32(len(w.links))
	for i, l := range w.links {
		flits[w.first[l.To]+l.Input], credits[w.first[l.From]+l.Output] = uint32(i), uint32(i)
	}
	for place, node := range w.node {
		at := w.sources[place].wire
		flits[at], credits[ports+place] = links+2*uint32(node), links+2*uint32(node)
		flits[ports+place], credits[at] = links+2*uint32(node)+1, links+2*uint32(node)+1
	}
	return flits, credits
}
