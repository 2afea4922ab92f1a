package netlist

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"starloom/fabric"
	"starloom/fabric/contend"
	"starloom/fabric/referees"
	"starloom/hw"
	"starloom/traces/input"
)

// source is this file, whose comments describe keys of a scenario.
//
//go:embed network.go
var source string

// Network is any network, as a file draws it: processors and stars, and links between them. Reading it, and
// Drawing, are the ways to make one.
type Network struct {
	// head of all paths (default netlist)
	Name string `json:"name,omitempty" jsonschema:"minLength=1"`
	// path of a file that draws the network, with these keys, relative to the scenario's folder
	File string `json:"file,omitempty" jsonschema:"minLength=1"`
	// all: a NIC sends and hears at all of its ports in one slot; one: it sends to one of them, or one frame to all,
	// and hears one; switch: it has one switch to all of its buses; mixed: all, some of which ask before they
	// send (default mixed if there are arbiters beside other media, else all)
	Access string `json:"access,omitempty" jsonschema:"enum=all,enum=one,enum=switch,enum=mixed"`
	// sl_shape: what firmware is told of the network, up to 8 words (default: processors, most ports, media, 0, 0,
	// 1 for access all, a hash of the netlist)
	Words []uint32 `json:"words,omitempty" jsonschema:"maxItems=8"`
	// allows processors that cannot reach each other
	Apart bool `json:"apart,omitempty"`
	// path of a graph of routers in the format of BookSim's anynet, relative to the file; each router is a processor r[R]
	Anynet string `json:"anynet,omitempty" jsonschema:"minLength=1"`
	// path of a graph in GraphML, relative to the file: nodes with data name and kind, edges with latency and duplex
	GraphML string `json:"graphml,omitempty" jsonschema:"minLength=1"`
	Shorthands
	// one router with all processors
	Fly *Fly `json:"fly,omitempty"`
	// what all routers have in common; the nodes of mesh, torus, ring, dragonfly, fly or anynet are routers
	Router *Router `json:"router,omitempty"`
	// of firmware at routers: when handlers run, and what links carry
	Streaming *Streaming `json:"streaming,omitempty"`
	// words for nodes that have the same keys: name: {kind: ...}
	Kinds Nodes `json:"kinds,omitempty"`
	// name, or names in a range such as p[0..3]: {kind: processor, star, bus, crossbar or router}; the order gives processors their numbers
	Nodes Nodes `json:"nodes,omitempty"`
	// what joins ports of processors with each other, with stars, or with ports of routers
	Links Links `json:"links,omitempty"`
	// ways that firmware reads: shortest (default), none: no table, or an object of both: {default: none, NODE:
	// {DESTINATION: port}}; of routers: shortest, dor, dim_order, dateline, minimal, anynet (default: what the network brings),
	// or an object {default: shortest, file: FILE, ROUTER: {PROCESSOR: port, PROCESSOR: "port:VC..VC"}}
	Routes *Routes `json:"routes,omitempty"`

	net     *Net
	routers *fabric.Routers // nil for none
}

func (Network) Declaration() string { return source }

// Nodes are nodes by their names, in the order of the file.
type Nodes []NodeEntry

// JSONSchemaAlias says that a file has them as an object.
func (Nodes) JSONSchemaAlias() any { return map[string]NodeEntry{} }

// NodeEntry is what a name stands for.
type NodeEntry struct {
	// of an entry of a list: name, or names in a range
	Name string `json:"name,omitempty" jsonschema:"minLength=1"`
	// processor, star: a passive star, on which frames of several senders meet; bus: a star whose arbiter, if it has
	// one, serves one of them; crossbar: each frame goes to the port of its destination; router: one with virtual
	// channels, through which packets go flit by flit; or a word of kinds
	Kind string `json:"kind" jsonschema:"minLength=1"`
	// names of the ports of a processor or a router, port 0 first (default: those that links use)
	Ports []string `json:"ports,omitempty" jsonschema:"minItems=1"`
	// of ports, those that may be without a link
	Open []string `json:"open,omitempty" jsonschema:"minItems=1"`
	// RTL in the place of the node's parts, as an entry of the scenario's key rtl with replace: NODE.**
	RTL *NodeRTL `json:"rtl,omitempty"`
	Serving
}

func (NodeEntry) Declaration() string { return source }

