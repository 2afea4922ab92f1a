package netlist

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim/twin"
	"starloom/fabric/contend"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

func (r *reader) readKinds(root *yaml.Node, where string) {
	r.kinds = map[string]*node{}
	entries, whole := r.object(root, where, "an object: {cpu: {kind: processor, ports: [east, west]}}")
	if !whole {
		r.lose("kinds")
	}
	for _, e := range entries {
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

func unnamed(value *yaml.Node) string {
	if len(value.Content) == 2 && strict.Target(value.Content[1]).Kind == yaml.ScalarNode &&
		value.Content[0].Value != "kind" {
		return fmt.Sprintf("write {name: %q, kind: %s}", value.Content[0].Value, strict.Target(value.Content[1]).Value)
	}
	return `add name: "p[0..3]"`
}

// readNodes reads nodes from an object, or from a list, because every tool keeps the order of a list.
func (r *reader) readNodes(root *yaml.Node, where string) {
	if root.Kind == yaml.SequenceNode {
		for i, value := range root.Content {
			at := fmt.Sprintf("%s[%d]", where, i)
			n, given := node{place: r.Place(value)}, false
			entries, _ := r.object(value, at, "an object: {name: a, kind: processor}")
			for _, e := range entries {
				if e.key == "name" {
					given = true
					r.take(r.Text(e.value, at+".name", &n.name))
				}
			}
			if !given && strict.Target(value).Kind == yaml.MappingNode {
				r.add(n.place, at+" has no name", unnamed(strict.Target(value)))
			}
			if n.name == "" {
				r.lose("nodes")
				continue
			}
			r.readNode(&n, strict.Target(value), at, true)
			r.nodes = append(r.nodes, n)
		}
		return
	}
	r.nodes = slices.Grow(r.nodes, len(root.Content)/2)
	entries, whole := r.object(root, where, `an object: {"p[0..3]": processor}`)
	if !whole {
		r.lose("nodes")
	}
	for _, e := range entries {
		n := node{place: r.Place(e.at), name: e.key}
		r.readNode(&n, e.value, fmt.Sprintf("the node %q", e.key), true)
		r.nodes = append(r.nodes, n)
	}
}

func (r *reader) readNode(n *node, value *yaml.Node, where string, words bool) {
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" {
		r.kind(n, value, where, words)
		return
	}
	entries, whole := r.object(value, where, "a kind, such as processor, or an object: {kind: processor}")
	n.vague = n.vague || !whole
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.key == "kind" }) && n.kind == "" &&
		value.Kind == yaml.MappingNode {
		r.add(r.Place(value), where+" has no kind", "add kind: "+strings.Join(kinds, " or "))
	}
	for _, e := range entries {
		if e.key == "kind" {
			r.kind(n, e.value, where, words)
		}
	}
	for _, e := range entries {
		// list entries have a name
		if e.key != "kind" && (e.key != "name" || n.name == "" || !strings.HasSuffix(where, "]")) {
			n.vague = !r.readKey(n, e, where) || n.vague
		}
	}
}

func (r *reader) readKey(n *node, e entry, where string) bool {
	texts := func(to *[]string) bool {
		*to = nil
		err := r.Texts(e.value, where+": "+e.key, to)
		if r.take(err); err != nil {
			*to = nil
		}
		return err == nil
	}
	switch {
	case n.kind == "": // the legal keys are unknown
		return true
	case e.key == "ports" && (n.kind == kindProcessor || n.kind == kindRouter):
		return texts(&n.ports)
	case e.key == "open" && n.kind == kindProcessor:
		return texts(&n.open)
	case n.kind == kindRouter:
		r.take(r.Refuse(e.at, fmt.Sprintf("unknown key %q in %s", e.key, where),
			"a router has only kind and ports; common settings of all routers go in router: {vcs: 2, ...}"))
		return input.Nearest(e.key, []string{"ports"}) == ""
	case e.key == "rtl":
		r.readRTL(n, e.value, where)
		return true
	case n.kind == kindProcessor:
		return r.unknown(e, where, "kind", "ports", "open", "rtl") == "rtl"
	case slices.Contains(keysOf[n.kind], e.key):
		return r.readServing(n, e, where+": "+e.key)
	}
	r.unknown(e, where, slices.Concat([]string{"kind", "rtl"}, keysOf[n.kind])...)
	return false
}

