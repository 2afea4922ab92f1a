package netlist

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
	"starloom/traces/input"
)

func (w *routed) route() {
	before := w.count()
	if !w.partial {
		if err := w.suits(); err != nil {
			w.take(err)
		} else {
			w.take(w.rule())
		}
	}
	w.entries()
	if w.count() > before || w.partial || w.keys["routes"] || w.table == nil && w.Routes.Rule == nil {
		return
	}
	computed := w.computed() != nil && len(w.routes.entries) == 0
	if computed && w.word() == routesDOR {
		w.Routes.Grid = hw.NewGridRoute(w.grid, w.Graph.Nodes)
	}
	if w.table == nil {
		return
	}
	if !computed { // computed routes arrive
		if err := w.follow(); err != nil {
			w.take(err)
			return
		}
	}
	w.finish()
}

// relate compiles and checks rules.
func (w *routed) relate() {
	if w.partial {
		return
	}
	c := &relating{placedRelation: w.routes.relation, built: w.Routers, names: w.routers, sets: &hw.RouteSets{},
		terms: w.rows}
	if w.grid != nil {
		c.terms = terms{grid: w.grid, around: w.around}
	}
	sets, err := c.compile()
	if w.take(err); err != nil || w.shares(len(sets.Classes) > 1) {
		return
	}
	w.Routes.Sets = sets
	d := newDependencies(w.Routers)
	d.classify()
	known := newRouteCheck(d, c).verdict()
	if w.Shown = "routes: " + known.text; !known.free {
		w.add(w.routes.place, w.Shown, known.remedy)
	} else if w.Config.Stages.Priority != hw.NoPriority {
		w.Shown += "; starvation is not excluded, because packets have priorities"
	}
}

func (w *routed) suits() error {
	if w.routes.relation != nil {
		return nil
	}
	word, place := w.word(), cmp.Or(w.routes.place, w.place)
	fits := map[string]bool{
		routesDOR: w.grid != nil && !w.around, routesDimOrder: w.grid != nil && w.around,
		routesDateline: w.around || w.Names != nil,
		routesMinimal:  w.groups != nil, routesAnynet: w.graph != nil, routesShortest: w.stages == nil && w.tree == nil,
		routesDestTag: w.stages != nil, routesNCA: w.tree != nil,
	}
	if w.routes.none {
		return w.refuse(place, "routes: none is only for networks without routers: packets need routes through routers",
			"delete it, or write routes: shortest")
	}
	if !fits[word] {
		return w.refuse(place, "routes: "+word+" does not suit this network of routers",
			"dor is for a mesh, dim_order for a torus, dateline for a ring or a torus, "+
				"minimal for a dragonfly, anynet for anynet, dest_tag for a fly of several stages, nca for a fattree; "+
				"shortest is for "+
				"all other networks")
	}
	if word == routesDimOrder && len(w.routes.entries) > 0 {
		return w.refuse(w.routes.entries[0].place, "dimension-order routes of a torus have no table, in which "+
			"other routes could be entered", "add default: dateline")
	}
	if (word == routesDateline || word == routesMinimal) && w.Config.ClassVCs() < 2 {
		return w.refuse(place, "routes: "+word+" needs two classes of virtual channels, but there is only one channel",
			fmt.Sprintf("write vcs: %d or more", 2*w.Config.Classes))
	}
	return nil
}

func (w *routed) rule() error {
	word, place := w.word(), cmp.Or(w.routes.place, w.place)
	if word == routesDimOrder {
		w.Routes.Torus.K = w.grid
		return nil
	} else if word == routesNCA {
		w.Routes.Tree = hw.TreeRoute{K: w.tree.K, N: w.tree.N}
		return nil
	}
	computed := w.computed()
	if w.begin(); computed != nil && word != routesDOR && word != routesDestTag {
		w.datelineClasses()
	}
	switch {
	case computed != nil && w.table == nil:
		w.Routes.Rule, w.Routes.VCs = computed, w.known
	case computed != nil:
		for router := range w.Graph.Ports {
			for node := range w.Graph.Nodes {
				port, class := computed(router, node)
				w.give(router, node, port)
				w.class[router*len(w.Graph.Nodes)+node] = uint8(class)
			}
		}
	case word == routesAnynet:
		w.anynetRoutes()
	default:
		w.shortest()
	}
	if word == routesDateline && !w.around {
		return w.ring(place)
	}
	return nil
}

