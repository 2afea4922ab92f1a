package netlist

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// ReadYAML implements strict.Reader. Errors are *input.Errors.
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

func (r *reader) whole(root *yaml.Node, path string) (_ *reader, file string, err error) {
	if file = r.read(root, path, true); file == "" {
		return r, file, nil
	}
	own, err := readFile(r.beside(file), r.Place(root))
	if err != nil && r.count() == 0 {
		return nil, "", err
	} else if err != nil {
		r.take(err)
		r.loseAll()
		return r, file, nil
	}
	own.Drawing.name = cmp.Or(r.name, own.name)
	own.mistakes, r.mistakes = r.mistakes, own.mistakes
	own.take(r.err())
	return own, file, nil
}

func (n *Network) draw(r *reader) error {
	drawn := slices.ContainsFunc(r.nodes, func(n node) bool { return n.kind == kindRouter })
	if r.partial = r.partial || r.ofNoKind(); r.router == nil && !r.partial && !r.keys["router"] &&
		slices.Contains(routerRoutes, r.routes.word) {
		r.add(r.routes.place, "routes: "+r.routes.word+" is for routers, but the network has none",
			"write shortest or none, or add router: {}")
	}
	if r.router == nil && !r.partial && !r.keys["router"] && r.routes.relation != nil {
		r.add(r.routes.place, "routes: rules are for routers, but the network has none",
			"write shortest or none, or add router: {}")
	}
	if r.router != nil && (drawn || !r.partial || len(r.plans) > 0) {
		n.routers, n.net = r.routed(&r.mistakes, r.graph)
	} else {
		n.net = r.Drawing.number(&r.mistakes)
	}
	return r.err()
}

// ReadFile reads a netlist file: the keys of fabric.netlist, or a scenario with these keys.
func ReadFile(path string) (Network, error) {
	root, path, err := Document(path)
	if err != nil {
		return Network{}, err
	}
	return Read(path, root)
}

// Document parses a file or standard input for Read. name is its name in messages.
func Document(path string) (root *yaml.Node, name string, err error) {
	data, name, err := input.Argument(path, fileBytesMax)
	root, err = documentOf(data, name, name, err)
	return root, name, err
}

// Read reads a netlist from the document at path.
func Read(path string, root *yaml.Node) (n Network, err error) {
	r, err := readRoot(path, root)
	if err != nil {
		return Network{}, err
	}
	n.fill(&r.Drawing)
	return n, n.draw(r)
}

func readFile(path, place string) (*reader, error) {
	root, err := document(path, place)
	if err != nil {
		return nil, err
	}
	return readRoot(path, root)
}

func document(path, place string) (*yaml.Node, error) {
	data, err := input.Read(path, fileBytesMax)
	return documentOf(data, path, place, err)
}

func documentOf(data []byte, path, place string, err error) (*yaml.Node, error) {
	if err != nil {
		return nil, input.Mistake(place, fmt.Sprintf("%s cannot be read: %v", path, input.WithoutPath(err)),
			"give a netlist, relative to the scenario's folder")
	}
	return strict.Document(path, data, "netlist", "write nodes: {...} and links: [...]")
}

func readRoot(path string, root *yaml.Node) (*reader, error) {
	r := &reader{Decoder: &strict.Decoder{File: path, Whole: "the netlist", Places: map[string]string{}}}
	if keys := root.Content; root.Kind == yaml.MappingNode && len(keys) > 0 && !strict.Has(root, "fabric") &&
		!strict.Has(root, "file") &&
		!slices.ContainsFunc(keysOfFile, func(key string) bool {
			return strict.Has(root, key) ||
				input.Nearest(keys[0].Value, keysOfFile) != ""
		}) {
		return nil,
			&input.Error{Place: r.Place(root), Reason: "this file has no key of a netlist",
				Remedy: "write nodes: {...} and links: [...]"}
	}
	if inside := within(root, "fabric", "netlist"); inside != nil {
		r.read(inside, "", false)
	} else if other := within(root, "fabric"); other != nil {
		return nil, &input.Error{Place: r.Place(other), Reason: "the scenario has no netlist", Remedy: "write fabric: " +
			"{netlist: {nodes: {...}, links: [...]}}"}
	} else {
		r.read(root, "", false)
	}
	return r, nil
}

