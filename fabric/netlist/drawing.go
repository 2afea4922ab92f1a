package netlist

import (
	"cmp"
	"fmt"

	"starloom/fabric"
)

// Drawing is a network as somebody has drawn it: nodes and links in their order, with ranges in names. A file is
// read into one; a program makes one with New.
type Drawing struct {
	place   string // of all of it, "" of a program
	name    string
	access  string // "" to choose
	apart   bool
	words   []uint32
	plans   []shorthand
	nodes   []node
	links   []link
	planned []planned // of plans, once it is expanded: before links
	routes  Routes
	notes   []string // what a reader of a file may not expect
	unsure

	namePlace, accessPlace string

	router      *Router // nil for none
	routerPlace string
	fly         *Fly
	streaming   *Streaming
}

// New begins a drawing: name is the head of all paths.
func New(name string) *Drawing { return &Drawing{name: name} }

func (d *Drawing) head() string { return cmp.Or(d.name, "netlist") }

// Processors adds processors, in ranges such as p[0..3]. Without names of ports, ports are those that links use.
func (d *Drawing) Processors(name string, ports ...string) *Drawing {
	return d.node(node{name: name, kind: kindProcessor, ports: ports})
}

// Mesh adds a mesh of processors p[0], p[1], ... with so many in each dimension, x first.
func (d *Drawing) Mesh(k ...int) *Drawing { return d.shorthand("mesh", &Grid{K: k}) }

// Torus adds a mesh whose ends are joined.
func (d *Drawing) Torus(k ...int) *Drawing { return d.shorthand("torus", &Grid{K: k}) }

// Ring adds a ring of processors p[0], p[1], ...
func (d *Drawing) Ring(n int) *Drawing { return d.shorthand("ring", &Ring{N: n}) }

// Tree adds a tree of processors with p[0] at its root.
func (d *Drawing) Tree(arity, levels int) *Drawing {
	return d.shorthand("tree", &Tree{Arity: arity, Levels: levels})
}

// Hypercube adds one of 2^dimensions processors.
func (d *Drawing) Hypercube(dimensions int) *Drawing {
	return d.shorthand("hypercube", &Hypercube{Dimensions: dimensions})
}

// Dragonfly adds one of a h + 1 groups of a processors, each with h links to other groups.
func (d *Drawing) Dragonfly(a, h int) *Drawing {
	return d.shorthand("dragonfly", &Dragonfly{A: a, H: h})
}

func (d *Drawing) shorthand(key string, value planner) *Drawing {
	d.plans = append(d.plans, shorthand{place: "fabric.netlist." + key, key: key, value: value})
	return d
}

// Stars adds passive stars.
func (d *Drawing) Stars(name string) *Drawing { return d.node(node{name: name, kind: kindStar}) }

func (d *Drawing) node(n node) *Drawing {
	n.place = at("nodes", len(d.nodes))
	d.nodes = append(d.nodes, n)
	return d
}

// Link joins ports of processors, or ports and a star: "p[0..3]:0", "p[4..7]:1". Both ways, unless an option
// says something else.
func (d *Drawing) Link(a, b string, options ...Option) *Drawing {
	l := link{place: at("links", len(d.links)), ends: []string{a, b}, latency: Usual}
	l.places = []string{l.place, l.place}
	for _, option := range options {
		option(&l)
	}
	d.links = append(d.links, l)
	return d
}

// Option is how a link differs from others.
type Option func(*link)

// OneWay is a link from its first end to its second one.
func OneWay() Option { return func(l *link) { l.oneway = true } }

// Half is a half-duplex link: it carries one direction in a slot.
func Half() Option { return func(l *link) { l.half = true } }

// Latency gives a link cycles of its own.
func Latency(cycles int) Option { return func(l *link) { l.latency = cycles } }

// Credits bounds the frames of each port of a link that its receiver has not taken.
func Credits(limits fabric.CreditLimits) Option { return func(l *link) { l.credits = &limits } }

// Route sends what goes from some processors to others out of a port: "p[0]", "p[2..3]", "east".
func (d *Drawing) Route(from, to, port string) *Drawing {
	d.routes.entries = append(d.routes.entries, routeEntry{place: at("routes", len(d.routes.entries)), from: from, to: to, port: port})
	return d
}

// NoRoutes leaves the table of ways out, but for those that Route says.
func (d *Drawing) NoRoutes() *Drawing { d.routes.none = true; return d }

// OnePort lets each NIC send to one port, or to all, and hear one; else it does so at all at once.
func (d *Drawing) OnePort() *Drawing { d.access = accessOne; return d }

// Switched gives each NIC one switch to all of its buses.
func (d *Drawing) Switched() *Drawing { d.access = accessSwitch; return d }

// Buses adds buses, on each of which an arbiter serves one of several senders, by its name (hw.ArbitersFor); none
// or "": their frames are lost.
func (d *Drawing) Buses(name, arbiter string) *Drawing {
	return d.node(node{name: name, kind: kindBus, keys: Serving{Arbiter: arbiter}})
}

// Crossbars adds crossbars, on which each output serves one of several senders.
func (d *Drawing) Crossbars(name string) *Drawing {
	return d.node(node{name: name, kind: kindCrossbar})
}

// Apart allows processors that cannot reach each other.
func (d *Drawing) Apart() *Drawing { d.apart = true; return d }

func at(list string, i int) string { return fmt.Sprintf("fabric.netlist.%s[%d]", list, i) }
