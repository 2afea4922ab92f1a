package netlist

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"starloom/fabric"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// routed draws the known routers of a drawing and records mistakes. It returns nil after a mistake. graph is the
// drawing's anynet, nil for none.
func (d *Drawing) routed(m *mistakes, graph *Anynet) (*fabric.Routers, *Net) {
	d = d.fitting(m)
	config, err := d.router.config()
	w := &routed{Routers: &fabric.Routers{Config: config}, mistakes: m, unsure: d.unsure.clone(),
		place: d.places.router, routes: &d.routes,
		nicPorts: d.streaming.ports()}
	if reason, remedy := d.router.refusal(err); reason != "" {
		m.add(w.place, "router: "+reason, remedy)
	}
	if c := &w.Config; c.VCs%c.Classes != 0 && !d.keys["router"] {
		m.add(w.place, fmt.Sprintf("router: %d vcs cannot be divided among %d classes", c.VCs, c.Classes),
			fmt.Sprintf("write vcs: %d, or classes: 1",
				(c.VCs/c.Classes+1)*c.Classes))
		w.lose("router")
	}
	if w.keys["router"] { // any channel may exist
		w.Config.VCs, w.Config.Classes = hw.VCsMax, 1
	}
	net, err := d.placeRouters(w, graph)
	nodes := len(w.Graph.Nodes)
	if err == nil && !w.keys["router"] {
		w.checkStages()
	}
	if m.take(err); err == nil && w.pairs() > tableMax && w.word() != routesDimOrder && !w.large() &&
		w.routes.relation == nil {
		err = w.refuse(cmp.Or(w.routes.place, w.place),
			fmt.Sprintf("routes from %d routers to %d nodes need a table of %d entries", len(w.Graph.Ports), nodes, w.pairs()),
			fmt.Sprintf("at most %d are allowed; use fewer, or dor of a mesh, dateline of a torus or a ring, or minimal of a "+
				"dragonfly, which need no table", tableMax))
		m.take(err)
	}
	if placed := err == nil && nodes > 0; placed && w.nicPorts > 1 {
		w.NIC = fabric.NewNICPorts(slices.Repeat([]uint16{uint16(w.nicPorts)}, nodes/w.nicPorts))
	} else if w.partial = !placed; w.partial && net == nil {
		return nil, nil
	}
	if net == nil {
		net = d.bareNet(nodes / w.nicPorts)
	}
	if w.name(net); !w.partial {
		w.take(w.suits())
	}
	if w.partial || w.pairs() <= settledMax {
		w.settle()
	} else {
		w.Later = sync.OnceValue(func() error {
			w.mistakes = &mistakes{}
			w.settle()
			return w.err()
		})
	}
	if m.count() > 0 {
		return nil, nil
	}
	d.streaming.streams(w.Routers)
	net.atRouters(w.Routers)
	if net.calls, net.rule = w.routers, w.word(); w.routes.relation != nil {
		net.rule = form(w.routes.relation.Relation)
	}
	if len(d.plans) > 0 {
		net.kept = keptKey{d.plans[0].key, d.plans[0].value}
	} else if len(d.concentrated) > 0 {
		net.kept = keptKey{d.concentrated[0].key, d.concentrated[0].value}
	}
	return w.Routers, net
}

func (w *routed) settle() {
	if w.routes.relation != nil {
		w.relate()
		return
	}
	if w.route(); w.count() > 0 {
		return
	}
	if w.shares(w.Routes.Torus.K != nil || len(w.Routes.VCs) > 1) {
		return
	}
	known := deadlocks(w.Routers)
	if w.Shown = "routes: " + known.text; w.claims() && !known.free && !known.skipped && !known.shared {
		w.add(w.place, w.Shown, fmt.Sprintf("write vcs: %d or more", 2*w.Config.Classes))
	}
}

// shares refuses routes with separate virtual channels in buffers that have no private flit for each.
func (w *routed) shares(separate bool) bool {
	b := &w.Config.Stages.Buffers
	if !b.Shared || !separate || b.Private > 0 && b.Pools >= w.Config.VCs {
		return false
	}
	w.add(w.place, "router: the routes need separate virtual channels, but in the shared buffers not every virtual "+
		"channel has a private flit, so packets may deadlock", "write private: 1 or more, and delete pools")
	return true
}

