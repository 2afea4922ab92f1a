package hw

import (
	"cmp"
	"slices"
)

const (
	// Wavefront matches requests in the order of out-priority, in-priority and diagonal, from a first diagonal on. The
	// first diagonal moves by one in each call with requests.
	Wavefront RouterAllocator = 4
	// RRWavefront is Wavefront whose first diagonal moves to the diagonal after that of the first match.
	RRWavefront RouterAllocator = 5
)

func init() {
	registerAllocator(Wavefront, AllocatorSpec{Name: "wavefront",
		New: func(s *allocatorShape) allocation { return newWavefront(s, false) }})
	registerAllocator(RRWavefront, AllocatorSpec{Name: "rr_wavefront",
		New: func(s *allocatorShape) allocation { return newWavefront(s, true) }})
}

type wavefront struct {
	name   string
	behind bool
	first  []uint32 // by router: first diagonal
}

func newWavefront(s *allocatorShape, behind bool) *wavefront {
	return &wavefront{s.name, behind, make([]uint32, len(s.ins))}
}

func (a *wavefront) registers() []Register { return []Register{Column(a.name+"_diagonal", a.first)} }

func (a *wavefront) match(m *matching) {
	m.matches, m.order = m.matches[:0], m.order[:0]
	if len(m.requests) == 0 {
		return
	}
	side := max(m.ins, m.outs)
	first := int(a.first[m.router])
	diagonal := func(q *request) int { return (int(q.in) + int(q.out) - first + side) % side }
	for k := range m.requests {
		q := &m.requests[k]
		m.toOut[q.in], m.fromIn[q.out] = -1, -1
		m.order = append(m.order, int32(k))
	}
	slices.SortFunc(m.order, func(i, j int32) int {
		a, b := &m.requests[i], &m.requests[j]
		return cmp.Or(cmp.Compare(b.outPriority, a.outPriority), cmp.Compare(b.inPriority, a.inPriority),
			cmp.Compare(diagonal(a), diagonal(b)), cmp.Compare(a.out, b.out))
	})
	for _, k := range m.order {
		if q := &m.requests[k]; m.toOut[q.in] < 0 && m.fromIn[q.out] < 0 {
			m.toOut[q.in], m.fromIn[q.out] = k, k
			m.matches = append(m.matches, k)
		}
	}
	if q := &m.requests[m.matches[0]]; a.behind {
		first = int(q.in) + int(q.out)
	}
	a.first[m.router] = uint32((first + 1) % side)
}
