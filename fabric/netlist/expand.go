package netlist

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"starloom/hw"
	"starloom/internal/strict"
)

// expanded is a drawing without shorthands: their nodes and links stand before those of the drawing. It has its own
// notes of what is not known.
func (d *Drawing) expanded(m *mistakes) *Drawing {
	full := *d
	full.unsure = d.unsure.clone()
	if len(d.plans) == 0 {
		return &full
	}
	full.nodes, full.links = nil, nil
	for i := range d.plans {
		s := &d.plans[i]
		if _, reason, remedy := strict.OutOfRange(reflect.ValueOf(s.value).Elem(), s.key, nil); reason != "" { // of a program
			m.add(s.place, reason, remedy)
			full.loseNames(cmp.Or(s.value.keys().Node, "p") + "[")
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
		p, err := s.plan()
		if err != nil {
			m.add(s.place, s.key+": "+err.Error(), "draw a smaller one, or one with more nodes in a dimension")
			full.loseNames(cmp.Or(s.value.keys().Node, "p") + "[")
			continue
		}
		s.expand(&full, p)
	}
	full.nodes, full.links = append(full.nodes, d.nodes...), append(full.links, d.links...)
	return &full
}

// expand adds the nodes and links of a shorthand to a drawing.
func (s *shorthand) expand(d *Drawing, p *Plan) {
	keys := s.value.keys()
	name, latency := cmp.Or(keys.Node, "p"), Usual
	if keys.Latency != nil {
		latency = *keys.Latency
	}
	d.nodes = append(d.nodes, node{place: s.place, name: fmt.Sprintf("%s[0..%d]", name, p.Nodes-1), kind: kindProcessor,
		ports: slices.Concat(p.Ports, keys.Ports), open: slices.Concat(p.Ports, keys.Ports), at: p.Places})
	for _, l := range p.Links {
		latency := latency
		if l.Latency != nil {
			latency = *l.Latency
		}
		ends := []string{fmt.Sprintf("%s[%d]:%s", name, l.From, p.Ports[l.FromPort]), fmt.Sprintf("%s[%d]:%s", name, l.To, p.Ports[l.ToPort])}
		d.links = append(d.links, link{place: s.place, ends: ends, places: []string{s.place, s.place},
			latency: latency, half: keys.Duplex == "half", round: l.Round, credits: keys.Credits})
	}
}
