// Package plan reads sweep files: axes, and the points that the axes span.
//
//	bytes --Parse--> Plan: axes (keys, values), zip, where, seeds --Points--> settings of each point
//
// Values are exact: ranges are computed in decimals, not in binary fractions. A point holds settings without
// interpretation; a setting has the effect of a line in the scenario.
package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric/outcome"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Plan is a parsed sweep file.
type Plan struct {
	Notes    []string // on paths
	Name     string   // name of the file without its suffix
	Scenario Source
	Axes     []*Axis
	Zip      [][]string
	Seeds    *outcome.Seeds // seeds of each point; nil selects the scenario's seed
	Slurm    *yaml.Node     // settings for the scheduler, nil for none

	places map[string]string
	where  *condition
	groups [][]*Axis // axes, grouped by zip
}

// Source is the scenario modified by all points.
type Source struct {
	Place string // path of its file, or of the sweep file with the scenario
	Data  []byte
}

const bytesMax = 64 << 20

// Load reads the sweep file at path. Errors are *input.Error with file, line and column.
func Load(path string) (*Plan, error) {
	data, path, err := input.Argument(path, bytesMax)
	if err != nil {
		return nil, input.Unreadable(path, err, "give the path of a sweep file; `starloom help sweep` shows one")
	}
	return Parse(path, data)
}

type reader struct{ strict.Decoder }

// Parse parses a sweep file and reads its scenario. place is the path of the file.
func Parse(place string, data []byte) (*Plan, error) {
	root, err := strict.Document(place, data, "sweep", "write scenario: FILE and axes: {NAME: {key: KEY, values: [...]}}")
	if err != nil {
		return nil, err
	}
	r := &reader{strict.Decoder{File: place, Whole: "the sweep"}}
	p := &Plan{Name: strings.TrimSuffix(filepath.Base(place), filepath.Ext(place)),
		places: map[string]string{"": r.Place(root)}}
	var where *yaml.Node
	err = r.Keys(root, "the sweep", map[string]func(*yaml.Node, string) error{
		"starloom": func(node *yaml.Node, at string) error {
			_, err := r.Integer(node, at, strict.Span{Min: 1, Max: 1})
			return err
		},
		"scenario": func(node *yaml.Node, at string) error { return r.scenario(node, p, place) },
		"axes":     func(node *yaml.Node, at string) error { return r.axes(node, p) },
		"zip": func(node *yaml.Node, at string) error {
			return r.List(node, at, func(entry *yaml.Node, at string) error {
				var names []string
				p.places[at] = r.Place(entry)
				err := r.Texts(entry, at, &names)
				p.Zip = append(p.Zip, names)
				return err
			})
		},
		"where": func(node *yaml.Node, at string) error { where = node; return nil },
		"seeds": func(node *yaml.Node, at string) error { return r.seeds(node, p) },
		"slurm": func(node *yaml.Node, at string) error { p.Slurm = node; return nil },
	})
	if err != nil {
		return nil, err
	}
	switch {
	case p.Scenario.Data == nil:
		return nil, r.Refuse(root, `missing key "scenario" in the sweep`, "add scenario: and the path of a scenario, "+
			"relative to this file, or the scenario itself")
	case len(p.Axes) == 0:
		return nil, r.Refuse(root, "the sweep has no axes to vary", "add axes: {NAME: {key: KEY, "+
			"values: [...]}}")
	}
	if err := errors.Join(p.group(), p.besideSweep(place)); err != nil {
		return nil, err
	}
	if where != nil {
		p.where, err = r.compile(where, p.Axes)
	}
	return p, err
}

func (r *reader) scenario(node *yaml.Node, p *Plan, place string) error {
	p.places["scenario"] = r.Place(node)
	if node.Kind == yaml.MappingNode {
		text, err := r.oneLine(node, "scenario")
		p.Scenario = Source{place, []byte(text)}
		return err
	}
	var path string
	if err := r.Text(node, "scenario", &path); err != nil {
		return err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(place), path)
	}
	data, err := input.Read(path, bytesMax)
	if err != nil {
		return r.Refuse(node, fmt.Sprintf("the scenario %s cannot be read: %v", path, input.WithoutPath(err)),
			"give a path relative to the folder of the sweep file")
	}
	p.Scenario = Source{path, data}
	return nil
}

func (r *reader) axes(node *yaml.Node, p *Plan) error {
	if node.Kind != yaml.MappingNode {
		return r.Wrong(node, "axes", "an object: {NAME: {key: KEY, values: [...]}}")
	}
	seen, keys := map[string]string{}, map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if _, err := r.Key(node.Content[i], "axes", seen); err != nil {
			return err
		}
		a, err := r.axis(strict.Target(node.Content[i]), strict.Target(node.Content[i+1]))
		if err != nil {
			return err
		}
		for _, key := range a.Keys {
			if other := keys[key]; other != "" {
				return r.Refuse(node.Content[i], fmt.Sprintf("the axes %s and %s both set %s", other, a.Name, key), "delete one")
			}
			keys[key] = a.Name
		}
		p.Axes = append(p.Axes, a)
	}
	return nil
}

func (r *reader) seeds(node *yaml.Node, p *Plan) error {
	if node.Kind != yaml.ScalarNode {
		return r.Wrong(node, "seeds", "a range: 1..20")
	}
	seeds, err := outcome.ParseSeeds(r.Place(node), node.Value)
	p.Seeds = &seeds
	return err
}

