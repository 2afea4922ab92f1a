package netlist

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"starloom/nic"
	"starloom/traces"
)

// check looks for what is missing in a drawing in which everything else is right.
func (b *drawer) check() {
	for _, p := range b.order {
		if p.kind == kindStar {
			if b.drivers[p.number] == "" {
				b.add(p.place, fmt.Sprintf("no one sends into the star %s", p.name), "add a link from a port to it, or delete it")
			}
			if b.hearers[p.number] == "" {
				b.add(p.place, fmt.Sprintf("no one hears the star %s", p.name), "add a link from it to a port, or delete it")
			}
			continue
		}
		for i := range p.ports {
			if port := &p.ports[i]; port.in == None && port.out == None {
				b.add(p.place, fmt.Sprintf("no link leads to port %s of %s", port.text(i), p.name), "add one, or number the ports of a processor from 0 on")
			}
		}
		if most := nic.LanesMax; !b.net.OnePort && len(p.ports) > most {
			b.add(p.place, fmt.Sprintf("%s has %d ports, and a NIC that uses all at once has at most %d", p.name, len(p.ports), most), "use fewer, or access: one")
		}
		if len(p.ports) == 0 {
			b.add(p.place, fmt.Sprintf("no link leads to %s", p.name), "add one, or delete the node")
		}
	}
	if len(b.list) == 0 && !b.apart {
		b.reach()
	}
}

// text is what a port is called.
func (p *portOf) text(number int) string {
	if p.name != "" {
		return p.name
	}
	return fmt.Sprint(number)
}

// reach refuses processors that cannot reach each other: all that processor 0 reaches, and all that reach it.
func (b *drawer) reach() {
	heard, sent := make([][]int, len(b.net.Media)), make([][]int, len(b.net.Media))
	out, in := make([][]int, len(b.net.Processors)), make([][]int, len(b.net.Processors))
	names := make([]*placed, len(b.net.Processors))
	for _, p := range b.order {
		if p.kind == kindStar {
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
	const remedy = "link them, or write apart: true"
	if l := lost(out, heard); len(l) > 0 {
		b.add(names[l[0]].place, fmt.Sprintf("no way leads from %s to %s%s", names[0].name, names[l[0]].name, others(len(l)-1)), remedy)
	}
	if l := lost(in, sent); len(l) > 0 {
		b.add(names[l[0]].place, fmt.Sprintf("no way leads to %s from %s%s", names[0].name, names[l[0]].name, others(len(l)-1)), remedy)
	}
}

// others says how many more there are.
func others(more int) string {
	if more == 0 {
		return ""
	}
	return fmt.Sprintf(" and %s", traces.Plural(more, "other", "others"))
}

// finish gives the processors of the Net their ports, and firmware its words.
func (b *drawer) finish() {
	n := b.net
	for _, p := range b.order {
		if p.kind == kindStar {
			continue
		}
		to := &n.Processors[p.number]
		for i := range p.ports {
			path := fmt.Sprintf("%s.port[%d]", to.Path, i)
			switch name := p.ports[i].name; {
			case name == "":
			case name[0] == '+' || name[0] == '-':
				path = fmt.Sprintf("%s.port[%s]", to.Path, name)
			default:
				path = to.Path + "." + name
			}
			to.Ports = append(to.Ports, Port{Path: path, Sends: p.ports[i].out, Hears: p.ports[i].in})
		}
	}
	n.one, n.many = "medium", "media"
	stars := 0
	for i := range n.Media {
		if n.Media[i].Star {
			stars++
		}
	}
	switch stars {
	case 0:
		n.one, n.many = "link", "links"
	case len(n.Media):
		n.one, n.many = "star", "stars"
	}
	n.finish()
	access := uint32(1)
	if n.OnePort {
		access = 0
	}
	n.Words = [nic.ShapeWords]uint32{uint32(len(n.Processors)), uint32(n.ports), uint32(len(n.Media)), 0, 0, access, n.Hash(), 0}
	if b.words != nil {
		n.Words = [nic.ShapeWords]uint32{}
		copy(n.Words[:], b.words)
	}
}

// Hash is what a netlist is known by: it changes with any node, port, link or latency.
func (n *Net) Hash() uint32 {
	sum := sha256.Sum256(n.canonical())
	return binary.BigEndian.Uint32(sum[:])
}

// canonical is all that a netlist says.
func (n *Net) canonical() []byte {
	data, err := json.Marshal(struct {
		Name       string
		OnePort    bool
		Processors []Processor
		Media      []Medium
	}{n.Name, n.OnePort, n.Processors, n.Media})
	if err != nil {
		panic(fmt.Sprintf("netlist: %v", err)) // only plain data is in it
	}
	return data
}
