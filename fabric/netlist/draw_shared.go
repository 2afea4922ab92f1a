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
	unasked bool // unknown whether NICs ask
	any     bool // access is unknown
}

func (b *drawer) contention() *contention {
	unasked := b.keys["nodes"] || b.keys["kinds"] || b.keys["access"] || b.heads != nil ||
		slices.ContainsFunc(b.order, func(p *placed) bool {
			return !p.known() || p.vague && p.shared() || b.partial && p.kind == kindCrossbar
		})
	return &contention{mistakes: b.mistakes, net: b.net, order: b.order, taps: b.taps, place: cmp.Or(b.accessPlace, b.whole()), access: b.access,
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
				remedy += "; for NICs with one switch to all of their buses access: switch; or give buses no arbiter"
			}
		case kindCrossbar:
			c.conflicts(p)
			if !c.onlyCrossbar() && arbitrated == "" {
				arbitrated = fmt.Sprintf("there is the crossbar %s, and it is not all that there is", p.name)
			}
		}
		if c.net.Switch {
			c.tapped(p)
		}
	}
	if arbitrated != "" && !c.net.Switch {
		c.net.Mixed = true
		if c.access == accessAll || c.access == accessOne {
			c.add(c.place, fmt.Sprintf("%s, and with access %s NICs do not ask", arbitrated, c.access),
				remedy)
		}
	}
	if c.access == accessMixed && arbitrated == "" && !c.unasked {
		c.add(c.place, "access is mixed, and no port asks", "take access: all")
	}
}

func (c *contention) bus(p *placed) {
	m := &c.net.Media[p.number]
	if m.Length = p.keys.Length; m.Length != 0 && !c.net.Switch && !c.any {
		c.add(p.place, fmt.Sprintf("the bus %s has a length, and all ports are on it in every slot", p.name), "delete length, or take access: switch")
	}
	if p.keys.Arbiter != contend.ArbiterNone {
		m.Arbiter = p.keys.Arbiter
	}
	m.Weights = p.keys.Weights
	if reason, remedy := contend.RefuseWeights(m.Arbiter, m.Weights, len(c.taps[p.number]), "links", true); reason != "" {
		c.add(p.place, fmt.Sprintf("of the bus %s: %s", p.name, reason), remedy)
	}
	if m.Arbiter != "" && !hw.ArbiterWorks(m.Arbiter, hw.ForBuses) {
		c.add(p.place, fmt.Sprintf("the bus %s has an arbiter %s, which serves no bus", p.name, m.Arbiter), "take "+strings.Join(hw.ArbitersFor(hw.ForBuses), " or "))
	}
	if m.Arbiter != "" && p.keys.Align {
		c.add(p.place, fmt.Sprintf("the bus %s has align and an arbiter: its senders ask where it is, and start together", p.name), "delete align, or the arbiter")
	}
}

func (c *contention) tapped(p *placed) {
	switch p.kind {
	case kindProcessor:
		for i := range p.ports {
			if port := &p.ports[i]; port.out != port.in && !port.hidden && !p.loose {
				c.add(p.place, fmt.Sprintf("port %s of %s is no tap of a bus: a NIC with one switch sends where it hears", port.text(i), p.name),
					"link it with a bus, both ways, or take another access")
			}
		}
	case kindBus:
		for _, other := range c.order {
			if other.kind == kindBus && !other.vague && contend.ArbiterOf(other.keys.Arbiter) != contend.ArbiterOf(p.keys.Arbiter) {
				c.add(p.place, fmt.Sprintf("the arbiter of %s is %v, and that of %s is %v", p.name, contend.ArbiterOf(p.keys.Arbiter), other.name,
					contend.ArbiterOf(other.keys.Arbiter)), "give all buses of NICs with one switch the same arbiter")
			}
			if other.kind == kindBus {
				break
			}
		}
	default:
		c.add(p.place, fmt.Sprintf("%s is a %s, and NICs with one switch are on buses", p.name, p.kind), "make it a bus, or take another access")
	}
}

