package netlist

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/internal/strict"
	"starloom/traces/input"
)

// reader reads a drawing, and goes on after a mistake.
type reader struct {
	*strict.Decoder
	mistakes
	Drawing
	kinds map[string]*node // by their word
	seen  map[string]bool  // keys of the netlist

	anynet string  // "" for none
	graph  *Anynet // of routers

	graphml string // "" for none
}

// ReadYAML implements strict.Reader. Errors are *Mistakes.
func (n *Network) ReadYAML(d *strict.Decoder, root *yaml.Node, path string) error {
	r := &reader{Decoder: d}
	r, file, err := r.whole(root, path)
	if err != nil {
		return err
	}
	n.fill(&r.Drawing)
	n.File, n.Anynet, n.GraphML = file, r.anynet, r.graphml
	if err := n.draw(r); err != nil {
		return err
	}
	n.net.replacements = r.replacing(filepath.Dir(file))
	return nil
}

// whole reads all keys, or the file that they name in the place of others.
func (r *reader) whole(root *yaml.Node, path string) (_ *reader, file string, err error) {
	if file = r.read(root, path, true); len(r.list) > 0 || file == "" {
		return r, file, nil
	}
	own, err := readFile(r.beside(file), r.Place(root))
	if err != nil {
		return nil, "", err
	}
	own.Drawing.name = cmp.Or(r.name, own.name)
	return own, file, nil
}

// beside is the path of a file that this one names.
func (r *reader) beside(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(r.File), file)
}

// draw takes what was read.
func (n *Network) draw(r *reader) (err error) {
	if r.router == nil && len(r.list) > 0 && len(r.list)+r.more == r.values { // look for more
		var drawn *Mistakes
		if _, err := r.Drawing.Net(); errors.As(err, &drawn) {
			r.join(drawn)
		}
	}
	if err := r.err(); err != nil {
		return err
	}
	if r.router != nil {
		n.routers, n.net, err = r.routed(r.graph)
		return err
	}
	if slices.Contains(routerRoutes, r.routes.word) {
		return &input.Error{Place: r.routes.place, Reason: "routes: " + r.routes.word + " is of routers, and there is none",
			Remedy: "write shortest or none, or add router: {}"}
	}
	n.net, err = r.Drawing.Net()
	return err
}

// ReadFile reads a file of its own: the keys of fabric.netlist, or a whole scenario with them.
func ReadFile(path string) (n Network, err error) {
	r, err := readFile(path, path)
	if err != nil {
		return Network{}, err
	}
	n.fill(&r.Drawing)
	return n, n.draw(r)
}

// readFile reads the drawing of a file, with its mistakes; place is where it is named.
func readFile(path, place string) (*reader, error) {
	data, err := input.Read(path, fileBytesMax)
	if err != nil {
		return nil, &input.Error{Place: place, Reason: fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			Remedy: "give a netlist, relative to the scenario's folder"}
	}
	root, err := strict.Document(path, data, "netlist", "write nodes: {...} and links: [...]")
	if err != nil {
		return nil, err
	}
	r := &reader{Decoder: &strict.Decoder{File: path, Whole: "the netlist", Places: map[string]string{}}}
	if inside := within(root, "fabric", "netlist"); inside != nil && place == path { // of a command, not of a scenario
		if r, _, err = r.whole(inside, "fabric.netlist"); err != nil {
			return nil, err
		}
	} else if inside != nil {
		r.read(inside, "", false)
	} else if other := within(root, "fabric"); other != nil {
		return nil, &input.Error{Place: r.Place(other), Reason: "the scenario has no netlist", Remedy: "write fabric: {netlist: {nodes: {...}, links: [...]}}"}
	} else {
		r.read(root, "", false)
	}
	return r, nil
}

// within is the value of a key of a key, nil for none.
func within(node *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		node = strict.Target(node)
		var value *yaml.Node
		for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == key {
				value = node.Content[i+1]
			}
		}
		if value == nil {
			return nil
		}
		node = value
	}
	return node
}

// entry is a key of an object.
type entry struct {
	key       string
	at, value *yaml.Node
}

