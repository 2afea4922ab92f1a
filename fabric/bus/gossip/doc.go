// Package gossip is the arithmetic of gossip in complete bus networks cbn(n,l): S. Fujita, C.
// Laforest and S. Perennes, "A Gossip Algorithm for Bus Networks with Buses of Limited Length".
// Every vertex has one item, and all have to learn all items. Any 2 to l vertices are a bus; in a
// step a vertex is on one bus at most, of which one member sends all that it knew when the step
// began, and the others receive it.
//
//	step        1    2    3    4    5        n = 4, l = 2: two columns of two lines
//	0           R    S    S    R    ...
//	1           S    R    R    S
//
// n is the number of vertices, l the length of a bus with its sender, 2 or more. With q = n/l
// rounded down, vertex (i,j), line i of column j, is j*l+i, and the r = n-q*l left-over ones come
// last. Steps count from 1, times from 0: time t is after the t-th step of phase 2. Nothing here runs hardware or firmware.
//
//	file          what it holds
//	schedule.go   the published algorithm, a shorter one, and the naive one, as steps of buses
//	formula.go    lengths of these, bounds, what lines know in phase 2
//	tau.go        the growth of what is known: tau, its constant, its coefficients
//	optimum.go    the shortest gossip of few vertices, by exhaustive search
package gossip
