package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"

	"github.com/invopop/jsonschema"

	"starloom/cosim/twin"
	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/traces/input/strict"
)

// ParamsMax is the maximum number of firmware parameters. The register map has a word for each parameter.
const ParamsMax = 16

// ParamSpan is the range of a firmware parameter, a signed 32-bit register.
var ParamSpan = strict.Span{Min: math.MinInt32, Max: math.MaxInt32}

// ParamName matches the name of a firmware parameter: a C identifier.
var ParamName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)

// RatesMax is the maximum number of rates in a survival curve.
const RatesMax = 64

// Described lists the parts that a scenario schema describes.
type Described struct {
	Types   []reflect.Type
	BuiltIn []fabric.Network // built-in networks, without their sizes
	More    Networks
	Twins   []twin.Twin
}

// Schema returns the JSON Schema of scenarios.
func (x *Described) Schema() ([]byte, error) {
	schema, err := x.reflect()
	if err != nil {
		return nil, err
	}
	schema.Title, schema.ID = "Starloom scenario", "urn:starloom:scenario:1"
	return encode(schema)
}

// PartSchema returns the JSON Schema of files with the keys of one object of a scenario, except the key "file".
func (x *Described) PartSchema(definition, title string, id jsonschema.ID) ([]byte, error) {
	schema, err := x.reflect()
	if err != nil {
		return nil, err
	}
	schema.Title, schema.ID, schema.Ref = title, id, "#/$defs/"+definition
	schema.Definitions[definition].Properties.Delete("file")
	used := map[string]bool{}
	if err := reach(schema.Definitions, definition, used); err != nil {
		return nil, err
	}
	maps.DeleteFunc(schema.Definitions, func(name string, _ *jsonschema.Schema) bool { return !used[name] })
	return encode(schema)
}

var reference = regexp.MustCompile(`"\$ref":"#/\$defs/([^"]+)"`)

// reach marks a definition and all definitions referenced from it.
func reach(definitions jsonschema.Definitions, name string, used map[string]bool) error {
	if used[name] {
		return nil
	}
	used[name] = true
	data, err := json.Marshal(definitions[name])
	for _, found := range reference.FindAllSubmatch(data, -1) {
		err = errors.Join(err, reach(definitions, string(found[1]), used))
	}
	return err
}

func (x *Described) reflect() (*jsonschema.Schema, error) {
	reflector := jsonschema.Reflector{
		Anonymous:                  true,
		RequiredFromJSONSchemaTags: true,
		Namer:                      strict.SchemaName,
		LookupComment:              strict.Comment,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if t == reflect.TypeFor[fabric.Permutation]() {
				return PermutationSchema()
			}
			if t == reflect.TypeFor[fabric.Duration]() {
				return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer"},
					{Type: "string", Pattern: fabric.DurationPattern()}}}
			}
			if t == reflect.TypeFor[fabric.ResultRules]() {
				return resultsSchema()
			}
			if key, _, ok := strict.Shorthand(t); ok {
				return strict.ShorthandSchema(t, key)
			}
			return nil
		},
	}
	schema := reflector.ReflectFromType(x.Types[0])
	if err := x.refine(schema.Definitions); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if err := x.More.Describe(reflector, schema.Definitions, schema.Definitions["Fabric"]); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return schema, nil
}

func encode(schema *jsonschema.Schema) ([]byte, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func resultsSchema() *jsonschema.Schema {
	limits := jsonschema.NewProperties()
	limits.Set("min", &jsonschema.Schema{Type: "integer"})
	limits.Set("max", &jsonschema.Schema{Type: "integer"})
	one := &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "integer"},
		{Type: "string", Enum: []any{fabric.ResultEqual, fabric.ResultDistinct}},
		{Type: "object", Properties: limits, AdditionalProperties: jsonschema.FalseSchema, MinProperties: strict.Pointer(1)}}}
	return &jsonschema.Schema{Type: "object", AdditionalProperties: one, MinProperties: strict.Pointer(1)}
}

