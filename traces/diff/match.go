package diff

import (
	"math"

	"starloom/traces/vcd"
)

type matching struct {
	lenient   bool    // x and z match everything
	tolerance float64 // relative tolerance of reals
	maybe     bool    // a possibly triggered event matches both
}

var exact = matching{}

func equalPair(a, b *vcd.Sampler, p *pair, match matching) bool {
	lenient := match.lenient
	switch {
	case p.whole:
		valueA, unknownA := a.Word(p.a)
		valueB, unknownB := b.Word(p.b)
		return equalBits(valueA, unknownA, valueB, unknownB, lenient)
	case p.kind == vcd.KindBits:
		for done := uint32(0); done < p.bits; done += 64 {
			count := min(64, p.bits-done)
			valueA, unknownA := a.Bits(p.a, p.aLow+done, count)
			valueB, unknownB := b.Bits(p.b, p.bLow+done, count)
			if !equalBits(valueA, unknownA, valueB, unknownB, lenient) {
				return false
			}
		}
		return true
	case p.kind == vcd.KindEvent:
		now := max(a.At, b.At)
		return a.Triggered(p.a, now) == b.Triggered(p.b, now) || match.maybe && (a.Reader.Maybe(p.a) || b.Reader.Maybe(p.b))
	}
	valueA, valueB := a.Value(p.a, p.aLow, p.bits), b.Value(p.b, p.bLow, p.bits)
	if p.kind == vcd.KindText {
		return valueA.Text == valueB.Text
	}
	x, y := valueA.Real, valueB.Real
	if math.IsNaN(x) || math.IsNaN(y) {
		return lenient || math.IsNaN(x) && math.IsNaN(y)
	}
	return math.Float64bits(x) == math.Float64bits(y) || match.tolerance > 0 &&
		math.Abs(x-y) <= match.tolerance*max(math.Abs(x), math.Abs(y))
}

func equalBits(valueA, unknownA, valueB, unknownB uint64, lenient bool) bool {
	if lenient {
		return (valueA^valueB)&^(unknownA|unknownB) == 0
	}
	return valueA == valueB && unknownA == unknownB
}

func knownInBoth(a, b *vcd.Sampler, p *pair) bool {
	for done := uint32(0); done < p.bits; done += 64 {
		count := min(64, p.bits-done)
		_, unknownA := a.Bits(p.a, p.aLow+done, count)
		_, unknownB := b.Bits(p.b, p.bLow+done, count)
		if ^(unknownA|unknownB)&(^uint64(0)>>(64-count)) != 0 {
			return true
		}
	}
	return false
}
