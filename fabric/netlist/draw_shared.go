package netlist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/contend"
	"starloom/hw"
)

type contention struct {
	*mistakes
	net    *Net
	order  []*placed
	taps   [][]tapOf
	place  string
	access string

	partial bool // some nodes or links are unknown
	unasked bool // it is unknown whether the NICs of some nodes request a medium
	any     bool // access is unknown
}

func (b *drawer) contention() *contention {
	unasked := b.keys["nodes"] || b.keys["kinds"] || b.keys["access"] || b.heads != nil ||
		slices.ContainsFunc(b.order, func(p *placed) bool {
			return !p.known() || p.vague && p.shared() || b.partial && p.kind == kindCrossbar
		})
	return &contention{mistakes: b.mistakes, net: b.net, order: b.order, taps: b.taps,
		place: cmp.Or(b.places.access, b.whole()), access: b.access,
		partial: b.partial, unasked: unasked, any: b.keys["access"]}
}

func (c *contention) serve() {
	arbitrated, remedy := "", "take access: mixed"
	for _, p := range c.order {
		if !p.known() || p.vague {
			continue
		}
		switch p.kind {
		case kindBus:
			c.bus(p)
			if c.net.Media[p.number].Arbiter != "" && arbitrated == "" {
				arbitrated = fmt.Sprintf("the bus %s has an arbiter", p.name)
				remedy += "; or access: switch, if NICs have one switch to all of their buses; or give buses no arbiter"
			}
		case kindCrossbar:
			c.conflicts(p)
			if !c.onlyCrossbar() && arbitrated == "" {
				arbitrated = fmt.Sprintf("the crossbar %s is not the whole network", p.name)
			}
		}
		if c.net.Switch {
			c.tapped(p)
		}
	}
	if arbitrated != "" && !c.net.Switch {
		c.net.Mixed = true
		if c.access == accessAll || c.access == accessOne {
			c.add(c.place, fmt.Sprintf("%s, but with access %s NICs do not request media", arbitrated, c.access),
				remedy)
		}
	}
	if c.access == accessMixed && arbitrated == "" && !c.unasked {
		c.add(c.place, "access is mixed, but no port requests media", "use access: all")
	}
}

func (c *contention) bus(p *placed) {
	m := &c.net.Media[p.number]
	if m.Length = p.keys.Length; m.Length != 0 && !c.net.Switch && !c.any {
		c.add(p.place, fmt.Sprintf("the bus %s has a length, but all ports are on it in every slot", p.name),
			"delete length, or use access: switch")
	}
	if p.keys.Arbiter != contend.ArbiterNone {
		m.Arbiter = p.keys.Arbiter
	}
	m.Weights = p.keys.Weights
	if r := (contend.ArbiterKeys{Arbiter: m.Arbiter, Weights: m.Weights}).Refuse(len(c.taps[p.number]),
		"links", true); r.Reason != "" {
		c.add(p.place, fmt.Sprintf("of the bus %s: %s", p.name, r.Reason), r.Remedy)
	}
	if m.Arbiter != "" && !hw.ArbiterWorks(m.Arbiter, hw.ForBuses) {
		c.add(p.place, fmt.Sprintf("the bus %s has arbiter %s, which does not work on buses", p.name, m.Arbiter),
			"use "+strings.Join(hw.ArbitersFor(hw.ForBuses), " or "))
	}
	if m.Arbiter != "" && p.keys.Align {
		c.add(p.place, fmt.Sprintf("the bus %s has align and an arbiter, but arbitrated senders already start together at "+
			"the bus",
			p.name), "delete align, or the arbiter")
	}
}

func (c *contention) tapped(p *placed) {
	switch p.kind {
	case kindProcessor:
		for i := range p.ports {
			if port := &p.ports[i]; port.out != port.in && !port.hidden && !p.loose {
				c.add(p.place,
					fmt.Sprintf("port %s of %s is not a tap of a bus: a NIC with one switch sends and listens at the same "+
						"place", port.text(i), p.name),
					"link it with a bus in both directions, or use another access")
			}
		}
	case kindBus:
		for _, other := range c.order {
			if other.kind == kindBus && !other.vague &&
				contend.ArbiterOf(other.keys.Arbiter) != contend.ArbiterOf(p.keys.Arbiter) {
				c.add(p.place,
					fmt.Sprintf("the arbiter of %s is %v, but the arbiter of %s is "+
						"%v", p.name, contend.ArbiterOf(p.keys.Arbiter), other.name,
						contend.ArbiterOf(other.keys.Arbiter)), "give all buses of NICs with one switch the same arbiter")
			}
			if other.kind == kindBus {
				break
			}
		}
	default:
		c.add(p.place, fmt.Sprintf("%s is a %s, but NICs with one switch need buses", p.name, p.kind),
			"make it a bus, or use another access")
	}
}