// refine adds facts that struct tags cannot express: ranges of types, programs, and keys that exclude or require each
// other.
func (x *Described) refine(definitions jsonschema.Definitions) error {
	property := func(definition, key string) *jsonschema.Schema {
		if d := definitions[definition]; d != nil {
			if p, ok := d.Properties.Get(key); ok {
				return p
			}
		}
		return &jsonschema.Schema{}
	}
	types := slices.Clone(x.Types)
	for _, n := range x.BuiltIn {
		for _, t := range strict.Structs(reflect.TypeOf(n).Elem()) {
			if definitions[strict.SchemaName(t)] != nil && !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	if err := strict.SchemaRanges(definitions, types, strict.SchemaName); err != nil {
		return err
	}
	definitions["Fabric"].MinProperties = strict.Pointer(1)
	definitions["Fabric"].MaxProperties = strict.Pointer(1)

	definitions["Firmware"].OneOf = []*jsonschema.Schema{{Required: []string{"program"}}, {Required: []string{"image"}}}
	program := property("Firmware", "program")
	program.Enum = nil
	for _, name := range firmware.Programs() {
		program.Enum = append(program.Enum, name)
	}
	params := property("Firmware", "params")
	params.AdditionalProperties = strict.IntegerSchema(ParamSpan.Min, ParamSpan.Max)
	params.PropertyNames = &jsonschema.Schema{Pattern: ParamName.String()}
	params.MaxProperties = strict.Pointer(ParamsMax)

	definitions["RandomFault"].OneOf = []*jsonschema.Schema{{Required: []string{"rate"}}, {Required: []string{"rates"}}}
	rates := property("RandomFault", "rates")
	rates.Items = &jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"}
	rates.MaxItems, rates.UniqueItems = strict.Pointer(RatesMax), true

	cost := property("CPU", "cost")
	cost.AdditionalProperties = strict.IntegerSchema(0, wasm.CostMax)
	cost.PropertyNames = &jsonschema.Schema{}
	for _, name := range wasm.ClassNames() {
		cost.PropertyNames.Enum = append(cost.PropertyNames.Enum, name)
	}
	definitions["CPU"].DependentRequired = map[string][]string{"cost": {"model"}, "clock_ratio": {"model"},
		"trap_cycles": {"model"}, "data_wait": {"model"}, "stack": {"model"}}

	schedule := property("Firmware", "schedule")
	for _, n := range slices.Concat(x.BuiltIn, x.More) {
		for _, name := range n.Abilities().Schedules.Names {
			schedule.Enum = append(schedule.Enum, name)
		}
	}
	twin := property("RTL", "twin")
	for _, t := range x.Twins { // the fabric determines which twins fit
		twin.Enum = append(twin.Enum, t.Name)
	}
	definitions["RTL"].Not = &jsonschema.Schema{Required: []string{"twin", "map"}}
	definitions["Faults"].MinProperties = strict.Pointer(1)
	property("FaultSlots", "list").Items = strict.IntegerSchema(0, math.MaxUint32)
	for _, name := range []string{"Fault", "RandomFault"} {
		property(name, "targets").Items = &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1)}
	}
	refineNetlist(property)
	definitions["Workload"].MaxProperties = strict.Pointer(1)
	refineTraffic(property)
	property("CollisionFree", "slots").Items = strict.IntegerSchema(1, 65535)
	property("VCDTrace", "signals").Items = &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1)}
	definitions["VCDTrace"].DependentRequired = map[string][]string{"before": {"trigger"}, "after": {"trigger"}}
	return nil
}

func refineTraffic(property func(definition, key string) *jsonschema.Schema) {
	property("Traffic", "classes").PropertyNames = &jsonschema.Schema{Pattern: fabric.TrafficClassName.String()}
	for _, of := range []string{"Traffic", "TrafficClass"} {
		pattern := property(of, "pattern")
		for _, name := range fabric.Patterns() {
			pattern.Enum = append(pattern.Enum, name)
		}
		size := property(of, "size")
		entry := strict.IntegerSchema(1, 255)
		several := &jsonschema.Schema{Type: "array", Items: size.Items, MinItems: strict.Pointer(1)}
		*size = jsonschema.Schema{Description: size.Description, OneOf: []*jsonschema.Schema{entry, several}}
	}
}

func refineNetlist(property func(definition, key string) *jsonschema.Schema) {
	text := &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1)}
	kind := &jsonschema.Schema{OneOf: []*jsonschema.Schema{text, {Ref: "#/$defs/NodeEntry"}}}
	property("netlist", "kinds").AdditionalProperties = kind
	nodes := property("netlist", "nodes")
	object, list := *nodes, &jsonschema.Schema{Type: "array", Items: kind.OneOf[1]}
	object.Description, object.AdditionalProperties = "", kind
	*nodes = jsonschema.Schema{Description: nodes.Description, OneOf: []*jsonschema.Schema{&object, list}}
	ends := &jsonschema.Schema{Type: "array", Items: text, MinItems: strict.Pointer(2)}
	property("netlist", "links").Items = &jsonschema.Schema{OneOf: []*jsonschema.Schema{ends, {Ref: "#/$defs/LinkEntry"}}}
	routes := property("netlist", "routes")
	ways, relation := jsonschema.Schema{Type: "object"}, jsonschema.Schema{Ref: routes.Ref}
	file := &jsonschema.Schema{Type: "string", Pattern: "\\.ya?ml$"}
	words := &jsonschema.Schema{Type: "string", Enum: []any{"shortest", "none", "dor", "dim_order", "dateline", "anynet"}}
	port := &jsonschema.Schema{OneOf: []*jsonschema.Schema{text, {Type: "integer"}}}
	ways.Properties = jsonschema.NewProperties()
	ways.Properties.Set("default", words)
	ways.Properties.Set("file", text)
	ways.AdditionalProperties = &jsonschema.Schema{Type: "object", AdditionalProperties: port}
	forms := []*jsonschema.Schema{words, file, &relation, &ways}
	*routes = jsonschema.Schema{Description: routes.Description, OneOf: forms}
	classes := property("Relation", "classes")
	*classes = jsonschema.Schema{Type: "object", Description: classes.Description, MinProperties: strict.Pointer(1),
		AdditionalProperties: port}
	property("netlist", "words").Items = strict.IntegerSchema(0, math.MaxUint32)
}
