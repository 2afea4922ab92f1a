package pops

import (
	"fmt"
	"math/bits"

	"starloom/hw"
)

// Edge colouring of bipartite multigraphs: the routes of off-line permutation
// routing (A. Mei and R. Rizzi, "On-Line Permutation Routing in Partitioned
// Optical Passive Star Networks", section I, where it is taken from their
// earlier paper on permutation routing, reference [13]).
//
// A packet is an edge from its source group to its destination group, and its
// colour is the pair (batch, intermediate group). Edges of one colour share
// neither end, so packets of one colour share no coupler.
//
// The colouring is R. Cole's and J. Hopcroft's: a graph of even degree falls
// into two halves by an Euler split; from one of odd degree a perfect matching
// is taken first (A. Goel, M. Kapralov, S. Khanna, "Perfect matchings in
// O(n log n) time in regular bipartite graphs"). Only one half is coloured this
// way: classes of it then fill up the other half to a power of two, which needs
// splits alone.

// noIndex marks an empty entry in the columns of this file.
const noIndex = 1<<32 - 1

// edge is one edge of a regular graph; it starts at position div D, since edges are sorted by their first end.
type edge struct {
	to uint32 // group of the second end
	id uint32 // the caller's number of the edge, noIndex for padding
}

// colourer sorts the edges of a regular bipartite multigraph into perfect matchings, in place.
type colourer struct {
	groups  int
	edges   []edge
	scratch []edge
	mate    []uint32 // Euler split: the other edge of a pair at the second end
	swap    []uint8  // Euler split: per pair at the first end, which of the two goes to the first half
	open    []uint32 // per second end: an edge without a mate
	owner   []uint32 // matching: per second end, the first end it is matched with
	chosen  []uint32 // matching: per first end, the edge by which the walk left it last
	matched []uint32 // matching: per first end, its edge
	draws   uint64
}

func newColourer(groups, edges int) *colourer {
	return &colourer{
		groups:  groups,
		edges:   make([]edge, edges),
		scratch: make([]edge, edges),
		mate:    make([]uint32, edges),
		swap:    make([]uint8, edges/2),
		open:    make([]uint32, groups),
		owner:   make([]uint32, groups),
		chosen:  make([]uint32, groups),
		matched: make([]uint32, groups),
	}
}

// colour sorts the degree*groups edges from lo on into classes of one edge per
// group, each sorted by its first end. Cost: O(edges log degree) plus the
// matchings' O(groups log groups log degree).
func (c *colourer) colour(lo, degree int) {
	if degree&1 == 1 && degree > 1 {
		c.match(lo, degree)
		lo += c.groups
		degree--
	}
	if degree <= 1 {
		return
	}
	c.split(lo, degree)
	half := degree / 2
	mid := lo + half*c.groups
	c.colour(lo, half)
	// The last classes of the first half join the second: its degree is a power of two and needs no matching.
	power := 1 << bits.Len(uint(half-1))
	extra := power - half
	lo = mid - extra*c.groups
	if extra > 0 {
		c.merge(lo, extra, half)
	}
	c.colour(lo, power)
}

// split makes two graphs of half the degree from a graph of even degree, one
// after the other.
//
// Pair the edges at each first end (neighbours in the order) and at each second
// end. The pairs link all edges to cycles of even length, so the edges of a
// cycle can go alternately to the one half and to the other, and both halves get
// exactly one edge of each pair.
func (c *colourer) split(lo, degree int) {
	n := degree * c.groups
	pairs := n / 2
	edges := c.edges[lo : lo+n]
	mate, swap, open := c.mate[:n], c.swap[:pairs], c.open
	for i := range open {
		open[i] = noIndex
	}
	for i := range edges {
		to := edges[i].to
		if other := open[to]; other != noIndex {
			mate[i], mate[other] = other, uint32(i)
			open[to] = noIndex
		} else {
			open[to] = uint32(i)
		}
	}
	const unset = 2
	for j := range swap {
		swap[j] = unset
	}
	for j := range swap {
		at := uint32(2 * j)
		for swap[at>>1] == unset {
			swap[at>>1] = uint8(at & 1)
			at = mate[at^1]
		}
	}
	first, second := c.scratch[:pairs], c.scratch[pairs:n]
	for j := range swap {
		s := int(swap[j])
		first[j] = edges[2*j+s]
		second[j] = edges[2*j+1-s]
	}
	copy(edges, c.scratch[:n])
}

// match moves a perfect matching of a regular graph before the other edges.
//
// From every unmatched first end a walk leaves by an edge drawn at random, and
// goes on from where the second end is matched, until it finds a free one; the
// loops taken out, its path augments the matching. A walk over all groups takes
// O(groups log groups) steps in the mean, whatever the graph. The draws are a
// fixed sequence, so the matching is a function of the graph.
func (c *colourer) match(lo, degree int) {
	g := c.groups
	edges := c.edges[lo : lo+degree*g]
	owner, chosen, matched := c.owner, c.chosen, c.matched
	for i := range owner {
		owner[i], matched[i] = noIndex, noIndex
	}
	for start := range uint32(g) {
		for u := start; u != noIndex; u = owner[edges[chosen[u]].to] {
			at := c.draw(u, degree)
			for at == matched[u] {
				at = c.draw(u, degree)
			}
			chosen[u] = at
		}
		for u := start; u != noIndex; {
			matched[u] = chosen[u]
			to := edges[chosen[u]].to
			u, owner[to] = owner[to], u
		}
	}
	class, rest := c.scratch[:g], c.scratch[g:g]
	for u := range class {
		at := int(matched[u])
		class[u] = edges[at]
		rest = append(rest, edges[u*degree:at]...)
		rest = append(rest, edges[at+1:(u+1)*degree]...)
	}
	copy(edges, c.scratch[:degree*g])
}

