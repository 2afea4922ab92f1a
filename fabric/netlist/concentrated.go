package netlist

import (
	_ "embed"
	"fmt"
	"slices"

	"starloom/hw"
)

// concentratedSource is this file, whose comments describe keys of a scenario.
//
//go:embed concentrated.go
var concentratedSource string

// Concentrated are networks of routers with several processors each. They are numbered and wired as in BookSim 2.
type Concentrated struct {
	// stages of routers between the sources and the sinks of all processors; one stage is one router
	Fly *Fly `json:"fly,omitempty"`
	// a mesh of routers with 2 x 2 processors each
	CMesh *CMesh `json:"cmesh,omitempty"`
	// levels of routers: processors are at the last level, and each router has as many ports up as down
	FatTree *FatTree `json:"fattree,omitempty"`
	// routers that are linked with all others of their row in each dimension
	FlatFly *FlatFly `json:"flatfly,omitempty"`
}

// CMesh is a concentrated mesh. Processors form a grid of 2k x 2k, x first, and each 2 x 2 of them share a router.
// Router r has the coordinates r mod k, r div k. Ports 0 to 3 lead to its processors, row by row; 4, 5, 6 and 7 to
// the next router in x, the previous one, the next one in y, the previous one. It has no express links.
type CMesh struct {
	// routers in each of the two dimensions
	K int `json:"k" jsonschema:"required,minimum=2,maximum=256"`
	// latency of links between routers in cycles (default 2)
	Latency *int `json:"latency,omitempty" jsonschema:"minimum=1,maximum=4096"`
}

// FlatFly is a flattened butterfly (J. Kim, J. Balfour and W. J. Dally, "Flattened Butterfly Topology for On-Chip
// Networks", 2007) of k^n routers, each linked with the k-1 routers whose numbers in base k differ in one digit.
// Routers stand in a grid, router r in column r mod columns, and each has a square of processors. Ports lead first to
// the processors, row by row, then in each dimension to the other digits in ascending order.
type FlatFly struct {
	// base of a router's number
	K int `json:"k" jsonschema:"required,minimum=2,maximum=256"`
	// digits of a router's number
	N int `json:"n" jsonschema:"required,minimum=1,maximum=16"`
	// processors along a side of a router's block (default 2)
	Side int `json:"side,omitempty" jsonschema:"minimum=1,maximum=16"`
	// columns of routers, a power of k (default: as many as rows, or k times as many)
	Columns int `json:"columns,omitempty" jsonschema:"minimum=1,maximum=65536"`
	// latency of all links in cycles (default: the distance in the grid of processors)
	Latency *int `json:"latency,omitempty" jsonschema:"minimum=1,maximum=4096"`
}

// Fly is a k-ary n-fly: n stages of k^(n-1) routers with k ports each. Processor j sends to input j mod k of router j
// div k of the first stage, and receives from the same output of the last stage. Routers are numbered stage by stage.
type Fly struct {
	// k for each stage: [16] is one router with 16 processors, [2, 2, 2, 2] are four stages of 8 routers
	K []int `json:"k" jsonschema:"required,minItems=1,maxItems=16,minimum=1,maximum=256"`
}

// FatTree is a k-ary n-tree (F. Petrini and M. Vanneschi, "k-ary n-trees: High Performance Networks for Massively
// Parallel Architectures", 1997): n levels of k^(n-1) routers, numbered level by level, the top first. Ports 0 to k-1
// lead down, k to 2k-1 up. Processor j is at port j mod k of router j div k of the last level.
type FatTree struct {
	// ports of a router in each direction
	K int `json:"k" jsonschema:"required,minimum=1,maximum=16"`
	// levels
	N int `json:"n" jsonschema:"required,minimum=1,maximum=16"`
}

func (FatTree) Declaration() string      { return concentratedSource }
func (Fly) Declaration() string          { return concentratedSource }
func (Concentrated) Declaration() string { return concentratedSource }
func (CMesh) Declaration() string        { return concentratedSource }
func (FlatFly) Declaration() string      { return concentratedSource }

