package netlist

import (
	"cmp"
	"slices"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/fabric/wired"
	"starloom/hw"
	"starloom/nic"
)

// pure reports whether the network is a single crossbar with processor i at port i.
func (n *Net) pure() bool {
	if len(n.Crossbars) != 1 || len(n.Media) != n.Crossbars[0].Media() || len(n.Crossbars[0].Taps) != len(n.Processors) {
		return false
	}
	for i := range n.Processors {
		if ports := n.Processors[i].Ports; len(ports) != 1 || ports[0].Asks == 0 || ports[0].Hears == None ||
			n.Crossbars[0].Taps[i] != (Tap{i, 0}) {
			return false
		}
	}
	return true
}

func (n *Net) nouns() (one, many string) {
	stars, buses, outputs := 0, 0, 0
	for i := range n.Media {
		switch m := &n.Media[i]; {
		case m.Bus:
			buses++
		case m.Star:
			stars++
		}
	}
	for i := range n.Crossbars {
		outputs += n.Crossbars[i].Media()
	}
	switch len(n.Media) {
	case stars:
		return "star", "stars"
	case buses:
		return "bus", "buses"
	case outputs:
		return n.Crossbars[0].MediumNoun()
	}
	if stars+buses+outputs == 0 {
		return "link", "links"
	}
	return "medium", "media"
}

func (n *Net) accessWord() uint32 {
	switch {
	case n.Switch:
		return 2
	case n.Mixed:
		return 3
	case n.OnePort, n.pure():
		return 0
	}
	return 1
}

// output returns the output of a crossbar that a processor hears, None for none.
func (n *Net) output(x *Crossbar, processor int) int {
	for k := range x.Media() {
		if x.hearer(n, k) == processor || x.Shared() {
			return x.First + k
		}
	}
	return None
}

func (x *Crossbar) hearer(n *Net, output int) int {
	tap := x.Taps[output]
	if n.Processors[tap.Processor].Ports[tap.Port].Hears != x.First+output {
		return None
	}
	return tap.Processor
}

func (n *Net) switched() fabric.Discipline {
	s := n.taps()
	if n.shared.Arbiter != contend.None {
		return fabric.Arbitrated{Switched: s}
	}
	return s
}

func (n *Net) taps() (s fabric.Switched) {
	s.Taps = n.shared.Taps
	for i := range n.Media {
		most := len(n.Media[i].Taps)
		if n.Media[i].Length > 0 {
			most = n.Media[i].Length
		}
		s.Each, s.Most = append(s.Each, most), max(s.Most, most)
	}
	return s
}

func (n *Net) makeBuses() *contend.Buses {
	taps := &hw.Taps{Members: make([][]int, len(n.Media)), Bus: make([][]uint32, len(n.Processors)),
		Tap: make([][]uint16, len(n.Processors)), Ports: n.ports}
	for i := range n.Processors {
		taps.Bus[i], taps.Tap[i] = make([]uint32, len(n.Processors[i].Ports)), make([]uint16, len(n.Processors[i].Ports))
	}
	b := &contend.Buses{Taps: taps, Arbiter: contend.None, Place: "fabric.netlist.nodes"}
	near, far := hw.Bank{Name: n.Name + ".medium", Units: 1, PerUnit: len(n.Media)},
		hw.Bank{Name: n.Name + ".medium." + fibre, Units: 1, PerUnit: len(n.Media)}
	for i := range n.Media {
		m := &n.Media[i]
		near.Labels, far.Labels = append(near.Labels, m.Path), append(far.Labels, m.Link)
		b.Arbiter = contend.ArbiterOf(m.Arbiter)
		if m.Weights != nil {
			b.Weights = append(b.Weights, make([][]int, i-len(b.Weights))...)
			b.Weights = append(b.Weights, m.Weights)
		}
		taps.Longest = max(taps.Longest, len(m.Taps))
		for k, tap := range m.Taps {
			taps.Members[i] = append(taps.Members[i], tap.Processor)
			taps.Bus[tap.Processor][tap.Port], taps.Tap[tap.Processor][tap.Port] = uint32(i), uint16(k)
		}
	}
	b.Bank, b.Wires = near, far
	return b
}

func (n *Net) share() {
	all := len(n.wiring.Sends)
	of, at, hears, outputs := make([]nic.Class, all), make([]uint32, all), make([]bool, all),
		make([]map[uint32]uint16, len(n.Crossbars))
	n.asked = nil
	for c := range n.Crossbars {
		x := &n.Crossbars[c]
		s := contend.Shared{Outputs: &x.Crossbar}
		outputs[c] = map[uint32]uint16{}
		for k, tap := range x.Taps {
			lane, port := uint32(tap.Processor*n.ports+tap.Port), &n.Processors[tap.Processor].Ports[tap.Port]
			sender, receiver := contend.NoLane, contend.NoLane
			if port.Asks == c+1 {
				sender, of[lane], at[lane] = lane, nic.ClassAddressee, uint32(c)
			}
			if port.Hears == x.First+k {
				receiver, hears[lane], outputs[c][uint32(tap.Processor)] = lane, true, uint16(k)
			}
			s.Senders, s.Receivers, s.Media = append(s.Senders, sender), append(s.Receivers, receiver),
				append(s.Media, uint32(x.First+k))
		}
		n.asked = append(n.asked, s)
	}
	for _, arbiter := range hw.ArbitersFor(hw.ForBuses) {
		if s := n.busesWith(arbiter); s != nil {
			for _, lane := range s.Senders {
				of[lane] = nic.ClassMedium
			}
			n.asked = append(n.asked, *s)
		}
	}
	routed := n.routedBy()
	for i := range n.Processors {
		for p := range n.Processors[i].Ports {
			if routed != nil && n.streams(&n.Processors[i].Ports[p]) {
				of[i*n.ports+p] = nic.ClassStreams
			}
		}
	}
	n.lanes = nic.NewClasses(of, at, hears, outputs, n.ports)
	n.lanes.Routed = routed
}

