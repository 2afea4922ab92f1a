package netlist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/nic"
	"starloom/traces"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

const (
	latencyMax = 4096
	wordsMax   = nic.ShapeWords
	portsMax   = 65533 // limit for a processor that uses one port at a time

	fileBytesMax = 256 << 20
)

// guessesMax limits the number of unknown names for which a similar name is suggested.
const guessesMax = 100

type drawer struct {
	*Drawing
	*mistakes
	net     *Net
	nodes   map[string]*placed
	order   []*placed // nodes in drawing order
	drivers []string  // place of the first sender of each medium, "" for none
	hearers []string  // place of the first listener of each medium
	linked  int
	routers int
	unknown int       // link ends that name no node
	mixed   []*placed // nodes with both named and numbered ports
	grown   int       // ports added by links
	met     map[meeting]met
	tapped  map[tapAt]int
	loops   []string  // links from a node to itself without port names
	taps    [][]tapOf // taps of each bus and crossbar, in link order
}

func (b *drawer) drawNodes() {
	if err := hw.CheckPath(b.net.Name); err != nil {
		b.add(cmp.Or(b.places.name, "fabric.netlist.name"), err.Error(), "write a word of letters, digits and _")
	}
	if n := len(b.net.Name); n > nameMax {
		b.add(cmp.Or(b.places.name, "fabric.netlist.name"), fmt.Sprintf("the name has %d bytes", n),
			fmt.Sprintf("write one of at most %d", nameMax))
	}
	for i := range b.Drawing.nodes {
		n := &b.Drawing.nodes[i]
		all, err := expand(n.name)
		if err != nil {
			b.add(n.place, fmt.Sprintf("the node %q: %v", n.name, err), "write a range such as p[0..3]")
			b.loseNames(n.name)
			continue
		}
		b.placeAll(n, all)
	}
	if len(b.net.Processors) == 0 && !b.partial {
		b.add(b.whole(), "there is no processor", `add a node "p[0..3]": {kind: processor}`)
	}
	b.prefixes()
}

func (b *drawer) whole() string {
	if len(b.Drawing.nodes) > 0 {
		return b.Drawing.nodes[0].place
	}
	return cmp.Or(b.Drawing.place, "fabric.netlist")
}

func (b *drawer) placeAll(n *node, names []string) {
	if len(n.name) > nameMax {
		b.add(n.place, fmt.Sprintf("the name of a node has %d bytes: %q", len(n.name), strict.Clip(n.name)),
			fmt.Sprintf("write one of at most %d", nameMax))
		b.loseNames(n.name)
		return
	}
	b.listPorts(n, names[0])
	for index, name := range names {
		if err := hw.CheckPath(name); err != nil {
			b.add(n.place, fmt.Sprintf("the name of a node: %v", err),
				"write words of letters, digits and _, with indexes and dots: row[2].p[3]")
			b.loseNames(n.name)
			return
		}
		other := b.nodes[name]
		if other == nil {
			b.place(n, name, index)
			continue
		}
		b.addAlike("twice", n.place, fmt.Sprintf("there are two nodes %s; the first is at %s", name, other.place), n.rename())
		other.twice, b.partial = true, true
	}
}

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
		p.list()
	case kindStar, kindBus, kindCrossbar:
		p.number = b.medium(Medium{Path: path, Link: path + "." + fibre, Star: n.kind != kindCrossbar, Bus: n.kind == kindBus,
			Latency: Usual, Opposite: None})
	default:
		p.number = len(b.net.Processors)
		b.net.Processors = append(b.net.Processors, Processor{Path: path})
		p.list()
	}
}

func (n *node) rename() string {
	if n.at != nil {
		return "rename one: node: q in one of the shorthands"
	}
	return "rename one"
}

func (b *drawer) prefixes() {
	for _, p := range b.order {
		for i, c := range p.name {
			if c != '.' {
				continue
			}
			if other, ok := b.nodes[p.name[:i]]; ok {
				b.add(p.place, fmt.Sprintf("the path of the node %s belongs to a part of the node %s, at %s", p.name, other.name,
					other.place), "rename one")
				break
			}
		}
	}
}

func (b *drawer) medium(m Medium) (number int) {
	b.net.Media = append(b.net.Media, m)
	b.drivers, b.hearers, b.taps = append(b.drivers, ""), append(b.hearers, ""), append(b.taps, nil)
	return len(b.net.Media) - 1
}