func (w *routed) checkStages() {
	if err := w.Config.CheckStages(slices.Max(append([]int{1}, w.Graph.Ports...))); err != nil {
		w.add(w.place, "router: "+err.Error(), "write an allowed number")
	}
	if w.routes.relation != nil && w.Config.Stages.Speculation.On {
		w.add(w.place, "router: speculative needs routes with one output, but rules of routes may offer several",
			"delete speculative, or write routes without rules")
	}
}

func (d *Drawing) placeRouters(w *routed, graph *Anynet) (net *Net, err error) {
	refuse := func(reason, remedy string) (*Net, error) {
		return nil, w.refuse(w.place, reason, remedy)
	}
	drawn := slices.ContainsFunc(d.nodes, func(n node) bool { return n.kind == kindRouter })
	switch {
	case drawn && w.nicPorts > 1:
		return refuse("streaming: nodes are drawn, so their links determine the ports of processors",
			"delete ports, and link each port of a processor")
	case drawn && len(d.plans) == 0 && len(d.concentrated) == 0 && graph == nil:
		net = d.routedNodes(w)
	case !drawn && len(d.plans) == 1 && len(d.concentrated) == 0 && graph == nil &&
		slices.Contains([]string{"mesh", "torus", "ring", "dragonfly"}, d.plans[0].key):
		err = w.drawPlan(&d.plans[0])
	case !drawn && len(d.concentrated) == 1 && len(d.plans) == 0 && graph == nil:
		err = w.drawConcentrated(&d.concentrated[0])
	case !drawn && graph != nil && len(d.plans) == 0 && len(d.concentrated) == 0:
		err = w.drawGraph(graph)
	case d.partial && !drawn: // the routers are unknown
	default:
		return refuse("router: the network needs exactly one of mesh, torus, ring, dragonfly, fly, cmesh, fattree, flatfly, "+
			"anynet and drawn "+
			"routers",
			"write mesh: {k: [4, 4]}, or delete router")
	}
	return net, err
}

func (w *routed) drawPlan(s *shorthand) error {
	refuse := func(reason, remedy string) error {
		return input.Mistake(s.place, s.key+": "+reason, remedy)
	}
	keys := s.value.keys()
	plan := s.plan()
	latency, each, local := 1, 1, func(int) string { return "" }
	switch value := s.value.(type) {
	case *Ring:
		w.grid, w.usual, w.around = []int{value.N}, routesDateline, true
	case *Grid:
		w.grid, w.usual = value.K, routesDOR
		if s.key == "torus" {
			w.usual, w.around, latency = routesDimOrder, true, 2
		}
	case *Dragonfly:
		w.groups, w.usual, each = value, routesMinimal, max(1, value.P)
		local = func(k int) string { return fmt.Sprintf("[%d]", k) }
		for router := range plan.Nodes {
			w.Names = append(w.Names, hw.Index(unlike(keys.Node), router))
		}
	}
	if keys.Latency != nil {
		latency = *keys.Latency
	}
	reason, remedy := refusedLink(latency, keys.Duplex == "half")
	if y := w.groups; y != nil && y.GlobalLatency != nil && reason == "" {
		reason, remedy = refusedLink(*y.GlobalLatency, false)
	}
	ports := len(plan.Ports) + each*w.nicPorts
	switch {
	case reason != "":
		return refuse(reason, remedy)
	case keys.Credits != nil:
		return refuse(routersCredits, deleteCredits)
	case len(keys.Ports) > 0:
		return refuse("routers have the ports of the "+s.key+", and those for processors", "delete ports")
	case ports > hw.RouterPortsMax:
		return refuse(fmt.Sprintf("routers of %d ports", ports), fmt.Sprintf("at most %d are allowed", hw.RouterPortsMax))
	case plan.Nodes*each*w.nicPorts > hw.PacketNodesMax:
		return refuse(fmt.Sprintf("%d routers with %s each", plan.Nodes, traces.Plural(each, "processor", "processors")),
			fmt.Sprintf("at most %d processors are allowed", hw.PacketNodesMax/w.nicPorts))
	}
	w.Places, w.Graph.Links = plan.Places, make([]hw.RouterLink, 0, 2*len(plan.Links))
	w.locals(plan, each, local)
	w.Round = map[int]Place{}
	for _, l := range plan.Links {
		if l.Round != (Place{}) {
			at := len(w.Graph.Links)
			w.Round[at], w.Round[at+1] = l.Round, Place{X: -l.Round.X, Y: -l.Round.Y}
		}
		latency := latency
		if l.Latency != nil {
			latency = *l.Latency
		}
		w.Graph.Links = append(w.Graph.Links,
			hw.RouterLink{From: l.From, Output: l.FromPort, To: l.To, Input: l.ToPort, Latency: latency},
			hw.RouterLink{From: l.To, Output: l.ToPort, To: l.From, Input: l.FromPort, Latency: latency})
	}
	return nil
}