// Setting is what a list of settings shows of them: the object of a file, in its order.
func (list Nodes) Setting() any {
	entries := make([]string, len(list))
	for i := range list {
		var value any = list[i].Kind
		if list[i].Ports != nil || !reflect.ValueOf(list[i].Serving).IsZero() {
			value = NodeEntry{Kind: list[i].Kind, Ports: list[i].Ports, Open: list[i].Open, Serving: list[i].Serving}
		}
		entries[i] = form(list[i].Name) + ":" + form(value)
	}
	return json.RawMessage("{" + strings.Join(entries, ",") + "}")
}

// Links are links in the order of the file.
type Links []LinkEntry

// JSONSchemaAlias says that a file has them as a list.
func (Links) JSONSchemaAlias() any { return []LinkEntry{} }

// Setting is what a list of settings shows of them.
func (list Links) Setting() any {
	all := make([]any, len(list))
	for i, l := range list {
		if all[i] = l; !l.Oneway && l.Duplex == "" && l.Latency == nil && l.Credits == nil {
			all[i] = l.Endpoints
		}
	}
	return all
}

// LinkEntry joins two ports, or any number of ports and a star.
type LinkEntry struct {
	// node:port, a node whose ports have numbers (the next one), or a star; ranges of one length are joined one by one
	Endpoints []string `json:"endpoints" jsonschema:"required,minItems=2"`
	// from the first end to the second one; else both ways
	Oneway bool `json:"oneway,omitempty"`
	// half: a link carries one direction in a slot, and frames in both meet; full: both (default full)
	Duplex string `json:"duplex,omitempty" jsonschema:"enum=full,enum=half"`
	// cycles; of a star, those out of it (default link.propagation_cycles)
	Latency *int `json:"latency,omitempty" jsonschema:"minimum=0,maximum=4096"`
	// of the port that sends on each direction of the link, as on an EJ network: how many frames it may have on the link and at the receiver
	Credits *fabric.CreditLimits `json:"credits,omitempty"`
}

func (LinkEntry) Declaration() string { return source }

func (Network) Kind() string { return "netlist" }

// Net is the network with everything numbered, nil if nothing was read.
func (n Network) Net() *Net { return n.net }

// Check implements fabric.Network: what is wrong with a drawing was found when it was read.
func (n Network) Check() error {
	if n.net == nil {
		return input.Mistake("fabric.netlist", "the netlist is empty",
			"write mesh: {k: [4, 4]}, nodes: and links:, or file: FILE; in Go, netlist.New")
	}
	return nil
}

// drawn is the Net, one with nothing in it if nothing was read.
func (n Network) drawn() *Net {
	if n.net == nil {
		return (&Net{Name: "netlist", one: "medium", many: "media"}).finish()
	}
	return n.net
}

func (n Network) Shape() fabric.Shape { return n.drawn().Shape() }

func (n Network) Names() fabric.Names { return n.drawn().Names() }

func (n Network) Referee(w *fabric.Workload, _ *fabric.Program) fabric.Referee {
	net := n.drawn()
	processors, tells := len(net.Processors), w.AllToAll != nil || w.Gossip != nil
	switch {
	case net.routers != nil && tells:
		return referees.NewTold(processors, w)
	case net.routers != nil: // media have run-tables
		return referees.NewPackets(processors)
	case tells:
		return &told{referees.NewTold(processors, w), runTable{net: net}}
	}
	return &packets{Packets: referees.NewPackets(processors), runTable: runTable{net: net}}
}

func (n Network) MemoryBytes(c *fabric.Config) uint64 { return n.drawn().MemoryBytes(c) }

func (n Network) Build(p fabric.Plant) error { return n.drawn().Build(p) }

func (n Network) rom(w *fabric.Workload, _ *fabric.Program) (fabric.ROM, error) {
	if err := checkGossip(w.Gossip); err != nil {
		return nil, err
	}
	return newROM(n.drawn()), nil
}

const noVotes = "modules are faulty in votes, which there are on crossbars only; faults: of the scenario is for processors that fail"

