package netlist

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/traces"
)

func (n *Net) grid() bool { return n.routers.Names == nil && n.routers.Ports != nil }

func (n *Net) routerText(router int) string {
	if n.grid() {
		return hw.Index("router", router)
	}
	return n.calls[router]
}

func (n *Net) routerPort(router, port int) string {
	if ports := n.routers.Ports; ports != nil {
		return ports[router][port]
	}
	return fmt.Sprint(port)
}

type channel struct {
	from, to string
	latency  int
}

// channels returns the channels of routers in the order of their media.
func (n *Net) channels(name func(router int) string) (all []channel) {
	if n.routers == nil {
		return nil
	}
	end := func(router, port int) string { return name(router) + ":" + n.routerPort(router, port) }
	for _, l := range n.routers.Graph.Links {
		all = append(all, channel{end(l.From, l.Output), end(l.To, l.Input), l.Latency})
	}
	for i, node := range n.routers.Graph.Nodes {
		from, own := n.routers.Graph.Source(i), n.end(n.routers.NIC.At(i))
		all = append(all, channel{own, end(from.Router, from.Port), from.Latency},
			channel{end(node.Router, node.Port), own, node.Latency})
	}
	return all
}

func (n *Net) routersText() string {
	g, c := &n.routers.Graph, &n.routers.Config
	return fmt.Sprintf("%s of up to %s with %s of %s, %s between them", traces.Plural(len(g.Ports), "router", "routers"),
		traces.Plural(slices.Max(g.Ports), "port", "ports"),
		traces.Plural(c.VCs, "virtual channel", "virtual channels"), traces.Plural(c.Depth, "flit", "flits"),
		traces.Plural(len(g.Links), "channel", "channels"))
}

func (n *Net) writeRouters(w io.Writer) {
	g := &n.routers.Graph
	out, in := make([][]string, len(g.Ports)), make([][]string, len(g.Ports))
	for i, ports := range g.Ports {
		out[i], in[i] = slices.Repeat([]string{"-"}, ports), slices.Repeat([]string{"-"}, ports)
	}
	text := func(channel int) string {
		return fmt.Sprintf("%d %s", n.slotted+channel, n.node(n.Media[n.slotted+channel].Path))
	}
	for i, l := range g.Links {
		out[l.From][l.Output], in[l.To][l.Input] = text(i), text(i)
	}
	for i, node := range g.Nodes {
		at, from := len(g.Links)+2*i, g.Source(i)
		in[from.Router][from.Port], out[node.Router][node.Port] = text(at), text(at+1)
	}
	fmt.Fprint(w, "\nrouter\tcalled\tport\tsends to\thears\n")
	for i := range g.Ports {
		for port := range out[i] {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", i, n.calls[i], n.routerPort(i, port), out[i][port], in[i][port])
		}
	}
	if n.routers.Routes.Sets != nil {
		n.writeRelation(w)
		return
	}
	fmt.Fprint(w, "\nrouter\tcalled\tport\tvirtual channels\tfor packets to\n")
	for router := range g.Ports {
		for _, way := range n.ways(router) {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", router, n.calls[router], n.routerPort(router, way.port), way.vcs,
				strings.Join(joined(way.to), ", "))
		}
	}
}

// writeRelation writes the candidates of each router by input, class and destination. Inputs with the same candidates
// share their rows.
func (n *Net) writeRelation(w io.Writer) {
	fmt.Fprint(w, "\nrouter\tcalled\tfrom\tport\tvirtual channels\tfor packets to\n")
	r, first := n.routers, 0
	for router, ports := range r.Graph.Ports {
		var bases []uint32
		var from [][]string
		for i, base := range r.Routes.Sets.Base[first*len(r.Routes.Sets.Classes):][:ports*len(r.Routes.Sets.Classes)] {
			at := slices.Index(bases, base)
			if at < 0 {
				at, bases, from = len(bases), append(bases, base), append(from, nil)
			}
			if input := n.inputText(router, i); input != "" && !slices.Contains(from[at], input) {
				from[at] = append(from[at], input)
			}
		}
		for i, base := range bases {
			for _, way := range n.related(router, int(base)) {
				if from[i] != nil {
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", router, n.calls[router], strings.Join(from[i], ", "),
						n.routerPort(router, way.port), way.vcs, strings.Join(joined(way.to), ", "))
				}
			}
		}
		first += ports
	}
}

