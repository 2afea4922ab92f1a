package netlist

import (
	"fmt"
	"slices"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
)

func (d *Drawing) routedNodes(w *routed) *Net {
	b := drawer{Drawing: d.expanded(w.mistakes), mistakes: w.mistakes, nodes: map[string]*placed{},
		met: map[meeting]met{}, tapped: map[tapAt]int{},
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
		w.Graph.Nodes = nil
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
			b.add(p.place, fmt.Sprintf("the router %s has %d ports", p.name, ports),
				fmt.Sprintf("allowed: 1 to %d; add links", hw.RouterPortsMax))
		case p.kind == kindProcessor && (ports == 0 || ports > nic.LanesMax):
			refused = true
			b.add(p.place, fmt.Sprintf("%s has %d ports", p.name, ports),
				fmt.Sprintf("link it to a router; allowed: 1 to %d ports", nic.LanesMax))
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
	case m.place == "": // a star is rejected elsewhere
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
		b.add(w.place, "no processor is linked to a router", "link processors to them, or delete them")
	}
	w.Graph.Nodes = make([]hw.RouterNode, nodes)
	if slices.ContainsFunc(counts, func(ports uint16) bool { return ports != 1 }) {
		w.NIC = fabric.NewNICPorts(counts)
	}
}

func (b *drawer) channel(w *routed, m *Medium, from, to channelEnd) {
	latency, place := m.channelLatency(), from.ports[from.port].outPlace
	switch {
	case from.kind == kindRouter && to.kind == kindRouter:
		w.Graph.Links = append(w.Graph.Links,
			hw.RouterLink{From: from.number, Output: from.port, To: to.number, Input: to.port, Latency: latency})
	case from.kind == kindProcessor:
		w.Graph.Nodes[w.NIC.Node(from.number, from.port)] = hw.RouterNode{Router: to.number, Port: to.port, Latency: latency}
		if back := to.ports[to.port].outPlace; back != place {
			b.add(place, fmt.Sprintf("%s sends to port %s of %s, but listens to another "+
				"port", from.name, to.ports[to.port].text(to.port),
				to.name), "write one link for both directions")
		}
	}
}

func refusedLink(latency int, half bool) (reason, remedy string) {
	switch {
	case latency < 1 || latency > hw.ChannelDelayMax/2:
		return fmt.Sprintf("latency is %d, but a link between routers has at least one register", latency),
			fmt.Sprintf("allowed: 1 to %d", hw.ChannelDelayMax/2)
	case half:
		return "duplex is half: a half-duplex link between routers would need an arbiter, which routers lack", "delete duplex"
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
	default:
		for i := range w.Graph.Ports {
			w.routers = append(w.routers, hw.Index("r", i))
		}
	}
}

// A drawing may combine routers with slotted media. All links are drawn as media first; then the channels of routers
// are separated.

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
				b.add(p.place, fmt.Sprintf("%s is a %s, but a router is linked with it", p.name, p.kind),
					"put a processor between them: its NIC has ports at both")
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
				b.add(p.place, p.name+" has a port without a link in both directions", "link each of its ports to exactly one "+
					"router")
			case i > 0 && port.routed && !p.ports[i-1].routed:
				b.add(p.place, fmt.Sprintf("port %s of %s is at a router, but the preceding port %s is not", port.text(i),
					p.name, p.ports[i-1].text(i-1)),
					"number the ports at routers from 0 on, and the other ports after them")
			}
		}
	}
	return at
}

func (b *drawer) withoutChannels(at []bool) {
	number := make([]int, len(at))
	keep := func(i int) bool { return !at[i] }
	kept := 0
	for i := range at {
		if number[i] = None; keep(i) {
			number[i] = kept
			b.net.Media[kept], b.drivers[kept], b.hearers[kept], b.taps[kept] = b.net.Media[i],
				b.drivers[i], b.hearers[i], b.taps[i]
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

// drawConcentrated draws the network, and ports for further channels of NICs after all other ports of a router.
func (w *routed) drawConcentrated(c *concentrated) error {
	refuse := func(reason, remedy string) error { return w.refuse(c.place, c.key+": "+reason, remedy) }
	routers, ports, each := c.value.routers()
	switch all := ports + (w.nicPorts-1)*each; {
	case all > hw.RouterPortsMax:
		return refuse(fmt.Sprintf("routers of %d ports", all), fmt.Sprintf("at most %d are allowed", hw.RouterPortsMax))
	case routers > nodesMax || times(routers, each*w.nicPorts) > hw.PacketNodesMax:
		return refuse(fmt.Sprintf("%d routers with %d processors each", routers, each),
			fmt.Sprintf("at most %d routers and %d processors are allowed", nodesMax, hw.PacketNodesMax/w.nicPorts))
	}
	w.usual, w.Graph.Ports = routesShortest, slices.Repeat([]int{ports + (w.nicPorts-1)*each}, routers)
	if reason, remedy := c.value.draw(&w.Graph); reason != "" {
		return refuse(reason, remedy)
	}
	switch v := c.value.(type) {
	case *Fly:
		if w.Graph.Sources != nil {
			w.stages, w.usual = v, routesDestTag
		}
	case *FatTree:
		w.tree, w.usual = v, routesNCA
	case *CMesh:
		w.rows = terms{grid: []int{v.K, v.K}, local: each}
	case *FlatFly:
		w.rows = terms{grid: slices.Repeat([]int{v.K}, v.N), local: each, direct: true}
	}
	if w.nicPorts > 1 && w.usual != routesShortest {
		return refuse("processors have one port", "delete ports of streaming")
	}
	own := w.Graph.Nodes
	for port := 1; port < w.nicPorts; port++ {
		for _, node := range own {
			node.Port += ports + (port-1)*each
			w.Graph.Nodes = append(w.Graph.Nodes, node)
		}
	}
	return nil
}
