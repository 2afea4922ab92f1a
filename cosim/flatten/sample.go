package flatten

import "math/big"

const samples = 24

func (g *graph) agree(a, b *expr, bits int) bool {
	if g.slice(a, 0, bits) == g.slice(b, 0, bits) {
		return true
	}
	for i := range samples {
		if g.slice(g.sample(a, i), 0, bits) != g.slice(g.sample(b, i), 0, bits) {
			return false
		}
	}
	return true
}

func (g *graph) sample(e *expr, sample int) *expr {
	if e.op == opConst {
		return g.constant(e.width, e.value)
	}
	if g.sampled[sample] == nil {
		g.sampled[sample] = map[*expr]*expr{}
	}
	if value := g.sampled[sample][e]; value != nil {
		return value
	}
	args := make([]*expr, len(e.args))
	for i, a := range e.args {
		args[i] = g.sample(a, sample)
	}
	value := g.again(e, args, sample)
	value = g.constant(e.width, value.value)
	g.sampled[sample][e] = value
	return value
}

func (g *graph) again(e *expr, args []*expr, sample int) *expr {
	switch e.op {
	case opVar:
		return g.drawn(e.width, uint64(e.v.index), sample)
	case opFree:
		at := uint64(0)
		for _, c := range g.free[e.low].loc {
			at = at*31 + uint64(c)
		}
		return g.drawn(e.width, at, sample)
	case opWord:
		return g.drawn(e.width, uint64(e.v.index)+args[0].value.Uint64()<<20, sample)
	case opDyn: // the sampled index may be out of range
		return g.slice(g.shift(opShr, args[0], args[1]), 0, e.width)
	}
	return g.rebuild(e, args)
}

func (g *graph) drawn(width int, of uint64, sample int) *expr {
	value := new(big.Int)
	for range (width + 63) / 64 {
		of = (of + uint64(sample+1)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
		of ^= of >> 29
		value.Or(value.Lsh(value, 64), new(big.Int).SetUint64(of))
	}
	if sample%2 == 1 {
		value.And(value, big.NewInt(1<<(1+sample/2%4)-1))
	}
	return g.constant(width, value)
}