// inputText names an input by its number port * classes + class: source, or a port with the VCs of its class. It
// returns "" for a port without a link.
func (n *Net) inputText(router, number int) string {
	g, classes := &n.routers.Graph, n.routers.Routes.Sets.Classes
	port, class := number/len(classes), classes[number%len(classes)]
	switch {
	case n.sourceAt(router, port):
		return "source"
	case !slices.ContainsFunc(g.Links, func(l hw.RouterLink) bool { return l.To == router && l.Input == port }):
		return ""
	case len(classes) == 1:
		return n.routerPort(router, port)
	}
	return n.routerPort(router, port) + ":" + n.vcsText(class)
}

func (n *Net) sourceAt(router, port int) bool {
	for node := range n.routers.Graph.Nodes {
		if at := n.routers.Graph.Source(node); at.Router == router && at.Port == port {
			return true
		}
	}
	return false
}

func (n *Net) vcsText(r hw.VCRange) string {
	switch {
	case r.Low == 0 && int(r.High) == n.routers.Config.ClassVCs()-1:
		return "all"
	case r.Low == r.High:
		return fmt.Sprint(r.Low)
	}
	return fmt.Sprintf("%d..%d", r.Low, r.High)
}

// related returns the candidates of a router in the rows from base on.
func (n *Net) related(router, base int) (all []way) {
	sets := n.routers.Routes.Sets
	add := func(port int, vcs, to string) {
		at := slices.IndexFunc(all, func(w way) bool { return w.port == port && w.vcs == vcs })
		if at < 0 {
			at, all = len(all), append(all, way{port: port, vcs: vcs})
		}
		if !slices.Contains(all[at].to, to) {
			all[at].to = append(all[at].to, to)
		}
	}
	for node, home := range n.routers.Graph.Nodes {
		processor, _ := n.routers.NIC.At(node)
		to := n.node(n.Processors[processor].Path)
		if home.Router == router {
			add(home.Port, "all", to)
			continue
		}
		for _, of := range sets.Rows[base+sets.Group(router, home.Router)] {
			add(int(of.Port), n.vcsText(sets.Classes[of.Class]), to)
		}
	}
	slices.SortStableFunc(all, func(a, b way) int { return a.port - b.port })
	return all
}

type way struct {
	port int
	vcs  string
	to   []string
}

func (n *Net) ways(router int) (all []way) {
	r := n.routers
	for node := range r.Graph.Nodes {
		port, vcs := n.hop(router, node)
		at := slices.IndexFunc(all, func(w way) bool { return w.port == port && w.vcs == vcs })
		if at < 0 {
			at, all = len(all), append(all, way{port: port, vcs: vcs})
		}
		processor, own := r.NIC.At(node)
		to := n.node(n.Processors[processor].Path)
		if r.NIC.Ports(processor) > 1 {
			to = n.end(processor, own)
		}
		all[at].to = append(all[at].to, to)
	}
	slices.SortStableFunc(all, func(a, b way) int { return a.port - b.port })
	return all
}

// hop returns the port at which packets to a node leave a router, and the VCs of their class at this port.
func (n *Net) hop(router, node int) (port int, vcs string) {
	routes, nodes, of := &n.routers.Routes, len(n.routers.Graph.Nodes), n.routers.Config.ClassVCs()
	if routes.Tree.K > 0 && routes.Next(router, 0, node, nodes, false, of).Port >= routes.Tree.K {
		return routes.Tree.K, "all, and the same of each higher port, as drawn"
	}
	if routes.Torus.K != nil {
		return routes.Next(router, 2*len(routes.Torus.K), node, nodes, false, of).Port, "as it has gone"
	}
	hop := routes.Next(router, 0, node, nodes, false, of)
	return hop.Port, n.vcsText(hw.VCRange{Low: uint8(hop.Low), High: uint8(hop.High)})
}