// locals adds processors to each router, at ports after the ports of the plan. name returns the suffix of the name of
// port k.
func (w *routed) locals(plan *Plan, each int, name func(k int) string) {
	names := slices.Clone(plan.Ports)
	for port := range w.nicPorts {
		number := ""
		if port > 0 {
			number = fmt.Sprint(port)
		}
		for k := range each {
			names = append(names, w.localPort()+number+name(k))
		}
		for node := range plan.Nodes * each {
			w.Graph.Nodes = append(w.Graph.Nodes,
				hw.RouterNode{Router: node / each, Port: len(plan.Ports) + port*each + node%each, Latency: 1})
		}
	}
	w.Graph.Ports, w.Routers.Ports = slices.Repeat([]int{len(names)}, plan.Nodes),
		slices.Repeat([][]string{names}, plan.Nodes)
}

func (w *routed) localPort() string {
	if w.groups != nil { // local ports lead within a group
		return "terminal"
	}
	return "local"
}

func unlike(processor string) string {
	if processor == "r" {
		return "router"
	}
	return "r"
}

func (w *routed) drawGraph(a *Anynet) error {
	place, r := w.place, w.Routers
	w.usual, w.graph = routesAnynet, a
	routers, nodes := len(a.Nodes), 0 // the nodes of the graph are processors
	out := make([][]AnynetLink, routers)
	for _, l := range a.Links {
		out[l.From] = append(out[l.From], l)
	}
	port := func(from, to int) int {
		return len(a.Nodes[from]) + slices.IndexFunc(out[from], func(l AnynetLink) bool { return l.To == to })
	}
	for router := range routers {
		ports := w.nicPorts*len(a.Nodes[router]) + len(out[router])
		if nodes += len(a.Nodes[router]); ports > hw.RouterPortsMax || ports == 0 {
			return input.Mistake(place, fmt.Sprintf("router %d has %s", router, traces.Plural(ports, "port", "ports")),
				fmt.Sprintf("allowed: 1 to %d", hw.RouterPortsMax))
		}
		r.Graph.Ports = append(r.Graph.Ports, ports)
	}
	if most := hw.PacketNodesMax / w.nicPorts; nodes == 0 || nodes > most {
		return input.Mistake(place, fmt.Sprintf("the graph has %d nodes", nodes), fmt.Sprintf("allowed: 1 to %d", most))
	}
	r.Graph.Nodes = make([]hw.RouterNode, w.nicPorts*nodes)
	for router := range routers {
		for i, node := range a.Nodes[router] {
			r.Graph.Nodes[node] = hw.RouterNode{Router: router, Port: i, Latency: 1}
			for port := 1; port < w.nicPorts; port++ {
				r.Graph.Nodes[port*nodes+node] = hw.RouterNode{Router: router,
					Port: len(out[router]) + port*len(a.Nodes[router]) + i, Latency: 1}
			}
		}
	}
	for _, l := range a.Links {
		if l.Latency > hw.ChannelDelayMax/2 {
			return &input.Error{Place: l.place,
				Reason: fmt.Sprintf("the latency from router %d to router %d is %d", l.From, l.To, l.Latency),
				Remedy: fmt.Sprintf("allowed: 1 to %d between routers", hw.ChannelDelayMax/2)}
		}
		r.Graph.Links = append(r.Graph.Links,
			hw.RouterLink{From: l.From, Output: port(l.From, l.To), To: l.To, Input: port(l.To, l.From), Latency: l.Latency})
	}
	return nil
}

func (w *routed) anynetRoutes() {
	out := make([][]AnynetLink, len(w.graph.Nodes))
	for _, l := range w.graph.Links {
		out[l.From] = append(out[l.From], l)
	}
	for router := range out {
		before := shortest(out, router)
		for node, at := range w.Graph.Nodes {
			next := at.Router
			for next != router && before[next] != router && before[next] >= 0 {
				next = before[next]
			}
			switch {
			case next == router:
				w.give(router, node, at.Port)
			case before[next] >= 0:
				w.give(router, node,
					len(w.graph.Nodes[router])+slices.IndexFunc(out[router], func(l AnynetLink) bool { return l.To == next }))
			}
		}
	}
}

