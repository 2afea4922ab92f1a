// Package gossip computes gossip in complete bus networks cbn(n,l): S. Fujita, C. Laforest and S. Perennes, "A Gossip
// Algorithm for Bus Networks with Buses of Limited Length". Every vertex has one item and must receive all items. Any
// 2 to l vertices are a bus. In a step a vertex is on at most one bus. One vertex on the bus sends all items that it
// had when the step began, and the other vertices receive them.
//
//	step   1   2   3   4      a run-table of n = 4, l = 2: the columns are the vertices
//	0      R0  S0  S2  R2     0, 1 and 2, 3; Sent and Received on a bus, of which there
//	1      S0  R0  R3  S3     are 0 {0,1}, 1 {2,3}, 2 {0,3} and 3 {1,2}. Phase 1 takes
//	2      R1  S1  S3  R3     steps 1 and 2, phase 2 steps 3 and 4
//	3      S1  R1  R2  S2
//
// n is the number of vertices, l the length of a bus with its sender, at least 2. With q = n/l rounded down, vertex
// (i,j), line i of column j, is j*l+i, and the r = n-q*l left-over vertices are last. Steps count from 1, times from
// 0: time t is after the t-th step of phase 2. The package runs neither hardware nor firmware.
package gossip

// Bus is the sender and the receivers on a bus in a step.
type Bus struct {
	Sender    int
	Receivers []int
}

// Step is a set of simultaneously used buses. A vertex is on at most one of them.
type Step []Bus

// TwoPhase returns the published algorithm (sections 2.1 and 2.2). For n < l, all vertices gossip as one group.
// Otherwise left-over vertices first send to column 0. Phase 1 gossips in every column, phase 2 between the columns,
// and finally column 0 sends to the left-over vertices. All algorithms require n >= 1 and l >= 2.
func TwoPhase(n, l int) []Step {
	g := grid{n: n, l: l, q: n / l}
	if g.q == 0 {
		return together([]group{{members: vertices(0, n)}})
	}
	var steps []Step
	if g.left() > 0 {
		steps = append(steps, g.fold())
	}
	steps = append(steps, together(g.columns(false))...)
	steps = append(steps, g.betweenColumns()...)
	if g.left() > 0 {
		steps = append(steps, g.unfold())
	}
	return steps
}

// Improved is TwoPhase without separate steps for left-over vertices, where possible. In phase 1 a column gathers the
// items of left-over vertices together with its own. In the last step of phase 2 a line with all items sends to the
// left-over vertices. Improved is never longer than TwoPhase.
func Improved(n, l int) []Step {
	g := grid{n: n, l: l, q: n / l}
	if g.q == 0 {
		return TwoPhase(n, l)
	}
	steps := append(together(g.columns(true)), g.betweenColumns()...)
	switch {
	case g.left() == 0:
	case g.spare() >= 0:
		steps[len(steps)-1] = g.lastStep()
	default:
		steps = append(steps, g.unfold())
	}
	return steps
}

// Naive gathers all items in vertex 0 by a binary tree. Then, in each step, every vertex with all items sends to l-1
// others (section 2.3).
func Naive(n, l int) []Step {
	steps := gather([]group{{members: vertices(0, n)}})
	for informed := 1; informed < n; informed *= l {
		var step Step
		for sender := range informed {
			first := informed + sender*(l-1)
			if first >= n {
				break
			}
			step = append(step, Bus{sender, vertices(first, min(first+l-1, n))})
		}
		steps = append(steps, step)
	}
	return steps
}

func vertices(first, end int) []int {
	list := make([]int, 0, end-first)
	for v := first; v < end; v++ {
		list = append(list, v)
	}
	return list
}

// group is a set of gossiping vertices. The first member gathers all items and sends them to all members except the
// guests.
type group struct {
	members []int
	guests  int // number of guests, the last members
}

// together merges the simultaneous gossip of several groups. A group of k members without guests takes ceil(log2 k)+1
// steps, the minimum; a single member takes no step.
func together(groups []group) []Step {
	steps := gather(groups)
	var last Step
	for _, g := range groups {
		if told := g.members[:len(g.members)-g.guests]; len(told) > 1 {
			last = append(last, Bus{told[0], told[1:len(told):len(told)]})
		}
	}
	if last == nil {
		return nil
	}
	return append(steps, last)
}

func gather(groups []group) (steps []Step) {
	for half := 1; ; half *= 2 {
		var step Step
		for _, g := range groups {
			for i := 0; i+half < len(g.members); i += 2 * half {
				step = append(step, Bus{g.members[i+half], g.members[i : i+1 : i+1]})
			}
		}
		if step == nil {
			return steps
		}
		steps = append(steps, step)
	}
}

// grid is the network as l lines and q columns, q >= 1, with left-over vertices.
type grid struct{ n, l, q int }

func (g grid) left() int { return g.n - g.q*g.l }

func (g grid) vertex(line, column int) int { return column*g.l + line }

func (g grid) column(j int) int { return ((j % g.q) + g.q) % g.q }

// fold returns the step in which left-over vertices send their items to column 0. unfold returns the step in which
// they receive all items.
func (g grid) fold() (step Step) {
	for x := range g.left() {
		step = append(step, Bus{g.q*g.l + x, []int{g.vertex(x, 0)}})
	}
	return step
}

func (g grid) unfold() (step Step) {
	for x := range g.left() {
		step = append(step, Bus{g.vertex(x, 0), []int{g.q*g.l + x}})
	}
	return step
}

// columns returns the groups of phase 1. With guests, left-over vertices join the columns in turn.
func (g grid) columns(guests bool) []group {
	groups := make([]group, g.q)
	for j := range groups {
		groups[j].members = vertices(g.vertex(0, j), g.vertex(g.l, j))
		for v := g.q*g.l + j; guests && v < g.n; v += g.q {
			groups[j].members = append(groups[j].members, v)
			groups[j].guests++
		}
	}
	return groups
}

// betweenColumns returns phase 2: in each step the line with the most columns sends to all other lines.
func (g grid) betweenColumns() (steps []Step) {
	for known := ones(g.l); !complete(known, g.q); known = next(known) {
		steps = append(steps, g.send(known, func(int) bool { return true }))
	}
	return steps
}

// send returns the step in which the line with the most columns sends: vertex (sender,j) sends to (i, j-known[i]) of
// every other line i with told(i).
func (g grid) send(known []int, told func(line int) bool) (step Step) {
	sender := most(known)
	for j := range g.q {
		bus := Bus{Sender: g.vertex(sender, j)}
		for line := range g.l {
			if line != sender && told(line) {
				bus.Receivers = append(bus.Receivers, g.vertex(line, g.column(j-known[line])))
			}
		}
		step = append(step, bus)
	}
	return step
}

func (g grid) beforeLast() []int {
	known := ones(g.l)
	for !complete(next(known), g.q) {
		known = next(known)
	}
	return known
}

// spare returns a line that has all items before the last step of phase 2 and is silent in that step, -1 for none.
func (g grid) spare() int {
	if g.q == 1 {
		return -1
	}
	known := g.beforeLast()
	sender := most(known)
	for line, columns := range known {
		if line != sender && columns >= g.q {
			return line
		}
	}
	return -1
}

// lastStep returns the last step of phase 2 with a spare line. Lines with all items do not receive. A vertex of the
// spare line sends to the left-over vertices, fewer than l.
func (g grid) lastStep() Step {
	known := g.beforeLast()
	step := g.send(known, func(line int) bool { return known[line] < g.q })
	return append(step, Bus{g.vertex(g.spare(), 0), vertices(g.q*g.l, g.n)})
}
