package prove

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// classes groups outputs whose cones are equal up to the names of inputs and registers. A proof of one output is
// valid for its whole class, because inputs are free and registers start at 0.
func (g *graph) classes(outputs []int) [][]int {
	var all [][]int
	at := map[string]int{}
	for _, o := range outputs {
		key := g.coneOf([]int{o}, false).canonical()
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], o)
	}
	return all
}

// refinements is the number of colour refinements. More refinements find more equal cones.
const refinements = 12

// canonical returns a complete description of a cone with one output. Equal descriptions imply equal cones; the
// converse is true with rare exceptions.
func (c *cone) canonical() string {
	colours := c.colours()
	number := make([]uint32, c.variables()) // 0: not numbered yet
	var order []uint32
	visit := func(literal uint32) uint32 {
		v := literal / 2
		if v != 0 && number[v] == 0 {
			order = append(order, v)
			number[v] = uint32(len(order))
		}
		return 2*number[v] + literal&1
	}
	var text []byte
	put := func(n uint32) { text = binary.AppendUvarint(text, uint64(n)) }
	put(visit(c.outputs[0]))
	for i := 0; i < len(order); i++ {
		switch v := order[i]; {
		case v >= c.firstGate():
			in := c.gates[v-c.firstGate()]
			a, b := in[0], in[1]
			if cmp.Or(cmp.Compare(colours[a/2], colours[b/2]), cmp.Compare(a&1, b&1)) > 0 {
				a, b = b, a
			}
			put(2)
			put(visit(a))
			put(visit(b))
		case v >= c.firstLatch():
			put(1)
			put(visit(c.next[v-c.firstLatch()]))
		default:
			put(0)
		}
	}
	return string(text)
}

func mix(words ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		h = (h ^ w) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

func (c *cone) colours() []uint64 {
	now := make([]uint64, c.variables())
	of := func(literal uint32) uint64 { return now[literal/2]*2 + uint64(literal&1) }
	for v := range now {
		now[v] = mix(1)
	}
	for v := c.firstLatch(); v < c.firstGate(); v++ {
		now[v] = mix(2)
	}
	now[0] = mix(3)
	for range refinements {
		for i, in := range c.gates {
			pair := []uint64{of(in[0]), of(in[1])}
			slices.Sort(pair)
			now[c.firstGate()+uint32(i)] = mix(4, pair[0], pair[1])
		}
		before := slices.Clone(now[c.firstLatch():c.firstGate()])
		for i, n := range c.next {
			now[c.firstLatch()+uint32(i)] = mix(5, before[i], of(n))
		}
	}
	return now
}
