package netlist

import (
	"cmp"
	_ "embed"
	"fmt"

	"starloom/fabric"
)

// planSource is this file, whose comments describe keys of a scenario.
//
//go:embed plan.go
var planSource string

// Plan is a regular network: links, and nodes with equal ports, numbered from 0. Its reader decides whether nodes are
// processors or routers.
type Plan struct {
	Ports  []string // name of port i of every node
	Nodes  int
	Links  []PlanLink
	Places []Place // positions of nodes in a picture
}

// PlanLink joins ports of two nodes, in both directions.
type PlanLink struct {
	From, To         int
	FromPort, ToPort int
	Latency          *int
	Round            Place // direction in which a wrap-around link leaves From in a picture
}

// PlanKeys are common keys of all shorthands.
type PlanKeys struct {
	// name of the nodes: p for p[0], p[1], ... (default p)
	Node string `json:"node,omitempty" jsonschema:"minLength=1"`
	// additional ports of each node for your own links, after those of the shorthand
	Ports []string `json:"ports,omitempty" jsonschema:"minItems=1"`
	// latency of each link in cycles (default link.propagation_cycles)
	Latency *int `json:"latency,omitempty" jsonschema:"minimum=0,maximum=4096"`
	// duplex of each link (default full)
	Duplex string `json:"duplex,omitempty" jsonschema:"enum=full,enum=half"`
	// credits of each port, as on an EJ network: maximum number of frames on its link and at the receiver
	Credits *fabric.CreditLimits `json:"credits,omitempty"`
}

// Grid is a mesh or a torus.
type Grid struct {
	// nodes in each dimension, x first: node r has the coordinates r mod k[0], r div k[0] mod k[1], ...
	K []int `json:"k" jsonschema:"required,minItems=1,maxItems=16,minimum=2,maximum=65536"`
	PlanKeys
}

// Ring is a torus of one dimension.
type Ring struct {
	// number of nodes
	N int `json:"n" jsonschema:"required,minimum=2,maximum=65536"`
	PlanKeys
}

// Tree is a tree in which all nodes above the last level have equally many children.
type Tree struct {
	// children of each node: node r has the children r arity + 1, r arity + 2, ...
	Arity int `json:"arity" jsonschema:"required,minimum=1,maximum=71"`
	// number of levels, the root included
	Levels int `json:"levels" jsonschema:"required,minimum=2,maximum=22"`
	PlanKeys
}

// Hypercube has 2^dimensions nodes. The numbers of neighbours differ in one bit.
type Hypercube struct {
	// bits of a node's number
	Dimensions int `json:"dimensions" jsonschema:"required,minimum=1,maximum=22"`
	PlanKeys
}

// Dragonfly has fully connected groups of nodes and one link between each pair of groups (J. Kim, W. J. Dally, S.
// Scott and D. Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", 2008, section 3.1).
type Dragonfly struct {
	// number of processors of each node, which is then a router (default 1)
	P int `json:"p,omitempty" jsonschema:"minimum=1,maximum=255"`
	// nodes of a group: node r is in group r div a
	A int `json:"a" jsonschema:"required,minimum=1,maximum=255"`
	// number of links of a node to other groups; there are a h + 1 groups
	H int `json:"h" jsonschema:"required,minimum=1,maximum=255"`
	// latency of links between groups in cycles (default latency)
	GlobalLatency *int `json:"global_latency,omitempty" jsonschema:"minimum=0,maximum=4096"`
	PlanKeys
}

// Shorthands are regular networks; a netlist may have several.
type Shorthands struct {
	// processors in a grid; each is linked to its neighbours in every dimension
	Mesh *Grid `json:"mesh,omitempty"`
	// a mesh with wrap-around links
	Torus *Grid `json:"torus,omitempty"`
	// processors in a ring
	Ring *Ring `json:"ring,omitempty"`
	// processors in a tree
	Tree *Tree `json:"tree,omitempty"`
	// 2^dimensions processors; the numbers of neighbours differ in one bit
	Hypercube *Hypercube `json:"hypercube,omitempty"`
	// fully connected groups of processors, or of routers with p processors each, and one link between each pair of
	// groups
	Dragonfly *Dragonfly `json:"dragonfly,omitempty"`
}

