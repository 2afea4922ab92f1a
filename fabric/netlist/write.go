package netlist

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"starloom/traces"
	"starloom/traces/input"
)

func (n *Net) ends() (senders, hearers [][]string) {
	senders, hearers = make([][]string, len(n.Media)), make([][]string, len(n.Media))
	for i := range n.Processors {
		for p := range n.Processors[i].Ports {
			if m := n.Processors[i].Ports[p].Sends; m != None {
				senders[m] = append(senders[m], n.end(i, p))
			}
			if m := n.Processors[i].Ports[p].Hears; m != None {
				hearers[m] = append(hearers[m], n.end(i, p))
			}
		}
	}
	for i := range n.Crossbars {
		for k := range n.Crossbars[i].Media() {
			senders[n.Crossbars[i].First+k] = []string{n.node(n.Crossbars[i].Head)}
		}
	}
	return senders, hearers
}

// Summary describes a netlist in one line.
func (n *Net) Summary() string {
	stars, buses, links := 0, 0, n.slotted
	for i := range n.slotted {
		switch m := &n.Media[i]; {
		case m.Bus:
			buses, links = buses+1, links-1
		case m.Star:
			stars, links = stars+1, links-1
		}
	}
	for i := range n.Crossbars {
		links -= n.Crossbars[i].Media()
	}
	access := "used all at once"
	switch {
	case n.routers != nil && n.slotted > 0:
		access = "used all at once, some at routers"
	case n.routers != nil:
		access = "at routers"
	case n.Switch:
		access = "used by one switch"
	case n.Mixed:
		access = "used all at once, some with requests"
	case n.OnePort, n.pure():
		access = "used one at a time"
	}
	media := traces.Plural(stars, "star", "stars")
	if buses > 0 {
		media += ", " + traces.Plural(buses, "bus", "buses")
	}
	if len(n.Crossbars) > 0 {
		media += ", " + traces.Plural(len(n.Crossbars), "crossbar", "crossbars")
	}
	media += ", " + traces.Plural(links, "direction", "directions") + " of links"
	switch {
	case n.routers != nil && n.slotted > 0:
		media = n.routersText() + "; " + media
	case n.routers != nil:
		media = n.routersText()
	}
	return fmt.Sprintf("%s of up to %s, %s; %s; hash %08x", traces.Plural(len(n.Processors), "processor", "processors"),
		traces.Plural(n.ports, "port", "ports"), access, media, n.Hash())
}

// WriteText prints processors, ports and media with their numbers and paths.
func (n *Net) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n", n.Summary())
	notes := n.notes
	if n.routers != nil && n.routers.Shown != "" {
		notes = append(slices.Clone(notes), n.routers.Shown)
	}
	for _, note := range append(slices.Clip(notes), n.idle()...) {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	fmt.Fprintln(w)
	fmt.Fprint(table, "processor\tport\tpath\tsends to\thears\n")
	text := func(medium int) string {
		if medium == None {
			return "-"
		}
		return fmt.Sprintf("%d %s", medium, n.node(n.Media[medium].Path))
	}
	for i := range n.Processors {
		p := &n.Processors[i]
		for k := range p.Ports {
			sends := text(p.Ports[k].Sends)
			if asks := p.Ports[k].Asks; asks > 0 {
				sends = n.node(n.Crossbars[asks-1].Head)
			}
			fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\n", i, k, p.Ports[k].Path, sends, text(p.Ports[k].Hears))
		}
	}
	credits := ""
	if n.credited() {
		credits = "\tcredits"
	}
	fmt.Fprintf(table, "\nmedium\tpath\tlatency%s\tfrom\tto\n", credits)
	senders, hearers := n.ends()
	channels := n.channels(n.routerText)
	for i := range n.Media {
		m, latency := &n.Media[i], "-"
		if i >= n.slotted {
			c := channels[i-n.slotted]
			latency, senders[i], hearers[i] = fmt.Sprint(c.latency), []string{c.from}, []string{c.to}
		}
		if m.Latency != Usual {
			latency = fmt.Sprint(m.Latency)
		}
		if credits != "" {
			latency += "\t" + creditText(m.Credits)
		}
		half := ""
		if m.Opposite != None {
			half = fmt.Sprintf(", not while %d carries light", m.Opposite)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s%s\n", i, m.Path, latency, strings.Join(senders[i], ", "),
			strings.Join(hearers[i], ", "), half)
	}
	if n.routers != nil {
		n.writeRouters(table)
	}
	n.writePadded(table)
	n.writeRTL(table)
	return table.Flush()
}

// Limits of the note on idle media: the number of names in the note, and the number of processors above which the
// search takes seconds.
const (
	idleNamed         = 4
	idleProcessorsMax = 512
)