// object reads the keys of an object, nil if it is none; form is what to write then.
func (r *reader) object(node *yaml.Node, where, form string) (entries []entry) {
	node = strict.Target(node)
	if node.Kind != yaml.MappingNode {
		r.take(r.Wrong(node, where, form))
		return nil
	}
	keys := len(node.Content) / 2
	entries, seen := make([]entry, 0, keys), make(map[string]string, keys)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := r.Key(node.Content[i], where, seen)
		if err != nil {
			r.take(err)
			continue
		}
		entries = append(entries, entry{key, node.Content[i], strict.Target(node.Content[i+1])})
	}
	return entries
}

// unknown refuses a key.
func (r *reader) unknown(e entry, where string, keys ...string) {
	if no, ok := notYet[e.key]; ok {
		r.take(r.Refuse(e.at, no.reason, no.remedy))
		return
	}
	r.take(r.Refuse(e.at, fmt.Sprintf("unknown key %q in %s", e.key, where), input.DidYouMean(e.key, keys, "allowed are "+strings.Join(keys, ", "))))
}

// notYet are keys that somebody may look for, and what to write in their place.
var notYet = map[string]struct{ reason, remedy string }{
	"width":     {"links of different widths are not there yet: all media are equally wide", "delete width; link.phit_bits is that of all of them"},
	"phit_bits": {"links of different widths are not there yet: all media are equally wide", "delete phit_bits; link.phit_bits is that of all of them"},
}

// read reads all keys; a file is named only where that is allowed.
func (r *reader) read(root *yaml.Node, path string, files bool) (file string) {
	whole := path
	if whole == "" {
		whole = r.Whole
	}
	r.seen, r.place = map[string]bool{}, r.Place(root)
	var later []entry
	for _, e := range r.object(root, whole, "an object: {nodes: {...}, links: [...]}") {
		where := strict.Join(path, e.key)
		if r.Places != nil {
			r.Places[where] = r.Place(e.value)
		}
		r.seen[e.key] = true
		switch e.key {
		case "name":
			r.namePlace = r.Place(e.value)
			r.value(r.Text(e.value, where, &r.name))
		case "file":
			if !files {
				r.take(r.Refuse(e.at, "a netlist in a file of its own names a file", "delete file, or write its keys here"))
				continue
			}
			r.take(r.Text(e.value, where, &file))
		case "access":
			word, err := r.Word(e.value, where, accesses...)
			r.value(err)
			r.access = accesses[word]
		case "words":
			r.readWords(e.value, where)
		case "apart":
			r.value(r.Bool(e.value, where, &r.apart))
		case "kinds":
			r.readKinds(e.value, where)
		case "nodes", "links", "anynet", "graphml": // which may name kinds that come later
			later = append(later, e)
		case "routes":
			r.readRoutes(e.value, where)
		case "fly", "router", "streaming":
			r.readRouter(e, where)
		case "mesh", "torus", "ring", "tree", "hypercube", "dragonfly":
			value := blank(e.key)
			r.take(r.Decode(e.value, reflect.ValueOf(value).Elem(), where, strict.Limits{}))
			r.plans = append(r.plans, shorthand{place: r.Place(e.value), key: e.key, value: value})
		default:
			r.unknown(e, whole, append([]string{"file"}, keysOfFile...)...)
		}
	}
	r.readGraphs(later, path)
	slices.SortStableFunc(r.plans, func(a, b shorthand) int { return slices.Index(shorthands, a.key) - slices.Index(shorthands, b.key) })
	if file != "" {
		for _, key := range keysOfFile[1:] {
			if r.seen[key] {
				r.add(r.Place(root), fmt.Sprintf("%s has both file and %s", whole, key), "write all keys into the file, or none")
			}
		}
		return file
	}
	r.checkRouter(root, whole)
	if !r.seen["nodes"] && !r.seen["anynet"] && !r.seen["graphml"] && len(r.plans) == 0 && r.fly == nil {
		r.add(r.Place(root), fmt.Sprintf("%s has no nodes", whole),
			`write nodes: {"p[0..3]": {kind: processor}} and links: [{endpoints: [...]}], or a shorthand such as mesh: {k: [4, 4]}`)
	}
	return file
}

// readGraphs reads nodes and links, those of GraphML before others.
func (r *reader) readGraphs(entries []entry, path string) {
	first := slices.IndexFunc(entries, func(e entry) bool { return e.key == "graphml" })
	if first > 0 {
		e := entries[first]
		entries = slices.Insert(slices.Delete(entries, first, first+1), 0, e)
	}
	for _, e := range entries {
		where := strict.Join(path, e.key)
		switch e.key {
		case "nodes":
			r.readNodes(e.value, where)
		case "links":
			r.readLinks(e.value, where)
		case "anynet":
			r.readAnynet(e.value, where)
		case "graphml":
			r.readGraphML(e.value, where)
		}
	}
}

