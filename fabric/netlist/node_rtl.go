package netlist

import (
	_ "embed"
	"fmt"
)

// nodeRTLSource is this file, whose comments describe keys of a scenario.
//
//go:embed node_rtl.go
var nodeRTLSource string

// NodeRTL replaces the parts of a node that its RTL models, or all parts without map and twin.
type NodeRTL struct {
	// path of a pin map, relative to the file
	Map string `json:"map,omitempty" jsonschema:"minLength=1"`
	// Verilog twin of Starloom, such as star_coupler (default without map: the twin of each part)
	Twin string `json:"twin,omitempty" jsonschema:"minLength=1"`
	// backend that runs the RTL: wasm (default) or icarus
	Backend string `json:"backend,omitempty" jsonschema:"enum=wasm,enum=icarus"`
}

func (NodeRTL) Declaration() string { return nodeRTLSource }

// Replacement is the RTL of a node in the form of an entry of a scenario's key rtl.
type Replacement struct {
	NodeRTL
	Place   string
	Replace string // pattern of paths
}

// Stands records the places of the entry's keys.
func (r *Replacement) Stands(places map[string]string, entry string) {
	for key, given := range map[string]bool{"": true, ".replace": true, ".map": r.Map != "", ".twin": r.Twin != "",
		".backend": r.Backend != ""} {
		if given {
			places[entry+key] = r.Place
		}
	}
}

func (r *NodeRTL) text() string {
	text := "its twin"
	switch {
	case r.Map != "":
		text = "map " + r.Map
	case r.Twin != "":
		text = "twin " + r.Twin
	}
	if r.Backend != "" {
		text += ", " + r.Backend
	}
	return text
}

func (r *NodeRTL) yaml() string {
	if r == nil {
		return ""
	}
	text := ""
	for _, key := range [][2]string{{"map", r.Map}, {"twin", r.Twin}, {"backend", r.Backend}} {
		if key[1] == "" {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s: %q", key[0], key[1])
	}
	return ", rtl: {" + text + "}"
}
