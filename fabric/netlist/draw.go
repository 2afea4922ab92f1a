package netlist

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/fabric/contend"
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

	fileBytesMax = 256 << 20
)

// guessesMax is for how many names that there are not one is looked for that is meant.
const guessesMax = 100

func at(list string, i int) string { return fmt.Sprintf("fabric.netlist.%s[%d]", list, i) }

// drawer is a drawing while it is numbered.
type drawer struct {
	*Drawing
	*mistakes
	net     *Net
	nodes   map[string]*placed
	order   []*placed // of nodes
	drivers []string  // by medium: where its first sender stands, "" for none
	hearers []string  // by medium: where its first listener stands
	linked  int       // links after expansion
	routers int       // of nodes
	unknown int       // ends of links that are no nodes
	mixed   []*placed // whose ports have names at some ends of links and none at others
	loops   []string  // links between two ports of one node that the drawing does not name
	taps    [][]tapOf // by medium, of buses and crossbars: in the order of links
}

// drawNodes numbers the nodes.
func (b *drawer) drawNodes() {
	if err := hw.CheckPath(b.net.Name); err != nil {
		b.add(cmp.Or(b.namePlace, "fabric.netlist.name"), err.Error(), "write a word of letters, digits and _")
	}
	for i := range b.Drawing.nodes {
		n := &b.Drawing.nodes[i]
		all, err := expand(n.name)
		if err != nil {
			b.add(n.place, fmt.Sprintf("the node %q: %v", n.name, err), "write a range such as p[0..3]")
			b.loseNames(n.name)
			continue
		}
		if len(b.order)+len(all) > nodesMax {
			b.add(n.place, fmt.Sprintf("there are more than %d nodes", nodesMax), "draw fewer")
			b.lose("nodes")
			return
		}
		b.placeAll(n, all)
	}
	if len(b.net.Processors) == 0 && !b.partial {
		b.add(b.whole(), "there is no processor", `add a node "p[0..3]": {kind: processor}`)
	}
	b.prefixes()
}

// whole is the place of what is wrong with all of it.
func (b *drawer) whole() string {
	if len(b.Drawing.nodes) > 0 {
		return b.Drawing.nodes[0].place
	}
	return cmp.Or(b.Drawing.place, "fabric.netlist")
}

// placeAll numbers the nodes of an entry.
func (b *drawer) placeAll(n *node, names []string) {
	for index, name := range names {
		if err := hw.CheckPath(name); err != nil {
			b.add(n.place, fmt.Sprintf("the name of a node: %v", err), "write words of letters, digits and _, with indexes and dots: row[2].p[3]")
			b.loseNames(n.name)
			return
		}
		other := b.nodes[name]
		if other == nil {
			b.place(n, name, index)
			continue
		}
		b.addAlike("twice", n.place, fmt.Sprintf("there are two nodes %s; the first stands at %s", name, other.place), n.rename())
		other.twice, b.partial = true, true
	}
}

// place numbers one node.
func (b *drawer) place(n *node, name string, index int) {
	p := &placed{node: n, name: name, index: index}
	b.nodes[name], b.order = p, append(b.order, p)
	if n.rtl != nil {
		b.net.rtl[name] = n.rtl
	}
	path := b.net.Name + "." + name
	switch n.kind {
	case "":
		b.partial = true
	case kindRouter:
		p.number = b.routers
		b.routers++
		p.named, p.listed = n.ports != nil, n.ports != nil
		for _, port := range n.ports {
			b.namePort(p, n.place, port)
		}
	case kindStar, kindBus, kindCrossbar:
		p.number = b.medium(Medium{Path: path, Link: path + "." + fibre, Star: n.kind != kindCrossbar, Bus: n.kind == kindBus, Latency: Usual, Opposite: None})
	default:
		p.number = len(b.net.Processors)
		b.net.Processors = append(b.net.Processors, Processor{Path: path})
		if n.ports != nil {
			p.named, p.listed = true, true
		}
		for _, port := range n.ports {
			b.namePort(p, n.place, port)
		}
		b.openPorts(p)
	}
}