// readRouter reads the keys of routers.
func (r *reader) readRouter(e entry, where string) {
	if e.key == "fly" {
		r.fly = &Fly{}
		r.take(r.Decode(e.value, reflect.ValueOf(r.fly).Elem(), where, strict.Limits{}))
		return
	}
	if e.key == "streaming" {
		r.streaming = &Streaming{}
		r.take(r.Decode(e.value, reflect.ValueOf(r.streaming).Elem(), where, strict.Limits{}))
		return
	}
	r.router, r.routerPlace = &Router{}, r.Place(e.value)
	r.take(r.Decode(e.value, reflect.ValueOf(r.router).Elem(), where, strict.Limits{}))
}

// checkRouter refuses what does not go with routers, and decides whether there are any.
func (r *reader) checkRouter(root *yaml.Node, whole string) {
	first := slices.IndexFunc(r.nodes, func(n node) bool { return n.kind == kindRouter })
	if first >= 0 && r.router == nil {
		r.router, r.routerPlace = &Router{}, r.nodes[first].place
	}
	for _, key := range []string{"access", "words", "apart"} {
		if r.router != nil && r.seen[key] {
			r.add(r.routerPlace, fmt.Sprintf("%s has both routers and %s", whole, key), "delete "+key)
		}
	}
	for _, key := range []string{"nodes", "links", "kinds"} {
		if r.router != nil && first < 0 && r.seen[key] {
			r.add(r.routerPlace, fmt.Sprintf("%s has both router and %s, and no node is a router", whole, key),
				"routers stand at the nodes of mesh, torus, ring, dragonfly, fly or anynet, or are drawn: nodes: {\"r[0..3]\": router}")
			return
		}
	}
	if r.streaming != nil && r.router == nil {
		r.add(r.Place(root), whole+" has streaming, which is for processors at routers, and no router", "add router: {vcs: 2, depth: 4}, or delete streaming")
	}
	if r.fly != nil && r.router == nil {
		r.add(r.Place(root), whole+" has fly, which is a router, and no router", "add router: {vcs: 2, depth: 4}")
	}
}

// readAnynet reads the file of BookSim's anynet that a key names.
func (r *reader) readAnynet(value *yaml.Node, where string) {
	if err := r.Text(value, where, &r.anynet); err != nil {
		r.take(err)
		return
	}
	graph, err := readAnynet(r.beside(r.anynet), r.Place(value))
	var several *Mistakes
	switch {
	case errors.As(err, &several):
		r.join(several)
	case err != nil:
		r.take(err)
	case r.router != nil:
		r.graph = graph
	default:
		graph.draw(&r.Drawing, r.Place(value))
	}
}

// keysOfFile are the keys of a netlist in a file of its own.
var keysOfFile = []string{
	"name", "access", "words", "apart", "anynet", "graphml", "mesh", "torus", "ring", "tree", "hypercube", "dragonfly", "fly", "router", "streaming",
	"kinds", "nodes", "links", "routes",
}

// readWords reads what firmware is told.
func (r *reader) readWords(node *yaml.Node, where string) {
	r.words = []uint32{}
	r.value(r.List(node, where, func(entry *yaml.Node, where string) error {
		number, err := r.Integer(entry, where, strict.Span{Max: 1<<32 - 1})
		if err != nil {
			return err
		}
		if len(r.words) == wordsMax {
			return r.Refuse(entry, fmt.Sprintf("%s has more than %d entries", where[:strings.LastIndex(where, "[")], wordsMax), "give fewer")
		}
		r.words = append(r.words, uint32(number.Magnitude))
		return nil
	}))
}

// readKinds reads words for nodes.
func (r *reader) readKinds(root *yaml.Node, where string) {
	r.kinds = map[string]*node{}
	for _, e := range r.object(root, where, "an object: {cpu: {kind: processor, ports: [east, west]}}") {
		at := where + "." + e.key
		n := &node{place: r.Place(e.at)}
		if isKind(e.key) {
			n.kind = e.key
		}
		r.readNode(n, e.value, at, false)
		r.kinds[e.key] = n
	}
}

func isKind(word string) bool {
	for _, kind := range kinds {
		if kind == word {
			return true
		}
	}
	return false
}

