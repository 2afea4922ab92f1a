// Package eisensteintest simulates broadcasts without processors, for tests.
package eisensteintest

import "starloom/fabric/ej/eisenstein"

// packet is a packet that waits for its link in an all-to-all broadcast with one packet per link and step.
type packet struct {
	source, child int // source of the message, and index of the hop in the source's tree
}

// treeHop is a hop in the tree of one source's message.
type treeHop struct {
	eisenstein.Hop
	children  []int
	remaining int // largest number of further hops
}

// trees returns, for each rotation, the tree of hops of node 0's message along the oriented links. Entry 0 of a tree
// is node 0.
func trees(t *eisenstein.Torus, rotations int) (trees [][]treeHop) {
	for rotation := range rotations {
		tree := []treeHop{{}} // node 0 has the message at the beginning
		reached := map[int]int{0: 0}
		t.Follow(eisenstein.Oriented, rotation, func(h eisenstein.Hop) {
			reached[h.To] = len(tree)
			tree[reached[h.From]].children = append(tree[reached[h.From]].children, len(tree))
			tree = append(tree, treeHop{Hop: h})
		})
		for i := len(tree) - 1; i >= 0; i-- { // in reverse order, children come before their parents
			for _, child := range tree[i].children {
				tree[i].remaining = max(tree[i].remaining, tree[child].remaining+1)
			}
		}
		trees = append(trees, tree)
	}
	return trees
}

// OneByOne broadcasts from all nodes along the oriented links. In each step a link carries the packet with the
// deepest remaining subtree. OneByOne returns the number of steps, and the number of messages received by each node.
func OneByOne(t *eisenstein.Torus, rotate bool) (steps int, received []int) {
	rotations := 1
	if rotate {
		rotations = t.Dims
	}
	all := trees(t, rotations)
	tree := func(source int) []treeHop { return all[t.Rotation(source)%rotations] }
	queues := make([][]packet, t.Nodes()*t.Dims*6)
	received = make([]int, t.Nodes())
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
	return steps, received
}
