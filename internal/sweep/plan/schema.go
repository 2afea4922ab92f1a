package plan

import (
	"bytes"
	"encoding/json"

	"github.com/invopop/jsonschema"

	"starloom/traces/input/strict"
)

// Schema is the JSON Schema of sweep files, for editors. Loading one also checks what depends on several values.
func Schema() ([]byte, error) {
	type properties struct {
		name   string
		schema *jsonschema.Schema
	}
	object := func(description string, list ...properties) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "object", Description: description, Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
		for _, p := range list {
			s.Properties.Set(p.name, p.schema)
		}
		return s
	}
	text := func(description string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1), Description: description}
	}
	number := &jsonschema.Schema{Type: "number"}

	steps := object("from, to, and a step or a factor: both ends are met",
		properties{"from", number}, properties{"to", number}, properties{"step", number}, properties{"times", number})
	steps.OneOf = []*jsonschema.Schema{{Required: []string{"from", "to", "step"}}, {Required: []string{"from", "to", "times"}}}
	three := &jsonschema.Schema{Type: "array", Items: number, MinItems: strict.Pointer(3), MaxItems: strict.Pointer(3),
		Description: "[from, to, step]: both ends are met"}
	settings := &jsonschema.Schema{Type: "object", MinProperties: strict.Pointer(1), Description: "names, and what keys each of them sets",
		AdditionalProperties: &jsonschema.Schema{Type: "object", MinProperties: strict.Pointer(1)}}
	axis := object("one key and its values, or settings of several keys",
		properties{"key", text("the scenario's, as --set has it: workload.traffic.rate")},
		properties{"values", &jsonschema.Schema{Type: "array", MinItems: strict.Pointer(1), UniqueItems: true, Description: "as they stand in a scenario"}},
		properties{"range", &jsonschema.Schema{OneOf: []*jsonschema.Schema{three, steps}}},
		properties{"settings", settings})
	axis.OneOf = []*jsonschema.Schema{{Required: []string{"key", "values"}}, {Required: []string{"key", "range"}}, {Required: []string{"settings"}}}

	s := object("",
		properties{"starloom", &jsonschema.Schema{Const: 1, Description: "version of the format; 1 if left out"}},
		properties{"scenario", &jsonschema.Schema{OneOf: []*jsonschema.Schema{
			text("path of a scenario, relative to this file"), {Type: "object", Description: "the scenario itself"}}}},
		properties{"axes", &jsonschema.Schema{Type: "object", MinProperties: strict.Pointer(1), Description: "what is varied; the last one changes fastest",
			PropertyNames: &jsonschema.Schema{Pattern: axisName.String()}, AdditionalProperties: axis}},
		properties{"zip", &jsonschema.Schema{Type: "array", Description: "axes that take their values together, one by one",
			Items: &jsonschema.Schema{Type: "array", Items: text(""), MinItems: strict.Pointer(2), UniqueItems: true}}},
		properties{"where", text("a condition on the axes, in the language Expr: load * size < 1")},
		properties{"seeds", &jsonschema.Schema{Description: "of each point: A..B; the scenario's own one if left out",
			OneOf: []*jsonschema.Schema{{Type: "string", Pattern: `^[0-9]+\.\.[0-9]+$`}, {Type: "integer", Minimum: "0"}}}},
		properties{"slurm", &jsonschema.Schema{Type: "object", Description: "what a Slurm cluster is told"}})
	s.Version, s.Title, s.Required = jsonschema.Version, "Starloom sweep", []string{"scenario", "axes"}
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, append(data, '\n'), "", "  ")
	return b.Bytes(), err
}