func joined(names []string) (all []string) {
	head, from, to := "", 0, 0
	flush := func() {
		switch {
		case head == "":
		case from == to:
			all = append(all, hw.Index(head, from))
		default:
			all = append(all, fmt.Sprintf("%s[%d..%d]", head, from, to))
		}
		head = ""
	}
	for _, name := range names {
		var index int
		at := strings.LastIndexByte(name, '[')
		if at < 0 || name[len(name)-1] != ']' {
			flush()
			all = append(all, name)
			continue
		}
		_, _ = fmt.Sscanf(name[at:], "[%d]", &index)
		if head == name[:at] && index == to+1 {
			to++
			continue
		}
		flush()
		head, from, to = name[:at], index, index
	}
	flush()
	return all
}

// keepsKey reports whether routers are written as the key that draws them: their routes have no table, or their sources
// are apart from their sinks.
func (n *Net) keepsKey() bool {
	return n.kept.key != "" && (n.routers.Routes.Ports == nil || n.routers.Graph.Sources != nil)
}

func (n *Net) yamlRouters(w io.Writer) {
	r := n.routers
	word := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	c := &r.Config
	fmt.Fprintf(w, "router: {vcs: %d, depth: %d, routing_delay: %d, credit_delay: %d, wait_for_tail_credit: %v, "+
		"classes: %d, ",
		c.VCs, c.Depth, c.RoutingDelay, c.CreditDelay, c.WaitForTail, max(1, c.Classes))
	fmt.Fprintf(w, "vc_allocator: %v, sw_allocator: %v%s}\n", c.VCAllocator, c.SwitchAllocator, stageKeys(c))
	fmt.Fprintf(w, "streaming: {tick: %d, flit_bits: %d, vc: %s, eject: %s", r.Tick, r.Bits, word(r.ByTag, "tag", "turn"),
		word(r.Sink, "sink", "fifo"))
	if n.keepsKey() {
		fmt.Fprintf(w, ", ports: %d}\n%s: %s\nroutes: %s\n", r.NIC.Ports(0), n.kept.key, form(n.kept.value), n.rule)
		return
	}
	fmt.Fprint(w, "}\n")
}

func (n *Net) yamlNames() func(router int) string {
	if !n.grid() {
		return func(router int) string { return n.calls[router] }
	}
	node := "r"
	for slices.ContainsFunc(n.Processors, func(p Processor) bool {
		return strings.HasPrefix(n.node(p.Path)+".", node+".") || strings.HasPrefix(n.node(p.Path), node+"[")
	}) {
		node += "r"
	}
	return func(router int) string { return hw.Index(node, router) }
}

func (n *Net) yamlRouterNodes(w io.Writer) {
	name := n.yamlNames()
	for router, ports := range n.routers.Graph.Ports {
		names := make([]string, ports)
		for port := range names {
			names[port] = fmt.Sprintf("%q", n.routerPort(router, port))
		}
		text := ""
		if names[0] != `"0"` {
			text = ", ports: [" + strings.Join(names, ", ") + "]"
		}
		fmt.Fprintf(w, "  %q: {kind: router%s}\n", name(router), text)
	}
}

