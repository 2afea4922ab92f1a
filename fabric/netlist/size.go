package netlist

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"starloom/hw"
	"starloom/traces/input/strict"
)

type size struct{ nodes, ends, text int }

// sized is what a node stands for, below a head of so many bytes.
func (n *node) sized(head int) size {
	count, own := stands(n.name), head+len(n.name)
	text := times(count, own)
	for _, port := range n.ports {
		text = min(plenty, text+times(count, own+len(port)))
	}
	return size{nodes: count, ends: times(count, len(n.ports)), text: text}
}

// sized is what a link stands for: each of its rows has a path, and each end.
func (l *link) sized(head int) size {
	rows, text := 1, head
	for _, end := range l.ends {
		rows, text = max(rows, stands(end)), text+len(end)
	}
	return size{ends: times(rows, len(l.ends)), text: times(rows, text)}
}

// sized is what a shorthand stands for: its nodes, with the names of all ports, and its links.
func (s *shorthand) sized(head int) size {
	keys, grown := s.value.keys(), s.value.grown()
	ports, own := grown.ports+len(keys.Ports), head+len(keys.Node)
	text := times(ports, own+len("local[255]"))
	for _, port := range keys.Ports {
		text += len(port)
	}
	return size{nodes: grown.nodes, ends: times(grown.nodes, ports), text: times(grown.nodes, text)}
}

// add adds what something else stands for, unless there is too much then: "" if there is not. What alone is too large is told without
// the others.
func (z *size) add(other size) (reason, remedy string) {
	for _, limit := range []struct {
		sum          *int
		more, most   int
		form, remedy string
	}{
		{&z.nodes, other.nodes, nodesMax, "%s nodes", "draw at most %d; pops, ej and bus have more"},
		{&z.ends, other.ends, endsMax, "%s ports and ends of links", "draw at most %d"},
		{&z.text, other.text, textMax, "paths of %s bytes", "take shorter names, of at most %d bytes all together"},
	} {
		count := limit.more
		if count <= limit.most {
			count += *limit.sum
		}
		if count > limit.most {
			return fmt.Sprintf(limit.form, atLeast(count)), fmt.Sprintf(limit.remedy, limit.most)
		}
	}
	z.nodes, z.ends, z.text = z.nodes+other.nodes, z.ends+other.ends, z.text+other.text
	return "", ""
}

func atLeast(n int) string {
	if n >= plenty {
		return fmt.Sprintf("more than %d", plenty)
	}
	return fmt.Sprint(n)
}

// fitting is a drawing without what is too large of it, by arithmetic: nothing is drawn yet. It has its own notes of what is not known.
func (d *Drawing) fitting(m *mistakes) *Drawing {
	full := *d
	full.unsure = d.unsure.clone()
	var all size
	head := len(d.head())
	full.plans = slices.DeleteFunc(slices.Clone(d.plans), func(s shorthand) bool {
		reason, remedy := all.add(s.sized(head))
		if reason != "" {
			m.add(s.place, s.key+": "+reason, remedy)
			full.loseNames(s.node() + "[")
		}
		return reason != ""
	})
	full.nodes = slices.DeleteFunc(slices.Clone(d.nodes), func(n node) bool {
		reason, remedy := all.add(n.sized(head))
		if reason != "" {
			m.add(n.place, fmt.Sprintf("with the node %s there are %s", strict.Clip(n.name), reason), remedy)
			full.loseNames(n.name)
		}
		return reason != ""
	})
	full.links = slices.DeleteFunc(slices.Clone(d.links), func(l link) bool {
		reason, remedy := all.add(l.sized(head))
		if reason != "" {
			m.add(l.place, "with this link there are "+reason, remedy)
			full.lose("links")
		}
		return reason != ""
	})
	pairs := 0
	full.routes.entries = slices.DeleteFunc(slices.Clone(d.routes.entries), func(e routeEntry) bool {
		more := times(stands(e.from), stands(e.to))
		if more > pairsMax-pairs {
			m.add(e.place, fmt.Sprintf("with this entry there are routes for %s pairs of nodes", atLeast(pairs+more)),
				fmt.Sprintf("give at most %d; default: shortest gives all others", pairsMax))
			full.lose("routes")
			return true
		}
		pairs += more
		return false
	})
	return &full
}

// rangePattern is a range: p[0..3], or a port 0..3 after a colon.
var rangePattern = regexp.MustCompile(`\[([0-9]+)\.\.([0-9]+)\]|:([0-9]+)\.\.([0-9]+)$`)