func (n *Net) busesWith(arbiter string) *contend.Shared {
	s, taps := &contend.Shared{}, &hw.Taps{Ports: 1}
	var weights [][]int
	for i := range n.Media {
		m := &n.Media[i]
		if m.Arbiter != arbiter {
			continue
		}
		bus, members := uint32(len(s.Media)), []int(nil)
		var row []int
		for k, tap := range m.Taps {
			if n.Processors[tap.Processor].Ports[tap.Port].Sends != i {
				continue
			}
			weight := 1
			if k < len(m.Weights) {
				weight = m.Weights[k]
			}
			row = append(row, weight)
			taps.Bus, taps.Tap = append(taps.Bus, []uint32{bus}), append(taps.Tap, []uint16{uint16(len(members))})
			members = append(members, len(s.Senders))
			s.Senders = append(s.Senders, uint32(tap.Processor*n.ports+tap.Port))
		}
		taps.Members, taps.Longest = append(taps.Members, members), max(taps.Longest, len(members))
		if m.Weights != nil {
			weights = append(weights, make([][]int, len(s.Media)-len(weights))...)
			weights = append(weights, row)
		}
		s.Media = append(s.Media, uint32(i))
	}
	if s.Media == nil {
		return nil
	}
	s.Buses = &contend.Buses{Bank: n.bank("", "."+arbiter, s.Media), Taps: taps,
		Arbiter: contend.ArbiterOf(arbiter), Weights: weights,
		Place: "fabric.netlist.nodes"}
	return s
}

func (n *Net) free(medium int) bool {
	return n.Media[medium].Arbiter == "" && n.crossbarOf(medium) == nil
}

func (n *Net) freeMedia() (media []uint32) {
	for i := range n.slotted {
		if n.free(i) {
			media = append(media, uint32(i))
		}
	}
	return media
}

// SlotTransport returns the transport of a network with these sizes and this wiring.
func (n *Net) SlotTransport(of fabric.Network, c *fabric.Config) (fabric.Transport, error) {
	switch {
	case n.Switch:
		return n.shared.SlotTransport(n.Shape(), n.Names(), n.taps(), c)
	case n.pure():
		return n.Crossbars[0].SlotTransport(c)
	}
	return wired.New(of, c)
}

func (n *Net) bank(ending, part string, media []uint32) hw.Bank {
	b := hw.Bank{Name: n.Name + ".medium" + part + ending, Units: 1, PerUnit: len(media)}
	for _, i := range media {
		b.Labels = append(b.Labels, n.Media[i].Path+ending)
	}
	return b
}

func (n *Net) all() (media []uint32) {
	for i := range n.slotted {
		media = append(media, uint32(i))
	}
	return media
}

func (n *Net) crossbarOf(medium int) *Crossbar {
	after, _ := slices.BinarySearchFunc(n.Crossbars, medium,
		func(x Crossbar, medium int) int { return cmp.Compare(x.First, medium+1) })
	if after == 0 || medium >= n.Crossbars[after-1].First+n.Crossbars[after-1].Media() {
		return nil
	}
	return &n.Crossbars[after-1]
}

func (m *Medium) longest() (in, out int) {
	for _, leg := range m.Legs {
		if leg.Out {
			out = max(out, leg.Latency)
		} else {
			in = max(in, leg.Latency)
		}
	}
	return in, out
}

func (m *Medium) leg(tap Tap, out bool) int {
	for _, leg := range m.Legs {
		if leg.Tap == tap && leg.Out == out {
			return leg.Latency
		}
	}
	return Usual
}

func (n *Net) holds(rule string) string {
	switch {
	case rule == fabric.RuleCollisionFree:
		return n.neverMeet()
	case n.Switch:
		return n.taps().Holds(rule)
	case rule == fabric.RuleInOrder && n.routers != nil && n.routers.Config.ClassVCs() == 1:
		return "each class has one virtual channel, in which no packet overtakes another"
	}
	return ""
}

// neverMeet returns the reason why frames never collide, or "" if they may collide. Collisions are possible on a star
// or bus with several senders and no arbiter, on the single medium of a crossbar, and on a half-duplex link.
func (n *Net) neverMeet() string {
	senders := make([]int, len(n.Media))
	for i := range n.Processors {
		for _, port := range n.Processors[i].Ports {
			if port.Sends != None && port.Asks == 0 {
				senders[port.Sends]++
			}
		}
	}
	for i, m := range n.Media {
		if m.Opposite != None || m.Arbiter == "" && senders[i] > 1 {
			return ""
		}
	}
	for i := range n.Crossbars {
		if n.Crossbars[i].Shared() {
			return ""
		}
	}
	if n.routers != nil && n.slotted == 0 {
		return "routers hold frames apart, flit by flit"
	}
	return "each medium has one sender, an arbiter or a crossbar"
}