func (b *drawer) drawLinks() {
	media := 0
	for i := range b.Drawing.links {
		rows := 1
		for _, end := range b.Drawing.links[i].ends {
			rows = max(rows, stands(end))
		}
		media += 2 * rows
	}
	for i := range b.planned {
		media += 2 * len(b.planned[i].Links)
	}
	b.net.Media, b.taps = slices.Grow(b.net.Media, media), slices.Grow(b.taps, media)
	b.drivers, b.hearers = slices.Grow(b.drivers, media), slices.Grow(b.hearers, media)
	for i := range b.planned {
		b.planned[i].join(b)
	}
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
		b.net.notes = append(slices.Clip(b.net.notes), note+"; name its two ports if this is intended")
	}
}

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

// joinRows draws a link once for each element of its ranges. It draws a link between several ends and a star once per
// star. joinRows reports whether the ranges match.
func (b *drawer) joinRows(l *link, ends [][]string, most int) bool {
	if star := slices.IndexFunc(ends, func(names []string) bool { return b.isStar(names[0]) }); len(ends) > 2 &&
		star >= 0 {
		most = star
	}
	rows := len(ends[most])
	for k, end := range l.ends {
		if n := len(ends[k]); n != 1 && n != rows && rows != 1 && !begins(end, l.ends[most]) {
			b.add(l.places[k], fmt.Sprintf("%s stands for %d ends, but %s for %d", end, n, l.ends[most], rows),
				"write ranges of equal length, or with a common beginning, as in p[0..3].q[0..1] and p[0..3]; a single end is "+
					"joined "+
					"with all ends of a range")
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

// found is a link end after name resolution: a shared medium, or a port.
type found struct {
	*placed
	port  int
	place string
	text  string
}

func (f *found) orAlign() string {
	if f.kind == kindCrossbar || contend.ArbiterOf(f.keys.Arbiter) != contend.None {
		return ""
	}
	return fmt.Sprintf(", or write align: true at the %s %s", f.kind, f.name)
}

func (f *found) star() bool { return f.shared() }

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
		b.add(place, fmt.Sprintf("%s is a %s, which has no ports", name, p.kind), "write "+name)
		p.loose = true
		return nil
	case p.shared():
		return f
	case !hasPort && p.named && (len(p.ports) == 0 || p.vague):
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
		b.add(l.place, fmt.Sprintf("a link leads from %s to itself", ends[0].text),
			"join two ports; a loop of one port is oneway")
	default:
		return b.joinPorts(l, ends[0], ends[1])
	}
	return false
}

// unknownLatency marks a star with an invalid latency on a link.
const unknownLatency = -2

func cyclesText(latency int) string {
	if latency == Usual {
		return "link.propagation_cycles"
	}
	return traces.Plural(uint64(latency), "cycle", "cycles")
}

func (b *drawer) joinPorts(l *link, from, to *found) bool {
	if from.placed == to.placed && from.text == to.text && !strings.Contains(from.text, ":") {
		b.loops = append(b.loops, fmt.Sprintf("%s.link[%d] of %s", b.net.Name, b.linked, from.text))
	}
	if l.credits != nil && b.net.OnePort {
		b.add(l.place, "credits with access one: a NIC that listens to one port does not receive at the other ports",
			"delete credits, or take access: all")
	}
	path := fmt.Sprintf("%s.link[%d]", b.net.Name, b.linked)
	b.linked++
	way := func(path string, from, to *found) int {
		m := b.medium(Medium{Path: path, Link: path + "." + fibre, Latency: l.latency, Opposite: None, Credits: l.credits,
			round: l.round, place: l.place})
		b.sends(from, m, l.place)
		b.hears(to, m, l.place)
		return m
	}
	if l.oneway {
		if l.half {
			b.add(l.place, "duplex is half, but the link is oneway", "delete one")
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

func (b *drawer) sends(f *found, medium int, place string) bool {
	p := &f.placed.ports[f.port]
	return b.leads(f, "out", &p.out, &p.outPlace, medium, place, b.drivers)
}

func (b *drawer) hears(f *found, medium int, place string) bool {
	p := &f.placed.ports[f.port]
	return b.leads(f, "in", &p.in, &p.inPlace, medium, place, b.hearers)
}

// leads connects one direction of a port to a medium, and reports whether that direction was free. first holds the
// place of the first link of each medium in this direction.
func (b *drawer) leads(f *found, direction string, way *int, drawnAt *string, medium int,
	place string, first []string) bool {
	if *way != None {
		b.add(place, fmt.Sprintf("%s has two links %s; the first is drawn at %s", f.text, direction, *drawnAt),
			"use another port, or make one link oneway")
		b.partial = true
		if first[medium] == "" {
			first[medium] = place // the link still belongs to the drawing
		}
		return false
	}
	*way, *drawnAt = medium, place
	if first[medium] == "" {
		first[medium] = place
	}
	return true
}

func (b *drawer) twoShared(ends []*found) string {
	var shared []*found
	for _, e := range ends {
		if e.star() {
			shared = append(shared, e)
		}
	}
	if shared[0].kind == kindStar && shared[1].kind == kindStar {
		return "two stars: their light would circulate"
	}
	return fmt.Sprintf("the %s %s and the %s %s", shared[0].kind, shared[0].name, shared[1].kind, shared[1].name)
}

func (b *drawer) joinStar(l *link, ends []*found) bool {
	at := slices.IndexFunc(ends, (*found).star)
	star := ends[at]
	what := star.kind + " " + star.name
	if l.credits != nil {
		b.add(l.place, fmt.Sprintf("credits on a link to the %s: a credit is a place at one receiver, but a frame there "+
			"has several receivers, "+
			"or a receiver that is unknown before the request", what),
			"delete credits, or link the ports with each other")
		return false
	}
	if l.half {
		b.add(l.place, fmt.Sprintf("duplex is half, but %s is a %s, whose links have two directions, into it and out of it",
			star.name, star.kind), "delete duplex")
		return false
	}
	if l.oneway && len(ends) > 2 {
		b.add(l.place, fmt.Sprintf("a link with %d ends is oneway", len(ends)),
			"write one link for each direction: endpoints: [p, "+star.name+"], or ["+star.name+", p]")
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
		if b.meet(l, e, star, out, in) {
			b.tap(star, tapOf{e.placed, e.port, out, in, l.latency})
		} else {
			b.hide([]*found{e, star})
		}
	}
	m := &b.net.Media[star.number]
	switch {
	case l.wrong || m.Latency == unknownLatency || star.vague:
		m.Latency = unknownLatency
	case star.keys.Align:
	case l.latency == Usual && (!in || star.kind == kindCrossbar):
	case !in:
		b.add(l.place, fmt.Sprintf("a latency on a link into the %s: frames of one slot start there together", what),
			"give the latency to the links out of it"+star.orAlign())
	case star.kind == kindCrossbar:
	case b.hearers[star.number] != l.place && m.Latency != l.latency: // not the first link out of the star
		b.add(l.place, fmt.Sprintf("links with latencies of %s and %s lead out of the %s", cyclesText(m.Latency),
			cyclesText(l.latency), what),
			"give all its listeners the same latency"+star.orAlign())
	default:
		m.Latency = l.latency
	}
	return true
}

// meet connects a port with a star in one or both directions. It returns false if another port of the node already
// has such a connection.
func (b *drawer) meet(l *link, e, star *found, out, in bool) bool {
	key := meeting{star.number, e.placed}
	ways := b.met[key]
	if out && ways.out > 0 {
		b.add(l.place, fmt.Sprintf("%s also sends into the %s %s by another port: %s", e.placed.name, star.kind, star.name,
			e.ports[ways.out-1].outPlace),
			"let one port of a processor send into it")
		return false
	}
	if in && ways.in > 0 {
		b.add(l.place, fmt.Sprintf("%s also listens to the %s %s by another port: %s", e.placed.name, star.kind, star.name,
			e.ports[ways.in-1].inPlace),
			"let one port of a processor listen to it")
		return false
	}
	if out && b.sends(e, star.number, l.place) {
		ways.out = 1 + e.port
	}
	if in && b.hears(e, star.number, l.place) {
		ways.in = 1 + e.port
	}
	b.met[key] = ways
	return true
}

func (b *drawer) tap(star *found, tap tapOf) {
	if m := &b.net.Media[star.number]; star.keys.Align {
		for _, out := range []bool{false, true} {
			if out && tap.in || !out && tap.out {
				m.Legs = append(m.Legs, Leg{Tap{tap.number, tap.port}, out, tap.latency})
			}
		}
	}
	if star.kind == kindBus { // two links, one per direction, may form one tap
		at := tapAt{meeting{star.number, tap.placed}, tap.port}
		if i, there := b.tapped[at]; there {
			old := &b.taps[star.number][i]
			old.out, old.in = old.out || tap.out, old.in || tap.in
			return
		}
		b.tapped[at] = len(b.taps[star.number])
	}
	b.taps[star.number] = append(b.taps[star.number], tap)
}

func (p *planned) join(b *drawer) {
	keys := p.value.keys()
	l := link{place: p.place, half: keys.Duplex == "half", credits: keys.Credits}
	end := func(node, port int) string { return hw.Index(p.node(), node) + ":" + p.Ports[port] }
	texts, places := make([]string, 2), []string{p.place, p.place}
	for i := range p.Links {
		from := &p.Links[i]
		if l.round, l.latency = from.Round, Usual; from.Latency != nil {
			l.latency = *from.Latency
		} else if keys.Latency != nil {
			l.latency = *keys.Latency
		}
		texts[0], texts[1] = end(from.From, from.FromPort), end(from.To, from.ToPort)
		b.join(&l, texts, places)
	}
}