func (r *reader) read(root *yaml.Node, path string, files bool) (file string) {
	whole := path
	if whole == "" {
		whole = r.Whole
	}
	r.seen, r.place = map[string]bool{}, r.Place(root)
	var later []entry
	entries, all := r.object(root, whole, "an object: {nodes: {...}, links: [...]}")
	if !all {
		r.loseAll()
	}
	r.atRouters = slices.ContainsFunc(entries,
		func(e entry) bool {
			return slices.Contains(append([]string{"router", "anynet"}, concentrateds...), e.key)
		})
	for _, e := range entries {
		where := strict.Join(path, e.key)
		if r.Places != nil {
			r.Places[where] = r.Place(e.value)
		}
		r.seen[e.key] = true
		switch e.key {
		case "name":
			r.places.name = r.Place(e.value)
			r.take(r.Text(e.value, where, &r.name))
		case "file":
			if !files {
				r.take(r.Refuse(e.at, "a netlist file refers to another netlist file", "delete the key file, or write that "+
					"file's keys here"))
				continue
			}
			if err := r.Text(e.value, where, &file); err != nil {
				r.take(err)
				r.loseAll()
			}
		case "access", "apart":
			r.readChoice(e, where)
		case "words":
			r.readWords(e.value, where)
		case "kinds":
			r.readKinds(e.value, where)
		case "nodes", "links", "anynet", "graphml": // these keys may refer to kinds defined later in the file
			later = append(later, e)
		case "routes":
			r.readRoutes(e.value, where)
		case "fly", "cmesh", "fattree", "flatfly", "router", "streaming":
			r.readRouter(e, where)
		case "mesh", "torus", "ring", "tree", "hypercube", "dragonfly":
			r.readShorthand(e, where)
		default:
			if meant := r.unknown(e, whole, append([]string{"file"}, keysOfFile...)...); meant == "" || meant == "file" {
				r.loseAll()
			} else {
				r.lose(meant)
			}
		}
	}
	r.readGraphs(later, path)
	slices.SortStableFunc(r.plans,
		func(a, b shorthand) int { return slices.Index(shorthands, a.key) - slices.Index(shorthands, b.key) })
	if file != "" {
		for _, key := range keysOfFile[1:] {
			if r.seen[key] {
				r.add(r.Place(root), fmt.Sprintf("%s has both file and %s", whole, key), "write all keys into the file, or none")
			}
		}
		return file
	}
	r.checkRouter(root, whole)
	given := slices.Concat([]string{"nodes", "anynet", "graphml"}, concentrateds, shorthands)
	if !r.keys["nodes"] && !slices.ContainsFunc(given, func(key string) bool { return r.seen[key] }) {
		r.add(r.Place(root), fmt.Sprintf("%s has no nodes", whole),
			`write nodes: {"p[0..3]": {kind: processor}} and links: [{endpoints: [...]}], or a shorthand such as `+
				`mesh: {k: [4, 4]}`)
		r.lose("nodes")
	}
	return file
}

func (r *reader) readChoice(e entry, where string) {
	word, err := 0, error(nil)
	if e.key == "apart" {
		err = r.Bool(e.value, where, &r.apart)
	} else if word, err = r.Word(e.value, where, accesses...); err == nil {
		r.access, r.places.access = accesses[word], r.Place(e.value)
	}
	if r.take(err); err != nil {
		r.lose(e.key)
	}
}

func (r *reader) readShorthand(e entry, where string) {
	if value := blank(e.key); r.decode(e.value, value, where) {
		r.plans = append(r.plans, shorthand{place: r.Place(e.value), key: e.key, value: value})
	} else {
		r.loseNames(cmp.Or(value.keys().Node, "p") + "[")
	}
}

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

func (r *reader) readRouter(e entry, where string) {
	if slices.Contains(concentrateds, e.key) {
		value := newConcentrator(e.key)
		if !r.decode(e.value, value, where) {
			r.lose(e.key)
			return
		}
		r.concentrated = append(r.concentrated, concentrated{r.Place(e.value), e.key, value})
		return
	}
	if e.key == "streaming" {
		if r.streaming = new(Streaming); !r.decode(e.value, r.streaming, where) {
			r.lose(e.key)
		}
		return
	}
	r.router, r.places.router = new(Router), r.Place(e.value)
	if !r.decode(e.value, r.router, where) {
		r.lose(e.key)
	}
}

func (r *reader) checkRouter(root *yaml.Node, whole string) {
	first := slices.IndexFunc(r.nodes, func(n node) bool { return n.kind == kindRouter })
	if first >= 0 && r.router == nil {
		r.router, r.places.router = &Router{}, r.nodes[first].place
	}
	for _, key := range []string{"access", "words", "apart"} {
		if r.router != nil && r.seen[key] {
			r.add(r.places.router, fmt.Sprintf("%s has both routers and %s", whole, key), "delete "+key)
		}
	}
	for _, key := range []string{"nodes", "links", "kinds"} {
		if r.router != nil && first < 0 && r.seen[key] && !r.keys["nodes"] && !r.keys["kinds"] && !r.ofNoKind() {
			r.add(r.places.router, fmt.Sprintf("%s has both router and %s, but no node is a router", whole, key),
				"routers are at the nodes of mesh, torus, ring, dragonfly, fly, cmesh, fattree, flatfly or anynet, "+
					"or are drawn: nodes: {\"r[0..3]\": "+
					"router}")
			return
		}
	}
	if r.router == nil && (r.keys["router"] || r.ofNoKind()) {
		return
	}
	if r.streaming != nil && r.router == nil {
		r.add(r.Place(root), whole+" has the key streaming, which needs routers, but no router",
			"add router: {vcs: 2, depth: 4}, or delete streaming")
	}
	if len(r.concentrated) > 0 && r.router == nil {
		r.add(r.Place(root), whole+" has the key "+r.concentrated[0].key+", which draws routers, but not the key router",
			"add router: {vcs: 2, depth: 4}")
	}
}

