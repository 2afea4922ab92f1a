package netlist

import (
	"fmt"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim/twin"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

func (r *reader) readRTL(n *node, value *yaml.Node, where string) {
	rtl := new(NodeRTL)
	where += ": rtl"
	if !r.decode(value, rtl, where) {
		return
	}
	switch {
	case rtl.Map != "" && rtl.Twin != "":
		r.take(r.Refuse(value, where+" has both map and twin", "delete one"))
	case rtl.Map != "":
		r.take(r.checkMap(value, rtl.Map))
	case rtl.Twin != "":
		r.take(r.checkModel(r.Place(value), "the twin", rtl.Twin))
	}
	n.rtl, n.rtlPlace = rtl, r.Place(value)
}

// checkMap refuses a pin map that cannot be read, or whose model there is not. All else is checked when it is attached.
func (r *reader) checkMap(value *yaml.Node, path string) error {
	at := r.beside(path)
	data, err := input.Read(at, fileBytesMax)
	if err != nil {
		return r.Refuse(value, fmt.Sprintf("%s cannot be read: %v", at, input.WithoutPath(err)), "give a pin map, relative to the file's folder")
	}
	const remedy = "write model: star_coupler, or another twin; `starloom cosim check --help` shows a pin map"
	root, err := strict.Document(at, data, "pin map", remedy)
	if err != nil {
		return err
	}
	d, model := &strict.Decoder{File: at, Whole: "the pin map"}, within(root, "model")
	if model == nil || model.Kind != yaml.ScalarNode {
		return d.Refuse(root, "the pin map names no model", remedy)
	}
	return r.checkModel(d.Place(model), "the model", model.Value)
}

func (r *reader) checkModel(place, what, name string) error {
	if _, err := twin.Find(twin.All(), name); err != nil {
		var known []string
		for _, t := range twin.All() {
			known = append(known, t.Name)
		}
		return &input.Error{Place: place, Reason: fmt.Sprintf("%s is %s, which there is not", what, strict.Clip(name)),
			Remedy: input.DidYouMean(name, known, "write star_coupler, link, or another one of docs/rtl.md")}
	}
	return nil
}
