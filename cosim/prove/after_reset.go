package prove

// A begun graph is a graph without its first cycle. In the first cycle of the whole graph, a miter has reset on,
// which sets most registers to known values. In the begun graph, relations between the registers of both sides can
// therefore hold from the first cycle on. The remaining registers start with free values. A property of the begun
// graph also holds in the whole graph; a counterexample must be checked in the whole graph.
type begun struct {
	graph
	to     []uint32
	freeOf []int // by latch of the whole graph: input that carries the latch's initial value; -1 if the value is known
}

type ternary struct{ zero, one bool }

func (t ternary) inverted(literal uint32) ternary {
	if literal&1 != 0 {
		return ternary{t.one, t.zero}
	}
	return t
}

func (g *graph) afterFirst(on int) (values []ternary) {
	values = make([]ternary, g.variables())
	values[0].zero = true
	values[1+on].one = true
	for v := g.firstLatch(); v < g.firstGate(); v++ {
		values[v].zero = true
	}
	of := func(literal uint32) ternary { return values[literal/2].inverted(literal) }
	for i, in := range g.gates {
		a, b := of(in[0]), of(in[1])
		values[g.firstGate()+uint32(i)] = ternary{a.zero || b.zero, a.one && b.one}
	}
	return values
}

// begin returns the graph from the second cycle on, or nil if an output may be 1 in the first cycle.
func (g *graph) begin(on int, outputs []int) *begun {
	first := g.afterFirst(on)
	of := func(literal uint32) ternary { return first[literal/2].inverted(literal) }
	for _, o := range outputs {
		if !of(g.outputs[o]).zero {
			return nil
		}
	}
	b := &begun{to: make([]uint32, g.variables()), freeOf: make([]int, len(g.next))}
	b.inputs = g.inputs
	for i, n := range g.next {
		b.freeOf[i] = -1
		if left := of(n); !left.zero && !left.one {
			b.freeOf[i] = b.inputs
			b.inputs++
		}
	}
	b.next = make([]uint32, len(g.next)+1) // the last latch is 0 in the first cycle of this graph
	last := len(g.next)
	b.next[last] = 1
	later := 2 * (b.firstLatch() + uint32(last))
	for v := 1; v <= g.inputs; v++ {
		b.to[v] = 2 * uint32(v)
	}
	b.to[1+on] = 1
	for i, n := range g.next {
		latch := 2 * (b.firstLatch() + uint32(i))
		if free := b.freeOf[i]; free >= 0 {
			latch = b.or([]uint32{b.and(later, latch), b.and(later^1, 2*uint32(1+free))})
		} else if of(n).one {
			latch ^= 1
		}
		b.to[g.firstLatch()+uint32(i)] = latch
	}
	for i, in := range g.gates {
		b.to[g.firstGate()+uint32(i)] = b.and(b.literal(in[0]), b.literal(in[1]))
	}
	for i, n := range g.next {
		b.next[i] = b.literal(n)
		if b.freeOf[i] < 0 && of(n).one {
			b.next[i] ^= 1
		}
	}
	for _, o := range g.outputs {
		b.outputs = append(b.outputs, b.literal(o))
	}
	return b
}

func (b *begun) literal(of uint32) uint32 { return b.to[of/2] ^ of&1 }

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}
