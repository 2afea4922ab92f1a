package netlist

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

func (d *Drawing) routedNodes(w *routed) *Net {
	b := drawer{Drawing: d.expanded(w.mistakes), mistakes: w.mistakes, nodes: map[string]*placed{}, met: map[meeting]met{}, tapped: map[tapAt]int{},
		net: &Net{Name: d.head(), one: "medium", many: "media", notes: d.notes, said: said{rtl: map[string]*NodeRTL{}}}}
	b.drawNodes()
	b.drawLinks()
	w.usual = routesShortest
	before := b.count()
	if b.joinRouters(w); b.count() == before && !b.partial && len(b.net.Media) > 0 {
		b.beside()
	}
	w.unsure = b.unsure
	for _, p := range b.order {
		if !p.known() {
			w.loseNames(p.name)
		}
	}
	if w.partial || b.count() > before {
		w.Graph.Nodes = nil // not all
	}
	return b.net
}

type channelEnd struct {
	*placed
	port int
}

func (b *drawer) joinRouters(w *routed) {
	from, to := make([]channelEnd, len(b.net.Media)), make([]channelEnd, len(b.net.Media))
	w.Graph.Ports = make([]int, b.routers)
	w.Names, w.Routers.Ports = make([]string, b.routers), make([][]string, b.routers)
	refused := false
	for _, p := range b.order {
		if p.kind == kindRouter {
			w.Names[p.number], w.Graph.Ports[p.number] = p.name, len(p.ports)
		}
		for i := range p.ports {
			port := &p.ports[i]
			if port.out != None {
				from[port.out] = channelEnd{p, i}
			}
			if port.in != None {
				to[port.in] = channelEnd{p, i}
			}
			if p.kind == kindRouter {
				w.Routers.Ports[p.number] = append(w.Routers.Ports[p.number], port.text(i))
			}
		}
		hidden := p.loose || p.vague || b.keys["links"]
		switch ports := len(p.ports); {
		case ports == 0 && hidden || !p.known():
		case p.kind == kindRouter && (ports == 0 || ports > hw.RouterPortsMax):
			refused = true
			b.add(p.place, fmt.Sprintf("the router %s has %d ports", p.name, ports), fmt.Sprintf("allowed are 1 to %d; add links", hw.RouterPortsMax))
		case p.kind == kindProcessor && (ports == 0 || ports > nic.LanesMax):
			refused = true
			b.add(p.place, fmt.Sprintf("%s has %d ports", p.name, ports), fmt.Sprintf("link it to a router, allowed are 1 to %d ports", nic.LanesMax))
		}
	}
	before := b.count()
	at := b.atRouters()
	for i := range b.net.Media {
		if at[i] {
			b.checkChannel(&b.net.Media[i])
		}
	}
	if b.partial || b.count() > before || refused {
		return
	}
	b.nicPorts(w)
	for i := range b.net.Media {
		if at[i] {
			b.channel(w, &b.net.Media[i], from[i], to[i])
		}
	}
	b.withoutChannels(at)
}

func (b *drawer) checkChannel(m *Medium) {
	reason, remedy := refusedLink(m.channelLatency(), m.Opposite != None)
	switch {
	case m.place == "": // of a star, which is refused
	case reason != "":
		b.add(m.place, reason, remedy)
	case m.Credits != nil:
		b.add(m.place, routersCredits, deleteCredits)
	}
}

func (m *Medium) channelLatency() int {
	if m.Latency == Usual {
		return 1
	}
	return m.Latency
}

func (b *drawer) nicPorts(w *routed) {
	counts, nodes := make([]uint16, len(b.net.Processors)), 0
	for _, p := range b.order {
		if p.kind != kindProcessor {
			continue
		}
		ports := 0
		for ports < len(p.ports) && p.ports[ports].routed {
			ports++
		}
		counts[p.number] = uint16(ports)
		nodes += ports
		for i := 0; len(p.ports) > 1 && i < len(p.ports); i++ {
			to := &b.net.Processors[p.number]
			to.Ports = append(to.Ports, Port{Path: p.portPath(to.Path, i)})
		}
	}
	if nodes == 0 {
		b.add(w.place, "there are routers, and no processor at any", "link processors to them, or delete them")
	}
	w.Graph.Nodes = make([]hw.RouterNode, nodes)
	if slices.ContainsFunc(counts, func(ports uint16) bool { return ports != 1 }) {
		w.NIC = fabric.NewNICPorts(counts)
	}
}

// channel makes one way of a link a channel between two routers, or a way between a router and a processor.
func (b *drawer) channel(w *routed, m *Medium, from, to channelEnd) {
	latency, place := m.channelLatency(), from.ports[from.port].outPlace
	switch {
	case from.kind == kindRouter && to.kind == kindRouter:
		w.Graph.Links = append(w.Graph.Links, hw.RouterLink{From: from.number, Output: from.port, To: to.number, Input: to.port, Latency: latency})
	case from.kind == kindProcessor:
		w.Graph.Nodes[w.NIC.Node(from.number, from.port)] = hw.RouterNode{Router: to.number, Port: to.port, Latency: latency}
		if back := to.ports[to.port].outPlace; back != place {
			b.add(place, fmt.Sprintf("%s sends to port %s of %s, and hears another", from.name, to.ports[to.port].text(to.port), to.name), "write one link, both ways")
		}
	}
}

// refusedLink says why there is no such link of routers, "" if there is.
func refusedLink(latency int, half bool) (reason, remedy string) {
	switch {
	case latency < 1 || latency > hw.ChannelDelayMax/2:
		return fmt.Sprintf("latency is %d, and a link of routers has a register", latency), fmt.Sprintf("allowed are 1 to %d", hw.ChannelDelayMax/2)
	case half:
		return "duplex is half: a half-duplex link of routers would need an arbiter, which there is not", "delete duplex"
	}
	return "", ""
}

func (w *routed) name(net *Net) {
	for i := range net.Processors {
		w.processors = append(w.processors, net.node(net.Processors[i].Path))
	}
	switch {
	case w.Names != nil:
		w.routers = w.Names
	case w.grid != nil:
		w.routers = w.processors
	default: // of a fly or an anynet
		for i := range w.Graph.Ports {
			w.routers = append(w.routers, hw.Index("r", i))
		}
	}
}