// sizes are how many names each range of a text stands for, the first one first.
func sizes(text string) (all []int) {
	for _, at := range rangePattern.FindAllStringSubmatch(text, -1) {
		low, err1 := strconv.ParseInt(at[1]+at[3], 10, 32)
		high, err2 := strconv.ParseInt(at[2]+at[4], 10, 32)
		if err1 != nil || err2 != nil || high < low { // no range
			low = high
		}
		all = append(all, int(high-low+1))
	}
	return all
}

func stands(text string) int {
	count := 1
	if strings.Contains(text, "..") {
		for _, n := range sizes(text) {
			count = times(count, max(1, n))
		}
	}
	return count
}

// begins reports whether the ranges of one of two texts are the first ones of the other.
func begins(a, b string) bool {
	short, long := sizes(a), sizes(b)
	if len(long) < len(short) {
		short, long = long, short
	}
	return slices.Equal(long[:len(short)], short)
}

// expand returns the names that a text with ranges stands for, row by row: the last range runs first.
func expand(text string) (names []string, err error) {
	at := rangePattern.FindStringSubmatchIndex(text)
	if at == nil {
		return []string{text}, nil
	}
	before, open, closed := text[:at[0]], "[", "]"
	first, last := 2, 4
	if at[2] < 0 {
		first, last, open, closed = 6, 8, ":", ""
	}
	low, err1 := strconv.ParseUint(text[at[first]:at[first+1]], 10, 31)
	high, err2 := strconv.ParseUint(text[at[last]:at[last+1]], 10, 31)
	if err1 != nil || err2 != nil || high < low {
		return nil, fmt.Errorf("%s is no range: it goes from a smaller number to a larger one, at most %d", strings.Trim(text[at[0]:at[1]], ":"), 1<<31-1)
	}
	rest, err := expand(text[at[1]:])
	if err != nil {
		return nil, err
	}
	if (high-low+1)*uint64(len(rest)) > nodesMax {
		return nil, fmt.Errorf("%s stands for more than %d names", text, nodesMax)
	}
	for i := low; i <= high; i++ {
		for _, tail := range rest {
			names = append(names, fmt.Sprintf("%s%s%d%s%s", before, open, i, closed, tail))
		}
	}
	return names, nil
}

// expanded is a drawing without shorthands: their nodes and links stand before those of the drawing. It has its own
// notes of what is not known.
func (d *Drawing) expanded(m *mistakes) *Drawing {
	full := *d
	full.unsure = d.unsure.clone()
	full.nodes = nil
	for i := range d.plans {
		s := &d.plans[i]
		if _, reason, remedy := strict.OutOfRange(reflect.ValueOf(s.value).Elem(), s.key, nil); reason != "" { // of a program
			m.add(s.place, reason, remedy)
			full.loseNames(cmp.Or(s.value.keys().Node, "p") + "[")
			continue
		}
		if g, is := s.value.(*Grid); is && (len(g.K) == 0 || slices.Min(g.K) < 2) { // of a program, too
			m.add(s.place, fmt.Sprintf("%s: k: %v: there are one dimension or more, of 2 nodes or more each", s.key, g.K), "draw one with more nodes in a dimension")
			full.loseNames(s.node() + "[")
			continue
		}
		if name := s.value.keys().Node; name != "" && (hw.CheckPath(name) != nil || rangePattern.MatchString(name)) {
			m.add(s.place, fmt.Sprintf("%s: the node %q", s.key, name), "write one name of letters, digits and _, such as r for r[0], r[1], ...")
			full.lose(s.key)
			continue
		}
		if y, is := s.value.(*Dragonfly); is && y.P > 1 && !d.keys["router"] {
			m.add(s.place, fmt.Sprintf("dragonfly: p is %d, and there are no routers that have processors", y.P), "add router: {} beside dragonfly, or delete p")
			full.loseNames(cmp.Or(y.Node, "p") + "[")
			continue
		}
		s.expand(&full, s.plan())
	}
	full.nodes = append(full.nodes, d.nodes...)
	return &full
}

func (s *shorthand) expand(d *Drawing, p *Plan) {
	ports := slices.Concat(p.Ports, s.value.keys().Ports)
	name := fmt.Sprintf("%s[0..%d]", s.node(), p.Nodes-1)
	d.nodes = append(d.nodes, node{place: s.place, name: name, kind: kindProcessor, ports: ports, open: ports, at: p.Places})
	d.planned = append(d.planned, planned{s, p})
}

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

func (u *unsure) hides(name string) bool {
	return u.keys["nodes"] || slices.ContainsFunc(u.heads, func(head string) bool { return strings.HasPrefix(name, head) })
}

// keysOfFile are the keys of a netlist in a file of its own.
var keysOfFile = []string{
	"name", "access", "words", "apart", "anynet", "graphml", "mesh", "torus", "ring", "tree", "hypercube", "dragonfly", "fly", "router", "streaming",
	"kinds", "nodes", "links", "routes",
}
