package eisenstein

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// packet is one that waits for its link in an all-to-all broadcast with one packet per link and step.
type packet struct {
	source, child int // the message, and which hop of its tree
}

// treeHop is a hop of the tree of one source's message.
type treeHop struct {
	Hop
	children  []int
	remaining int // hops that follow at most
}

// trees are those of node 0 by rotation.
func trees(t *Torus, rotations int) (trees [][]treeHop) {
	for rotation := range rotations {
		tree := []treeHop{{}} // what node 0 begins with
		reached := map[int]int{0: 0}
		t.Follow(Oriented, rotation, func(h Hop) {
			reached[h.To] = len(tree)
			tree[reached[h.From]].children = append(tree[reached[h.From]].children, len(tree))
			tree = append(tree, treeHop{Hop: h})
		})
		for i := len(tree) - 1; i >= 0; i-- { // depth first: children come after their parents
			for _, child := range tree[i].children {
				tree[i].remaining = max(tree[i].remaining, tree[child].remaining+1)
			}
		}
		trees = append(trees, tree)
	}
	return trees
}

// oneByOne broadcasts from all nodes; a link takes the packet with the deepest remaining subtree in a
// step. It returns the number of steps.
func oneByOne(test *testing.T, t *Torus, rotate bool) (steps int) {
	rotations := 1
	if rotate {
		rotations = t.Dims
	}
	all := trees(t, rotations)
	tree := func(source int) []treeHop { return all[t.Rotation(source)%rotations] }
	queues := make([][]packet, t.Nodes()*t.Dims*6)
	received := make([]int, t.Nodes())
	hand := func(source, i int) {
		for _, child := range tree(source)[i].children {
			h := tree(source)[child]
			link := (t.Add(source, h.From)*t.Dims+h.Dim-1)*6 + h.Direction
			queues[link] = append(queues[link], packet{source, child})
		}
	}
	for source := range t.Nodes() {
		hand(source, 0)
	}
	for left := t.Nodes() * (t.Nodes() - 1); left > 0; steps++ {
		var sent []packet
		for link, queue := range queues {
			if len(queue) == 0 {
				continue
			}
			best := 0
			for i, p := range queue {
				if tree(p.source)[p.child].remaining > tree(queue[best].source)[queue[best].child].remaining {
					best = i
				}
			}
			sent = append(sent, queue[best])
			queues[link] = append(queue[:best:best], queue[best+1:]...)
		}
		for _, p := range sent {
			received[t.Add(p.source, tree(p.source)[p.child].To)]++
			hand(p.source, p.child)
			left--
		}
	}
	for _, messages := range received {
		require.Equal(test, t.Nodes()-1, messages)
	}
	return steps
}

// TestOnePacketPerLink: in one dimension the bound (N-1)/3 is met; in two, rotated orders of the
// dimensions take 10 and 62 steps, the order of the paper takes 14 and 114.
func TestOnePacketPerLink(t *testing.T) {
	for _, c := range []struct{ a, dims, fixed, rotated int }{
		{1, 1, 2, 2}, {2, 1, 6, 6}, {3, 1, 12, 12}, {1, 2, 14, 10}, {2, 2, 114, 62},
	} {
		net := torus(t, c.a, c.a+1, c.dims)
		require.Equal(t, c.fixed, oneByOne(t, net, false), "%+v", c)
		require.Equal(t, c.rotated, oneByOne(t, net, true), "%+v", c)
	}
}

// TestHeights: the hops that follow in a tree are those of the closed form.
func TestHeights(t *testing.T) {
	for _, c := range [][3]int{{3, 4, 1}, {2, 5, 1}, {0, 3, 2}, {2, 3, 2}, {1, 2, 3}} {
		net := torus(t, c[0], c[1], c[2])
		for _, h := range trees(net, 1)[0][1:] {
			require.Equal(t, h.remaining, net.OrientedHeight(net.Coordinate(h.To, h.Dim))+(h.Dim-1)*net.Directed())
		}
	}
}
