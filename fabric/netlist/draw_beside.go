package netlist

import (
	"fmt"
	"slices"
)

// Routers, and beside them media that carry frames in slots, in one drawing: what is drawn as media is first parted.

// atRouters finds the media that lead to a router or from one, and the ports at these.
func (b *drawer) atRouters() (at []bool) {
	at = make([]bool, len(b.net.Media))
	for _, p := range b.order {
		for i := range p.ports {
			for _, medium := range []int{p.ports[i].out, p.ports[i].in} {
				if p.kind == kindRouter && medium != None {
					at[medium] = true
				}
			}
		}
	}
	other := slices.Contains(at, false)
	for _, p := range b.order {
		if p.shared() {
			if at[p.number] {
				b.add(p.place, fmt.Sprintf("%s is a %s, and a router is linked with it", p.name, p.kind), "put a processor between them: its NIC has ports at both")
			}
			continue
		}
		for i := range p.ports {
			port := &p.ports[i]
			if p.loose || port.hidden || b.keys["links"] || !p.known() {
				continue
			}
			out, in := port.out != None && at[port.out], port.in != None && at[port.in]
			port.routed = out && in
			switch {
			case p.kind == kindRouter:
			case out != in, !other && !out:
				b.add(p.place, p.name+" has a port without a link both ways", "link each of its ports once, to a router")
			case i > 0 && port.routed && !p.ports[i-1].routed:
				b.add(p.place, fmt.Sprintf("port %s of %s is at a router, and port %s, before it, is not", port.text(i), p.name, p.ports[i-1].text(i-1)),
					"number the ports at routers from 0 on, and the others after them")
			}
		}
	}
	return at
}

// withoutChannels leaves media that are no channels, with numbers from 0 on.
func (b *drawer) withoutChannels(at []bool) {
	number := make([]int, len(at))
	keep := func(i int) bool { return !at[i] }
	kept := 0
	for i := range at {
		if number[i] = None; keep(i) {
			number[i] = kept
			b.net.Media[kept], b.drivers[kept], b.hearers[kept], b.taps[kept] = b.net.Media[i], b.drivers[i], b.hearers[i], b.taps[i]
			kept++
		}
	}
	b.net.Media, b.drivers, b.hearers, b.taps = b.net.Media[:kept], b.drivers[:kept], b.hearers[:kept], b.taps[:kept]
	for i := range b.net.Media {
		if m := &b.net.Media[i]; m.Opposite != None {
			m.Opposite = number[m.Opposite]
		}
	}
	for _, p := range b.order {
		if p.shared() {
			p.number = number[p.number]
		}
		for i := range p.ports {
			for _, way := range []*int{&p.ports[i].out, &p.ports[i].in} {
				if *way != None {
					*way = number[*way]
				}
			}
		}
	}
}

// beside draws media beside routers: NICs use all of their ports at once.
func (b *drawer) beside() {
	net, before := b.net, b.count()
	net.Mixed = true
	for i := range net.Processors {
		net.Processors[i].Ports = nil
	}
	b.check()
	shared := b.contention()
	if shared.serve(); b.count() > before {
		return
	}
	shared.number()
	b.finishPorts()
}
