package netlist

import (
	"cmp"
	"fmt"

	"starloom/fabric"
	"starloom/fabric/contend"
)

// Drawing is a network before numbering: nodes and links in drawing order, with ranges in names. A reader converts a
// file to a Drawing; a program creates a Drawing with New.
type Drawing struct {
	place   string // place of the whole drawing, "" in a Go program
	name    string
	access  string // access, "" for automatic selection
	apart   bool
	words   []uint32
	plans   []shorthand
	nodes   []node
	links   []link
	planned []planned // links of plans after expansion, before links
	routes  Routes
	notes   []string // notes on defaults that may hide an omission in a file
	unsure

	places struct{ name, access, router string } // of these keys

	router    *Router
	streaming *Streaming

	concentrated []concentrated
}

// New returns an empty drawing; all paths begin with name.
func New(name string) *Drawing { return &Drawing{name: name} }

func (d *Drawing) head() string { return cmp.Or(d.name, "netlist") }

// Processors adds processors, also as a range such as p[0..3]. Without port names, the links determine the ports.
func (d *Drawing) Processors(name string, ports ...string) *Drawing {
	return d.node(node{name: name, kind: kindProcessor, ports: ports})
}

// Mesh adds a mesh of processors p[0], p[1], ...; sides holds the size of each dimension, x first.
func (d *Drawing) Mesh(sides ...int) *Drawing { return d.shorthand("mesh", &Grid{K: sides}) }

// Torus adds a mesh with wrap-around links.
func (d *Drawing) Torus(sides ...int) *Drawing { return d.shorthand("torus", &Grid{K: sides}) }

// Ring adds a ring of processors p[0], p[1], ...
func (d *Drawing) Ring(processors int) *Drawing { return d.shorthand("ring", &Ring{N: processors}) }

// Tree adds a tree of processors with root p[0].
func (d *Drawing) Tree(arity, levels int) *Drawing {
	return d.shorthand("tree", &Tree{Arity: arity, Levels: levels})
}

// Hypercube adds a hypercube of 2^dimensions processors.
func (d *Drawing) Hypercube(dimensions int) *Drawing {
	return d.shorthand("hypercube", &Hypercube{Dimensions: dimensions})
}

// Dragonfly adds a dragonfly of processors*links + 1 groups of processors. Each processor has links to other groups.
func (d *Drawing) Dragonfly(processors, links int) *Drawing {
	return d.shorthand("dragonfly", &Dragonfly{A: processors, H: links})
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

// Link joins ports of processors, or ports and a star; ends have the form "p[0..3]:0" or "p[4..7]:1". Links are
// bidirectional unless an option makes them one-way.
func (d *Drawing) Link(end, other string, options ...Option) *Drawing {
	l := link{place: at("links", len(d.links)), ends: []string{end, other}, latency: Usual}
	l.places = []string{l.place, l.place}
	for _, option := range options {
		option(&l)
	}
	d.links = append(d.links, l)
	return d
}

// Option modifies a link.
type Option func(*link)

// OneWay limits a link to the direction from its first end to its second.
func OneWay() Option { return func(l *link) { l.oneway = true } }

// Half makes a link half duplex: it carries frames in one direction per slot.
func Half() Option { return func(l *link) { l.half = true } }

// Latency sets the latency of a link in cycles.
func Latency(cycles int) Option { return func(l *link) { l.latency = cycles } }

// Credits limits the number of frames in each direction of a link that the receiver has not yet taken.
func Credits(limits fabric.CreditLimits) Option { return func(l *link) { l.credits = &limits } }

// Route directs the traffic between the given processors out of a port. Arguments have the form "p[0]", "p[2..3]" and
// "east".
func (d *Drawing) Route(from, to, port string) *Drawing {
	d.routes.entries = append(d.routes.entries,
		routeEntry{place: at("routes", len(d.routes.entries)), from: from, to: to, port: port})
	return d
}

// NoRoutes removes all routes except those set by Route.
func (d *Drawing) NoRoutes() *Drawing { d.routes.none = true; return d }

// OnePort limits a NIC: it sends to one port or to all ports, and hears one port. By default, a NIC uses all ports at
// once.
func (d *Drawing) OnePort() *Drawing { d.access = accessOne; return d }

// Switched gives each NIC one switch for all its buses.
func (d *Drawing) Switched() *Drawing { d.access = accessSwitch; return d }

// Buses adds buses. The named arbiter selects one of several senders (see hw.ArbitersFor). With "none" or "", frames
// of several senders are lost.
func (d *Drawing) Buses(name, arbiter string) *Drawing {
	return d.node(node{name: name, kind: kindBus,
		keys: Serving{CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}}}})
}

// Crossbars adds crossbars. Each output of a crossbar serves one sender at a time.
func (d *Drawing) Crossbars(name string) *Drawing {
	return d.node(node{name: name, kind: kindCrossbar})
}

// Apart permits processors that cannot reach each other.
func (d *Drawing) Apart() *Drawing { d.apart = true; return d }

func at(list string, i int) string { return fmt.Sprintf("fabric.netlist.%s[%d]", list, i) }