func (r *reader) ofNoKind() bool {
	return slices.ContainsFunc(r.nodes, func(n node) bool { return n.kind == "" })
}

func (r *reader) readAnynet(value *yaml.Node, where string) {
	if err := r.Text(value, where, &r.anynet); err != nil {
		r.take(err)
		r.lose("anynet")
		return
	}
	graph, err := readAnynet(r.beside(r.anynet), r.Place(value))
	switch {
	case err != nil:
		r.take(err)
		r.lose("anynet")
	case r.router != nil:
		r.graph = graph
	default:
		graph.draw(&r.Drawing, r.Place(value))
	}
}

func (r *reader) readWords(node *yaml.Node, where string) {
	r.words = []uint32{}
	r.take(r.List(node, where, func(entry *yaml.Node, where string) error {
		number, err := r.Integer(entry, where, strict.Span{Max: 1<<32 - 1})
		if err != nil {
			return err
		}
		if len(r.words) == wordsMax {
			return r.Refuse(entry, fmt.Sprintf("%s has more than %d entries",
				where[:strings.LastIndex(where, "[")], wordsMax), "give fewer")
		}
		r.words = append(r.words, uint32(number.Magnitude))
		return nil
	}))
}

func (r *reader) readLinks(root *yaml.Node, where string) {
	root = strict.Target(root)
	if root.Kind != yaml.SequenceNode {
		r.take(r.Wrong(root, where, "a list: [{endpoints: [a, b]}, ...]"))
		r.lose("links")
		return
	}
	r.links = slices.Grow(r.links, len(root.Content))
	for i, value := range root.Content {
		r.readLink(strict.Target(value), fmt.Sprintf("%s[%d]", where, i))
	}
}

func (r *reader) readLink(value *yaml.Node, where string) {
	l := link{place: r.Place(value), latency: Usual}
	if value.Kind == yaml.SequenceNode {
		r.readEnds(&l, value, where)
		r.links = append(r.links, l)
		return
	}
	given := false
	entries, whole := r.object(value, where, "its ends: [a, b], or an object: {endpoints: [a, b]}")
	l.vague = !whole
	for _, e := range entries {
		at := where + "." + e.key
		switch e.key {
		case "endpoints":
			given = true
			r.readEnds(&l, e.value, at)
		case "oneway":
			err := r.Bool(e.value, at, &l.oneway)
			r.take(err)
			l.vague = l.vague || err != nil
		case "duplex":
			word, err := r.Word(e.value, at, "full", "half")
			r.take(err)
			l.half = word == 1
		case "latency":
			number, err := r.Integer(e.value, at, strict.Span{Max: latencyMax})
			r.take(err)
			if l.latency, l.wrong = int(number.Magnitude), err != nil; l.wrong {
				l.latency = Usual
			}
		case "credits":
			if l.credits = new(fabric.CreditLimits); !r.decode(e.value, l.credits, at) {
				l.credits = nil
			}
		default:
			meant := r.unknown(e, where, "endpoints", "oneway", "duplex", "latency", "credits")
			l.wrong = l.wrong || meant == "latency"
			given = given || meant == "endpoints"
			l.vague = l.vague || meant == "" || meant == "endpoints" || meant == "oneway"
		}
	}
	if !given && value.Kind == yaml.MappingNode {
		r.add(l.place, where+" has no endpoints", "add endpoints: [a, b]")
		l.vague = true
	}
	if l.vague && l.ends == nil {
		r.lose("links")
		return
	}
	r.delays = r.delays || l.wrong
	r.links = append(r.links, l)
}

func (r *reader) readEnds(l *link, value *yaml.Node, where string) {
	err := r.List(value, where, func(entry *yaml.Node, where string) error {
		var text string
		if strict.Target(entry).Kind == yaml.MappingNode {
			r.take(r.Refuse(entry, where+" is an object", "write the keys of a link beside its ends: {endpoints: [a, b], "+
				"latency: 3}"))
			l.vague = true
			return nil
		} else if err := r.Text(entry, where, &text); err != nil {
			r.take(err)
		} else {
			l.ends, l.places = append(l.ends, text), append(l.places, r.Place(entry))
			return nil
		}
		l.vague = true
		r.lose("links")
		return nil
	})
	if r.take(err); err != nil {
		l.vague = true
		r.lose("links")
	}
}