// unnamed is what to write in the place of a node of a list: of one that is written as in an object, the same with its name.
func unnamed(value *yaml.Node) string {
	if len(value.Content) == 2 && strict.Target(value.Content[1]).Kind == yaml.ScalarNode && value.Content[0].Value != "kind" {
		return fmt.Sprintf("write {name: %q, kind: %s}", value.Content[0].Value, strict.Target(value.Content[1]).Value)
	}
	return `add name: "p[0..3]"`
}

// readNodes reads the nodes: an object, or a list of nodes with names, whose order no tool changes.
func (r *reader) readNodes(root *yaml.Node, where string) {
	if root.Kind == yaml.SequenceNode {
		for i, value := range root.Content {
			at := fmt.Sprintf("%s[%d]", where, i)
			n := node{place: r.Place(value)}
			for _, e := range r.object(value, at, "an object: {name: a, kind: processor}") {
				if e.key == "name" {
					r.take(r.Text(e.value, at+".name", &n.name))
				}
			}
			if n.name == "" && strict.Target(value).Kind == yaml.MappingNode {
				r.add(n.place, at+" has no name", unnamed(strict.Target(value)))
			}
			if n.name == "" {
				continue
			}
			r.readNode(&n, strict.Target(value), at, true)
			r.nodes = append(r.nodes, n)
		}
		return
	}
	r.nodes = slices.Grow(r.nodes, len(root.Content)/2)
	for _, e := range r.object(root, where, `an object: {"p[0..3]": processor}`) {
		n := node{place: r.Place(e.at), name: e.key}
		r.readNode(&n, e.value, fmt.Sprintf("the node %q", e.key), true)
		r.nodes = append(r.nodes, n)
	}
}

// readNode reads the keys of a node, or of a kind.
func (r *reader) readNode(n *node, value *yaml.Node, where string, words bool) {
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" { // the kind alone
		r.kind(n, value, where, words)
		return
	}
	entries := r.object(value, where, "a kind, such as processor, or an object: {kind: processor}")
	for _, e := range entries {
		if e.key == "kind" {
			r.kind(n, e.value, where, words)
		}
	}
	if n.kind == "" && value.Kind == yaml.MappingNode {
		r.add(r.Place(value), where+" has no kind", "add kind: "+strings.Join(kinds, " or "))
	}
	if n.kind == "" {
		n.kind = kindProcessor // and look for more
		return
	}
	for _, e := range entries {
		switch {
		case e.key == "kind", e.key == "name" && n.name != "" && strings.HasSuffix(where, "]"): // of a list
		case e.key == "ports" && (n.kind == kindProcessor || n.kind == kindRouter):
			n.ports = nil
			r.take(r.Texts(e.value, where+": ports", &n.ports))
		case e.key == "open" && n.kind == kindProcessor:
			n.open = nil
			r.take(r.Texts(e.value, where+": open", &n.open))
		case n.kind == kindRouter:
			r.take(r.Refuse(e.at, fmt.Sprintf("unknown key %q in %s", e.key, where),
				"a router has kind and ports; what all routers have in common stands in router: {vcs: 2, ...}"))
		case e.key == "rtl":
			r.readRTL(n, e.value, where)
		case n.kind == kindProcessor:
			r.unknown(e, where, "kind", "ports", "open", "rtl")
		case !r.readServing(n, e, where):
			r.unknown(e, where, slices.Concat([]string{"kind", "rtl"}, keysOf[n.kind])...)
		}
	}
}

// kind reads the kind of a node, or of a kind.
func (r *reader) kind(n *node, value *yaml.Node, where string, words bool) {
	var word string
	if err := r.Text(value, where+": kind", &word); err != nil {
		r.take(err)
		n.kind = kindProcessor // and look for more
		return
	}
	r.ofKind(n, word, r.Place(value), where, words)
}

// ofKind gives a node, or a kind, the kind that a word at a place says.
func (r *reader) ofKind(n *node, word, place, where string, words bool) {
	known := append([]string{}, kinds...)
	if words {
		if k := r.kinds[word]; k != nil {
			n.kind, n.ports, n.open, n.keys, n.rtlOf = k.kind, k.ports, k.open, k.keys, k.rtlOf
			return
		}
		for name := range r.kinds {
			known = append(known, name)
		}
	}
	if !isKind(word) {
		r.add(place, fmt.Sprintf("%s is of the kind %s, which there is not", where, word),
			input.DidYouMean(word, known, "kinds are "+strings.Join(kinds, ", ")+", and the words under kinds"))
		n.kind = kindProcessor // and look for more
		return
	}
	n.kind = word
}