// computed returns a function that computes the port and the VC class of each hop, or nil if the routing rule needs a
// table.
func (w *routed) computed() func(router, node int) (port, class int) {
	switch word := w.word(); {
	case word == routesDOR:
		return w.dimensionOrder
	case word == routesMinimal:
		return w.minimal
	case word == routesDestTag:
		return w.stages.next
	case word == routesDateline && w.around:
		return w.dateline
	}
	return nil
}

func (w *routed) pairs() int { return len(w.Graph.Ports) * len(w.Graph.Nodes) }

func (w *routed) large() bool {
	return w.computed() != nil && w.routes.entries == nil && w.pairs() > settledMax
}

func (w *routed) finish() {
	w.Routes.Ports = make([]uint8, len(w.table))
	for i, port := range w.table {
		w.Routes.Ports[i] = uint8(port)
	}
	if len(w.known) > 1 {
		w.Routes.Classes, w.Routes.VCs = w.class, w.known
	}
	w.table = nil
}

func (w *routed) begin() {
	w.known = []hw.VCRange{{Low: 0, High: uint8(w.Config.ClassVCs() - 1)}}
	if w.large() {
		return
	}
	w.table, w.class = slices.Repeat([]int16{-1}, w.pairs()), make([]uint8, w.pairs())
	for _, ports := range w.Graph.Ports {
		w.far = append(w.far, make([]*[2]int, ports))
	}
	for _, l := range w.Graph.Links {
		w.far[l.From][l.Output] = &[2]int{l.To, l.Latency}
	}
}

// shortest sets the routes with the lowest latency, of these with the fewest routers, then with the lowest first port.
func (w *routed) shortest() {
	into := linksInto(&w.Graph)
	of := map[int][]int32{} // ports of all routers towards each router with nodes
	for node, at := range w.Graph.Nodes {
		ports := of[at.Router]
		if ports == nil {
			ports = w.towards(at.Router, into)
			of[at.Router] = ports
		}
		for router, port := range ports {
			w.give(router, node, int(port))
		}
		w.give(at.Router, node, at.Port)
	}
}

func (w *routed) towards(to int, into [][]*hw.RouterLink) []int32 {
	distance, ports := distancesTo(to, into), slices.Repeat([]int32{-1}, len(into))
	for router := range into {
		for port, far := range w.far[router] {
			if far != nil && distance[far[0]] >= 0 &&
				distance[far[0]]+weight(far[1]) == distance[router] && ports[router] < 0 {
				ports[router] = int32(port)
			}
		}
	}
	return ports
}

// VC classes of a dateline. Packets use the lower half of the VCs before they cross the dateline, and the upper half
// afterwards. In a dragonfly, packets use the lower half until they leave their group.
const (
	classBefore = 1
	classAfter  = 2
)

func (w *routed) datelineClasses() {
	half := uint8(w.Config.ClassVCs() / 2)
	w.known = append(w.known, hw.VCRange{Low: 0, High: half - 1},
		hw.VCRange{Low: half, High: uint8(w.Config.ClassVCs() - 1)})
}

func classOf(before bool) int {
	if before {
		return classBefore
	}
	return classAfter
}

func (w *routed) dimensionOrder(router, node int) (port, class int) {
	at, to := router, node
	for d, k := range w.grid {
		if a, b := at%k, to%k; a < b {
			return 2 * d, 0
		} else if a > b {
			return 2*d + 1, 0
		}
		at, to = at/k, to/k
	}
	return w.Graph.Nodes[node].Port, 0
}

// dateline routes a torus dimension by dimension, in the shorter direction of each. If both directions are equally
// long, packets travel towards larger coordinates.
func (w *routed) dateline(router, node int) (port, class int) {
	at, to := router, node
	for d, k := range w.grid {
		if a, b := at%k, to%k; a != b && 2*((b-a+k)%k) <= k {
			return 2 * d, classOf(a > b)
		} else if a != b {
			return 2*d + 1, classOf(a < b)
		}
		at, to = at/k, to/k
	}
	return w.Graph.Nodes[node].Port, 0
}

