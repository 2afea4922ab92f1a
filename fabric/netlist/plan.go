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

// Plan is a network that everybody draws: nodes that are alike, numbered from 0, and links between their ports.
// What stands at a node is decided by who reads it: a processor, or a router with one.
type Plan struct {
	Ports  []string // port i of every node has name i
	Nodes  int
	Links  []PlanLink
	Places []Place // of the nodes, in a picture
}

// PlanLink joins a port of a node with one of another node, both ways.
type PlanLink struct {
	From, To         int
	FromPort, ToPort int
	Latency          *int  // nil for that of all
	Round            Place // of one that leads round to the other side of a picture: the way in which it leaves From
}

// PlanKeys are what all shorthands may say of their nodes and links.
type PlanKeys struct {
	// what its nodes are called: p for p[0], p[1], ... (default p)
	Node string `json:"node,omitempty" jsonschema:"minLength=1"`
	// more ports of each node, after those of the shorthand, for links of your own
	Ports []string `json:"ports,omitempty" jsonschema:"minItems=1"`
	// of each link, in cycles (default link.propagation_cycles)
	Latency *int `json:"latency,omitempty" jsonschema:"minimum=0,maximum=4096"`
	// of each link (default full)
	Duplex string `json:"duplex,omitempty" jsonschema:"enum=full,enum=half"`
	// of each link, as on an EJ network: how many frames a port may have on its link and at the receiver
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
	// nodes
	N int `json:"n" jsonschema:"required,minimum=2,maximum=65536"`
	PlanKeys
}

// Tree is one in which all nodes but those of the last level have the same number of children.
type Tree struct {
	// children of a node: those of node r are r arity + 1, r arity + 2, ...
	Arity int `json:"arity" jsonschema:"required,minimum=1,maximum=71"`
	// with the root
	Levels int `json:"levels" jsonschema:"required,minimum=2,maximum=22"`
	PlanKeys
}

// Hypercube has a node for each number of some bits; those that differ in one bit are neighbours.
type Hypercube struct {
	// bits
	Dimensions int `json:"dimensions" jsonschema:"required,minimum=1,maximum=22"`
	PlanKeys
}

// Dragonfly has groups of nodes: those of a group are joined with each other, and each two groups by one link (J. Kim, W. J.
// Dally, S. Scott and D. Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", 2008, section 3.1).
type Dragonfly struct {
	// processors of each node, which is a router then (default 1)
	P int `json:"p,omitempty" jsonschema:"minimum=1,maximum=255"`
	// nodes of a group: node r is in group r div a
	A int `json:"a" jsonschema:"required,minimum=1,maximum=255"`
	// links of a node to other groups, of which there are a h + 1
	H int `json:"h" jsonschema:"required,minimum=1,maximum=255"`
	// of links between groups, in cycles (default latency)
	GlobalLatency *int `json:"global_latency,omitempty" jsonschema:"minimum=0,maximum=4096"`
	PlanKeys
}

// Shorthands are what everybody draws; a netlist may have several.
type Shorthands struct {
	// processors in a grid, each joined with its neighbours in each dimension
	Mesh *Grid `json:"mesh,omitempty"`
	// a mesh whose ends are joined
	Torus *Grid `json:"torus,omitempty"`
	// processors, each joined with the next one
	Ring *Ring `json:"ring,omitempty"`
	// processors below a root
	Tree *Tree `json:"tree,omitempty"`
	// 2^dimensions processors, each joined with those whose number differs in one bit
	Hypercube *Hypercube `json:"hypercube,omitempty"`
	// groups of processors, joined with each other, or of routers with p processors each
	Dragonfly *Dragonfly `json:"dragonfly,omitempty"`
}

func (PlanKeys) Declaration() string  { return planSource }
func (Grid) Declaration() string      { return planSource }
func (Ring) Declaration() string      { return planSource }
func (Tree) Declaration() string      { return planSource }
func (Hypercube) Declaration() string { return planSource }
func (Dragonfly) Declaration() string { return planSource }

func (Shorthands) Declaration() string { return planSource }

// compass are the ports of a grid of up to three dimensions: of dimension d, 2d leads to the larger coordinate.
var compass = []string{"east", "west", "north", "south", "up", "down"}

// gridPorts are the ports of a grid: those of a compass, or +d0, -d0, +d1, ...
func gridPorts(dimensions int) (ports []string) {
	if 2*dimensions <= len(compass) {
		return compass[:2*dimensions]
	}
	for d := range dimensions {
		ports = append(ports, fmt.Sprintf("+d%d", d), fmt.Sprintf("-d%d", d))
	}
	return ports
}

// plan is the mesh of a size, or the torus. Links stand dimension by dimension, by the node with the smaller
// coordinate; of a torus those that lead round stand where their node does.
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

// plan is the tree: port 0 leads up, ports 1, 2, ... down. Links stand by the number of the child.
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

// plan is the hypercube: port d leads to the node that differs in bit d. Links stand bit by bit, by the node without it.
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

// local is the port of a node that leads to another one of its group, by their numbers in it.
func (y *Dragonfly) local(from, to int) int {
	if to > from {
		to--
	}
	return to
}

// global is the node of a group from which a link leads to another group, and its port. The links of a group lead to the others in their order,
// as many from each node.
func (y *Dragonfly) global(from, to int) (node, port int) {
	if to > from {
		to--
	}
	return to / y.H, y.A - 1 + to%y.H
}

// plan is the dragonfly with all groups: first the links within groups, then those between them.
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
			p.Links = append(p.Links, PlanLink{From: g*y.A + i, To: d*y.A + j, FromPort: out, ToPort: in, Latency: y.GlobalLatency})
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

// planner is what the keys of a shorthand are read into.
type planner interface {
	keys() *PlanKeys
	grown() grown
}

// grown is how many nodes a plan has, and how many ports each of them.
type grown struct{ nodes, ports int }

type shorthand struct {
	place string
	key   string
	value planner // *Grid, *Ring, *Tree, *Hypercube or *Dragonfly
}

// shorthands are the keys, in the order of their nodes.
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

// What a drawing may stand for, with all of its ranges. More is refused by arithmetic, before anything is drawn: within these limits reading
// one takes a second at most, and 256 MB.
const (
	nodesMax = 1 << 16
	endsMax  = 1 << 18  // of links, and ports of nodes
	textMax  = 32 << 20 // bytes of the paths of all
	nameMax  = 256      // bytes of a name
	lanesMax = 1 << 20  // nodes times the ports of the one with most
	pairsMax = 1 << 18  // of nodes that entries of routes stand for
	// settledMax bounds the pairs whose routes are followed when a netlist is read; those of larger ones are before a run.
	settledMax = 1 << 20
	tableMax   = 1 << 26 // routes of routers in a table
)

// plenty is more than there may be of anything: no sum or product of what is below it overflows.
const plenty = 1 << 30

func times(a, b int) int {
	if a > 0 && b > plenty/a {
		return plenty
	}
	return a * b
}
