package prove

import (
	"cmp"
	"slices"
	"strings"
)

// A view is a bit that a twin computes for proofs, such as a bit of the third word from the head of a FIFO. RTL in a
// different style may keep this bit in a register. A view is valid in cycles in which counts is 1.
type view struct {
	value, counts uint32 // literals of the miter
}

// A relation states that a register equals a view, or the inverse of the view, in all cycles in which the view is
// valid. A relation is first observed in simulation with random inputs. Then an engine proves the relation together
// with the outputs.
type relation struct {
	latch    int
	view     view
	inverted bool
}

func (m *miter) readViews() (views []view) {
	for _, name := range sortedKeys(m.signals.outputs) {
		wire, bit, _ := strings.Cut(name, "[")
		if !strings.HasSuffix(wire, "."+viewsName) {
			continue
		}
		v := view{m.graph.outputs[m.signals.outputs[name]], 1}
		// a view without this output always counts
		if counts, ok := m.signals.outputs[strings.TrimSuffix(wire, viewsName)+countsName+"["+bit]; ok {
			v.counts = m.graph.outputs[counts]
		}
		views = append(views, v)
	}
	return views
}

// A miner finds relations during simulation of the miter.
type miner struct {
	views []view
	left  [][]relation // by view: relations not refuted yet; nil until the view is valid
	seen  []ternary    // by view: values of the view in cycles in which it was valid
}

func (m *miter) miner() *miner {
	views := m.readViews()
	return &miner{views: views, left: make([][]relation, len(views)), seen: make([]ternary, len(views))}
}

func (n *miner) see(s *simulation) {
	for i, v := range n.views {
		counts, value := s.of(v.counts), s.of(v.value)
		if counts == 0 {
			continue
		}
		n.seen[i].zero = n.seen[i].zero || counts&^value != 0
		n.seen[i].one = n.seen[i].one || counts&value != 0
		differs := func(r relation) bool { return (s.latch[r.latch]^value^-uint64(bit(r.inverted)))&counts != 0 }
		if n.left[i] != nil {
			n.left[i] = slices.DeleteFunc(n.left[i], differs)
			continue
		}
		n.left[i] = []relation{}
		for latch := range s.next {
			for _, r := range []relation{{latch, v, false}, {latch, v, true}} {
				if !differs(r) {
					n.left[i] = append(n.left[i], r)
				}
			}
		}
	}
}

const relationsMost = 20_000

func (n *miner) relations() (all []relation) {
	for i := range n.views {
		if n.seen[i].zero && n.seen[i].one {
			all = append(all, n.left[i]...)
		}
	}
	slices.SortStableFunc(all, func(a, b relation) int { return cmp.Compare(a.latch, b.latch) })
	return all[:min(len(all), relationsMost)]
}

func (m *miter) problem(relations []relation) *problem {
	p := &problem{whole: m.graph, files: "cone", on: m.on, powerOn: m.signals.powerOnOf, groups: m.groups()}
	b := m.graph.begin(m.on, m.bad)
	if b == nil {
		return p
	}
	p.begun = b
	for _, lemma := range m.lemmas {
		p.hint(b.outputs[lemma], -1)
	}
	comparable := b.outputs[m.comparable]
	for _, r := range relations {
		value, counts := b.literal(r.view.value), b.literal(r.view.counts)
		latch := b.to[m.graph.firstLatch()+uint32(r.latch)] ^ uint32(bit(r.inverted))
		differs := b.or([]uint32{b.and(latch, value^1), b.and(latch^1, value)})
		p.hint(b.and(comparable, b.and(counts, differs)), r.latch)
	}
	return p
}

func (p *problem) hint(literal uint32, latch int) {
	if literal > 1 {
		p.hints = append(p.hints, hint{len(p.begun.outputs), latch})
		p.begun.outputs = append(p.begun.outputs, literal)
	}
}
