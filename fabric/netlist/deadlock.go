package netlist

import (
	"fmt"
	"slices"
	"strings"

	"starloom/fabric"
	"starloom/hw"
	"starloom/internal/graph"
)

// dependencies is the channel dependency graph of the routes (Dally and Seitz, 1987). An edge leads from one virtual
// channel between routers to another if a packet in the first may request the second. A graph without cycles is free
// of deadlocks.
//
// A vertex stands for all VCs of a channel with the same routing classes. A packet uses one port of each router, so
// walks between all pairs of nodes find all edges. Classes of traffic share no VC, and each class has its own graph.
type dependencies struct {
	built   *fabric.Routers
	class   int     // class of traffic of this graph
	first   []int   // first port of each router
	router  []int   // router of each port
	far     []int   // input port at the far end of each output port, -1 at a node
	from    []int   // output port that feeds each input port
	seen    []int   // 1 + destination of the last walk through each input port and class
	classes [][]int // kinds of VCs of each class between routers
	number  map[hw.VCRange]int
	of      []uint16 // kind of VCs, indexed by lowest VC<<8 | highest VC
	kinds   []vcKind
	next    [][]uint32 // successors of vertex port*len(kinds)+kind
}

// vcKind describes the VCs of a port with the same classes.
type vcKind struct {
	size, low int
	shared    bool // several classes share these VCs
}

// deadlockStatesMax limits the product of channels and destinations. cycleStepsMax limits the search for a shortest
// cycle.
const (
	deadlockStatesMax = 1 << 27
	cycleStepsMax     = 1 << 24
)

type verdict struct {
	free, skipped bool
	escapes       bool // the VCs that belong to a single class keep the graph free of deadlocks
	shared        bool // the graph is cyclic only because classes share VCs
	text          string
	remedy        string // of a refused relation
}

func newDependencies(built *fabric.Routers) *dependencies {
	d := &dependencies{built: built, first: []int{0}}
	for r, n := range built.Graph.Ports {
		d.first = append(d.first, d.first[r]+n)
		d.router = append(d.router, slices.Repeat([]int{r}, n)...)
	}
	d.far, d.from = slices.Repeat([]int{-1}, len(d.router)), make([]int, len(d.router))
	for _, l := range built.Graph.Links {
		out, in := d.first[l.From]+l.Output, d.first[l.To]+l.Input
		d.far[out], d.from[in] = in, out
	}
	return d
}

func deadlocks(built *fabric.Routers) verdict {
	d := newDependencies(built)
	ports, nodes, traffic := len(d.router), len(built.Graph.Nodes), max(1, built.Config.Classes)
	skipped := func(most int) verdict { // most is the maximum number of VC kinds open to one packet
		if states := uint64(ports) * uint64(nodes) * uint64(traffic*most*most); states > deadlockStatesMax {
			return verdict{skipped: true, text: fmt.Sprintf("not checked for deadlocks: %d ports times %d nodes are more "+
				"than 2^27", ports, nodes*traffic*most*most)}
		}
		return verdict{}
	}
	if v := skipped(1); v.skipped {
		return v
	}
	d.classify()
	most := 1
	for _, kinds := range d.classes {
		most = max(most, len(kinds))
	}
	if v := skipped(most); v.skipped {
		return v
	}
	return newRouteCheck(d, nil).verdict()
}

func (v *verdict) worse(other *verdict) bool {
	rank := func(v *verdict) int {
		switch {
		case v.free && !v.escapes:
			return 0
		case v.free:
			return 1
		case v.shared:
			return 2
		}
		return 3
	}
	return rank(v) > rank(other)
}

// add adds a dependency, and returns its number of pairs of virtual channels if it is new.
func (d *dependencies) add(held, asked uint32) (count int) {
	if slices.Contains(d.next[held], asked) {
		return 0
	}
	d.next[held] = append(d.next[held], asked)
	return d.vcs(held) * d.vcs(asked)
}

func (d *dependencies) several() string {
	if len(d.classes) > 2 {
		return fmt.Sprint(len(d.classes))
	}
	return "both"
}

// judge returns the verdict on one class of traffic. The verdict has a text only if a deadlock is possible.
func (d *dependencies) judge() verdict {
	cycle := d.cycle(func(uint32) bool { return true })
	if cycle == nil {
		return verdict{free: true}
	}
	// A packet uses one port of each router, so an indirect dependency among escape VCs is a chain of direct
	// dependencies. The proof requires that a buffer holds flits of only one packet at a time, which the wait for the
	// tail's credit ensures.
	escapes := d.own() && d.cycle(func(v uint32) bool { return !d.kind(v).shared }) == nil
	switch {
	case escapes && d.built.Config.WaitForTail:
		return verdict{free: true, escapes: true}
	case escapes:
		return verdict{shared: true, text: "may deadlock: packets of " + d.several() + " classes share VCs, and a shared " +
			"VC can be allocated while its buffer is full: " +
			d.describe(cycle)}
	}
	return verdict{text: "may deadlock: " + d.describe(cycle)}
}