func (PlanKeys) Declaration() string  { return planSource }
func (Grid) Declaration() string      { return planSource }
func (Ring) Declaration() string      { return planSource }
func (Tree) Declaration() string      { return planSource }
func (Hypercube) Declaration() string { return planSource }
func (Dragonfly) Declaration() string { return planSource }

func (Shorthands) Declaration() string { return planSource }

// compass names the ports of a grid with up to three dimensions; port 2d leads to the next coordinate in dimension d.
var compass = []string{"east", "west", "north", "south", "up", "down"}

func gridPorts(dimensions int) (ports []string) {
	if 2*dimensions <= len(compass) {
		return compass[:2*dimensions]
	}
	for d := range dimensions {
		ports = append(ports, fmt.Sprintf("+d%d", d), fmt.Sprintf("-d%d", d))
	}
	return ports
}

// plan returns the mesh or torus. Links are ordered by dimension, then by the end with the smaller coordinate; a
// wrap-around link belongs to the node with the largest coordinate.
func (g *Grid) plan(wraps bool) *Plan {
	p := &Plan{Nodes: g.grown().nodes, Ports: gridPorts(len(g.K))}
	p.Links = make([]PlanLink, 0, p.Nodes*len(g.K))
	stride, steps := 1, gridSteps(g.K)
	for d, k := range g.K {
		for r := range p.Nodes {
			to, last := r+stride, r/stride%k == k-1
			if last {
				to -= k * stride
			}
			if last && !wraps {
				continue
			}
			l := PlanLink{From: r, To: to, FromPort: 2 * d, ToPort: 2*d + 1}
			if last {
				l.Round = short(steps[d])
			}
			p.Links = append(p.Links, l)
		}
		stride *= k
	}
	if p.Nodes <= placesMax {
		p.Places = gridPlaces(g.K)
	}
	return p
}

func (g *Grid) grown() grown {
	nodes := 1
	for _, k := range g.K {
		nodes = times(nodes, k)
	}
	return grown{nodes, 2 * len(g.K)}
}

func (r *Ring) plan() *Plan {
	grid := Grid{K: []int{r.N}}
	p := grid.plan(true)
	if p.Places != nil {
		p.Places = circle(p.Nodes)
		for i := range p.Links {
			p.Links[i].Round = Place{}
		}
	}
	return p
}

func (r *Ring) grown() grown { return grown{r.N, 2} }

// plan returns the tree: port 0 leads to the parent, ports 1, 2, ... to the children. Links are ordered by child.
func (t *Tree) plan() *Plan {
	p := &Plan{Ports: []string{"up"}, Nodes: t.grown().nodes}
	for child := range t.Arity {
		p.Ports = append(p.Ports, fmt.Sprintf("down[%d]", child))
	}
	for child := 1; child < p.Nodes; child++ {
		p.Links = append(p.Links, PlanLink{From: (child - 1) / t.Arity, To: child, FromPort: 1 + (child-1)%t.Arity})
	}
	if p.Nodes <= placesMax {
		p.Places = treePlaces(t.Arity, p.Nodes)
	}
	return p
}

func (t *Tree) grown() grown {
	nodes, level := 0, 1
	for range t.Levels {
		nodes, level = min(plenty, nodes+level), times(level, t.Arity)
	}
	return grown{nodes, 1 + t.Arity}
}

// plan returns the hypercube: port d leads to the node with a different bit d. Links are ordered by bit, then by
// node.
func (h *Hypercube) plan() *Plan {
	p := &Plan{Nodes: 1 << h.Dimensions}
	for d := range h.Dimensions {
		p.Ports = append(p.Ports, fmt.Sprintf("d%d", d))
		for r := range p.Nodes {
			if r>>d&1 == 0 {
				p.Links = append(p.Links, PlanLink{From: r, To: r | 1<<d, FromPort: d, ToPort: d})
			}
		}
	}
	if p.Nodes <= placesMax {
		k := make([]int, h.Dimensions)
		for d := range k {
			k[d] = 2
		}
		p.Places = gridPlaces(k)
	}
	return p
}

