package netlist

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"starloom/fabric"
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
	// and hears one (default all)
	Access string `json:"access,omitempty" jsonschema:"enum=all,enum=one"`
	// sl_shape: what firmware is told of the network, up to 8 words (default: processors, most ports, media, 0, 0,
	// 1 for access all, a hash of the netlist)
	Words []uint32 `json:"words,omitempty" jsonschema:"maxItems=8"`
	// allows processors that cannot reach each other
	Apart bool `json:"apart,omitempty"`
	// words for nodes that have the same keys: name: {kind: ...}
	Kinds Nodes `json:"kinds,omitempty"`
	// name, or names in a range such as p[0..3]: {kind: processor or star}; the order gives processors their numbers
	Nodes Nodes `json:"nodes,omitempty"`
	// what joins ports of processors with each other, or with stars
	Links Links `json:"links,omitempty"`

	net *Net
}

// Declaration implements strict.Commented: comments say what its keys are.
func (Network) Declaration() string { return source }

// Nodes are nodes by their names, in the order of the file.
type Nodes []NodeEntry

// JSONSchemaAlias says that a file has them as an object.
func (Nodes) JSONSchemaAlias() any { return map[string]NodeEntry{} }

// NodeEntry is what a name stands for.
type NodeEntry struct {
	// of an entry of a list: name, or names in a range
	Name string `json:"name,omitempty" jsonschema:"minLength=1"`
	// processor, star: a passive star, on which frames of several senders meet; or a word of kinds
	Kind string `json:"kind" jsonschema:"minLength=1"`
	// names of a processor's ports, port 0 first (default: those that links use)
	Ports []string `json:"ports,omitempty" jsonschema:"minItems=1"`
}

// Declaration implements strict.Commented: comments say what its keys are.
func (NodeEntry) Declaration() string { return source }

// Setting is what a list of settings shows of them: the object of a file, in its order.
func (list Nodes) Setting() any {
	entries := make([]string, len(list))
	for i := range list {
		var value any = list[i].Kind
		if list[i].Ports != nil {
			value = NodeEntry{Kind: list[i].Kind, Ports: list[i].Ports}
		}
		entries[i] = form(list[i].Name) + ":" + form(value)
	}
	return json.RawMessage("{" + strings.Join(entries, ",") + "}")
}

// form is a value as JSON.
func form(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("netlist: %v", err)) // only plain data is in it
	}
	return string(data)
}

// Links are links in the order of the file.
type Links []LinkEntry

// JSONSchemaAlias says that a file has them as a list.
func (Links) JSONSchemaAlias() any { return []LinkEntry{} }

// Setting is what a list of settings shows of them.
func (list Links) Setting() any {
	all := make([]any, len(list))
	for i, l := range list {
		if all[i] = l; !l.Oneway && l.Duplex == "" && l.Latency == nil {
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
}

// Declaration implements strict.Commented: comments say what its keys are.
func (LinkEntry) Declaration() string { return source }

var _ fabric.Network = Network{}

// Kind implements fabric.Network.
func (Network) Kind() string { return "netlist" }

// Net is the network with everything numbered, nil if nothing was read.
func (n Network) Net() *Net { return n.net }

// Check implements fabric.Network: what is wrong with a drawing was found when it was read.
func (n Network) Check() error {
	if n.net == nil {
		return &input.Error{Place: "fabric.netlist", Reason: "the netlist is empty", Remedy: "write nodes: and links:, or file: FILE; in Go, netlist.New"}
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

// Shape implements fabric.Network.
func (n Network) Shape() fabric.Shape { return n.drawn().Shape() }

// Names implements fabric.Network.
func (n Network) Names() fabric.Names { return n.drawn().Names() }

// Referee implements fabric.Network.
func (n Network) Referee(*fabric.Workload, *fabric.Program) fabric.Referee {
	return fabric.NewPackets(len(n.drawn().Processors))
}

// MemoryBytes implements fabric.Network.
func (n Network) MemoryBytes(c *fabric.Config) uint64 { return n.drawn().MemoryBytes(c) }

// Build implements fabric.Network.
func (n Network) Build(p *fabric.Plant) error { return n.drawn().Build(p) }

// Opposites implements fabric.Directed.
func (n Network) Opposites() []uint32 { return n.drawn().Opposites() }

// MarshalJSON is what a scenario is known by: what was read, in one piece.
func (n Network) MarshalJSON() ([]byte, error) {
	type keys Network
	n.File = ""
	return json.Marshal(keys(n))
}

// fill takes the keys of a drawing.
func (n *Network) fill(d *Drawing) {
	n.Name, n.Apart, n.Words, n.Access = d.name, d.apart, d.words, ""
	if d.onePort {
		n.Access = "one"
	}
	for i := range d.nodes {
		n.Nodes = append(n.Nodes, NodeEntry{Name: d.nodes[i].name, Kind: d.nodes[i].kind, Ports: d.nodes[i].ports})
	}
	for i := range d.links {
		l := LinkEntry{Endpoints: d.links[i].ends, Oneway: d.links[i].oneway}
		if d.links[i].half {
			l.Duplex = "half"
		}
		if latency := d.links[i].latency; latency != Usual {
			l.Latency = &latency
		}
		n.Links = append(n.Links, l)
	}
}