// portName is what a port may be called: a word of a path, or a label.
var portName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*(\[[0-9]+\])*|[+-][A-Za-z0-9_]+)$`)

// namePort adds a port with a name.
func (b *drawer) namePort(p *placed, place, name string) (port int) {
	if !portName.MatchString(name) {
		remedy := "write a word such as east, or a label such as +x"
		if !p.listed {
			remedy += ", or a number"
		}
		b.add(place, fmt.Sprintf("%q is not the name of a port", name), remedy)
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

// rename is what to do with a node whose name is taken: those of a shorthand have one for all.
func (n *node) rename() string {
	if n.at != nil {
		return "rename one: node: q in one of the shorthands"
	}
	return "rename one"
}

// openPorts marks ports that may be without a link.
func (b *drawer) openPorts(p *placed) {
	for _, name := range p.open {
		i := slices.IndexFunc(p.ports, func(o portOf) bool { return o.name == name })
		switch {
		case i >= 0:
			p.ports[i].open = true
		case slices.Contains(p.node.ports, name): // it was refused
		case p.vague:
		case p.ports == nil:
			b.add(p.node.place, fmt.Sprintf("%s has open ports, and none is listed", p.name), "add ports: [...] with all of them")
			return
		default:
			b.add(p.node.place, fmt.Sprintf("%s has no port %s that could be open", p.name, name), input.DidYouMean(name, p.node.ports, "name one of ports"))
		}
	}
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
	b.drivers, b.hearers, b.taps = append(b.drivers, ""), append(b.hearers, ""), append(b.taps, nil)
	return len(b.net.Media) - 1
}

// drawLinks numbers the links.
func (b *drawer) drawLinks() {
	media := 2 * len(b.Drawing.links) // and more of ranges
	b.net.Media, b.taps = slices.Grow(b.net.Media, media), slices.Grow(b.taps, media)
	b.drivers, b.hearers = slices.Grow(b.drivers, media), slices.Grow(b.hearers, media)
	for i := range b.Drawing.links {
		l := &b.Drawing.links[i]
		if len(l.ends) < 2 {
			if !l.vague {
				b.add(l.place, "a link has "+traces.Plural(len(l.ends), "end", "ends"), "write endpoints: [a, b]")
			}
			b.lose("links")
			continue
		}
		ends, longest, failed := make([][]string, len(l.ends)), 0, false
		for k, end := range l.ends {
			var err error
			if ends[k], err = expand(end); err != nil {
				b.add(l.places[k], fmt.Sprintf("the end %q: %v", end, err), "write a range such as p[0..3]:0")
				failed = true
			}
			if len(ends[k]) > len(ends[longest]) {
				longest = k
			}
		}
		if failed || !b.joinRows(l, ends, longest) {
			b.loosen(ends)
		}
	}
	b.tellMixed()
	if n := len(b.loops); n > 0 {
		note := fmt.Sprintf("%s from a node to itself: %s", traces.Plural(n, "link leads", "links lead"), b.loops[0])
		b.net.notes = append(slices.Clip(b.net.notes), note+"; name its two ports if that is meant")
	}
}

// loosen notes that a link that is not drawn may lead to any port of its ends.
func (b *drawer) loosen(ends [][]string) {
	b.partial = true
	for _, names := range ends {
		if names == nil {
			b.lose("links")
		}
		for _, text := range names {
			name, _, _ := strings.Cut(text, ":")
			if p := b.nodes[name]; p != nil {
				p.loose = true
			}
		}
	}
}

// joinRows draws a link once for each row of its ranges; several ends and stars once for each star. It reports whether there are rows.
func (b *drawer) joinRows(l *link, ends [][]string, most int) bool {
	if star := slices.IndexFunc(ends, func(names []string) bool { return b.isStar(names[0]) }); len(ends) > 2 && star >= 0 {
		most = star
	}
	rows := len(ends[most])
	for k, end := range l.ends {
		if n := len(ends[k]); n != 1 && n != rows && rows != 1 && !begins(end, l.ends[most]) {
			b.add(l.places[k], fmt.Sprintf("%s stands for %d ends, and %s for %d", end, n, l.ends[most], rows),
				"write ranges of one length, or first the same ones, as in p[0..3].q[0..1] and p[0..3]; a single end is joined with all of a range")
			return false
		}
	}
	texts, places := make([]string, 0, len(ends)), make([]string, 0, len(ends))
	for row := range rows {
		texts, places = texts[:0], places[:0]
		for k, names := range ends {
			first := row * len(names) / rows
			for _, name := range names[first:max(first+1, (row+1)*len(names)/rows)] {
				texts, places = append(texts, name), append(places, l.places[k])
			}
		}
		b.join(l, texts, places)
	}
	return true
}

func (b *drawer) isStar(name string) bool {
	p := b.nodes[name]
	return p != nil && p.shared()
}

// found is an end of a link: a star, or a port of a processor.
type found struct {
	*placed
	port  int
	place string
	text  string
}

// orAlign is the other remedy for latencies that differ, "" where there is none.
func (f *found) orAlign() string {
	if f.kind == kindCrossbar || contend.ArbiterOf(f.keys.Arbiter) != contend.None {
		return ""
	}
	return fmt.Sprintf(", or write align: true at the %s %s", f.kind, f.name)
}

// star reports whether it is one.
func (f *found) star() bool { return f.shared() }

// end finds one end of a link.
func (b *drawer) end(text, place string) *found {
	name, port, hasPort := strings.Cut(text, ":")
	p, ok := b.nodes[name]
	if !ok {
		var known []string
		if b.unknown++; b.unknown <= guessesMax {
			for _, p := range b.order[:min(len(b.order), 1000)] {
				known = append(known, p.name)
			}
		}
		meant, hidden := b.nodes[input.Nearest(name, known)], b.hides(name)
		if !hidden {
			b.addAlike("unknown", place, fmt.Sprintf("there is no node %s", name), nodesLike(name, known))
		}
		if meant != nil {
			meant.loose = true
		} else if !hidden {
			b.lose("links")
		}
		return nil
	}
	f := &found{placed: p, place: place, text: text}
	switch {
	case !p.known():
		return nil
	case p.shared() && hasPort:
		b.add(place, fmt.Sprintf("%s is a %s, and has no ports", name, p.kind), "write "+name)
		p.loose = true
		return nil
	case p.shared():
		return f
	case !hasPort && p.named && (len(p.ports) == 0 || p.vague): // none of those that are listed has a name
		p.loose = true
		return nil
	case !hasPort && p.listed:
		b.add(place, fmt.Sprintf("the ports of %s have names", name), "write "+name+":"+p.ports[0].name+", or another one")
		p.loose = true
		return nil
	case !hasPort && p.named:
		b.mix(p)
		return nil
	case !hasPort:
		p.ports = append(p.ports, portOf{out: None, in: None})
		f.port = len(p.ports) - 1
	default:
		if f.port = b.port(p, port, place); f.port == None {
			p.loose = true
			return nil
		}
	}
	return f
}

// nodesLike is what to do about the name of a node that is not there: an index out of range has those that are there.
func nodesLike(name string, known []string) (remedy string) {
	head := name[:strings.LastIndexByte(name, '[')+1]
	if head == "" || !strings.HasSuffix(name, "]") {
		return input.DidYouMean(name, known, "name one of nodes")
	}
	var alike []string
	for _, other := range known {
		if index, ok := strings.CutPrefix(other, head); ok && strings.IndexByte(index, ']') == len(index)-1 {
			alike = append(alike, other)
		}
	}
	switch len(alike) {
	case 0:
		return input.DidYouMean(name, known, "name one of nodes")
	case 1:
		return "there is " + alike[0]
	}
	return fmt.Sprintf("there are %d, from %s to %s", len(alike), alike[0], alike[len(alike)-1])
}

// port finds the port of a processor by its name or number, and adds it if links say which there are.
func (b *drawer) port(p *placed, text, place string) (port int) {
	if number, err := strconv.ParseUint(text, 10, 63); err == nil {
		most, remedy := nic.LanesMax, "use fewer, or access: one"
		if b.net.OnePort || b.net.Switch || b.keys["access"] {
			most, remedy = portsMax, "use fewer"
		}
		if p.kind == kindRouter {
			most, remedy = hw.RouterPortsMax, "use fewer"
		}
		switch {
		case p.named && int(number) >= len(p.ports) && p.vague:
			return None
		case p.named && int(number) >= len(p.ports):
			b.add(place, fmt.Sprintf("%s has %s, and this is port %d, counted from 0", p.name, traces.Plural(len(p.ports), "port", "ports"), number), "name one of them")
			return None
		case int(number) >= most:
			b.add(place, fmt.Sprintf("port %d of %s: a %s has at most %d ports", number, p.name, p.kind, most), remedy)
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
	case p.listed && slices.Contains(p.node.ports, text): // it was refused
	case p.vague:
		return None
	case p.listed:
		names := make([]string, len(p.ports))
		for i := range p.ports {
			names[i] = p.ports[i].name
		}
		b.add(place, fmt.Sprintf("%s has no port %s", p.name, text), input.DidYouMean(text, names, "its ports are "+strings.Join(names, ", ")))
		return None
	case len(p.ports) > 0 && !p.named:
		b.mix(p)
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
	if !b.joined(l, ends, stars, failed) {
		b.hide(ends)
	}
}

// hide notes that a link that is not drawn leads to its ends, as far as these are known.
func (b *drawer) hide(ends []*found) {
	b.partial = true
	for _, e := range ends {
		switch {
		case e == nil:
		case e.star():
			e.loose = true
		default:
			e.ports[e.port].hidden = true
		}
	}
}

// joined draws a link, and reports whether it can be drawn.
func (b *drawer) joined(l *link, ends []*found, stars int, failed bool) bool {
	reason, remedy := l.refusedCredits()
	switch {
	case failed || l.vague:
	case l.latency != Usual && (l.latency < 0 || l.latency > latencyMax):
		b.add(l.place, fmt.Sprintf("a latency of %d cycles", l.latency), fmt.Sprintf("give 0 to %d", latencyMax))
	case reason != "":
		b.add(l.place, reason, remedy)
	case stars > 1:
		b.add(l.place, fmt.Sprintf("a link joins %s", b.twoShared(ends)), "put a processor between them")
	case stars == 1:
		return b.joinStar(l, ends)
	case len(ends) > 2:
		b.add(l.place, fmt.Sprintf("a link has %d ends", len(ends)), "join two ports, or ports and a star")
	case ends[0].placed == ends[1].placed && ends[0].port == ends[1].port && !l.oneway:
		b.add(l.place, fmt.Sprintf("a link leads from %s to itself", ends[0].text), "join two ports; a loop of one port is oneway")
	default:
		return b.joinPorts(l, ends[0], ends[1])
	}
	return false
}

// unknownLatency is that of a star one of whose links has a latency that cannot be.
const unknownLatency = -2

// joinStar lets ports send into a star, and hear it, and reports whether they can.
func (b *drawer) joinStar(l *link, ends []*found) bool {
	at := slices.IndexFunc(ends, (*found).star)
	star := ends[at]
	what := star.kind + " " + star.name
	if l.credits != nil {
		b.add(l.place, fmt.Sprintf("credits on a link to the %s: a credit stands for a place at one receiver, and a frame there has several, "+
			"or one that is not known before it asks", what),
			"delete credits, or link the ports with each other")
		return false
	}
	if l.half {
		b.add(l.place, fmt.Sprintf("duplex is half, and %s is a %s: links have two ways, one into it and one out of it", star.name, star.kind), "delete duplex")
		return false
	}
	if l.oneway && len(ends) > 2 {
		b.add(l.place, fmt.Sprintf("a link with %d ends is oneway", len(ends)), "write one link for each way: endpoints: [p, "+star.name+"], or ["+star.name+", p]")
		return false
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
			b.add(l.place, fmt.Sprintf("%s sends into the %s by another port, too: %s", e.placed.name, what, e.ports[other].outPlace),
				"let one port of a processor send into it")
			b.hide([]*found{e, star})
			continue
		}
		if other := slices.IndexFunc(e.ports, func(p portOf) bool { return p.in == star.number }); in && other >= 0 {
			b.add(l.place, fmt.Sprintf("%s hears the %s by another port, too: %s", e.placed.name, what, e.ports[other].inPlace),
				"let one port of a processor hear it")
			b.hide([]*found{e, star})
			continue
		}
		if out {
			b.sends(e, star.number, l.place)
		}
		if in {
			b.hears(e, star.number, l.place)
		}
		b.tap(star, tapOf{e.placed, e.port, out, in, l.latency})
	}
	m := &b.net.Media[star.number]
	switch {
	case l.wrong || m.Latency == unknownLatency || star.vague:
		m.Latency = unknownLatency
	case star.keys.Align: // every way has its own
	case l.latency == Usual && (!in || star.kind == kindCrossbar):
	case !in:
		b.add(l.place, fmt.Sprintf("a latency on the way into the %s: frames of one slot start together where it is", what),
			"give the latency to the links that lead out of it"+star.orAlign())
	case star.kind == kindCrossbar: // each output has its own
	case b.hearers[star.number] != l.place && m.Latency != l.latency: // not the first who hear it
		b.add(l.place, fmt.Sprintf("latencies of %s and %s out of the %s", cyclesText(m.Latency), cyclesText(l.latency), what),
			"give all who hear it the same latency"+star.orAlign())
	default:
		m.Latency = l.latency
	}
	return true
}

// tap adds a port at a star, a bus or a crossbar.
func (b *drawer) tap(star *found, tap tapOf) {
	if m := &b.net.Media[star.number]; star.keys.Align {
		for _, out := range []bool{false, true} {
			if out && tap.in || !out && tap.out {
				m.Legs = append(m.Legs, Leg{Tap{tap.number, tap.port}, out, tap.latency})
			}
		}
	}
	if star.kind == kindBus { // two links, one for each way
		for i := range b.taps[star.number] {
			if old := &b.taps[star.number][i]; old.placed == tap.placed && old.port == tap.port {
				old.out, old.in = old.out || tap.out, old.in || tap.in
				return
			}
		}
	}
	b.taps[star.number] = append(b.taps[star.number], tap)
}

// cyclesText is a latency as it was given.
func cyclesText(latency int) string {
	if latency == Usual {
		return "link.propagation_cycles"
	}
	return traces.Plural(uint64(latency), "cycle", "cycles")
}

// joinPorts draws a link between two ports, and reports whether it can be drawn.
func (b *drawer) joinPorts(l *link, from, to *found) bool {
	if from.placed == to.placed && from.text == to.text && !strings.Contains(from.text, ":") {
		b.loops = append(b.loops, fmt.Sprintf("%s.link[%d] of %s", b.net.Name, b.linked, from.text))
	}
	if l.credits != nil && b.net.OnePort {
		b.add(l.place, "credits with access one: a NIC that hears one port does not take what comes at others", "delete credits, or take access: all")
	}
	path := fmt.Sprintf("%s.link[%d]", b.net.Name, b.linked)
	b.linked++
	way := func(path string, from, to *found) int {
		m := b.medium(Medium{Path: path, Link: path + "." + fibre, Latency: l.latency, Opposite: None, Credits: l.credits, round: l.round, place: l.place})
		b.sends(from, m, l.place)
		b.hears(to, m, l.place)
		return m
	}
	if l.oneway {
		if l.half {
			b.add(l.place, "duplex is half, and the link is oneway", "delete one")
		}
		way(path, from, to)
		return true
	}
	forth, back := way(path+".forth", from, to), way(path+".back", to, from)
	b.net.Media[back].round = Place{X: -l.round.X, Y: -l.round.Y}
	if l.half {
		b.net.Media[forth].Opposite, b.net.Media[back].Opposite, b.net.Media[forth].Pair = back, forth, path
	}
	return true
}

// sends gives a port its way out.
func (b *drawer) sends(f *found, medium int, place string) {
	p := &f.placed.ports[f.port]
	b.leads(f, "out", &p.out, &p.outPlace, medium, place, b.drivers)
}

// hears gives a port its way in.
func (b *drawer) hears(f *found, medium int, place string) {
	p := &f.placed.ports[f.port]
	b.leads(f, "in", &p.in, &p.inPlace, medium, place, b.hearers)
}

// leads gives a port a way; first is by medium where the first way of this kind is drawn.
func (b *drawer) leads(f *found, direction string, way *int, drawnAt *string, medium int, place string, first []string) {
	if *way != None {
		b.add(place, fmt.Sprintf("%s has two ways %s; the first is drawn at %s", f.text, direction, *drawnAt), "use another port, or make one way oneway")
		b.partial = true
		if first[medium] == "" {
			first[medium] = place // in the file, it is there
		}
		return
	}
	*way, *drawnAt = medium, place
	if first[medium] == "" {
		first[medium] = place
	}
}

// twoShared says what a link joins that must not be joined.
func (b *drawer) twoShared(ends []*found) string {
	var shared []*found
	for _, e := range ends {
		if e.star() {
			shared = append(shared, e)
		}
	}
	if shared[0].kind == kindStar && shared[1].kind == kindStar {
		return "two stars: light of both would have to go round"
	}
	return fmt.Sprintf("the %s %s and the %s %s", shared[0].kind, shared[0].name, shared[1].kind, shared[1].name)
}
