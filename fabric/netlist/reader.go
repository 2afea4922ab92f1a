package netlist

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
	"starloom/traces/input/strict"
)

type reader struct {
	*strict.Decoder
	mistakes
	Drawing
	kinds map[string]*node
	seen  map[string]bool

	anynet string
	graph  *Anynet

	graphml string

	atRouters bool // a key requires packets to cross routers
}

func (r *reader) beside(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(r.File), file)
}

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

type entry struct {
	key       string
	at, value *yaml.Node
}

// object reads the keys of an object. whole reports whether all keys were readable. form is the remedy for other
// values.
func (r *reader) object(node *yaml.Node, where, form string) (entries []entry, whole bool) {
	node = strict.Target(node)
	if node.Kind != yaml.MappingNode {
		r.take(r.Wrong(node, where, form))
		return nil, false
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
	return entries, len(entries) == keys
}

func (r *reader) decode(value *yaml.Node, to any, where string) (ok bool) {
	return r.decodeWithin(value, to, where, strict.Limits{})
}

func (r *reader) decodeWithin(value *yaml.Node, to any, where string, limits strict.Limits) (ok bool) {
	ok = true
	d := *r.Decoder
	d.Note = func(_ string, err error) {
		ok = false
		r.take(err)
	}
	if err := d.Decode(value, reflect.ValueOf(to).Elem(), where, limits); err != nil {
		d.Note(where, err)
	}
	return ok
}

// unknown rejects a key. It returns the known key with the most similar name, "" for none.
func (r *reader) unknown(e entry, where string, keys ...string) (meant string) {
	if no, ok := notYet[e.key]; ok {
		r.take(r.Refuse(e.at, no.reason, no.remedy))
		return e.key
	}
	r.take(r.Refuse(e.at, fmt.Sprintf("unknown key %q in %s", e.key, where),
		input.DidYouMean(e.key, keys, "allowed: "+strings.Join(keys, ", "))))
	return input.Nearest(e.key, keys)
}

var notYet = map[string]struct{ reason, remedy string }{
	"width": {"links of different widths are not supported: all media have the same width",
		"delete width; link.phit_bits applies to all links"},
	"phit_bits": {"links of different widths are not supported: all media have the same width",
		"delete phit_bits; link.phit_bits applies to all links"},
}