// minimal routes a dragonfly: first to the router with the link to the destination's group, then over this link, then
// within the destination's group. Packets use the lower half of the VCs until they leave their group (Kim et al.,
// section 4.1).
func (w *routed) minimal(router, node int) (port, class int) {
	y, home := w.groups, w.Graph.Nodes[node]
	group, at, there := router/y.A, router%y.A, home.Router/y.A
	to, port := y.global(group, there)
	switch {
	case home.Router == router:
		return home.Port, 0
	case there == group:
		port = y.local(at, home.Router%y.A)
	case to != at:
		port = y.local(at, to)
	}
	return port, classOf(there != group)
}

// ring assigns VC classes to the shortest routes of a drawn ring. Positions count from the first router in the
// direction of its first port.
func (w *routed) ring(place string) error {
	refuse := func(reason string) error {
		return w.refuse(place, "routes: dateline: "+reason, "draw routers as one ring, or use routes: shortest")
	}
	routers := len(w.Graph.Ports)
	position, order := slices.Repeat([]int{-1}, routers), []int(nil)
	last := -1
	for at := 0; position[at] < 0; {
		position[at] = len(order)
		order = append(order, at)
		next := -1
		for _, far := range w.far[at] {
			if far != nil && far[0] != last && next < 0 {
				next = far[0]
			}
		}
		if next < 0 {
			return refuse(w.routers[at] + " is linked with no router other than " + w.routers[max(last, 0)])
		}
		last, at = at, next
		if position[at] > 0 {
			return refuse("a path from " + w.routers[0] + " returns to " + w.routers[at])
		}
	}
	if len(order) < routers || routers < 3 {
		return refuse(fmt.Sprintf("the cycle from %s visits only %d of %d routers", w.routers[0], len(order), routers))
	}
	w.datelineClasses()
	for router := range w.Graph.Ports {
		for port, far := range w.far[router] {
			if far == nil {
				continue
			}
			step := (position[far[0]] - position[router] + routers) % routers
			if step != 1 && step != routers-1 {
				return refuse(w.routers[router] + " leads across the ring, to " + w.routers[far[0]])
			}
			for node, at := range w.Graph.Nodes {
				if w.table[router*len(w.Graph.Nodes)+node] == int16(port) {
					here, there := position[router], position[at.Router]
					w.class[router*len(w.Graph.Nodes)+node] = uint8(classOf(step == 1 && here > there || step != 1 && here < there))
				}
			}
		}
	}
	return nil
}

func (w *routed) entries() {
	w.given = map[[2]int]*routeEntry{}
	routers, processors := map[string]int{}, map[string]int{}
	for i, name := range w.routers {
		routers[name] = i
	}
	for i, name := range w.processors {
		processors[name] = i
	}
	strange := ""
	for i := range w.routes.entries {
		e, before := &w.routes.entries[i], w.count()
		if e.file != "" && e.file == strange {
			continue
		}
		from, err := w.find(cmp.Or(e.leaves, e.place), e.from, "router", w.routers, routers)
		w.take(err)
		to, err := w.find(e.place, e.to, "processor", w.processors, processors)
		if w.take(err); w.count() > before { // report no further mistakes of this file
			strange = e.file
		}
		if w.partial {
			continue // the unknown parts may contain this port
		}
		for _, router := range from {
			if err := w.entry(e, router, to); err != nil {
				w.take(err)
				break
			}
		}
	}
}

func (w *routed) entry(e *routeEntry, router int, to []int) error {
	port, class, err := w.outOf(e, router)
	for _, processor := range to {
		if err != nil || w.table == nil {
			return err
		}
		err = w.enter(e, router, processor, port, class)
	}
	return err
}

// enter sets the route from a router to a processor: to all ports of the processor, or to the port at the end of the
// route.
func (w *routed) enter(e *routeEntry, router, processor, port int, class uint8) error {
	ports := w.NIC.Ports(processor)
	all := slices.Repeat([]bool{true}, ports)
	for k := range all {
		if at := w.Graph.Nodes[w.NIC.Node(processor, k)]; at.Router == router && at.Port == port {
			clear(all)
			all[k] = true
			break
		}
	}
	for k, goes := range all {
		if !goes {
			continue
		}
		node := w.NIC.Node(processor, k)
		way := [2]int{router, node}
		if other := w.given[way]; other != nil {
			return w.refuse(e.place,
				fmt.Sprintf("there are two routes from %s to %s; the first is at %s", w.routers[router],
					w.processors[processor], other.place),
				"delete one")
		}
		w.given[way] = e
		w.give(router, node, port)
		w.class[router*len(w.Graph.Nodes)+node] = class
	}
	return nil
}

