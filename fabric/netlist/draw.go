package netlist

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
)

// Limits of a netlist.
const (
	latencyMax = 4096 // cycles of a link
	wordsMax   = nic.ShapeWords
	portsMax   = 65533 // of a processor that uses one at a time
)

func at(list string, i int) string { return fmt.Sprintf("fabric.netlist.%s[%d]", list, i) }

// Net numbers everything that was drawn: processors in the order of nodes; stars in the order of nodes, and after
// them the directions of links in their order. Errors are *Mistakes.
func (d *Drawing) Net() (*Net, error) {
	b := drawer{Drawing: d, net: &Net{Name: d.name, OnePort: d.onePort, apart: d.apart}, nodes: map[string]*placed{}}
	if b.net.Name == "" {
		b.net.Name = "netlist"
	}
	b.drawNodes()
	b.drawLinks()
	if len(b.list) == 0 {
		b.check()
	}
	if err := b.err(); err != nil {
		return nil, err
	}
	b.finish()
	return b.net, nil
}

// drawer is a drawing while it is numbered.
type drawer struct {
	*Drawing
	mistakes
	net     *Net
	nodes   map[string]*placed
	order   []*placed // of nodes
	drivers []string  // by medium: where its first sender stands, "" for none
	hearers []string  // by medium: where its first listener stands
	linked  int       // links after expansion
}

// placed is one node.
type placed struct {
	*node
	name   string
	number int // of a processor, or of the medium of a star
	ports  []portOf
	named  bool // its ports have names
	listed bool // they are those of the list
}

// portOf is a port while it is drawn: where its ways out and in were drawn, "" for none.
type portOf struct {
	name     string
	out, in  int
	outPlace string
	inPlace  string
}

// drawNodes numbers the nodes.
func (b *drawer) drawNodes() {
	if err := hw.CheckPath(b.net.Name); err != nil {
		b.add("fabric.netlist.name", err.Error(), "write a word of letters, digits and _")
	}
	for i := range b.Drawing.nodes {
		n := &b.Drawing.nodes[i]
		all, err := expand(n.name)
		if err != nil {
			b.add(n.place, fmt.Sprintf("the node %q: %v", n.name, err), "write a range such as p[0..3]")
			continue
		}
		if len(b.order)+len(all) > nodesMax {
			b.add(n.place, fmt.Sprintf("there are more than %d nodes", nodesMax), "draw fewer")
			return
		}
		for _, name := range all {
			b.place(n, name)
		}
	}
	if len(b.net.Processors) == 0 {
		b.add(b.whole(), "there is no processor", `add a node "p[0..3]": {kind: processor}`)
	}
	b.prefixes()
}

// whole is the place of what is wrong with all of it.
func (b *drawer) whole() string {
	if len(b.Drawing.nodes) > 0 {
		return b.Drawing.nodes[0].place
	}
	return "fabric.netlist"
}

// place numbers one node.
func (b *drawer) place(n *node, name string) {
	if err := hw.CheckPath(name); err != nil {
		b.add(n.place, fmt.Sprintf("the name of a node: %v", err), "write words of letters, digits and _, with indexes and dots: row[2].p[3]")
		return
	}
	if other, ok := b.nodes[name]; ok {
		b.add(n.place, fmt.Sprintf("there are two nodes %s; the first stands at %s", name, other.place), "rename one")
		return
	}
	p := &placed{node: n, name: name}
	b.nodes[name], b.order = p, append(b.order, p)
	path := b.net.Name + "." + name
	switch n.kind {
	case kindStar:
		p.number = b.medium(Medium{Path: path, Link: path + "." + fibre, Star: true, Latency: Usual, Opposite: None})
	default:
		p.number = len(b.net.Processors)
		b.net.Processors = append(b.net.Processors, Processor{Path: path})
		if n.ports != nil {
			p.named, p.listed = true, true
		}
		for _, port := range n.ports {
			b.namePort(p, n.place, port)
		}
	}
}

