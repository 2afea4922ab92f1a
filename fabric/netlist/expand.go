package netlist

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"starloom/hw"
	"starloom/traces/input/strict"
)

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