// readLinks reads the links.
func (r *reader) readLinks(root *yaml.Node, where string) {
	root = strict.Target(root)
	if root.Kind != yaml.SequenceNode {
		r.take(r.Wrong(root, where, "a list: [{endpoints: [a, b]}, ...]"))
		return
	}
	r.links = slices.Grow(r.links, len(root.Content))
	for i, value := range root.Content {
		r.readLink(strict.Target(value), fmt.Sprintf("%s[%d]", where, i))
	}
}

// readLink reads one link: its keys, or its ends alone.
func (r *reader) readLink(value *yaml.Node, where string) {
	l := link{place: r.Place(value), latency: Usual}
	if value.Kind == yaml.SequenceNode {
		r.readEnds(&l, value, where)
		r.links = append(r.links, l)
		return
	}
	given := false
	for _, e := range r.object(value, where, "its ends: [a, b], or an object: {endpoints: [a, b]}") {
		at := where + "." + e.key
		switch e.key {
		case "endpoints":
			given = true
			r.readEnds(&l, e.value, at)
		case "oneway":
			r.value(r.Bool(e.value, at, &l.oneway))
		case "duplex":
			word, err := r.Word(e.value, at, "full", "half")
			r.value(err)
			l.half = word == 1
		case "latency":
			number, err := r.Integer(e.value, at, strict.Span{Max: latencyMax})
			r.value(err)
			if l.latency, l.wrong = int(number.Magnitude), err != nil; l.wrong {
				l.latency = Usual
			}
		case "credits":
			l.credits = &fabric.CreditLimits{}
			if err := r.Decode(e.value, reflect.ValueOf(l.credits).Elem(), at, strict.Limits{}); err != nil {
				r.value(err)
				l.credits = nil
			}
		default:
			r.unknown(e, where, "endpoints", "oneway", "duplex", "latency", "credits")
		}
	}
	if !given && value.Kind == yaml.MappingNode {
		r.add(l.place, where+" has no endpoints", "add endpoints: [a, b]")
		return
	}
	r.links = append(r.links, l)
}

// readEnds reads the ends of a link.
func (r *reader) readEnds(l *link, value *yaml.Node, where string) {
	r.take(r.List(value, where, func(entry *yaml.Node, where string) error {
		var text string
		if strict.Target(entry).Kind == yaml.MappingNode {
			return r.Refuse(entry, where+" is an object", "write the keys of a link beside its ends: {endpoints: [a, b], latency: 3}")
		}
		if err := r.Text(entry, where, &text); err != nil {
			return err
		}
		l.ends, l.places = append(l.ends, text), append(l.places, r.Place(entry))
		return nil
	}))
}

// readServing reads a key of a bus or a crossbar, and reports whether there is one of that name.
func (r *reader) readServing(n *node, e entry, where string) bool {
	if !slices.Contains(keysOf[n.kind], e.key) {
		return false
	}
	where += ": " + e.key
	word := func(to *string, words ...string) {
		i, err := r.Word(e.value, where, words...)
		r.value(err)
		*to = words[i]
	}
	number := func(to *int, low, high uint64) {
		value, err := r.Integer(e.value, where, strict.Span{Min: int64(low), Max: high})
		if r.value(err); err == nil {
			*to = int(value.Magnitude)
		}
	}
	switch e.key {
	case "arbiter":
		words := append([]string{contend.ArbiterNone}, hw.ArbiterKinds...)
		if n.kind == kindCrossbar {
			words = words[:len(words)-1] // without tdma
		}
		word(&n.keys.Arbiter, words...)
	case "align":
		r.value(r.Bool(e.value, where, &n.keys.Align))
	case "length":
		number(&n.keys.Length, 2, 1<<31-1)
	case "matching":
		word(&n.keys.Matching, matchings...)
	case "output":
		word(&n.keys.Output, outputs...)
	case "queue_frames":
		number(&n.keys.QueueFrames, 1, portsMax)
	case "cap":
		number(&n.keys.Cap, 0, portsMax+1)
	case "cap_arbiter":
		word(&n.keys.CapArbiter, hw.ArbiterKinds[:3]...)
	}
	return true
}