func (n *Net) idle() []string {
	if n.routers != nil || len(n.Processors) > idleProcessorsMax || !n.hasWays() {
		return nil
	}
	used, names, ways := make([]bool, len(n.Media)), n.Names(), newROM(n)
	for destination, from := range ways.next {
		for processor, hop := range from {
			if processor != destination && hop != romNone {
				used[names.SentOn(processor, uint16(hop>>hopBits), int(hop&(1<<hopBits-1)))] = true
			}
		}
	}
	var idle []string
	for medium := range used {
		if !used[medium] {
			idle = append(idle, n.node(n.Media[medium].Path))
		}
	}
	if idle == nil {
		return nil
	}
	most := min(len(idle), idleNamed)
	return []string{"on no way that firmware reads: " + strings.Join(idle[:most], ", ") + others(len(idle)-most)}
}

// WriteYAML writes the netlist without ranges, kinds and other abbreviations. A reader of this file gets the same
// netlist.
func (n *Net) WriteYAML(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "name: %s\n", n.Name)
	switch {
	case n.routers != nil:
		if n.yamlRouters(b); n.keepsKey() {
			return b.Flush()
		}
	case n.Switch:
		fmt.Fprint(b, "access: switch\n")
	case n.Mixed:
		fmt.Fprint(b, "access: mixed\n")
	case n.OnePort:
		fmt.Fprint(b, "access: one\n")
	}
	if n.routers == nil {
		fmt.Fprintf(b, "words: [%s]\n", strings.Trim(strings.ReplaceAll(fmt.Sprint(n.Words), " ", ", "), "[]"))
	}
	if n.apart {
		fmt.Fprint(b, "apart: true\n")
	}
	fmt.Fprint(b, "nodes:\n")
	n.yamlProcessors(b)
	for i := range n.slotted {
		if node := n.yamlNode(i); node != "" {
			fmt.Fprintf(b, "  %s\n", node)
		}
	}
	if n.routers != nil {
		n.yamlRouterNodes(b)
	}
	fmt.Fprint(b, "links:\n")
	senders, hearers := n.ends()
	credits := ""
	line := func(from, to, more string, latency int) {
		more += credits
		if latency != Usual {
			more += fmt.Sprintf(", latency: %d", latency)
		}
		fmt.Fprintf(b, "  - {endpoints: [%q, %q]%s}\n", from, to, more)
	}
	between := n.yamlBetween(b)
	for i := 0; i < n.slotted; i++ {
		credits = n.yamlCredits(i)
		between(n.linkNumber(i))
		switch m := &n.Media[i]; {
		case m.Bus:
			n.yamlTaps(line, n.node(m.Path), m.Taps, i)
		case n.crossbarOf(i) != nil:
			if x := n.crossbarOf(i); i == x.First {
				n.yamlTaps(line, n.node(x.Head), x.Taps, None)
			}
		case m.Legs != nil:
			n.yamlLegs(line, m)
		case m.Star:
			n.yamlStar(line, m, senders[i], hearers[i])
		case strings.HasSuffix(m.Path, ".forth"):
			more := ""
			if m.Opposite != None {
				more = ", duplex: half"
			}
			line(senders[i][0], hearers[i][0], more, m.Latency)
			i++
		default:
			line(senders[i][0], hearers[i][0], ", oneway: true", m.Latency)
		}
	}
	between(math.MaxInt)
	if n.routers != nil {
		if n.routers.Routes.Sets != nil {
			fmt.Fprintf(b, "routes: %s\n", n.rule)
			return b.Flush()
		}
		n.yamlRouterRoutes(b)
	}
	n.writeRoutes(b)
	return b.Flush()
}

func (n *Net) yamlProcessors(b io.Writer) {
	for i := range n.Processors {
		p, ports := &n.Processors[i], ""
		if n.named(p) {
			names := make([]string, len(p.Ports))
			for k := range p.Ports {
				names[k] = fmt.Sprintf("%q", n.portText(p, k))
			}
			ports = ", ports: [" + strings.Join(names, ", ") + "]"
			var open []string
			for k := range names {
				if p.Ports[k].Sends == None && p.Ports[k].Hears == None {
					open = append(open, names[k])
				}
			}
			if open != nil {
				ports += ", open: [" + strings.Join(open, ", ") + "]"
			}
		}
		fmt.Fprintf(b, "  %q: {kind: processor%s%s}\n", n.node(p.Path), ports, n.rtl[n.node(p.Path)].yaml())
	}
}

