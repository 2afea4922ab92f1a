package netlist

import (
	"cmp"
	"fmt"
	"slices"

	"starloom/nic"
	"starloom/traces"
)

func (b *drawer) check() {
	b.checkLanes()
	for _, p := range b.order {
		linked := p.loose || b.keys["links"] // a rejected link may be a link of this node
		switch {
		case !p.known() || p.kind == kindRouter:
		case p.shared() && !linked:
			b.checkShared(p)
		case p.kind == kindProcessor:
			b.checkPorts(p, linked || p.vague)
		}
	}
	if !b.partial && !b.apart && !b.keys["apart"] && len(b.net.Processors) > 0 {
		b.reach()
	}
}

// checkLanes limits the product of the number of processors and the largest number of ports, because all NICs have
// equally many ports.
func (b *drawer) checkLanes() {
	var most *placed
	for _, p := range b.order {
		if p.kind == kindProcessor && (most == nil || len(p.ports) > len(most.ports)) {
			most = p
		}
	}
	if most != nil && times(len(most.ports), len(b.net.Processors)) > lanesMax {
		b.partial = true
		b.add(most.place,
			fmt.Sprintf("%s has %d ports, and all %d NICs must have as many", most.name,
				len(most.ports), len(b.net.Processors)),
			fmt.Sprintf("draw fewer: the product of ports and processors may be at most %d", lanesMax))
	}
}

func (b *drawer) checkShared(p *placed) {
	b.partial = b.partial || b.drivers[p.number] == "" || b.hearers[p.number] == ""
	if b.drivers[p.number] == "" {
		reason, remedy := p.oneWay(fmt.Sprintf("no port sends into the %s %s", p.kind, p.name),
			"add a link into it from a port, or delete it")
		b.addAlike("into", p.place, reason, remedy)
	}
	if p.keys.Align && !p.vague && b.net.Media[p.number].Latency != unknownLatency {
		b.align(p)
	}
	if b.hearers[p.number] == "" {
		reason, remedy := p.oneWay(fmt.Sprintf("no port hears the %s %s", p.kind, p.name),
			"add a link out of it to a port, or delete it")
		b.addAlike("out of", p.place, reason, remedy)
	}
}

func (b *drawer) checkPorts(p *placed, linked bool) {
	for i := range p.ports {
		if port := &p.ports[i]; !linked && port.in == None && port.out == None && !port.open && !port.routed && !port.hidden {
			b.partial = true
			b.addAlike("port", p.place, fmt.Sprintf("no link leads to port %s of %s", port.text(i), p.name),
				"add a link; or number the ports of a processor from 0 on; or list its ports under ports:, and ports without a "+
					"link under open:")
		}
	}
	if most, uses, remedy := b.portsMost(); len(p.ports) > most {
		b.addAlike("most", p.place,
			fmt.Sprintf("%s has %d ports, but a NIC that uses %s has at most %d", p.name, len(p.ports), uses, most), remedy)
	}
	if len(p.ports) == 0 && !linked {
		b.partial = true
		b.addAlike("alone", p.place, fmt.Sprintf("no link leads to %s", p.name), "add one, or delete the node")
	}
}

// reach rejects networks that are not strongly connected: processor 0 must reach all other processors, and all must
// reach processor 0.
func (b *drawer) reach() {
	routers := len(b.net.Media) // all routers together count as one medium of their processors
	heard, sent := make([][]int, routers+1), make([][]int, routers+1)
	out, in := make([][]int, len(b.net.Processors)), make([][]int, len(b.net.Processors))
	names := make([]*placed, len(b.net.Processors))
	b.routedPorts(func(p int) {
		out[p], sent[routers] = append(out[p], routers), append(sent[routers], p)
		in[p], heard[routers] = append(in[p], routers), append(heard[routers], p)
	})
	for _, p := range b.order {
		if p.kind != kindProcessor {
			continue
		}
		names[p.number] = p
		for i := range p.ports {
			if m := p.ports[i].out; m != None {
				out[p.number], sent[m] = append(out[p.number], m), append(sent[m], p.number)
			}
			if m := p.ports[i].in; m != None {
				in[p.number], heard[m] = append(in[p.number], m), append(heard[m], p.number)
			}
		}
	}
	lost := func(ways, ends [][]int) (unreached []int) {
		seen, used, queue := make([]bool, len(names)), make([]bool, len(ends)), []int{0}
		seen[0] = true
		for ; len(queue) > 0; queue = queue[1:] {
			for _, m := range ways[queue[0]] {
				if used[m] {
					continue
				}
				used[m] = true
				for _, p := range ends[m] {
					if !seen[p] {
						seen[p], queue = true, append(queue, p)
					}
				}
			}
		}
		for p := range seen {
			if !seen[p] {
				unreached = append(unreached, p)
			}
		}
		return unreached
	}
	for _, way := range []struct {
		unreached []int
		form      string
	}{{lost(out, heard), "no way leads from %s to %s%s"}, {lost(in, sent), "no way leads to %s from %s%s"}} {
		if l := way.unreached; len(l) > 0 {
			first := names[l[0]]
			reason, remedy := first.oneWay(fmt.Sprintf(way.form, names[0].name, first.name, others(len(l)-1)),
				"link them, or write apart: true")
			b.add(first.place, reason, remedy)
		}
	}
}

