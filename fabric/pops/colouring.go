package pops

import (
	"fmt"
	"math/bits"

	"starloom/hw"
)

// Edge colouring of bipartite multigraphs: the routes of off-line permutation routing (A. Mei and R. Rizzi, "On-Line
// Permutation Routing in Partitioned Optical Passive Star Networks", section I, after their earlier paper on
// permutation routing, reference [13]).
//
// A packet is an edge from its source group to its destination group. The colour of the edge is a pair (batch,
// intermediate group). Edges of one colour share no end, so packets of one colour share no coupler.
//
// The colouring follows R. Cole and J. Hopcroft. An Euler split halves a graph of even degree. From a graph of odd
// degree a perfect matching is removed first (A. Goel, M. Kapralov, S. Khanna, "Perfect matchings in O(n log n) time
// in regular bipartite graphs"). Only one half is coloured this way. Its colour classes then fill the other half up
// to a power of two, which needs only splits.

// noIndex marks an empty entry of a column.
const noIndex = 1<<32 - 1

// edge is an edge of a regular graph of degree D. Edges are sorted by their first end; the position divided by D is
// the first end.
type edge struct {
	to uint32 // group of the second end
	id uint32 // number from the caller, noIndex for padding
}

// colourer divides the edges of a regular bipartite multigraph into perfect matchings, in place.
type colourer struct {
	groups  int
	edges   []edge
	scratch []edge
	mate    []uint32 // Euler split: the edge paired with each edge at the second end
	swap    []uint8  // Euler split: for each pair at the first end, the edge in the first half
	open    []uint32 // unpaired edge at each second end
	owner   []uint32 // matching: first end matched with each second end
	chosen  []uint32 // matching: edge by which the walk last left each first end
	matched []uint32 // matching: edge of each first end
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

// colour sorts the degree*groups edges from lo on into classes of one edge per group, each sorted by first end. Cost:
// O(edges log degree), plus O(groups log groups log degree) for the matchings.
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
	// The last classes of the first half join the second half. Its degree becomes a power of two and needs no
	// matchings.
	power := 1 << bits.Len(uint(half-1))
	extra := power - half
	lo = mid - extra*c.groups
	if extra > 0 {
		c.merge(lo, extra, half)
	}
	c.colour(lo, power)
}

// split turns a graph of even degree into two graphs of half the degree, one after the other.
//
// It pairs the edges at each first end (neighbours in the order) and at each second end. The pairs join all edges
// into cycles of even length. Alternate edges of a cycle go to alternate halves, so each half gets one edge of every
// pair.
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
// A walk starts at every unmatched first end. It leaves a first end by a random edge and continues from the match of
// the edge's second end, until a second end is unmatched. Without its loops, the walk is a path that augments the
// matching. All walks together take O(groups log groups) steps on average, for any graph. The draws are a fixed
// sequence, so the matching is a function of the graph.
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

func (c *colourer) draw(u uint32, degree int) uint32 {
	c.draws++
	return u*uint32(degree) + hw.Below(uint32(hw.Mix64(c.draws)>>32), uint32(degree))
}

// merge combines the given number of classes from position lo on, and the graph of the given degree after them, into
// one sorted graph.
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

// equaliseColours changes a proper colouring until every colour has the same number of edges. The number of edges
// must be a multiple of colours. The arguments are the ends of each edge, both in 0..groups-1, and the colour of the
// edge.
//
// While one class is too large and another class is too small, it flips paths that alternate between edges of the two
// classes and have one more edge of the large class. Such a path starts at an end with an edge of the large class and
// without an edge of the small class. An empty class is filled without a search for paths. If each class covers all
// groups, a colouring with few colours costs O(edges + groups + size^2).
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
	largeAt          []uint32 // edge of the large class at each first end
	smallAt          []uint32 // edge of the small class at each first end
	smallTo          []uint32 // edge of the small class at each second end
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

// flip flips paths until moves edges have moved from class a to class b. The two ends of such a path are on different
// sides of the graph, so the search starts at first ends. There are at least len(a)-len(b) paths.
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
				break // equally many edges of both classes
			}
		}
	}
	if moves > 0 {
		panic(fmt.Sprintf("pops: %d paths missing between colour %d of %d edges and colour %d of %d edges: the colouring "+
			"is not proper",
			moves, large, len(a), small, len(b)))
	}
	for _, e := range a {
		f.largeAt[f.from[e]] = noIndex
	}
	for _, e := range b {
		f.smallAt[f.from[e]], f.smallTo[f.to[e]] = noIndex, noIndex
	}
}

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
