// Package netlist builds any network from a YAML file or from Go: processors with links, stars, buses and crossbars,
// or routers.
//
//	YAML --read--> Drawing --Net--> Net: everything numbered --+- Shape, Names, wiring: the slot engine
//	New(...).Processors(...).Link(...) --^                      +- Build: the hardware of the cycle engine
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

// Network is an arbitrary network, read from a file or converted from a Drawing.
type Network struct {
	// head of all paths (default netlist)
	Name string `json:"name,omitempty" jsonschema:"minLength=1"`
	// path of a file with these keys for the network, relative to the scenario's folder
	File string `json:"file,omitempty" jsonschema:"minLength=1"`
	// all: a NIC sends and hears on all of its ports in one slot; one: it sends to one port, or one frame to all
	// ports, and hears one port; switch: one switch connects it to all of its buses; mixed: as all, but some ports
	// request their medium before they send (default mixed if there are arbiters beside other media, otherwise all)
	Access string `json:"access,omitempty" jsonschema:"enum=all,enum=one,enum=switch,enum=mixed"`
	// sl_shape: up to 8 words that describe the network to firmware (default: number of processors, maximum number of
	// ports, number of media, 0, 0, 1 for access all, a hash of the netlist)
	Words []uint32 `json:"words,omitempty" jsonschema:"maxItems=8"`
	// allow processors that cannot reach each other
	Apart bool `json:"apart,omitempty"`
	// path of a graph of routers in BookSim's anynet format, relative to the file; each router is a processor r[R]
	Anynet string `json:"anynet,omitempty" jsonschema:"minLength=1"`
	// path of a graph in GraphML, relative to the file: nodes have data name and kind, edges have data latency and
	// duplex
	GraphML string `json:"graphml,omitempty" jsonschema:"minLength=1"`
	Shorthands
	Concentrated
	// common parameters of all routers; the nodes of mesh, torus, ring, dragonfly, fly, cmesh, fattree, flatfly or
	// anynet become routers
	Router *Router `json:"router,omitempty"`
	// for firmware at routers: times of handler calls, and frames on links
	Streaming *Streaming `json:"streaming,omitempty"`
	// named sets of node keys: NAME: {kind: ...}
	Kinds Nodes `json:"kinds,omitempty"`
	// name, or a range such as p[0..3]: {kind: processor, star, bus, crossbar or router}; processors are numbered in
	// this order
	Nodes Nodes `json:"nodes,omitempty"`
	// links between ports of processors, from ports to stars, and between ports of routers
	Links Links `json:"links,omitempty"`
	// routing table for firmware: shortest (default), none, or both in an object {default: none, NODE: {DESTINATION:
	// port}}; of routers: shortest, dor, dim_order, dateline, minimal, dest_tag, nca, anynet (default: depends on the
	// network), or an object {default: shortest, file: FILE, ROUTER: {PROCESSOR: port, PROCESSOR: "port:VC..VC"}}, or
	// the path of a file of rules, or {classes: {...}, rules: [...]}
	Routes *Routes `json:"routes,omitempty"`

	net     *Net
	routers *fabric.Routers
}

func (Network) Declaration() string { return source }

// Nodes lists nodes by name in file order.
type Nodes []NodeEntry

// JSONSchemaAlias describes Nodes as an object.
func (Nodes) JSONSchemaAlias() any { return map[string]NodeEntry{} }

// NodeEntry describes the nodes with a name or range.
type NodeEntry struct {
	// in a list: a name, or a range of names
	Name string `json:"name,omitempty" jsonschema:"minLength=1"`
	// processor; star: a passive star, on which frames of several senders collide; bus: a star with an optional
	// arbiter that serves one sender; crossbar: each frame goes to the port of its destination; router: forwards
	// packets flit by flit through virtual channels; or a name from kinds
	Kind string `json:"kind" jsonschema:"minLength=1"`
	// names of the ports of a processor or router, port 0 first (default: the ports used by links)
	Ports []string `json:"ports,omitempty" jsonschema:"minItems=1"`
	// names from ports that need no link
	Open []string `json:"open,omitempty" jsonschema:"minItems=1"`
	// RTL that replaces the node's parts, as an entry of the scenario's key rtl with replace: NODE.**
	RTL *NodeRTL `json:"rtl,omitempty"`
	Serving
}