// draw returns the position of one of a first end's edges.
func (c *colourer) draw(u uint32, degree int) uint32 {
	c.draws++
	return u*uint32(degree) + hw.Below(uint32(hw.Mix64(c.draws)>>32), uint32(degree))
}

// merge makes one sorted graph of classes matchings from lo on and the graph of the given degree after them.
func (c *colourer) merge(lo, classes, degree int) {
	g := c.groups
	n := (classes + degree) * g
	edges := c.edges[lo : lo+n]
	graph := edges[classes*g:]
	out := c.scratch[:0]
	for u := range g {
		for class := range classes {
			out = append(out, edges[class*g+u])
		}
		out = append(out, graph[u*degree:(u+1)*degree]...)
	}
	copy(edges, out)
}

// equaliseColours changes a proper colouring so that each of the colours is used
// by the same number of edges, which must be a multiple of colours. The arguments
// are the ends of each edge, in 0..groups-1 on both sides, and its colour.
//
// While one class is too large and another one too small, paths whose edges
// belong alternately to the two are flipped, where the path has one edge more of
// the large class: it starts at an end that has an edge of the large class and
// none of the small one. An empty class is filled without looking for paths, so
// that the cost for a colouring with few colours is O(edges + groups + size^2)
// when each of its classes covers all groups.
func equaliseColours(from, to, colour []uint32, groups, colours int) error {
	if len(colour)%colours != 0 {
		return fmt.Errorf("%d edges cannot have %d colours equally often", len(colour), colours)
	}
	size := len(colour) / colours
	class := classesOf(colour, colours)
	f := newFlipper(from, to, colour, groups)
	large, small := 0, 0
	for {
		for large < colours && len(class[large]) <= size {
			large++
		}
		for small < colours && len(class[small]) >= size {
			small++
		}
		if large == colours {
			return nil
		}
		a, b := class[large], class[small]
		moves := min(len(a)-size, size-len(b))
		if len(b) == 0 {
			keep := len(a) - moves
			class[large], class[small] = a[:keep:keep], a[keep:]
			for _, e := range class[small] {
				colour[e] = uint32(small)
			}
			continue
		}
		f.flip(a, b, uint32(large), uint32(small), moves)
		class[large], class[small] = f.relist(a, b, uint32(large))
	}
}

// classesOf lists the edges of each colour, in ascending order.
func classesOf(colour []uint32, colours int) [][]uint32 {
	first := make([]int, colours+1)
	for _, c := range colour {
		first[c+1]++
	}
	for c := range colours {
		first[c+1] += first[c]
	}
	list := make([]uint32, len(colour))
	class := make([][]uint32, colours)
	for c := range class {
		class[c] = list[first[c]:first[c]:first[c+1]]
	}
	for e, c := range colour {
		class[c] = append(class[c], uint32(e))
	}
	return class
}

type flipper struct {
	from, to, colour []uint32
	largeAt          []uint32 // per first end: its edge of the large class
	smallAt          []uint32 // per first end: its edge of the small class
	smallTo          []uint32 // per second end: its edge of the small class
	path             []uint32
}

func newFlipper(from, to, colour []uint32, groups int) *flipper {
	f := &flipper{
		from: from, to: to, colour: colour,
		largeAt: make([]uint32, groups), smallAt: make([]uint32, groups), smallTo: make([]uint32, groups),
	}
	for v := range groups {
		f.largeAt[v], f.smallAt[v], f.smallTo[v] = noIndex, noIndex, noIndex
	}
	return f
}

// flip flips paths until moves edges have gone from class a to class b. Such a
// path has its ends on both sides of the graph, so it is found from its first
// end; there are at least len(a)-len(b) of them.
func (f *flipper) flip(a, b []uint32, large, small uint32, moves int) {
	for _, e := range a {
		f.largeAt[f.from[e]] = e
	}
	for _, e := range b {
		f.smallAt[f.from[e]], f.smallTo[f.to[e]] = e, e
	}
	for i := 0; i < len(a) && moves > 0; i++ {
		if f.smallAt[f.from[a[i]]] != noIndex {
			continue
		}
		f.path = f.path[:0]
		for e := a[i]; ; {
			f.path = append(f.path, e)
			back := f.smallTo[f.to[e]]
			if back == noIndex {
				for k, e := range f.path {
					f.colour[e] = small
					if k&1 == 1 {
						f.colour[e] = large
					}
				}
				moves--
				break
			}
			f.path = append(f.path, back)
			if e = f.largeAt[f.from[back]]; e == noIndex {
				break // as many edges of the one class as of the other
			}
		}
	}
	if moves > 0 {
		panic(fmt.Sprintf("pops: %d paths missing between colour %d of %d edges and colour %d of %d edges: the colouring is not proper",
			moves, large, len(a), small, len(b)))
	}
	for _, e := range a {
		f.largeAt[f.from[e]] = noIndex
	}
	for _, e := range b {
		f.smallAt[f.from[e]], f.smallTo[f.to[e]] = noIndex, noIndex
	}
}

// relist lists the edges of two classes again, the one of colour large first.
func (f *flipper) relist(a, b []uint32, large uint32) (first, second []uint32) {
	first = make([]uint32, 0, len(a))
	second = make([]uint32, 0, len(a)+len(b))
	for _, edges := range [2][]uint32{a, b} {
		for _, e := range edges {
			if f.colour[e] == large {
				first = append(first, e)
			} else {
				second = append(second, e)
			}
		}
	}
	return first, second
}
