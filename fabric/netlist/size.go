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

func (n *node) sized(head int) size {
	count, own := stands(n.name), head+len(n.name)
	text := times(count, own)
	for _, port := range n.ports {
		text = min(plenty, text+times(count, own+len(port)))
	}
	return size{nodes: count, ends: times(count, len(n.ports)), text: text}
}

func (l *link) sized(head int) size {
	rows, text := 1, head
	for _, end := range l.ends {
		rows, text = max(rows, stands(end)), text+len(end)
	}
	return size{ends: times(rows, len(l.ends)), text: times(rows, text)}
}

func (s *shorthand) sized(head int) size {
	keys, grown := s.value.keys(), s.value.grown()
	ports, own := grown.ports+len(keys.Ports), head+len(keys.Node)
	text := times(ports, own+len("local[255]"))
	for _, port := range keys.Ports {
		text += len(port)
	}
	return size{nodes: grown.nodes, ends: times(grown.nodes, ports), text: times(grown.nodes, text)}
}

// add adds another size and returns "". Beyond a limit, add returns the reason and a remedy instead. If a single item
// exceeds a limit, add reports only this item.
func (z *size) add(other size) (reason, remedy string) {
	for _, limit := range []struct {
		sum          *int
		more, most   int
		form, remedy string
	}{
		{&z.nodes, other.nodes, nodesMax, "%s nodes", "draw at most %d; pops, ej and bus have more"},
		{&z.ends, other.ends, endsMax, "%s ports and ends of links", "draw at most %d"},
		{&z.text, other.text, textMax, "paths of %s bytes", "use shorter names, of at most %d bytes in total"},
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
				fmt.Sprintf("give at most %d; default: shortest defines all other routes", pairsMax))
			full.lose("routes")
			return true
		}
		pairs += more
		return false
	})
	return &full
}

// rangePattern matches a range in brackets, p[0..3], and a range of ports after a colon, :0..3.
var rangePattern = regexp.MustCompile(`\[([0-9]+)\.\.([0-9]+)\]|:([0-9]+)\.\.([0-9]+)$`)

// sizes returns the lengths of the ranges in a text, in order.
func sizes(text string) (all []int) {
	for _, at := range rangePattern.FindAllStringSubmatch(text, -1) {
		low, err1 := strconv.ParseInt(at[1]+at[3], 10, 32)
		high, err2 := strconv.ParseInt(at[2]+at[4], 10, 32)
		if err1 != nil || err2 != nil || high < low {
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

func begins(a, b string) bool {
	short, long := sizes(a), sizes(b)
	if len(long) < len(short) {
		short, long = long, short
	}
	return slices.Equal(long[:len(short)], short)
}

// expand returns the names denoted by a text with ranges; the last range varies fastest.
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
		return nil, fmt.Errorf("%s is not a range: a range goes from a smaller number to a larger one, up to %d",
			strings.Trim(text[at[0]:at[1]], ":"), 1<<31-1)
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

// expanded returns a copy of a drawing with nodes and links in place of shorthands. These nodes and links precede all
// others.
func (d *Drawing) expanded(m *mistakes) *Drawing {
	full := *d
	full.unsure = d.unsure.clone()
	full.nodes = nil
	for i := range d.plans {
		s := &d.plans[i]
		// values from Go programs are unchecked
		if _, reason, remedy := strict.OutOfRange(reflect.ValueOf(s.value).Elem(), s.key, nil); reason != "" {
			m.add(s.place, reason, remedy)
			full.loseNames(cmp.Or(s.value.keys().Node, "p") + "[")
			continue
		}
		if g, is := s.value.(*Grid); is && (len(g.K) == 0 || slices.Min(g.K) < 2) { // values from Go programs are unchecked
			m.add(s.place, fmt.Sprintf("%s: k is %v, but needs one or more dimensions of 2 or more nodes each", s.key, g.K),
				"draw more nodes in a dimension")
			full.loseNames(s.node() + "[")
			continue
		}
		if name := s.value.keys().Node; name != "" && (hw.CheckPath(name) != nil || rangePattern.MatchString(name)) {
			m.add(s.place, fmt.Sprintf("%s: the node %q", s.key, name),
				"write one name of letters, digits and _, such as r for r[0], r[1], ...")
			full.lose(s.key)
			continue
		}
		if y, is := s.value.(*Dragonfly); is && y.P > 1 && !d.keys["router"] {
			m.add(s.place, fmt.Sprintf("dragonfly: p is %d, but has no meaning without routers", y.P),
				"add router: {} beside dragonfly, or delete p")
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
	d.nodes = append(d.nodes,
		node{place: s.place, name: name, kind: kindProcessor, ports: ports, open: ports, at: p.Places})
	d.planned = append(d.planned, planned{s, p})
}

// unsure records the unreadable parts of a drawing, to suppress follow-on errors.
type unsure struct {
	keys    map[string]bool // keys with unknown values
	heads   []string        // prefixes of unknown names
	partial bool            // some node or link is unknown
	delays  bool            // some latency is unknown
}

func (u *unsure) clone() unsure {
	own := *u
	own.keys, own.heads = maps.Clone(u.keys), slices.Clone(u.heads)
	return own
}

// graphKeys maps each key that draws nodes and links to the keys that cannot be checked without it.
var graphKeys = map[string][]string{
	"nodes": nil, "links": nil, "kinds": nil, "anynet": {"nodes"}, "graphml": {"nodes"},
	"fly": nil, "cmesh": nil, "fattree": nil, "flatfly": nil,
	"mesh": {"nodes"}, "torus": {"nodes"}, "ring": {"nodes"}, "tree": {"nodes"},
	"hypercube": {"nodes"}, "dragonfly": {"nodes"},
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

func (u *unsure) loseAll() {
	for _, key := range keysOfFile {
		u.lose(key)
	}
}

// loseNames marks names as unknown: for p[3], all names p[i].
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

var keysOfFile = []string{
	"name", "access", "words", "apart", "anynet", "graphml", "mesh", "torus", "ring", "tree", "hypercube", "dragonfly",
	"fly", "cmesh", "fattree", "flatfly", "router", "streaming",
	"kinds", "nodes", "links", "routes",
}