func (d *dependencies) classify() {
	vcs, routes := d.built.Config.ClassVCs(), &d.built.Routes
	list := []hw.VCRange{{Low: 0, High: uint8(vcs - 1)}}
	switch {
	case routes.Sets != nil:
		list = routes.Sets.Classes
	case routes.Torus.K != nil:
		list = list[:0]
		for _, phase := range []bool{false, true} {
			low, high := routes.Torus.VCs(phase, vcs)
			list = append(list, hw.VCRange{Low: uint8(low), High: uint8(high)})
		}
	case len(routes.VCs) > 1:
		nodes, used := len(d.built.Graph.Nodes), make([]bool, 1<<16)
		for i := range len(d.first[1:]) * nodes {
			hop := routes.Next(i/nodes, 0, i%nodes, nodes, false, vcs)
			used[hop.Low<<8|hop.High] = used[hop.Low<<8|hop.High] || d.far[d.first[i/nodes]+hop.Port] >= 0
		}
		list = slices.DeleteFunc(slices.Clone(routes.VCs),
			func(r hw.VCRange) bool { return !used[int(r.Low)<<8|int(r.High)] })
	}
	d.number, d.of = map[hw.VCRange]int{}, make([]uint16, 1<<16)
	for _, class := range list {
		if _, ok := d.number[class]; !ok {
			d.of[int(class.Low)<<8|int(class.High)] = uint16(len(d.number))
			d.number[class] = len(d.number)
		}
	}
	d.classes = make([][]int, len(d.number))
	kinds := map[string]int{}
	for vc := range vcs {
		in := make([]byte, len(d.number))
		count := 0
		for class, i := range d.number {
			if int(class.Low) <= vc && vc <= int(class.High) {
				in[i] = 1
				count++
			}
		}
		if count == 0 {
			continue
		}
		kind, ok := kinds[string(in)]
		if !ok {
			kind = len(d.kinds)
			kinds[string(in)] = kind
			d.kinds = append(d.kinds, vcKind{low: vc, shared: count > 1})
			for i := range in {
				if in[i] == 1 {
					d.classes[i] = append(d.classes[i], kind)
				}
			}
		}
		d.kinds[kind].size++
	}
}

func (d *dependencies) own() bool {
	for _, kinds := range d.classes {
		if !slices.ContainsFunc(kinds, func(kind int) bool { return !d.kinds[kind].shared }) {
			return false
		}
	}
	return true
}

func (d *dependencies) kind(vertex uint32) *vcKind { return &d.kinds[int(vertex)%len(d.kinds)] }

func (d *dependencies) vcs(vertex uint32) int { return d.kind(vertex).size }

func (d *dependencies) vertices(list []uint32, port, class int) []uint32 {
	for _, kind := range d.classes[class] {
		list = append(list, uint32(port*len(d.kinds)+kind))
	}
	return list
}

// walk follows the route between each pair of nodes. It calls take with each pair of vertices that a packet may hold
// and request in succession, until take returns false.
func (d *dependencies) walk(take func(source, destination int, held, asked uint32) bool) {
	g, nodes := &d.built.Graph, len(d.built.Graph.Nodes)
	classes := len(d.number)
	d.seen = make([]int, classes*len(d.router))
	var held, asked []uint32
	var open, hops []walked
	for destination := range nodes {
		for source := range g.Nodes {
			if !d.sends(source, destination) {
				continue
			}
			at := g.Source(source)
			for open = append(open[:0], walked{d.first[at.Router] + at.Port, -1, false}); len(open) > 0; {
				from := open[len(open)-1]
				open = open[:len(open)-1]
				if held = held[:0]; from.class >= 0 {
					held = d.vertices(held, from.port, from.class)
				}
				hops = d.hops(hops[:0], from, destination)
				for i := len(hops) - 1; i >= 0; i-- {
					asked = d.vertices(asked[:0], hops[i].port, hops[i].class)
					for _, a := range held {
						for _, b := range asked {
							if !take(source, destination, a, b) {
								return
							}
						}
					}
					seen := &d.seen[classes*hops[i].port+hops[i].class]
					if *seen != destination+1 { // an earlier walk continued from there
						*seen = destination + 1
						open = append(open, hops[i])
					}
				}
			}
		}
	}
}

// walked is the place of a head: an input port, the class of its virtual channel (-1 at a source) and its phase.
type walked struct {
	port, class int
	phase       bool
}

