package netlist

import (
	_ "embed"
	"fmt"
)

// nodeRTLSource is this file, whose comments describe keys of a scenario.
//
//go:embed node_rtl.go
var nodeRTLSource string

// NodeRTL stands in the place of a node's hardware: of those of its parts that are what the RTL is; with neither map nor
// twin, of all of them.
type NodeRTL struct {
	// path of a pin map, relative to the file
	Map string `json:"map,omitempty" jsonschema:"minLength=1"`
	// Starloom's own Verilog, such as star_coupler; if twin and map are left out, the twin of each part
	Twin string `json:"twin,omitempty" jsonschema:"minLength=1"`
	// what runs the RTL: wasm (default) or icarus
	Backend string `json:"backend,omitempty" jsonschema:"enum=wasm,enum=icarus"`
}

func (NodeRTL) Declaration() string { return nodeRTLSource }

// Replacement is an entry of a scenario's key rtl that a node stands for.
type Replacement struct {
	NodeRTL
	Place   string // where it is written
	Replace string // pattern of paths
}

// Stands notes where the keys of the entry are written.
func (r *Replacement) Stands(places map[string]string, entry string) {
	for key, given := range map[string]bool{"": true, ".replace": true, ".map": r.Map != "", ".twin": r.Twin != "", ".backend": r.Backend != ""} {
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

// yaml is the key of a node, "" for none.
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
