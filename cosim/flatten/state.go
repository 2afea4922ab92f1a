package flatten

import (
	"slices"
	"sort"
)

// A key selects the current value of a variable, or its later value by nonblocking assignments.
type key struct {
	v     *variable
	later bool
}

func (v *value) at(bit int) int {
	return sort.Search(len(v.parts), func(i int) bool { return v.parts[i].end() > bit })
}

func (v *value) cut(g *graph, bit int) {
	i := v.at(bit)
	if i == len(v.parts) || v.parts[i].low == bit {
		return
	}
	p := v.parts[i]
	low, high := p, p
	low.width = bit - p.low
	high.low, high.width = bit, p.end()-bit
	low.e, high.e = g.slice(p.e, 0, low.width), g.slice(p.e, low.width, high.width)
	v.parts[i] = low
	v.parts = slices.Insert(v.parts, i+1, high)
}

func (v *value) set(g *graph, low int, e *expr) {
	v.cut(g, low)
	v.cut(g, low+e.width)
	from, end := v.at(low), v.at(low+e.width)
	fresh := part{low, e.width, e, true}
	if end == from+1 {
		v.parts[from] = fresh
		return
	}
	v.parts = slices.Replace(v.parts, from, end, fresh)
}

func (v *value) get(g *graph, low, width int) *expr {
	var parts []*expr
	for i := v.at(low); i < len(v.parts) && v.parts[i].low < low+width; i++ {
		p := v.parts[i]
		from, end := max(low, p.low), min(low+width, p.end())
		parts = append(parts, g.slice(p.e, from-p.low, end-from))
	}
	slices.Reverse(parts)
	return g.concat(parts...)
}

type state struct {
	above *state
	own   map[key]*value
	order []key
}

func newState(above *state) *state { return &state{above: above, own: map[key]*value{}} }

func (s *state) find(k key) *value {
	for ; s != nil; s = s.above {
		if v, ok := s.own[k]; ok {
			return v
		}
	}
	return nil
}

func (s *state) open(k key, entry func(key) *value) *value {
	if v, ok := s.own[k]; ok {
		return v
	}
	fresh := &value{}
	if old := s.find(k); old != nil {
		fresh.parts = slices.Clone(old.parts)
	} else {
		fresh.parts = entry(k).parts
	}
	s.put(k, fresh)
	return fresh
}

func (s *state) put(k key, v *value) {
	if _, ok := s.own[k]; !ok {
		s.order = append(s.order, k)
	}
	s.own[k] = v
}

func touched(base *state, states ...*state) (keys []key) {
	seen := map[key]bool{}
	for _, s := range states {
		var levels []*state
		for ; s != base && s != nil; s = s.above {
			levels = append(levels, s)
		}
		for _, level := range slices.Backward(levels) {
			for _, k := range level.order {
				if !seen[k] {
					seen[k] = true
					keys = append(keys, k)
				}
			}
		}
	}
	return keys
}

func choose(g *graph, c *expr, a, b *value) *value {
	merged := &value{}
	for i, j := 0, 0; i < len(a.parts) && j < len(b.parts); {
		p, q := a.parts[i], b.parts[j]
		low, end := max(p.low, q.low), min(p.end(), q.end())
		merged.parts = append(merged.parts, part{
			low, end - low,
			g.mux(c, g.slice(p.e, low-p.low, end-low), g.slice(q.e, low-q.low, end-low)),
			p.written || q.written,
		})
		if p.end() == end {
			i++
		}
		if q.end() == end {
			j++
		}
	}
	return merged
}