// hops appends the next places of a head for all outcomes of draws, none at its last router.
func (d *dependencies) hops(list []walked, at walked, destination int) []walked {
	router, routes := d.router[at.port], &d.built.Routes
	if sets := routes.Sets; sets != nil {
		to := d.built.Graph.Nodes[destination].Router
		if to == router {
			return list
		}
		for _, of := range sets.Rows[sets.Row(router, at.port, max(0, at.class), to)] {
			list = append(list, walked{d.far[d.first[router]+int(of.Port)], int(of.Class), false})
		}
		return list
	}
	for drawn := range routes.Outcomes() {
		hop := routes.NextBy(router, at.port-d.first[router], destination, len(d.built.Graph.Nodes), at.phase,
			d.built.Config.ClassVCs(), hw.AlwaysDraws(drawn))
		if to := d.far[d.first[router]+hop.Port]; to >= 0 {
			list = append(list, walked{to, int(d.of[int(hop.Low)<<8|int(hop.High)]), hop.Phase})
		}
	}
	return list
}

func (d *dependencies) sends(source, destination int) bool {
	if d.built.NIC == nil {
		return true // every node sends in all classes
	}
	from, port := d.built.NIC.At(source)
	to, _ := d.built.NIC.At(destination)
	// for a single-port NIC, the tag determines the class of a packet
	by, class, _ := d.built.Leaves(from, port, uint16(d.class))
	return class == d.class && d.built.NIC.Node(to, by) == destination
}

// cycle returns a shortest cycle among the accepted vertices, nil for none. After cycleStepsMax steps it returns the
// first cycle found.
func (d *dependencies) cycle(among func(vertex uint32) bool) []uint32 {
	left := d.cyclic(among)
	var starts []uint32
	for v := range d.next {
		if left[v] {
			starts = append(starts, uint32(v))
		}
	}
	if best := graph.ShortestCycle(d.next, starts, func(v uint32) bool { return left[v] }, cycleStepsMax); best != nil {
		return best
	}
	return d.some(left)
}

func (d *dependencies) some(left []bool) (cycle []uint32) {
	before, any := make([]uint32, len(d.next)), -1
	for v := range d.next {
		for _, w := range d.next[v] {
			if left[v] && left[w] {
				before[w], any = uint32(v), int(w)
			}
		}
	}
	if any < 0 {
		return nil
	}
	met := make([]bool, len(d.next))
	at := uint32(any)
	for ; !met[at]; at = before[at] {
		met[at] = true
	}
	for v := at; len(cycle) == 0 || v != at; v = before[v] {
		cycle = append(cycle, v)
	}
	slices.Reverse(cycle)
	return cycle
}

// cyclic repeatedly removes vertices without predecessors, and returns the remaining vertices.
func (d *dependencies) cyclic(among func(vertex uint32) bool) (left []bool) {
	left = make([]bool, len(d.next))
	into := make([]int, len(d.next))
	for v := range d.next {
		left[v] = among(uint32(v))
		for _, w := range d.next[v] {
			if left[v] && among(w) {
				into[w]++
			}
		}
	}
	var free []uint32
	for v := range d.next {
		if left[v] && into[v] == 0 {
			free = append(free, uint32(v))
		}
	}
	for len(free) > 0 {
		v := free[len(free)-1]
		free, left[v] = free[:len(free)-1], false
		for _, w := range d.next[v] {
			if among(w) {
				if into[w]--; into[w] == 0 {
					free = append(free, w)
				}
			}
		}
	}
	return left
}

const cycleShown = 8

func (d *dependencies) describe(cycle []uint32) string {
	holders := make([]string, len(cycle))
	missing := len(cycle)
	d.walk(func(source, destination int, held, asked uint32) bool {
		if i := slices.Index(cycle, held); i >= 0 && holders[i] == "" && cycle[(i+1)%len(cycle)] == asked {
			from, _ := d.built.NIC.At(source)
			to, _ := d.built.NIC.At(destination)
			holders[i] = fmt.Sprintf("a packet from %d to %d", from, to)
			missing--
		}
		return missing > 0
	})
	var said []string
	for i, v := range cycle {
		if holders[i] == "" {
			holders[i] = "a packet" // toward mid
		}
		if i == cycleShown {
			said = append(said, fmt.Sprintf("and so on along %d more", len(cycle)-cycleShown))
			break
		}
		said = append(said,
			fmt.Sprintf("%s holds %s and asks for %s", holders[i], d.name(v), d.name(cycle[(i+1)%len(cycle)])))
	}
	return fmt.Sprintf("a cycle of %d channels: %s", len(cycle), strings.Join(said, ", "))
}

func (d *dependencies) name(vertex uint32) string {
	port := int(vertex) / len(d.kinds)
	out := d.from[port]
	from := d.router[out]
	return fmt.Sprintf("%s VC %d", d.built.Channel(from, out-d.first[from], d.router[port]),
		d.class*d.built.Config.ClassVCs()+d.kind(vertex).low)
}