// keptKey is a key of a drawing with its value.
type keptKey struct {
	key   string
	value any
}

// concentrated is a network of this kind in a drawing.
type concentrated struct {
	place, key string
	value      concentrator
}

// concentrator draws routers with their processors. The first ports of each router lead to its processors. The
// reason of a refusal is empty if there is none.
type concentrator interface {
	routers() (count, ports, processors int)
	draw(g *hw.RouterGraph) (reason, remedy string)
}

var concentrateds = []string{"fly", "cmesh", "fattree", "flatfly"}

func newConcentrator(key string) concentrator {
	switch key {
	case "cmesh":
		return &CMesh{}
	case "fattree":
		return &FatTree{}
	case "flatfly":
		return &FlatFly{}
	}
	return &Fly{}
}

// take sets the key of a network.
func (c *Concentrated) take(value concentrator) {
	switch v := value.(type) {
	case *Fly:
		c.Fly = v
	case *CMesh:
		c.CMesh = v
	case *FatTree:
		c.FatTree = v
	case *FlatFly:
		c.FlatFly = v
	}
}

func (f *Fly) routers() (count, ports, processors int) {
	count = len(f.K)
	for range count - 1 {
		count = times(count, f.K[0])
	}
	return count, f.K[0], f.K[0]
}

// draw returns the wiring of BookSim: output z of router a leads to router b of the next stage, in which digit z of the
// number of a becomes the number of the input.
func (f *Fly) draw(g *hw.RouterGraph) (reason, remedy string) {
	k, stages := f.K[0], len(f.K)
	if slices.ContainsFunc(f.K, func(other int) bool { return other != k }) {
		return fmt.Sprintf("k is %v", f.K), "give each stage the same number"
	}
	each := len(g.Ports) / stages // routers of a stage
	for node := range each * k {
		source := hw.RouterNode{Router: node / k, Port: node % k, Latency: 1}
		g.Sources = append(g.Sources, source)
		source.Router += (stages - 1) * each
		g.Nodes = append(g.Nodes, source)
	}
	for s, u := 1, each; s < stages; s++ {
		u /= k
		for a := range each {
			digit := a / u % k
			for p := range k {
				g.Links = append(g.Links, hw.RouterLink{From: (s-1)*each + a + (p-digit)*u, Output: digit, To: s*each + a, Input: p,
					Latency: 1})
			}
		}
	}
	if stages == 1 {
		g.Sources = nil
	}
	return "", ""
}

// next returns the output of a router for packets to a node: stage s replaces digit n-1-s of the number.
func (f *Fly) next(router, node int) (port, class int) {
	routers, k, _ := f.routers()
	for range len(f.K) - 1 - router/(routers/len(f.K)) {
		node /= k
	}
	return node % k, 0
}

func (f *FatTree) routers() (count, ports, processors int) {
	count = f.N
	for range f.N - 1 {
		count = times(count, f.K)
	}
	return count, 2 * f.K, f.K
}

func (f *FatTree) draw(g *hw.RouterGraph) (reason, remedy string) {
	k, each := f.K, len(g.Ports)/f.N // routers of a level
	for a := range each {
		g.Ports[a] = k // the top has no ports up
	}
	for node := range each * k {
		g.Nodes = append(g.Nodes, hw.RouterNode{Router: (f.N-1)*each + node/k, Port: node % k, Latency: 1})
	}
	for level, size := 0, each; level < f.N-1; level, size = level+1, size/k {
		part := size / k // routers of the next level below one port
		for a := range each {
			for port := range k {
				down := a - a%size + port*part + a%part
				from, to := level*each+a, (level+1)*each+down
				up := k + a%size/part
				g.Links = append(g.Links, hw.RouterLink{From: from, Output: port, To: to, Input: up, Latency: 1},
					hw.RouterLink{From: to, Output: up, To: from, Input: port, Latency: 1})
			}
		}
	}
	return "", ""
}