func (NodeEntry) Declaration() string { return source }

// Setting returns the nodes for lists of settings: an object in file order.
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

// Links lists links in file order.
type Links []LinkEntry

// JSONSchemaAlias describes Links as a list.
func (Links) JSONSchemaAlias() any { return []LinkEntry{} }

// Setting returns the links for lists of settings. A link without further keys appears as its endpoints.
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
	// node:port, a node with numbered ports (its next port), or a star; ranges of equal length are joined element by
	// element
	Endpoints []string `json:"endpoints" jsonschema:"required,minItems=2"`
	// true: only from the first end to the second; false: both directions
	Oneway bool `json:"oneway,omitempty"`
	// half: one direction per slot, and frames in both directions collide; full: both directions (default full)
	Duplex string `json:"duplex,omitempty" jsonschema:"enum=full,enum=half"`
	// latency in cycles; for a star, of the links from the star (default link.propagation_cycles)
	Latency *int `json:"latency,omitempty" jsonschema:"minimum=0,maximum=4096"`
	// credits of the sending port in each direction, as on an EJ network: maximum number of frames on the link and at
	// the receiver
	Credits *fabric.CreditLimits `json:"credits,omitempty"`
}

func (LinkEntry) Declaration() string { return source }

func (Network) Kind() string { return "netlist" }

// Net returns the numbered network, nil if no network was read.
func (n Network) Net() *Net { return n.net }

// Check implements fabric.Network. It returns nil for errors already reported by the drawing's reader.
func (n Network) Check() error {
	if n.net == nil {
		return input.Mistake("fabric.netlist", "the netlist is empty",
			"write mesh: {k: [4, 4]}, nodes: and links:, or file: FILE; in Go, netlist.New")
	}
	return nil
}

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
	case net.routers != nil:
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

const noVotes = "faulty modules belong to votes, which need a crossbar; the scenario's key faults is for " +
	"processors that fail"

func checkGossip(g *fabric.Gossip) error {
	const place = "workload.gossip."
	switch {
	case g == nil:
	case g.Orders != "" || g.Given != nil:
		return input.Mistake(place+"orders", "on a netlist the network determines the orders", "delete orders")
	case g.Count() > 1:
		return input.Mistake(place+"sessions",
			fmt.Sprintf("gossip has %d sessions, but only one on a netlist", g.Sessions), "delete sessions")
	case g.Values != "" || g.Vector != nil:
		return &input.Error{Place: place + "values",
			Reason: "on a netlist each processor sends its number, not values", Remedy: "delete values"}
	case len(g.Faulty) > 0 && g.Fault != "":
		return input.Mistake(place+"faulty", noVotes, "delete faulty and fault")
	case len(g.Faulty) > 0:
		return input.Mistake(place+"faulty", noVotes, "delete faulty")
	case g.Fault != "":
		return input.Mistake(place+"fault", noVotes, "delete fault")
	}
	return nil
}

// MarshalJSON encodes the content of all files of the netlist as one object, which identifies the network.
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
	n.Router, n.Streaming = d.router, d.streaming
	for i := range d.concentrated {
		n.take(d.concentrated[i].value)
	}
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
		n.Nodes = append(n.Nodes,
			NodeEntry{Name: d.nodes[i].name, Kind: d.nodes[i].kind, Ports: d.nodes[i].ports, Open: d.nodes[i].open,
				Serving: d.nodes[i].keys})
	}
	if d.routes.none || d.routes.word != "" && d.router != nil || d.routes.entries != nil || d.routes.relation != nil {
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

// Network returns the drawn network. Its errors are *input.Errors.
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

// Settle finishes slow computations, such as the routes.
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

// Replacements returns the RTL of nodes as entries of a scenario's key rtl, in node order.
func (n *Network) Replacements() []Replacement {
	if n == nil || n.net == nil {
		return nil
	}
	return n.net.replacements
}

// replacing returns the replacements of a drawing; folder is the path from the scenario's folder to that of the
// drawing.
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
