package maps

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim"
	"starloom/cosim/flatten"
	"starloom/cosim/pinmap"
	"starloom/cosim/refmodel"
	"starloom/cosim/twin"
)

// modelKeys are the keys of a model that is RTL. They have the meaning of the map's own keys.
var modelKeys = []string{"top", "sources", "include", "defines", "params", "libraries", "ghdl_flags", "clock", "reset"}

// model parses the name of a model, or RTL or an image in its place:
//
//	model: {top: arbiter, sources: [old/arbiter.sv], params: {N: 4}, clock: clk, reset: {pin: rst_n, active: low}}
//	model: {image: arbiter.wasm}
func (d *pinDecoder) model(n *yaml.Node, where string) error {
	switch n.Kind {
	case yaml.MappingNode:
	case yaml.ScalarNode:
		return d.Text(n, where, &d.m.Model)
	default:
		return d.Wrong(n, where, "the name of a model, or RTL: {top: MODULE, sources: [FILE]}, "+
			"or a model of your own: {image: FILE.wasm}")
	}
	if valueOf(n, "image") != nil {
		return d.imageModel(n, where)
	}
	own, err := d.ownKeys(n, where, modelKeys)
	switch {
	case err != nil:
		return err
	case own.Source.Top == "":
		return d.Refuse(n, "the model names no top module", "add top: the name of the model's module")
	case len(own.Source.Files) == 0:
		return d.Refuse(n, "the model has no source", "add sources: [FILE]")
	case len(own.Timing.Clocks) > 0:
		return d.Refuse(n, "the model has several clocks or a ratio", "name one clock: clock: PORT")
	case len(own.Timing.Resets) > 0:
		return d.Refuse(n, "the model has several resets", "name one reset: reset: PORT; make a wrapper that joins them")
	case own.Timing.ResetCycles > 0:
		return d.Refuse(n, "the model's reset has a length", "write cycles in the map's own reset, which applies to both "+
			"sides")
	}
	given := &twin.Given{Is: isRTL, Source: own.Source, Parameters: twin.Parameters{}, Clock: own.Clock,
		Reset:    own.Reset,
		ResetLow: own.ResetLow, Load: flatten.LoadGiven}
	for name, text := range own.Source.Params {
		if value, err := strconv.ParseUint(text, 10, 32); err == nil {
			given.Parameters[name] = int(value)
		}
	}
	d.m.Model, d.m.Twins = own.Source.Top, []twin.Twin{given.Twin()}
	return nil
}

// Kinds of models that a map describes.
const (
	isRTL   = "is RTL"
	isImage = "is an image" // of the user
)

// goals parses which assertions of the RTL are goals of a proof: beside the comparison, or only these.
func (d *pinDecoder) goals(n *yaml.Node, where string) error {
	i, err := d.Word(n, where, "beside", "only")
	d.m.Goals = &pinmap.Goals{Only: i == 1}
	return err
}

// imageModel parses a model that is an image: {image: FILE.wasm}.
func (d *pinDecoder) imageModel(n *yaml.Node, where string) error {
	own, err := d.ownKeys(n, where, []string{"image"})
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(own.Image), filepath.Ext(own.Image))
	given := &twin.Given{Is: isImage, Source: cosim.Source{Top: name, Files: []string{own.Image}},
		Parameters: twin.Parameters{}, Load: refmodel.LoadGiven}
	d.m.Model, d.m.Twins = name, []twin.Twin{given.Twin()}
	return nil
}

// ownKeys parses keys of a model, which have the meaning of the map's own keys.
func (d *pinDecoder) ownKeys(n *yaml.Node, where string, names []string) (*pinmap.Map, error) {
	own := &pinmap.Map{Places: map[string]string{}}
	own.Source.DataDir = d.folder
	sub := pinDecoder{d.decoder, own, d.folder, nil}
	keys := sub.keys()
	for key := range keys {
		if !slices.Contains(names, key) {
			delete(keys, key)
		}
	}
	err := d.Keys(n, where, keys)
	for key, place := range own.Places {
		d.m.Places[where+"."+key] = place
	}
	return own, err
}

// completeModel copies the names of clock and reset between RTL and a model that is RTL, unless the map names both. An
// image has its own names.
func (d *pinDecoder) completeModel(root *yaml.Node) error {
	m := d.m
	if m.Goals != nil && m.Goals.Only {
		if at := valueOf(root, "model"); at != nil {
			return d.Refuse(at, "goals: only compares nothing, but the map names a model",
				"delete model, or write goals: beside")
		}
		given := &twin.Given{Is: isRTL, Source: m.Source, Parameters: twin.Parameters{}, Load: flatten.LoadGiven}
		m.Model, m.Twins = m.Source.Top, []twin.Twin{given.Twin()}
	}
	g := m.Given()
	if g == nil {
		return nil
	}
	remedy := fmt.Sprintf("write them in the model: model: {top: %s, params: {NAME: VALUE}}", g.Source.Top)
	if g.Is == isImage {
		remedy = "delete it; build the image with -D NAME=VALUE"
	}
	if at := valueOf(root, "parameters"); at != nil {
		return d.Refuse(at, "parameters apply to a named model, but the model "+g.Is, remedy)
	}
	if at := valueOf(root, "streams"); at != nil {
		return d.Refuse(at, "streams apply to a named model, but the model "+g.Is,
			"delete it; write conditions on its inputs in assume, and the condition under which a payload counts in compare")
	}
	if m.Parameters = g.Parameters; g.Is == isImage {
		return nil
	}
	if g.Clock == "" {
		g.Clock = m.Clock
	}
	if m.Clock == "" {
		m.Clock = g.Clock
	}
	if g.Reset == "" {
		g.Reset, g.ResetLow, g.Assumed = m.Reset, m.ResetLow, true
	}
	if valueOf(root, "reset") == nil {
		m.Reset, m.ResetLow = g.Reset, g.ResetLow
	}
	return nil
}
