package traffic

import (
	"math/bits"

	"starloom/fabric"
	"starloom/hw"
)

type pattern struct {
	kind   string
	n      uint32
	self   bool
	stream hw.Stream

	sides []uint32 // grid of tornado and neighbour; one dimension if empty
	group uint32   // of next_group

	to   []uint32
	hot  []uint64 // hotspots: a 32-bit draw selects the node of the first entry above the draw
	node []uint32 // destination for each entry of hot
}

func newPattern(s *Spec, processors int, seed uint64, stream hw.Stream) pattern {
	p := pattern{kind: s.Pattern, n: uint32(processors), self: s.Self, stream: stream,
		group: uint32(s.Group), sides: numbers(s.Dimensions)}
	if p.to = numbers(s.Destinations); p.kind == fabric.PatternPermutation && len(p.to) == 0 {
		p.to = make([]uint32, processors)
		fabric.FillRandom(p.to, seed)
	}
	sum := 0.0
	for _, h := range s.Hotspots {
		sum += h.Share
		p.hot, p.node = append(p.hot, share(sum)), append(p.node, uint32(h.Node))
	}
	return p
}

func numbers(of []int) []uint32 {
	all := make([]uint32, len(of))
	for i, number := range of {
		all[i] = uint32(number)
	}
	return all
}

// silent reports whether a source sends nothing, because it is its only destination and self is off.
func (p *pattern) silent(source uint32) bool {
	if p.self || p.kind == fabric.PatternNextGroup {
		return false
	}
	if p.kind == fabric.PatternUniform || p.kind == fabric.PatternHotspot {
		return p.n == 1
	}
	return p.fixed(source) == source
}

func (p *pattern) destination(source, number uint32) uint32 {
	switch p.kind {
	case fabric.PatternHotspot:
		drawn := uint64(p.stream.Draw(source, number, drawHotspot))
		for i, below := range p.hot {
			if drawn < below && (p.self || p.node[i] != source) {
				return p.node[i]
			}
		}
		return p.anywhere(source, number)
	case fabric.PatternUniform:
		return p.anywhere(source, number)
	case fabric.PatternNextGroup:
		next := (uint64(source/p.group) + 1) * uint64(p.group) % uint64(p.n)
		return uint32(next) + hw.Below(p.stream.Draw(source, number, drawDestination), p.group)
	}
	return p.fixed(source)
}

func (p *pattern) anywhere(source, number uint32) uint32 {
	drawn := p.stream.Draw(source, number, drawDestination)
	if p.self {
		return hw.Below(drawn, p.n)
	}
	to := hw.Below(drawn, p.n-1)
	if to >= source {
		to++
	}
	return to
}

func (p *pattern) fixed(source uint32) uint32 {
	n, width := p.n, bits.Len32(p.n-1)
	switch p.kind {
	case fabric.PatternTranspose:
		side := squareRoot(n)
		return source%side*side + source/side
	case fabric.PatternBitComplement:
		return n - 1 - source
	case fabric.PatternBitReverse:
		return uint32(uint64(bits.Reverse32(source)) >> (32 - width))
	case fabric.PatternShuffle:
		return (source<<1 | source>>max(width-1, 0)) & (n - 1)
	case fabric.PatternTornado:
		return p.shifted(source, func(side uint32) uint32 { return (side+1)/2 + side - 1 })
	case fabric.PatternNeighbour:
		return p.shifted(source, func(uint32) uint32 { return 1 })
	}
	return p.to[source]
}

// shifted adds a number to each coordinate of a source, modulo the side.
func (p *pattern) shifted(source uint32, by func(side uint32) uint32) (to uint32) {
	each, sides := uint32(1), p.sides
	if len(sides) == 0 {
		sides = []uint32{p.n}
	}
	for _, side := range sides {
		to += uint32((uint64(source/each%side)+uint64(by(side)))%uint64(side)) * each
		each *= side
	}
	return to
}

func squareRoot(n uint32) (root uint32) {
	for bit := uint32(1 << 15); bit > 0; bit >>= 1 {
		if next := uint64(root | bit); next*next <= uint64(n) {
			root |= bit
		}
	}
	return root
}