// onlyCrossbar reports whether the network is a single crossbar with processor i at port i. It returns true for an
// incomplete drawing that may become such a network.
func (c *contention) onlyCrossbar() bool {
	if c.partial && len(c.net.Media) == 1 {
		return true
	}
	if len(c.net.Media) != 1 || len(c.taps[0]) != len(c.net.Processors) {
		return false
	}
	for i, tap := range c.taps[0] {
		if tap.number != i || len(tap.ports) != 1 || !tap.out || !tap.in {
			return false
		}
	}
	return true
}

func (c *contention) conflicts(p *placed) {
	k, links := &p.keys, len(c.taps[p.number])
	t := contend.Terms{Ports: links, Noun: "links"}
	if k.Arbiter == contend.ArbiterNone {
		t.NoArbiter.Key, t.NoArbiter.Said, t.NoArbiter.Remedy = "arbiter", "a crossbar with arbiter: none", "arbiter: fixed"
	}
	refused := k.Refuse(t)
	alone := t.NoArbiter.Key != "" || k.Matching == contend.MatchList || k.Output == contend.OutputQueue
	switch {
	case links > hw.PortsMax:
		c.add(p.place, fmt.Sprintf("the crossbar %s has %d ports", p.name, links),
			fmt.Sprintf("give it at most %d", hw.PortsMax))
	case refused.Reason != "":
		c.add(p.place, fmt.Sprintf("of the crossbar %s: %s", p.name, refused.Reason), refused.Remedy)
	case alone && !c.onlyCrossbar():
		c.add(p.place, "the crossbar "+p.name+" is not the whole network: lists, queues and a crossbar without an arbiter "+
			"are for a network"+
			" of a single crossbar with one link to each processor, in the order of nodes",
			"delete matching and output, and use arbiter: fixed")
	}
}

func (c *contention) number() {
	n, drawn := c.net, c.net.Media
	crossbars := make(map[int]*placed)
	for _, p := range c.order {
		switch p.kind {
		case kindBus:
			for _, tap := range c.taps[p.number] {
				drawn[p.number].Taps = append(drawn[p.number].Taps, Tap{tap.number, tap.port})
			}
		case kindCrossbar:
			crossbars[p.number] = p
		}
	}
	if len(crossbars) == 0 {
		return
	}
	n.Media = make([]Medium, 0, len(drawn))
	first := make([]int, len(drawn))
	for i, m := range drawn {
		first[i] = len(n.Media)
		if p := crossbars[i]; p != nil {
			c.crossbar(p)
		} else {
			n.Media = append(n.Media, m)
		}
	}
	for i := range n.Media {
		if m := &n.Media[i]; m.Opposite != None {
			m.Opposite = first[m.Opposite]
		}
	}
	for _, p := range c.order {
		for i := range p.ports {
			port := &p.ports[i]
			if port.asks == 0 && port.out != None {
				port.out = first[port.out]
			}
			if port.in != None {
				port.in = first[port.in]
			}
		}
	}
	for i := range n.Crossbars { // a port hears one output; without an arbiter, all outputs are one medium
		x := &n.Crossbars[i]
		for k, tap := range c.taps[x.drawn] {
			if tap.in {
				tap.ports[tap.port].in = x.First + min(k, x.Media()-1)
			}
		}
	}
}

func (c *contention) crossbar(p *placed) {
	n, taps := c.net, c.taps[p.number]
	x := Crossbar{First: len(n.Media), drawn: p.number,
		Crossbar: p.keys.Crossbar(n.Name+"."+p.name, len(taps), p.keys.Arbiter == contend.ArbiterNone)}
	for _, tap := range taps {
		x.Taps = append(x.Taps, Tap{tap.number, tap.port})
		if tap.out {
			tap.ports[tap.port].out, tap.ports[tap.port].asks = None, len(n.Crossbars)+1
		}
	}
	for k := range x.Media() {
		n.Media = append(n.Media, Medium{Path: x.Medium(k), Link: x.Link(k), Latency: taps[k].latency, Opposite: None})
	}
	n.Crossbars = append(n.Crossbars, x)
}