func (r *reader) kind(n *node, value *yaml.Node, where string, words bool) {
	var word string
	if err := r.Text(value, where+": kind", &word); err != nil {
		r.take(err)
		n.kind = ""
		return
	}
	r.ofKind(n, word, r.Place(value), where, words)
}

func (r *reader) ofKind(n *node, word, place, where string, words bool) {
	known := append([]string{}, kinds...)
	if words {
		if k := r.kinds[word]; k != nil {
			n.kind, n.ports, n.open, n.keys, n.vague, n.rtlOf = k.kind, k.ports, k.open, k.keys, n.vague || k.vague, k.rtlOf
			return
		}
		for name := range r.kinds {
			known = append(known, name)
		}
	}
	if n.kind = word; isKind(word) {
		return
	}
	if n.kind = ""; !words || !r.keys["kinds"] {
		r.add(place, fmt.Sprintf("%s has the unknown kind %s", where, word),
			input.DidYouMean(word, known, "kinds are "+strings.Join(kinds, ", ")+", and the words under kinds"))
	}
}

func (r *reader) readServing(n *node, e entry, where string) (ok bool) {
	fields, keys := strict.Fields(reflect.TypeFor[Serving]()), reflect.ValueOf(&n.keys).Elem()
	f := fields[slices.IndexFunc(fields, func(f strict.Field) bool { return f.Key == e.key })]
	if e.key == "arbiter" { // buses and crossbars have different arbiters
		use := hw.ForBuses
		if n.kind == kindCrossbar {
			use = hw.ForOutputs
		}
		f.Limits = strict.Limits{Enum: append([]string{contend.ArbiterNone}, hw.ArbitersFor(use)...)}
	}
	return r.decodeWithin(e.value, keys.FieldByIndex(f.Index).Addr().Interface(), where, f.Limits)
}

func (r *reader) readRTL(n *node, value *yaml.Node, where string) {
	rtl := new(NodeRTL)
	where += ": rtl"
	if !r.decode(value, rtl, where) {
		return
	}
	switch {
	case rtl.Map != "" && rtl.Twin != "":
		r.take(r.Refuse(value, where+" has both map and twin", "delete one"))
	case rtl.Map != "":
		r.take(r.checkMap(value, rtl.Map))
	case rtl.Twin != "":
		r.take(r.checkModel(r.Place(value), "the twin", rtl.Twin))
	}
	n.rtl, n.rtlPlace = rtl, r.Place(value)
}

func (r *reader) checkMap(value *yaml.Node, path string) error {
	at := r.beside(path)
	data, err := input.Read(at, fileBytesMax)
	if err != nil {
		return r.Refuse(value, fmt.Sprintf("%s cannot be read: %v", at, input.WithoutPath(err)),
			"give a pin map, relative to the file's folder")
	}
	const remedy = "write model: star_coupler, or another model; `starloom cosim check --help --all` shows a pin map"
	root, err := strict.Document(at, data, "pin map", remedy)
	if err != nil {
		return err
	}
	d, model := &strict.Decoder{File: at, Whole: "the pin map"}, within(root, "model")
	if model == nil || model.Kind != yaml.ScalarNode {
		return d.Refuse(root, "the pin map names no model", remedy)
	}
	return r.checkModel(d.Place(model), "the model", model.Value)
}

func (r *reader) checkModel(place, what, name string) error {
	if _, err := twin.Find(twin.All(), name); err != nil {
		var known []string
		for _, t := range twin.All() {
			known = append(known, t.Name)
		}
		return input.Mistake(place, fmt.Sprintf("%s is %s, which is unknown", what, strict.Clip(name)),
			input.DidYouMean(name, known, "write star_coupler, link, or another model listed in docs/reference/pin-maps.md"))
	}
	return nil
}
