package netlist

import (
	"fmt"
	"slices"

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