func others(more int) string {
	if more == 0 {
		return ""
	}
	return fmt.Sprintf(" and %s", traces.Plural(more, "other", "others"))
}

func (b *drawer) finishPorts() {
	n := b.net
	n.places = make([]*Place, len(n.Processors))
	for _, p := range b.order {
		if p.kind != kindProcessor {
			continue
		}
		to := &n.Processors[p.number]
		if p.at != nil {
			n.places[p.number] = &p.at[p.index]
		}
		for i := range p.ports {
			to.Ports = append(to.Ports,
				Port{Path: p.portPath(to.Path, i), Sends: p.ports[i].out, Hears: p.ports[i].in, Asks: p.ports[i].asks})
		}
	}
	n.one, n.many = n.nouns()
	n.finish()
}

func (p *placed) portPath(path string, i int) string {
	switch name := p.ports[i].name; {
	case name == "":
		return fmt.Sprintf("%s.port[%d]", path, i)
	case name[0] == '+' || name[0] == '-':
		return fmt.Sprintf("%s.port[%s]", path, name)
	default:
		return path + "." + name
	}
}

func (b *drawer) finish() {
	n := b.net
	n.Words = [nic.ShapeWords]uint32{uint32(len(n.Processors)), uint32(n.ports), uint32(len(n.Media)), 0, 0,
		n.accessWord(), n.Hash(), 0}
	if b.words != nil {
		n.Words = [nic.ShapeWords]uint32{}
		copy(n.Words[:], b.words)
	}
}

// align pads the links of a star or bus to the longest link, so that the frames of one slot reach the medium
// together, and all listeners hear them together. A passive medium may delay its output instead of its inputs, so its
// latency is the sum of the longest latency to the medium and the longest latency from the medium.
func (b *drawer) align(p *placed) {
	m := &b.net.Media[p.number]
	given := func(l Leg) bool { return l.Latency != Usual }
	if !slices.ContainsFunc(m.Legs, given) {
		m.Legs = nil
		return
	}
	if i := slices.IndexFunc(m.Legs, func(l Leg) bool { return !given(l) }); i >= 0 {
		b.add(p.place, fmt.Sprintf("the %s %s is aligned, but only some of its links have a latency; the link of %s has none",
			p.kind, p.name, b.net.Processors[m.Legs[i].Processor].Path), "give all of its links a latency, or none")
		return
	}
	slices.SortStableFunc(m.Legs, func(x, y Leg) int {
		return cmp.Or(cmp.Compare(x.Processor, y.Processor), cmp.Compare(x.Port, y.Port), cmp.Compare(bit(x.Out), bit(y.Out)))
	})
	in, out := m.longest()
	if m.Latency = in + out; m.Latency > latencyMax {
		b.add(p.place, fmt.Sprintf("the longest links into and out of the %s %s take %d cycles "+
			"together", p.kind, p.name, m.Latency),
			fmt.Sprintf("give at most %d cycles for both together", latencyMax))
	}
}

func (b *drawer) routedPorts(each func(processor int)) {
	for _, p := range b.order {
		if p.kind == kindProcessor && slices.ContainsFunc(p.ports, func(o portOf) bool { return o.routed }) {
			each(p.number)
		}
	}
}