// cmeshSide is the number of processors along a side of a router's block.
const cmeshSide = 2

func (c *CMesh) routers() (count, ports, processors int) {
	return c.K * c.K, cmeshSide*cmeshSide + 4, cmeshSide * cmeshSide
}

func (c *CMesh) draw(g *hw.RouterGraph) (reason, remedy string) {
	squares(g, c.K, c.K*c.K, cmeshSide)
	latency := orLatency(c.Latency, 2)
	join := func(from, to, port int) {
		g.Links = append(g.Links, hw.RouterLink{From: from, Output: port, To: to, Input: port + 1, Latency: latency},
			hw.RouterLink{From: to, Output: port + 1, To: from, Input: port, Latency: latency})
	}
	const first = cmeshSide * cmeshSide
	for r := range c.K * c.K {
		if r%c.K < c.K-1 {
			join(r, r+1, first)
		}
		if r/c.K < c.K-1 {
			join(r, r+c.K, first+2)
		}
	}
	return "", ""
}

func orLatency(given *int, usual int) int {
	if given != nil {
		return *given
	}
	return usual
}

// squares adds the processors of routers in a grid. Processors are numbered in a grid with side columns for each
// router; port i of a router leads to processor i of its square, row by row.
func squares(g *hw.RouterGraph, columns, routers, side int) {
	g.Nodes = make([]hw.RouterNode, routers*side*side)
	for node := range g.Nodes {
		row, column := node/(columns*side), node%(columns*side)
		g.Nodes[node] = hw.RouterNode{Router: row/side*columns + column/side, Port: row%side*side + column%side, Latency: 1}
	}
}

func (f *FlatFly) side() int {
	if f.Side == 0 {
		return 2
	}
	return f.Side
}

func (f *FlatFly) routers() (count, ports, processors int) {
	count = 1
	for range f.N {
		count = times(count, f.K)
	}
	return count, f.side()*f.side() + f.N*(f.K-1), f.side() * f.side()
}

func (f *FlatFly) draw(g *hw.RouterGraph) (reason, remedy string) {
	routers, _, each := f.routers()
	columns := f.Columns
	if columns == 0 {
		for columns = 1; columns*columns < routers; columns *= f.K {
		}
	}
	power := columns
	for power%f.K == 0 {
		power /= f.K
	}
	if power != 1 || routers%columns != 0 {
		return fmt.Sprintf("%d columns of %d routers", columns, routers), fmt.Sprintf("give a power of %d as columns", f.K)
	}
	squares(g, columns, routers, f.side())
	for i := range g.Nodes {
		if f.Latency == nil {
			g.Nodes[i].Latency = f.local(g.Nodes[i].Port)
		}
	}
	inputs := slices.Repeat([]int{each}, routers) // next input of each router: neighbours send in ascending order
	for from := range routers {
		for d, stride := 0, 1; d < f.N; d, stride = d+1, stride*f.K {
			own, port := from/stride%f.K, each+d*(f.K-1)
			for digit := range f.K {
				if digit == own {
					continue
				}
				to := from + (digit-own)*stride
				far := f.side() * (distance(from%columns, to%columns) + distance(from/columns, to/columns))
				g.Links = append(g.Links,
					hw.RouterLink{From: from, Output: port, To: to, Input: inputs[to], Latency: orLatency(f.Latency, far)})
				inputs[to]++
				port++
			}
		}
	}
	return "", ""
}

// local returns the latency of the link to the processor at a port: one, and a cycle for each step from the processors
// in the middle of the square.
func (f *FlatFly) local(port int) int {
	steps := func(i int) int {
		at := i - f.side()/2
		if at >= 0 && f.side()%2 == 0 { // an even side has no middle
			at++
		}
		return max(0, distance(at, 0)-1)
	}
	return 1 + steps(port%f.side()) + steps(port/f.side())
}

func distance(a, b int) int { return max(a-b, b-a) }
