package hw

import (
	"slices"
	"testing"
)

// topology is a network numbered as in the specification of the routers.
type topology struct {
	graph   RouterGraph
	routing RouteTable
}

func nodesOf(k, n int) int {
	p := 1
	for range n {
		p *= k
	}
	return p
}

func cube(k, n, latency int, wraps bool) (t topology) {
	nodes := nodesOf(k, n)
	for r := range nodes {
		t.graph.Ports = append(t.graph.Ports, 2*n+1)
		t.graph.Nodes = append(t.graph.Nodes, RouterNode{r, 2 * n, 1})
		for d, step := 0, 1; d < n; d, step = d+1, step*k {
			x := r / step % k
			if x < k-1 || wraps {
				to := r - x*step + (x+1)%k*step
				t.graph.Links = append(t.graph.Links, RouterLink{r, 2 * d, to, 2*d + 1, latency},
					RouterLink{to, 2*d + 1, r, 2 * d, latency})
			}
		}
	}
	if wraps {
		t.routing.Torus = TorusRoute{slices.Repeat([]int{k}, n)}
		return t
	}
	for r := range nodes {
		for to := range nodes {
			port := 2 * n
			for d, step := 0, 1; d < n; d, step = d+1, step*k {
				if a, b := r/step%k, to/step%k; a != b {
					port = 2 * d
					if a > b {
						port++
					}
					break
				}
			}
			t.routing.Ports = append(t.routing.Ports, uint8(port))
		}
	}
	return t
}

func mesh(k, n int) topology  { return cube(k, n, 1, false) }
func torus(k, n int) topology { return cube(k, n, 2, true) }

func fly(k int) (t topology) {
	t.graph.Ports = []int{k}
	for node := range k {
		t.graph.Nodes = append(t.graph.Nodes, RouterNode{0, node, 1})
		t.routing.Ports = append(t.routing.Ports, uint8(node))
	}
	return t
}

// irregular returns a graph given by link latencies, and the router of each node.
func irregular(latency map[[2]int]int, routers int, nodes []int) (t topology) {
	local, out := make([][]int, routers), make([][]int, routers)
	for node, r := range nodes {
		t.graph.Nodes = append(t.graph.Nodes, RouterNode{r, len(local[r]), 1})
		local[r] = append(local[r], node)
	}
	for r := range routers {
		for to := range routers {
			if latency[[2]int{r, to}] > 0 {
				out[r] = append(out[r], to)
			}
		}
		t.graph.Ports = append(t.graph.Ports, len(local[r])+len(out[r]))
	}
	port := func(r, to int) int { return len(local[r]) + slices.Index(out[r], to) }
	for r := range routers {
		for _, to := range out[r] {
			t.graph.Links = append(t.graph.Links, RouterLink{r, port(r, to), to, port(to, r), latency[[2]int{r, to}]})
		}
	}
	for r := range routers {
		before := shortest(latency, routers, r)
		for node, to := range nodes {
			if to == r {
				t.routing.Ports = append(t.routing.Ports, uint8(slices.Index(local[r], node)))
				continue
			}
			for before[to] != r {
				to = before[to]
			}
			t.routing.Ports = append(t.routing.Ports, uint8(port(r, to)))
		}
	}
	return t
}

func shortest(latency map[[2]int]int, routers, from int) (before []int) {
	const far = 1 << 40
	distance, final := slices.Repeat([]int{far}, routers), make([]bool, routers)
	before = slices.Repeat([]int{-1}, routers)
	distance[from] = 0
	for range routers {
		m := -1
		for r := range routers {
			if !final[r] && (m < 0 || distance[r] < distance[m]) {
				m = r
			}
		}
		final[m] = true
		for to := range routers {
			if l := latency[[2]int{m, to}]; l > 0 && distance[m]+l < distance[to] {
				distance[to], before[to] = distance[m]+l, m
			}
		}
	}
	return before
}

func newTestNetwork(t testing.TB, top topology, config RouterConfig, packets *Packets, unitsPerShard,
	workers int) (*Kernel, *RouterNetwork) {
	t.Helper()
	shards := Shards(len(top.graph.Ports), unitsPerShard)
	pool := NewWorkers(workers)
	t.Cleanup(pool.Close)
	k := NewKernel(pool, shards)
	n, err := NewRouterNetwork("net", k.Clock(), config, &top.graph, top.routing, packets, shards)
	if err != nil {
		t.Fatal(err)
	}
	k.Add(n.Components()...)
	if err := k.Build(); err != nil {
		t.Fatal(err)
	}
	return k, n
}

// runNetwork runs until all packets have arrived or nothing moves.
func runNetwork(k *Kernel, n *RouterNetwork) {
	defer n.CountHops()
	for !n.Done() {
		if skip := k.QuietFor(1 << 40); skip == 1<<40 {
			return
		} else if skip > 0 {
			k.Skip(skip)
			continue
		}
		k.DriveAndSettle()
		k.Latch()
	}
}