// shortest returns the predecessor of each router on a path with the lowest latency from a router. Of several such
// paths, the first one found applies. The search continues from the nearest router; among equally near routers, from
// the router with the lowest number.
func shortest(out [][]AnynetLink, from int) (before []int) {
	distance := slices.Repeat([]int{math.MaxInt}, len(out))
	before = slices.Repeat([]int{-1}, len(out))
	distance[from] = 0
	for open := (nearest{{0, from}}); len(open) > 0; {
		at := open.pop()
		if at.distance > distance[at.processor] {
			continue
		}
		for _, l := range out[at.processor] {
			if d := at.distance + l.Latency; d < distance[l.To] {
				distance[l.To], before[l.To] = d, at.processor
				open.push(reach{d, l.To})
			}
		}
	}
	return before
}

func (d *Drawing) bareNet(processors int) *Net {
	node := "p"
	if len(d.plans) == 1 {
		node = cmp.Or(d.plans[0].value.keys().Node, node)
	}
	n := &Net{Name: d.head()}
	for i := range processors {
		n.Processors = append(n.Processors, Processor{Path: hw.Index(hw.Join(n.Name, node), i)})
	}
	return n.finish()
}

// atRouters sets the ports of each processor at routers. Channels become media: first the channels between routers in
// graph order, then the channels from and to each port of a processor.
func (n *Net) atRouters(r *fabric.Routers) {
	n.routers, n.slotted, r.Media = r, len(n.Media), len(n.Media)
	access := uint32(accessRouted)
	if n.one, n.many = "channel", "channels"; n.slotted > 0 {
		n.one, n.many, access = "medium", "media", n.accessWord()
	}
	channel := func(path string) int {
		n.Media = append(n.Media, Medium{Path: path, Link: path + ".link", Latency: Usual, Opposite: None})
		return len(n.Media) - 1
	}
	n.Media = slices.Grow(n.Media, len(r.Graph.Links)+2*len(r.Graph.Nodes))
	for _, l := range r.Graph.Links { // the hash covers the far ends of channels
		at := channel(hw.Index(hw.Join(n.Name, "router"), l.From) + "." + hw.Index("output", l.Output))
		n.Media[at].Pair = fmt.Sprint(l.To, l.Input, l.Latency)
	}
	for node := range r.Graph.Nodes {
		i, port := r.NIC.At(node)
		p := &n.Processors[i]
		if port == len(p.Ports) {
			p.Ports = append(p.Ports, Port{Path: p.Path + "." + hw.Index("port", port)})
		}
		path := p.Path
		if r.NIC.Ports(i) > 1 {
			path = p.Ports[port].Path
		}
		p.Ports[port].Sends, p.Ports[port].Hears = channel(path+".out"), channel(path+".in")
	}
	n.finish()
	n.Words = [nic.ShapeWords]uint32{
		uint32(len(n.Processors)), uint32(n.ports), uint32(len(n.Media)), uint32(len(r.Graph.Ports)),
		uint32(r.Tick), access, n.Hash(), 0}
}

const accessRouted = 4

type routed struct {
	*fabric.Routers
	*mistakes
	unsure
	place  string
	routes *Routes
	usual  string // default rule of routes

	nicPorts int // ports of each processor, unless nodes are drawn

	grid   []int // sizes of a mesh, a torus or a ring; nil for other networks
	around bool  // the grid has wrap-around links
	rows   terms // grid of a concentrated network, for rules
	graph  *Anynet
	groups *Dragonfly
	stages *Fly     // a fly of several stages; nil for other networks
	tree   *FatTree // a fat tree; nil for other networks

	routers, processors []string

	table []int16                // port by router*nodes + destination, -1 for none
	class []uint8                // index of each route's class in known
	known []hw.VCRange           // classes of VCs; the first is all VCs
	far   [][]*[2]int            // router and latency at the far end of each port, nil for none
	given map[[2]int]*routeEntry // individual routes
}

func (w *routed) word() string { return cmp.Or(w.routes.word, w.usual) }

func (w *routed) claims() bool {
	return len(w.routes.entries) == 0 &&
		slices.Contains([]string{routesDOR, routesDimOrder, routesDateline, routesMinimal}, w.word())
}

func (w *routed) processor(node int) string {
	processor, _ := w.NIC.At(node)
	return w.processors[processor]
}

func (w *routed) give(router, node, port int) {
	w.table[router*len(w.Graph.Nodes)+node] = int16(port)
}

func (w *routed) refuse(place, reason, remedy string) error {
	return input.Mistake(place, reason, remedy)
}