func (h *Hypercube) grown() grown { return grown{1 << min(30, max(0, h.Dimensions)), h.Dimensions} }

// local returns the port of a link to another node of the group; nodes are numbered within the group.
func (y *Dragonfly) local(from, to int) int {
	if to > from {
		to--
	}
	return to
}

// global returns the node and port of a group's link to another group. The links of a group are ordered by
// destination group; each node has h of them.
func (y *Dragonfly) global(from, to int) (node, port int) {
	if to > from {
		to--
	}
	return to / y.H, y.A - 1 + to%y.H
}

// plan returns the dragonfly: links within groups, then links between groups.
func (y *Dragonfly) plan() *Plan {
	p, groups := &Plan{Nodes: y.grown().nodes}, y.A*y.H+1
	for k := range y.A - 1 {
		p.Ports = append(p.Ports, fmt.Sprintf("local[%d]", k))
	}
	for k := range y.H {
		p.Ports = append(p.Ports, fmt.Sprintf("global[%d]", k))
	}
	for g := range groups {
		for i := range y.A {
			for j := i + 1; j < y.A; j++ {
				p.Links = append(p.Links, PlanLink{From: g*y.A + i, To: g*y.A + j, FromPort: y.local(i, j), ToPort: y.local(j, i)})
			}
		}
	}
	for g := range groups {
		for d := g + 1; d < groups; d++ {
			i, out := y.global(g, d)
			j, in := y.global(d, g)
			p.Links = append(p.Links,
				PlanLink{From: g*y.A + i, To: d*y.A + j, FromPort: out, ToPort: in, Latency: y.GlobalLatency})
		}
	}
	if p.Nodes <= placesMax {
		p.Places = groupPlaces(groups, y.A)
	}
	return p
}

func (y *Dragonfly) grown() grown {
	return grown{times(times(y.A, y.H)+1, y.A), y.A - 1 + y.H}
}

type planner interface {
	keys() *PlanKeys
	grown() grown
}

type grown struct{ nodes, ports int }

type shorthand struct {
	place string
	key   string
	value planner // *Grid, *Ring, *Tree, *Hypercube or *Dragonfly
}

var shorthands = []string{"mesh", "torus", "ring", "tree", "hypercube", "dragonfly"}

func blank(key string) planner {
	switch key {
	case "ring":
		return &Ring{}
	case "tree":
		return &Tree{}
	case "hypercube":
		return &Hypercube{}
	case "dragonfly":
		return &Dragonfly{}
	}
	return &Grid{}
}

func (s *shorthand) plan() *Plan {
	if g, is := s.value.(*Grid); is {
		return g.plan(s.key == "torus")
	}
	return s.value.(interface{ plan() *Plan }).plan()
}

func (k *PlanKeys) keys() *PlanKeys { return k }

type planned struct {
	*shorthand
	*Plan
}

func (s *shorthand) node() string { return cmp.Or(s.value.keys().Node, "p") }

// Limits of a drawing after the expansion of all ranges, checked before the drawing starts. Reading a drawing within
// these limits takes at most 1 s and 256 MB.
const (
	nodesMax = 1 << 16
	endsMax  = 1 << 18  // ends of links, and ports of nodes
	textMax  = 32 << 20 // bytes of all paths
	nameMax  = 256
	lanesMax = 1 << 20 // nodes times ports of the largest node
	pairsMax = 1 << 18 // node pairs of entries of routes
	// settledMax limits the number of node pairs whose routes are computed while a drawing is read. For larger
	// networks, the computation precedes a run.
	settledMax = 1 << 20
	tableMax   = 1 << 26 // entries of a routing table
)

// plenty exceeds every limit. Sums and products of smaller numbers do not overflow.
const plenty = 1 << 30

func times(a, b int) int {
	if a > 0 && b > plenty/a {
		return plenty
	}
	return a * b
}