// onlyCrossbar reports whether the network is one crossbar whose port i belongs to processor i, or may be one if
// incomplete.
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
	k := &p.keys
	list, queue, none := k.Matching == matchList, k.Output == outputQueue, k.Arbiter == contend.ArbiterNone
	kind, capKind := cmp.Or(k.Arbiter, hw.ArbiterFixed.String()), cmp.Or(k.CapArbiter, hw.ArbiterFixed.String())
	works := func(use hw.ArbiterUse) bool { return none || hw.ArbiterWorks(kind, use) }
	either := func(use hw.ArbiterUse) string { return strings.Join(hw.ArbitersFor(use), " or ") }
	weights, weightsRemedy := contend.RefuseWeights(kind, k.Weights, len(c.taps[p.number]), "links", !none && !list && !queue && k.Cap == 0)
	for _, rule := range []struct {
		is             bool
		reason, remedy string
	}{
		{len(c.taps[p.number]) > hw.PortsMax, fmt.Sprintf("has %d ports", len(c.taps[p.number])), fmt.Sprintf("give it at most %d", hw.PortsMax)},
		{none && (list || queue || k.Cap > 0), "has no arbiter: one frame crosses in a slot", "delete matching, output and cap, or take arbiter: fixed"},
		{!works(hw.ForOutputs), "has an arbiter " + kind + ", which serves no output of a crossbar", "take " + either(hw.ForOutputs)},
		{list && !works(hw.ForLists),
			fmt.Sprintf("takes requests for lists, which an arbiter %s serves", either(hw.ForLists)), "take one of them, or delete matching"},
		{k.Cap > 0 && !list && !works(hw.ForCapped), "has a cap, and an output would take turns for frames that the cap holds back",
			fmt.Sprintf("take arbiter: %s, or delete cap", either(hw.ForCapped))},
		{!hw.ArbiterWorks(capKind, hw.ForCaps), "has a cap_arbiter " + capKind + ", which does not choose whom a cap serves", "take " + either(hw.ForCaps)},
		{k.Cap == 0 && capKind != hw.ArbiterFixed.String(), "has a cap_arbiter and no cap", "give cap: 1 or more, or delete cap_arbiter"},
		{queue && list, "has outputs with queues, and lists are for outputs that take one frame in a slot", "delete matching, or take output: rendezvous"},
		{queue && !none && !works(hw.ForQueues), fmt.Sprintf("has outputs with queues, and an arbiter %s changes the order of the inputs with each frame", kind),
			fmt.Sprintf("take arbiter: %s, or output: rendezvous", either(hw.ForQueues))},
		{weights != "", "is given what it cannot use: " + weights, weightsRemedy},
		{queue && k.Cap > 0, "has outputs with queues, and a cap is for outputs that take one frame in a slot", "delete cap"},
		{!queue && k.QueueFrames > 0, "has queue_frames and no queues", "take output: queue, or delete queue_frames"},
		{(list || queue || none) && !c.onlyCrossbar(),
			"is not all that there is: lists, queues and a crossbar without an arbiter are for a network that is one crossbar" +
				", with which each processor has one link, in the order of nodes", "delete matching and output, and take arbiter: fixed"},
	} {
		if rule.is {
			c.add(p.place, "the crossbar "+p.name+" "+rule.reason, rule.remedy)
			return
		}
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
	for i := range n.Crossbars { // a port hears one output; without an arbiter all outputs are one medium
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
	kindOf := func(name string) hw.ArbiterKind { // invalid kinds were rejected
		if !hw.ArbiterWorks(name, hw.ForOutputs) {
			return hw.ArbiterFixed
		}
		return hw.ArbiterOf(name)
	}
	x := Crossbar{First: len(n.Media), drawn: p.number, Crossbar: contend.Crossbar{Head: n.Name + "." + p.name, Ports: len(taps),
		NoArbiter: p.keys.Arbiter == contend.ArbiterNone, List: p.keys.Matching == matchList, Arbiter: kindOf(p.keys.Arbiter), Weights: p.keys.Weights,
		Cap: min(p.keys.Cap, len(taps)), CapArbiter: kindOf(p.keys.CapArbiter)}}
	if p.keys.Output == outputQueue {
		if x.Queue = p.keys.QueueFrames; x.Queue == 0 {
			x.Queue = max(1, len(taps)-1)
		}
	}
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
