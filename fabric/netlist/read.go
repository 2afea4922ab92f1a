package netlist

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/internal/strict"
	"starloom/traces/input"
)

// fileBytesMax is the largest netlist.
const fileBytesMax = 256 << 20

// reader reads a drawing, and goes on after a mistake.
type reader struct {
	*strict.Decoder
	mistakes
	Drawing
	kinds map[string]*node // by their word
	seen  map[string]bool  // keys of the netlist
}

// ReadYAML implements strict.Reader. Errors are *Mistakes.
func (n *Network) ReadYAML(d *strict.Decoder, root *yaml.Node, path string) error {
	r := &reader{Decoder: d}
	file := r.read(root, path, true)
	if len(r.list) == 0 && file != "" {
		from := file
		if !filepath.IsAbs(file) {
			from = filepath.Join(filepath.Dir(d.File), file)
		}
		own, err := readFile(from, d.Place(root))
		if err != nil {
			return err
		}
		own.Drawing.name, r.name = cmp.Or(r.name, own.name), ""
		r = own
	}
	n.fill(&r.Drawing)
	n.File = file
	return n.draw(r)
}

// draw takes what was read.
func (n *Network) draw(r *reader) (err error) {
	if err := r.err(); err != nil {
		return err
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
	err = n.draw(r)
	return n, err
}

// readFile reads the drawing of a file; place is where it is named.
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
	if inside := within(root, "fabric", "netlist"); inside != nil {
		root = inside
	}
	r.read(root, "", false)
	return r, r.err()
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

// object reads the keys of an object, nil if it is none.
func (r *reader) object(node *yaml.Node, where string) (entries []entry) {
	node = strict.Target(node)
	if node.Kind != yaml.MappingNode {
		r.take(r.Wrong(node, where, "an object: {...}"))
		return nil
	}
	seen := map[string]string{}
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
	r.take(r.Refuse(e.at, fmt.Sprintf("unknown key %q in %s", e.key, where), input.DidYouMean(e.key, keys, "allowed are "+strings.Join(keys, ", "))))
}

// read reads all keys; a file is named only where that is allowed.
func (r *reader) read(root *yaml.Node, path string, files bool) (file string) {
	whole := path
	if whole == "" {
		whole = r.Whole
	}
	r.seen = map[string]bool{}
	var later []func()
	for _, e := range r.object(root, whole) {
		where := strict.Join(path, e.key)
		if r.Places != nil {
			r.Places[where] = r.Place(e.value)
		}
		r.seen[e.key] = true
		switch e.key {
		case "name":
			r.take(r.Text(e.value, where, &r.name))
		case "file":
			if !files {
				r.unknown(e, whole, keysOfFile...)
				continue
			}
			r.take(r.Text(e.value, where, &file))
		case "access":
			word, err := r.Word(e.value, where, "all", "one")
			r.take(err)
			r.onePort = word == 1
		case "words":
			r.readWords(e.value, where)
		case "apart":
			r.take(r.Bool(e.value, where, &r.apart))
		case "kinds":
			r.readKinds(e.value, where)
		case "nodes": // which may name kinds that come later
			later = append(later, func() { r.readNodes(e.value, where) })
		case "links":
			later = append(later, func() { r.readLinks(e.value, where) })
		default:
			r.unknown(e, whole, append([]string{"file"}, keysOfFile...)...)
		}
	}
	for _, read := range later {
		read()
	}
	if file != "" {
		for _, key := range keysOfFile[1:] {
			if r.seen[key] {
				r.add(r.Place(root), fmt.Sprintf("%s has both file and %s", whole, key), "write all keys into the file, or none")
			}
		}
		return file
	}
	if !r.seen["nodes"] {
		r.add(r.Place(root), fmt.Sprintf("%s has no nodes", whole), `write nodes: {"p[0..3]": {kind: processor}} and links: [{endpoints: [...]}]`)
	}
	return file
}

// keysOfFile are the keys of a netlist in a file of its own.
var keysOfFile = []string{"name", "access", "words", "apart", "kinds", "nodes", "links"}

// readWords reads what firmware is told.
func (r *reader) readWords(node *yaml.Node, where string) {
	r.words = []uint32{}
	r.take(r.List(node, where, func(entry *yaml.Node, where string) error {
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
	for _, e := range r.object(root, where) {
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

// readNodes reads the nodes: an object, or a list of nodes with names, whose order no tool changes.
func (r *reader) readNodes(root *yaml.Node, where string) {
	if root.Kind == yaml.SequenceNode {
		for i, value := range root.Content {
			at := fmt.Sprintf("%s[%d]", where, i)
			n := node{place: r.Place(value)}
			for _, e := range r.object(value, at) {
				if e.key == "name" {
					r.take(r.Text(e.value, at+".name", &n.name))
				}
			}
			if n.name == "" && strict.Target(value).Kind == yaml.MappingNode {
				r.add(n.place, at+" has no name", "add name: p[0..3]")
			}
			if n.name == "" {
				continue
			}
			r.readNode(&n, strict.Target(value), at, true)
			r.nodes = append(r.nodes, n)
		}
		return
	}
	for _, e := range r.object(root, where) {
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
	entries := r.object(value, where)
	for _, e := range entries {
		if e.key == "kind" {
			r.kind(n, e.value, where, words)
		}
	}
	if n.kind == "" {
		r.add(r.Place(value), where+" has no kind", "add kind: "+strings.Join(kinds, " or "))
		return
	}
	for _, e := range entries {
		switch {
		case e.key == "kind", e.key == "name" && n.name != "" && strings.HasSuffix(where, "]"): // of a list
		case e.key == "ports" && n.kind == kindProcessor:
			n.ports = nil
			r.take(r.Texts(e.value, where+": ports", &n.ports))
		case n.kind == kindProcessor:
			r.unknown(e, where, "kind", "ports")
		default:
			r.unknown(e, where, "kind")
		}
	}
}

// kind reads the kind of a node, or of a kind.
func (r *reader) kind(n *node, value *yaml.Node, where string, words bool) {
	var word string
	if err := r.Text(value, where+": kind", &word); err != nil {
		r.take(err)
		return
	}
	known := append([]string{}, kinds...)
	if words {
		if k := r.kinds[word]; k != nil {
			n.kind, n.ports = k.kind, k.ports
			return
		}
		for name := range r.kinds {
			known = append(known, name)
		}
	}
	if !isKind(word) {
		r.take(r.Refuse(value, fmt.Sprintf("%s is of the kind %s, which there is not", where, word),
			input.DidYouMean(word, known, "kinds are "+strings.Join(kinds, ", ")+", and the words under kinds")))
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
	for _, e := range r.object(value, where) {
		at := where + "." + e.key
		switch e.key {
		case "endpoints":
			given = true
			r.readEnds(&l, e.value, at)
		case "oneway":
			r.take(r.Bool(e.value, at, &l.oneway))
		case "duplex":
			word, err := r.Word(e.value, at, "full", "half")
			r.take(err)
			l.half = word == 1
		case "latency":
			number, err := r.Integer(e.value, at, strict.Span{Max: latencyMax})
			r.take(err)
			l.latency = int(number.Magnitude)
		default:
			r.unknown(e, where, "endpoints", "oneway", "duplex", "latency")
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
		if err := r.Text(entry, where, &text); err != nil {
			return err
		}
		l.ends, l.places = append(l.ends, text), append(l.places, r.Place(entry))
		return nil
	}))
}