func (w *routed) find(place, text, what string, names []string, numbers map[string]int) (all []int, err error) {
	list, err := expand(text)
	if err != nil {
		return nil, w.refuse(place, fmt.Sprintf("a route of %q: %v", text, err), "write a range such as p[0..3]")
	}
	for _, name := range list {
		number, ok := numbers[name]
		if !ok && (w.hides(name) || w.full()) {
			return nil, nil
		}
		if !ok {
			return nil, w.refuse(place, fmt.Sprintf("there is no %s %s", what, name),
				input.DidYouMean(name, names[:min(len(names), 1000)], "routes lead from a router to a processor"))
		}
		all = append(all, number)
	}
	return all, nil
}

func (w *routed) outOf(e *routeEntry, router int) (port int, class uint8, err error) {
	name, vcs, some := strings.Cut(e.port, ":")
	var names []string
	if w.Routers.Ports != nil {
		names = w.Routers.Ports[router]
	}
	if port = slices.Index(names, name); port < 0 {
		number, err := strconv.ParseUint(name, 10, 16)
		if err != nil || int(number) >= w.Graph.Ports[router] {
			return 0, 0, w.refuse(e.place, fmt.Sprintf("%s has no port %s", w.routers[router], name),
				input.DidYouMean(name, names, fmt.Sprintf("its ports are 0 to %d", w.Graph.Ports[router]-1)))
		}
		port = int(number)
	}
	if !some {
		return port, 0, nil
	}
	low, high, ranged := strings.Cut(vcs, "..")
	if !ranged {
		high = low
	}
	a, err1 := strconv.ParseUint(low, 10, 16)
	b, err2 := strconv.ParseUint(high, 10, 16)
	if err1 != nil || err2 != nil || a > b || int(b) >= w.Config.ClassVCs() {
		return 0, 0, w.refuse(e.place, fmt.Sprintf("%q are no virtual channels", vcs),
			fmt.Sprintf("write a number or a range such as 0..1, of channels 0 to %d", w.Config.ClassVCs()-1))
	}
	r := hw.VCRange{Low: uint8(a), High: uint8(b)}
	at := slices.Index(w.known, r)
	if at < 0 {
		at = len(w.known)
		w.known = append(w.known, r)
	}
	if at > math.MaxUint8 {
		return 0, 0, w.refuse(e.place, "routes have more than 255 different sets of virtual channels", "use fewer")
	}
	return port, uint8(at), nil
}

func (w *routed) follow() error {
	routers := len(w.Graph.Ports)
	home := map[[2]int]int{}
	for node, at := range w.Graph.Nodes {
		home[[2]int{at.Router, at.Port}] = node
	}
	met := make([]int, routers) // 1 + number of the walk that visited each router
	for node := range w.Graph.Nodes {
		clear(met)
		for start := range routers {
			for at := start; met[at] == 0; {
				met[at] = start + 1
				next, err := w.step(at, node, home)
				if err != nil {
					return err
				}
				if next < 0 {
					break
				}
				if met[next] == start+1 {
					return w.refuse(w.placeOf(at, node),
						fmt.Sprintf("the route to %s loops: from %s back to %s", w.processor(node), w.routers[at], w.routers[next]),
						"take another port")
				}
				at = next
			}
		}
	}
	return nil
}

// step returns the next router on the route to a node, -1 at the end of the route. home maps ports to nodes.
func (w *routed) step(router, node int, home map[[2]int]int) (next int, err error) {
	port := int(w.table[router*len(w.Graph.Nodes)+node])
	if port < 0 {
		return 0, w.refuse(w.place, fmt.Sprintf("no way leads from %s to %s", w.routers[router],
			w.processor(node)), "add a link")
	}
	far := w.far[router][port]
	if far != nil {
		return far[0], nil
	}
	what := "uses a port without a link"
	if other, leads := home[[2]int{router, port}]; leads {
		if other == node {
			return -1, nil
		}
		what = "leads to " + w.processor(other)
	}
	return 0,
		w.refuse(w.placeOf(router, node),
			fmt.Sprintf("the route from %s to %s %s", w.routers[router], w.processor(node), what), "take another port")
}

func (w *routed) placeOf(router, node int) string {
	if e := w.given[[2]int{router, node}]; e != nil {
		return e.place
	}
	return w.place
}
