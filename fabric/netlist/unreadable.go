package netlist

import (
	"maps"
	"slices"
	"strings"
)

// unsure is what is not known of a drawing, as it cannot be read: of what depends on that, nothing is said.
type unsure struct {
	keys    map[string]bool // keys of the netlist whose values are not known
	heads   []string        // with these, names begin that are not known
	partial bool            // some node, or what some link joins, is not known
	delays  bool            // some latency is not known
}

func (u *unsure) clone() unsure {
	own := *u
	own.keys, own.heads = maps.Clone(u.keys), slices.Clone(u.heads)
	return own
}

// graphKeys are keys that give nodes and links, and what they hide if they cannot be read.
var graphKeys = map[string][]string{
	"nodes": nil, "links": nil, "kinds": nil, "anynet": {"nodes"}, "graphml": {"nodes"}, "fly": nil,
	"mesh": {"nodes"}, "torus": {"nodes"}, "ring": {"nodes"}, "tree": {"nodes"}, "hypercube": {"nodes"}, "dragonfly": {"nodes"},
}

func (u *unsure) lose(key string) {
	if u.keys == nil {
		u.keys = map[string]bool{}
	}
	u.keys[key] = true
	hides, graph := graphKeys[key]
	u.partial = u.partial || graph
	for _, other := range hides {
		u.keys[other] = true
	}
}

// loseAll notes that nothing is known for certain: a key could be any of them.
func (u *unsure) loseAll() {
	for _, key := range keysOfFile {
		u.lose(key)
	}
}

// loseNames notes that names such as p[3] are not known, nor whether there are more with the range of p[0..3].
func (u *unsure) loseNames(name string) {
	u.partial = true
	if at := strings.IndexByte(name, '['); at >= 0 {
		name = name[:at+1]
	}
	u.heads = append(u.heads, name)
}

// hides reports whether a name that is not there may be one that cannot be read.
func (u *unsure) hides(name string) bool {
	return u.keys["nodes"] || slices.ContainsFunc(u.heads, func(head string) bool { return strings.HasPrefix(name, head) })
}

// keysOfFile are the keys of a netlist in a file of its own.
var keysOfFile = []string{
	"name", "access", "words", "apart", "anynet", "graphml", "mesh", "torus", "ring", "tree", "hypercube", "dragonfly", "fly", "router", "streaming",
	"kinds", "nodes", "links", "routes",
}