// checkGossip refuses keys of gossip that only crossbars have; nil for other workloads.
func checkGossip(g *fabric.Gossip) error {
	const place = "workload.gossip."
	switch {
	case g == nil:
	case g.Orders != "" || g.Given != nil:
		return input.Mistake(place+"orders", "on a netlist who is told first follows from the network", "delete orders")
	case g.Count() > 1:
		return input.Mistake(place+"sessions",
			fmt.Sprintf("gossip of %d sessions, and on a netlist it has one", g.Sessions), "delete sessions")
	case g.Values != "" || g.Vector != nil:
		return &input.Error{Place: place + "values", Reason: "on a netlist each processor tells its number, and no values", Remedy: "delete values"}
	case len(g.Faulty) > 0 && g.Fault != "":
		return input.Mistake(place+"faulty", noVotes, "delete faulty and fault")
	case len(g.Faulty) > 0:
		return input.Mistake(place+"faulty", noVotes, "delete faulty")
	case g.Fault != "":
		return input.Mistake(place+"fault", noVotes, "delete fault")
	}
	return nil
}

// MarshalJSON is what a scenario is known by: what was read, in one piece.
func (n Network) MarshalJSON() ([]byte, error) {
	type keys Network
	graph := n.Anynet != ""
	n.File, n.Anynet, n.GraphML = "", "", ""
	if n.routers != nil && graph {
		return json.Marshal(struct {
			keys
			Graph hw.RouterGraph `json:"graph"`
		}{keys(n), n.routers.Graph})
	}
	return json.Marshal(keys(n))
}

func (n *Network) fill(d *Drawing) {
	n.Name, n.Apart, n.Words, n.Access = d.name, d.apart, d.words, d.access
	n.Router, n.Fly, n.Streaming = d.router, d.fly, d.streaming
	for i := range d.plans {
		switch v := d.plans[i].value.(type) {
		case *Ring:
			n.Ring = v
		case *Tree:
			n.Tree = v
		case *Hypercube:
			n.Hypercube = v
		case *Dragonfly:
			n.Dragonfly = v
		case *Grid:
			if n.Mesh = v; d.plans[i].key == "torus" {
				n.Mesh, n.Torus = nil, v
			}
		}
	}
	for i := range d.nodes {
		n.Nodes = append(n.Nodes, NodeEntry{Name: d.nodes[i].name, Kind: d.nodes[i].kind, Ports: d.nodes[i].ports, Open: d.nodes[i].open, Serving: d.nodes[i].keys})
	}
	if d.routes.none || d.routes.word != "" && d.router != nil || d.routes.entries != nil {
		n.Routes = &d.routes
	}
	for i := range d.links {
		l := LinkEntry{Endpoints: d.links[i].ends, Oneway: d.links[i].oneway, Credits: d.links[i].credits}
		if d.links[i].half {
			l.Duplex = "half"
		}
		if latency := d.links[i].latency; latency != Usual {
			l.Latency = &latency
		}
		n.Links = append(n.Links, l)
	}
}

// Network is what was drawn; errors are *input.Errors.
func (d *Drawing) Network() (Network, error) {
	net, err := d.Net()
	if err != nil {
		return Network{}, err
	}
	n := Network{net: net}
	n.fill(d)
	return n, nil
}

func (n Network) slotTransport(c *fabric.Config) (fabric.Transport, error) {
	return n.drawn().SlotTransport(n, c)
}

// Settle makes what takes long.
func (n Network) Settle() error {
	if n.routers != nil && n.routers.Later != nil {
		return n.routers.Later()
	}
	if n.net != nil && n.net.later != nil {
		return n.net.later()
	}
	return nil
}

func (n *Net) server(c *fabric.Config) (fabric.Server, error) {
	return contend.NewServer(n.asked, len(n.wiring.Sends), c.Timing)
}

func (n Network) workloadBytes(w *fabric.Workload, _ *fabric.Program) (kept, roms uint64) {
	if w.AllToAll == nil && w.Gossip == nil {
		return 0, 0
	}
	return referees.ToldBytes(uint64(len(n.drawn().Processors))), 0
}

// Replacements are the entries of a scenario's key rtl that nodes stand for, in the order of nodes.
func (n *Network) Replacements() []Replacement {
	if n == nil || n.net == nil {
		return nil
	}
	return n.net.replacements
}

// replacing are the replacements of a drawing; folder is that of its file, as seen from the scenario's.
func (d *Drawing) replacing(folder string) (all []Replacement) {
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.rtl == nil {
			continue
		}
		rtl := *n.rtl
		if rtl.Map != "" && !filepath.IsAbs(rtl.Map) {
			rtl.Map = filepath.Join(folder, rtl.Map)
		}
		all = append(all, Replacement{NodeRTL: rtl, Place: n.rtlPlace, Replace: d.head() + "." + n.name + ".**"})
	}
	return all
}