// portName is what a port may be called: a word of a path, or a label.
var portName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])*|[+-][A-Za-z0-9_]+)$`)

// namePort adds a port with a name.
func (b *drawer) namePort(p *placed, place, name string) (port int) {
	if !portName.MatchString(name) {
		b.add(place, fmt.Sprintf("%q is not the name of a port", name), "write a word such as east, a label such as +x, or a number")
		return None
	}
	for _, taken := range reserved {
		if name == taken {
			b.add(place, fmt.Sprintf("a port is called %s, as a part of each NIC is", name), "rename it")
			return None
		}
	}
	if slices.ContainsFunc(p.ports, func(o portOf) bool { return o.name == name }) {
		b.add(place, fmt.Sprintf("%s has two ports %s", p.name, name), "rename one")
		return None
	}
	p.ports = append(p.ports, portOf{name: name, out: None, in: None})
	return len(p.ports) - 1
}

// reserved are names that waveforms have inside of a processor.
var reserved = []string{"tx", "rx", "credits", "port", "firmware", "held", "flags", "rx_port", "rx_status"}

// prefixes refuses names that are the head of others: a path would name two things.
func (b *drawer) prefixes() {
	for _, p := range b.order {
		for i, c := range p.name {
			if c != '.' {
				continue
			}
			if other, ok := b.nodes[p.name[:i]]; ok {
				b.add(p.place, fmt.Sprintf("the path of the node %s is that of something in the node %s, at %s", p.name, other.name, other.place), "rename one")
				break
			}
		}
	}
}

// medium adds one.
func (b *drawer) medium(m Medium) (number int) {
	b.net.Media = append(b.net.Media, m)
	b.drivers, b.hearers = append(b.drivers, ""), append(b.hearers, "")
	return len(b.net.Media) - 1
}

// drawLinks numbers the links.
func (b *drawer) drawLinks() {
	for i := range b.Drawing.links {
		l := &b.Drawing.links[i]
		if len(l.ends) < 2 {
			b.add(l.place, "a link has one end", "write endpoints: [a, b]")
			continue
		}
		ends, most, longest := make([][]string, len(l.ends)), 1, 0
		failed := false
		for k, end := range l.ends {
			var err error
			if ends[k], err = expand(end); err != nil {
				b.add(l.places[k], fmt.Sprintf("the end %q: %v", end, err), "write a range such as p[0..3]:0")
				failed = true
			}
			if len(ends[k]) > most {
				most, longest = len(ends[k]), k
			}
		}
		for k := range ends {
			if !failed && len(ends[k]) != 1 && len(ends[k]) != most && len(ends) == 2 {
				b.add(l.places[k], fmt.Sprintf("%s stands for %d ends, and %s for %d", l.ends[k], len(ends[k]), l.ends[longest], most),
					"write ranges of one length; a single end is joined with all of a range")
				failed = true
			}
		}
		if !failed {
			b.joinRows(l, ends, most)
		}
	}
}

// joinRows draws a link once for each row of its ranges; several ends and one star once.
func (b *drawer) joinRows(l *link, ends [][]string, rows int) {
	star := slices.IndexFunc(ends, func(names []string) bool { return len(names) == 1 && b.isStar(names[0]) })
	if len(ends) > 2 && star >= 0 {
		var texts, places []string
		for k := range ends {
			texts, places = append(texts, ends[k]...), append(places, slices.Repeat(l.places[k:k+1], len(ends[k]))...)
		}
		b.join(l, texts, places)
		return
	}
	for row := range rows {
		one := make([]string, len(ends))
		for k := range ends {
			one[k] = ends[k][min(row, len(ends[k])-1)]
		}
		b.join(l, one, l.places)
	}
}

func (b *drawer) isStar(name string) bool {
	p := b.nodes[name]
	return p != nil && p.kind == kindStar
}

// found is an end of a link: a star, or a port of a processor.
type found struct {
	*placed
	port  int
	place string
	text  string
}

// star reports whether it is one.
func (f *found) star() bool { return f.kind == kindStar }

// end finds one end of a link.
func (b *drawer) end(text, place string) *found {
	name, port, hasPort := strings.Cut(text, ":")
	p, ok := b.nodes[name]
	if !ok {
		known := make([]string, 0, len(b.order))
		for _, p := range b.order[:min(len(b.order), 1000)] {
			known = append(known, p.name)
		}
		b.add(place, fmt.Sprintf("there is no node %s", name), input.DidYouMean(name, known, "name one of nodes"))
		return nil
	}
	f := &found{placed: p, place: place, text: text}
	switch {
	case p.kind == kindStar && hasPort:
		b.add(place, fmt.Sprintf("%s is a star, and has no ports", name), "write "+name)
		return nil
	case p.kind == kindStar:
		return f
	case !hasPort && p.named:
		b.add(place, fmt.Sprintf("the ports of %s have names", name), "write "+name+":"+p.ports[0].name+", or another one")
		return nil
	case !hasPort:
		p.ports = append(p.ports, portOf{out: None, in: None})
		f.port = len(p.ports) - 1
	default:
		if f.port = b.port(p, port, place); f.port == None {
			return nil
		}
	}
	return f
}

// port finds the port of a processor by its name or number, and adds it if links say which there are.
func (b *drawer) port(p *placed, text, place string) (port int) {
	if number, err := strconv.ParseUint(text, 10, 16); err == nil {
		most := nic.LanesMax
		if b.net.OnePort {
			most = portsMax
		}
		switch {
		case p.named && int(number) >= len(p.ports):
			b.add(place, fmt.Sprintf("%s has %s, and this is port %d, counted from 0", p.name, traces.Plural(len(p.ports), "port", "ports"), number), "name one of them")
			return None
		case int(number) >= most:
			b.add(place, fmt.Sprintf("port %d of %s: a processor has at most %d ports", number, p.name, most), "use fewer, or access: one")
			return None
		}
		for len(p.ports) <= int(number) {
			p.ports = append(p.ports, portOf{out: None, in: None})
		}
		return int(number)
	}
	for i := range p.ports {
		if p.ports[i].name == text && text != "" {
			return i
		}
	}
	switch {
	case p.listed:
		names := make([]string, len(p.ports))
		for i := range p.ports {
			names[i] = p.ports[i].name
		}
		b.add(place, fmt.Sprintf("%s has no port %s", p.name, text), input.DidYouMean(text, names, "its ports are "+strings.Join(names, ", ")))
		return None
	case len(p.ports) > 0 && !p.named:
		b.add(place, fmt.Sprintf("the ports of %s have numbers, and this one is called %s", p.name, text), "write a number, or names for all of them")
		return None
	}
	p.named = true
	return b.namePort(p, place, text)
}

// join draws one link.
func (b *drawer) join(l *link, texts, places []string) {
	ends, stars, failed := make([]*found, len(texts)), 0, false
	for k, text := range texts {
		if ends[k] = b.end(text, places[k]); ends[k] == nil {
			failed = true
		} else if ends[k].star() {
			stars++
		}
	}
	switch {
	case failed:
	case l.latency != Usual && (l.latency < 0 || l.latency > latencyMax):
		b.add(l.place, fmt.Sprintf("a latency of %d cycles", l.latency), fmt.Sprintf("give 0 to %d", latencyMax))
	case stars > 1:
		b.add(l.place, "a link joins two stars: light of both would have to go round", "put a processor between them, or make them one star")
	case stars == 1:
		b.joinStar(l, ends)
	case len(ends) > 2:
		b.add(l.place, fmt.Sprintf("a link has %d ends", len(ends)), "join two ports, or ports and a star")
	case ends[0].placed == ends[1].placed && ends[0].port == ends[1].port && !l.oneway:
		b.add(l.place, fmt.Sprintf("a link leads from %s to itself", ends[0].text), "join two ports; a loop of one port is oneway")
	default:
		b.joinPorts(l, ends[0], ends[1])
	}
}

// joinStar lets ports send into a star, and hear it.
func (b *drawer) joinStar(l *link, ends []*found) {
	at := slices.IndexFunc(ends, (*found).star)
	star := ends[at]
	if l.half {
		b.add(l.place, fmt.Sprintf("duplex is half, and %s is a star: frames of all who send into it meet there anyway", star.name), "delete duplex")
		return
	}
	if l.oneway && len(ends) > 2 {
		b.add(l.place, fmt.Sprintf("a link with %d ends is oneway", len(ends)), "write one link for each way: endpoints: [p, star], or [star, p]")
		return
	}
	out, in := true, true
	if l.oneway {
		out, in = at == 1, at == 0
	}
	for _, e := range ends {
		if e == star {
			continue
		}
		if other := slices.IndexFunc(e.ports, func(p portOf) bool { return p.out == star.number }); out && other >= 0 {
			b.add(l.place, fmt.Sprintf("%s sends into the star %s by another port, too: %s", e.placed.name, star.name, e.ports[other].outPlace),
				"let one port of a processor send into a star")
			continue
		}
		if other := slices.IndexFunc(e.ports, func(p portOf) bool { return p.in == star.number }); in && other >= 0 {
			b.add(l.place, fmt.Sprintf("%s hears the star %s by another port, too: %s", e.placed.name, star.name, e.ports[other].inPlace),
				"let one port of a processor hear a star")
			continue
		}
		if out {
			b.sends(e, star.number, l.place)
		}
		if in {
			b.hears(e, star.number, l.place)
		}
	}
	m := &b.net.Media[star.number]
	switch {
	case l.latency == Usual:
	case !in:
		b.add(l.place, fmt.Sprintf("a latency on the way into the star %s: frames of one slot start together where it is", star.name),
			"give the latency to the links that lead out of it")
	case m.Latency != Usual && m.Latency != l.latency:
		b.add(l.place, fmt.Sprintf("latencies of %d and %d cycles out of the star %s", m.Latency, l.latency, star.name), "give all who hear it the same latency")
	default:
		m.Latency = l.latency
	}
}

// joinPorts draws a link between two ports.
func (b *drawer) joinPorts(l *link, from, to *found) {
	path := fmt.Sprintf("%s.link[%d]", b.net.Name, b.linked)
	b.linked++
	way := func(path string, from, to *found) int {
		m := b.medium(Medium{Path: path, Link: path + "." + fibre, Latency: l.latency, Opposite: None})
		b.sends(from, m, l.place)
		b.hears(to, m, l.place)
		return m
	}
	if l.oneway {
		if l.half {
			b.add(l.place, "duplex is half, and the link is oneway", "delete one")
		}
		way(path, from, to)
		return
	}
	forth, back := way(path+".forth", from, to), way(path+".back", to, from)
	if l.half {
		b.net.Media[forth].Opposite, b.net.Media[back].Opposite, b.net.Media[forth].Pair = back, forth, path
	}
}

// sends and hears give a port its way out, and in.

func (b *drawer) sends(f *found, medium int, place string) {
	p := &f.placed.ports[f.port]
	if p.out != None {
		b.add(place, fmt.Sprintf("%s has two ways out; the first is drawn at %s", f.text, p.outPlace), "use another port, or make one way oneway")
		return
	}
	p.out, p.outPlace = medium, place
	if b.drivers[medium] == "" {
		b.drivers[medium] = place
	}
}

func (b *drawer) hears(f *found, medium int, place string) {
	p := &f.placed.ports[f.port]
	if p.in != None {
		b.add(place, fmt.Sprintf("%s has two ways in; the first is drawn at %s", f.text, p.inPlace), "use another port, or make one way oneway")
		return
	}
	p.in, p.inPlace = medium, place
	if b.hearers[medium] == "" {
		b.hearers[medium] = place
	}
}