func (n *Net) writeRoutes(b *bufio.Writer) {
	if n.noRoutes && n.routes == nil {
		fmt.Fprint(b, "routes: none\n")
	}
	if n.routes == nil {
		return
	}
	word := routesShortest
	if n.noRoutes {
		word = routesNone
	}
	fmt.Fprintf(b, "routes:\n  default: %s\n", word)
	for i, r := range n.routes {
		p := &n.Processors[r.From]
		if i == 0 || n.routes[i-1].From != r.From {
			fmt.Fprintf(b, "  %q:\n", n.node(p.Path))
		}
		fmt.Fprintf(b, "    %q: %q\n", n.node(n.Processors[r.To].Path), n.portText(p, r.Port))
	}
}

// WriteDOT writes the netlist for Graphviz: a node for each processor and shared medium, and an edge for each
// direction.
func (n *Net) WriteDOT(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph %q {\n  node [shape=box];\n", n.Name)
	for i := range n.Processors {
		fmt.Fprintf(b, "  %q;\n", n.node(n.Processors[i].Path))
	}
	for i := range n.slotted {
		if x := n.crossbarOf(i); x != nil && i == x.First {
			fmt.Fprintf(b, "  %q [shape=diamond];\n", n.node(x.Head))
		} else if n.Media[i].Bus {
			fmt.Fprintf(b, "  %q [shape=hexagon];\n", n.node(n.Media[i].Path))
		} else if n.Media[i].Star {
			fmt.Fprintf(b, "  %q [shape=circle];\n", n.node(n.Media[i].Path))
		}
	}
	senders, hearers := n.ends()
	node := func(end string) string { name, _, _ := strings.Cut(end, ":"); return name }
	if n.routers != nil {
		n.dotRouters(b)
	}
	for i := range n.slotted {
		m := &n.Media[i]
		if x := n.crossbarOf(i); x != nil {
			n.dotCrossbar(b, x, i, node, hearers)
			continue
		}
		if !m.Star {
			fmt.Fprintf(b, "  %q -> %q [label=%q];\n", node(senders[i][0]), node(hearers[i][0]), fmt.Sprint(i))
			continue
		}
		for _, from := range senders[i] {
			fmt.Fprintf(b, "  %q -> %q;\n", node(from), n.node(m.Path))
		}
		for _, to := range hearers[i] {
			fmt.Fprintf(b, "  %q -> %q;\n", n.node(m.Path), node(to))
		}
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

// identifier converts a name to C: p[3] to P3, row[2].p[3] to ROW2_P3, port +x to PLUS_X.
func identifier(name string) string {
	word := strings.NewReplacer("[", "", "]", "", ".", "_", "+", "PLUS_", "-", "MINUS_", "^",
		"_").Replace(strings.ReplaceAll(name, "][", "_"))
	return strings.ToUpper(word)
}

// WriteHeader writes names for firmware in C: the hash, and the numbers of processors, named ports, stars, buses, and
// first outputs of crossbars. It returns an error if two names have the same form in C.
func (n *Net) WriteHeader(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "/* The network %s. Written by `starloom netlist header`: change the drawing instead. */\n"+
		"#ifndef STARLOOM_NET_H\n#define STARLOOM_NET_H\n\n#define NET_HASH 0x%08xu\n#define NET_PROCESSORS %d\n#define "+
		"NET_PORTS %d\n#define NET_MEDIA %d\n",
		n.Name, n.Hash(), len(n.Processors), n.ports, len(n.Media))
	names := map[string]string{"NET_HASH": "hash", "NET_PROCESSORS": "processors",
		"NET_PORTS": "ports", "NET_MEDIA": "media"}
	var clash error
	define := func(name string, number int) {
		word := "NET_" + identifier(name)
		if other, taken := names[word]; taken && clash == nil {
			clash = input.Mistake("fabric.netlist", fmt.Sprintf("%s and %s are both %s in C", other, name, word), "rename one")
		}
		names[word] = name
		fmt.Fprintf(b, "#define %s %d\n", word, number)
	}
	fmt.Fprint(b, "\n/* Processors, and their ports. */\n")
	for i := range n.Processors {
		p := &n.Processors[i]
		define(n.node(p.Path), i)
		for k := range p.Ports {
			if n.named(p) {
				define(n.node(p.Path)+"."+n.portText(p, k), k)
			}
		}
	}
	fmt.Fprint(b, "\n/* Media that are nodes; of a crossbar its first output. */\n")
	for i := range n.Media {
		if x := n.crossbarOf(i); x != nil && i == x.First {
			define(n.node(x.Head), i)
		} else if n.Media[i].Star || n.Media[i].Bus {
			define(n.node(n.Media[i].Path), i)
		}
	}
	fmt.Fprint(b, "\n#endif\n")
	if clash != nil {
		return clash
	}
	return b.Flush()
}