// yamlChannels returns the links of routers in channel order. Two consecutive opposite channels form one link, unless
// the number of links would fall below least.
func (n *Net) yamlChannels(least int) (lines []string) {
	all := n.channels(n.yamlNames())
	pairs := 0
	pair := func(i int) bool {
		return i+1 < len(all) && all[i+1].from == all[i].to && all[i+1].to == all[i].from &&
			all[i+1].latency == all[i].latency
	}
	for i := 0; i < len(all); i++ {
		if pair(i) {
			pairs++
			i++
		}
	}
	split := max(0, least-(len(all)-pairs)) // number of pairs drawn as two links
	for i := 0; i < len(all); i++ {
		more := ", oneway: true"
		between := i < len(n.routers.Graph.Links)
		if pair(i) && !(between && split > 0) {
			more = ""
		} else if pair(i) {
			split--
		}
		lines = append(lines,
			fmt.Sprintf("  - {endpoints: [%q, %q]%s, latency: %d}\n", all[i].from, all[i].to, more, all[i].latency))
		if more == "" {
			i++
		}
	}
	return lines
}

// yamlBetween returns a function that writes the links of routers with numbers below a given number. Media beside
// routers have the other numbers.
func (n *Net) yamlBetween(w io.Writer) (before func(number int)) {
	if n.routers == nil {
		return func(int) {}
	}
	most, beside, last := 0, 0, None
	for i := range n.slotted {
		if number := n.linkNumber(i); number != last && number != None {
			most, beside, last = number+1, beside+1, number
		}
	}
	lines := n.yamlChannels(most - beside)
	written, last := 0, None
	return func(number int) {
		if number == None || number == last {
			return
		}
		for ; written < number && len(lines) > 0; written++ {
			fmt.Fprint(w, lines[0])
			lines = lines[1:]
		}
		written, last = written+1, number
	}
}

func (n *Net) yamlRouterRoutes(w io.Writer) {
	rule := routesShortest
	if n.rule == routesDateline && n.kept.key == "" { // the ring is drawn
		rule = routesDateline
	}
	usual, name := n.usualRoutes(rule), n.yamlNames()
	fmt.Fprintf(w, "routes:\n  default: %s\n", rule)
	for router := range n.routers.Graph.Ports {
		var ways []way
		last := None
		for i := range n.Processors {
			for k := range n.routers.NIC.Ports(i) {
				node := n.routers.NIC.Node(i, k)
				port, vcs := n.hop(router, node)
				if other, others := usual.hop(router, node); port == other && vcs == others || last == i {
					continue
				}
				last = i
				at := slices.IndexFunc(ways, func(w way) bool { return w.port == port && w.vcs == vcs })
				if at < 0 {
					at, ways = len(ways), append(ways, way{port: port, vcs: vcs})
				}
				ways[at].to = append(ways[at].to, n.node(n.Processors[i].Path))
			}
		}
		if ways == nil {
			continue
		}
		fmt.Fprintf(w, "  %q:\n", name(router))
		for _, way := range ways {
			port := n.routerPort(router, way.port)
			if way.vcs != "all" {
				port += ":" + way.vcs
			}
			for _, to := range joined(way.to) {
				fmt.Fprintf(w, "    %q: %q\n", to, port)
			}
		}
	}
}

func (n *Net) usualRoutes(rule string) *Net {
	r := &fabric.Routers{Config: n.routers.Config, Graph: n.routers.Graph, Names: n.routers.Names}
	w := &routed{Routers: r, routers: n.calls, routes: &Routes{word: rule}}
	_ = w.rule() // dateline is only written for rings
	w.finish()
	return &Net{reaching: reaching{routers: r}}
}

func (n *Net) dotRouters(w io.Writer) {
	for router := range n.routers.Graph.Ports {
		fmt.Fprintf(w, "  %q [shape=box, style=rounded];\n", n.routerText(router))
	}
	node := func(end string) string { return end[:strings.LastIndexByte(end, ':')] }
	for i, c := range n.channels(n.routerText) {
		fmt.Fprintf(w, "  %q -> %q [label=%q];\n", node(c.from), node(c.to), fmt.Sprint(n.slotted+i))
	}
}

func (n *Net) linkNumber(medium int) int {
	number := None
	_, _ = fmt.Sscanf(n.node(n.Media[medium].Path), "link[%d]", &number)
	return number
}