func (p *Plan) group() error {
	in := map[string]int{} // 1 + group, by axis
	for i, names := range p.Zip {
		place := p.places[fmt.Sprintf("zip[%d]", i)]
		refuse := func(reason, remedy string) error { return input.Mistake(place, reason, remedy) }
		if len(names) < 2 {
			return refuse("a single axis cannot vary together with others",
				"name two axes or more, for example zip: [[ports, rate]]")
		}
		var first *Axis
		for _, name := range names {
			a := p.axis(name)
			switch {
			case a == nil:
				return refuse(fmt.Sprintf("there is no axis %q", strict.Clip(name)), input.RemedyOf(name, p.Names()))
			case in[name] > 0:
				return refuse("the axis "+name+" is named twice", "name it once")
			case first != nil && len(a.Values) != len(first.Values):
				return refuse(fmt.Sprintf("the zipped axes %s and %s have %d and %d values", first.Name, name,
					len(first.Values), len(a.Values)),
					"give them the same number of values, or delete them from zip")
			}
			in[name] = i + 1
			if first == nil {
				first = a
			}
		}
	}
	for _, a := range p.Axes {
		k := in[a.Name]
		at := slices.IndexFunc(p.groups, func(g []*Axis) bool { return k > 0 && in[g[0].Name] == k })
		if at < 0 {
			p.groups = append(p.groups, []*Axis{a})
		} else {
			p.groups[at] = append(p.groups[at], a)
		}
	}
	return nil
}

func (p *Plan) axis(name string) *Axis {
	if i := slices.IndexFunc(p.Axes, func(a *Axis) bool { return a.Name == name }); i >= 0 {
		return p.Axes[i]
	}
	return nil
}

// Names returns the names of the axes in file order.
func (p *Plan) Names() (names []string) {
	for _, a := range p.Axes {
		names = append(names, a.Name)
	}
	return names
}

// Place returns the place of a key, or of the file if the key is missing.
func (p *Plan) Place(key string) string {
	if place, ok := p.places[key]; ok {
		return place
	}
	return p.places[""]
}

func (r *reader) oneLine(node *yaml.Node, at string) (string, error) {
	var b strings.Builder
	if !write(&b, node, depthMax) {
		return "", r.Refuse(node, at+" is nested too deeply, or is not a value", "write a number, a word, a list or an "+
			"object of these")
	}
	return b.String(), nil
}

// Schema returns the JSON Schema of sweep files for editors. Load also checks relations between values.
func Schema() ([]byte, error) {
	type properties struct {
		name   string
		schema *jsonschema.Schema
	}
	object := func(description string, list ...properties) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "object", Description: description, Properties: jsonschema.NewProperties(),
			AdditionalProperties: jsonschema.FalseSchema}
		for _, p := range list {
			s.Properties.Set(p.name, p.schema)
		}
		return s
	}
	text := func(description string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1), Description: description}
	}
	number := &jsonschema.Schema{Type: "number"}

	steps := object("from, to, and a step or a factor; both ends are included",
		properties{"from", number}, properties{"to", number}, properties{"step", number}, properties{"times", number})
	steps.OneOf = []*jsonschema.Schema{{Required: []string{"from", "to", "step"}},
		{Required: []string{"from", "to", "times"}}}
	three := &jsonschema.Schema{Type: "array", Items: number, MinItems: strict.Pointer(3), MaxItems: strict.Pointer(3),
		Description: "[from, to, step]: both ends are included"}
	settings := &jsonschema.Schema{Type: "object", MinProperties: strict.Pointer(1),
		Description:          "names of values, and the keys that each value sets",
		AdditionalProperties: &jsonschema.Schema{Type: "object", MinProperties: strict.Pointer(1)}}
	axis := object("one key and its values, or settings of several keys",
		properties{"key", text("a key of the scenario, as for --set: workload.traffic.rate")},
		properties{"values",
			&jsonschema.Schema{Type: "array", MinItems: strict.Pointer(1), UniqueItems: true,
				Description: "as they stand in a scenario"}},
		properties{"range", &jsonschema.Schema{OneOf: []*jsonschema.Schema{three, steps}}},
		properties{"settings", settings})
	axis.OneOf = []*jsonschema.Schema{{Required: []string{"key", "values"}}, {Required: []string{"key", "range"}},
		{Required: []string{"settings"}}}

	s := object("",
		properties{"starloom", &jsonschema.Schema{Const: 1, Description: "version of the format; 1 if left out"}},
		properties{"scenario", &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			text("path of a scenario, relative to this file"), {Type: "object", Description: "the scenario itself"}}}},
		properties{"axes",
			&jsonschema.Schema{Type: "object", MinProperties: strict.Pointer(1),
				Description:   "varied axes; the last one changes fastest",
				PropertyNames: &jsonschema.Schema{Pattern: axisName.String()}, AdditionalProperties: axis}},
		properties{"zip", &jsonschema.Schema{Type: "array", Description: "axes whose values are paired in order",
			Items: &jsonschema.Schema{Type: "array", Items: text(""), MinItems: strict.Pointer(2), UniqueItems: true}}},
		properties{"where", text("a condition on the axes, in the language Expr: load * size < 1")},
		properties{"seeds", &jsonschema.Schema{Description: "seeds of each point: A..B, or N for 1..N; the scenario's " +
			"seed if left out",
			OneOf: []*jsonschema.Schema{{Type: "string", Pattern: `^[0-9]+\.\.[0-9]+$`}, {Type: "integer", Minimum: "1"}}}},
		properties{"slurm", &jsonschema.Schema{Type: "object", Description: "settings for a Slurm cluster"}})
	s.Version, s.ID, s.Title = jsonschema.Version, "urn:starloom:sweep:1", "Starloom sweep"
	s.Required = []string{"scenario", "axes"}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, append(data, '\n'), "", "  ")
	return b.Bytes(), err
}
