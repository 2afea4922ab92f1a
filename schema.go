package starloom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"

	"github.com/invopop/jsonschema"

	"starloom/fabric"
	"starloom/firmware"
	"starloom/firmware/wasm"
	"starloom/internal/config"
	"starloom/internal/strict"
)

// Schema returns the JSON Schema (draft 2020-12) of scenario files, made from
// the Scenario type, for editors and other tools. It refuses whatever a schema
// can express; LoadScenario also checks what depends on several values, such as
// the length of a permutation.
func Schema() ([]byte, error) { return Networks(nil).Schema() }

// Schema is Schema with these networks.
func (list Networks) Schema() ([]byte, error) {
	if err := list.Check(); err != nil {
		return nil, err
	}
	reflector := jsonschema.Reflector{
		Anonymous:                  true,
		RequiredFromJSONSchemaTags: true,
		Namer:                      strict.SchemaName,
		LookupComment:              strict.Comment,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			if t == permutationType {
				return config.PermutationSchema()
			}
			if key, _, ok := strict.Shorthand(t); ok {
				return strict.ShorthandSchema(t, key)
			}
			return nil
		},
	}
	schema := reflector.Reflect(&Scenario{})
	schema.Title = "Starloom scenario"
	if err := list.refineSchema(schema.Definitions); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if err := config.Networks(list).Describe(reflector, schema.Definitions, schema.Definitions["Fabric"]); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
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

// refineSchema adds what struct tags cannot say: ranges of types, programs, and
// which keys exclude or need each other.
func (list Networks) refineSchema(definitions jsonschema.Definitions) error {
	property := func(definition, key string) *jsonschema.Schema {
		if d := definitions[definition]; d != nil {
			if p, ok := d.Properties.Get(key); ok {
				return p
			}
		}
		return &jsonschema.Schema{}
	}
	types := []reflect.Type{
		reflect.TypeFor[Scenario](), reflect.TypeFor[Fabric](), reflect.TypeFor[Link](),
		reflect.TypeFor[NIC](), reflect.TypeFor[Firmware](), reflect.TypeFor[CPU](), reflect.TypeFor[Workload](),
		reflect.TypeFor[OneToAll](), reflect.TypeFor[Adversary](), reflect.TypeFor[Rules](), reflect.TypeFor[CollisionFree](),
		reflect.TypeFor[Stop](), reflect.TypeFor[VCDTrace](), reflect.TypeFor[RTL](), reflect.TypeFor[Fault](), reflect.TypeFor[FaultSlots](),
	}
	for _, n := range new(Fabric).kinds() {
		types = append(types, reflect.TypeOf(n).Elem())
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
	params.AdditionalProperties = strict.IntegerSchema(paramSpan.Min, paramSpan.Max)
	params.PropertyNames = &jsonschema.Schema{Pattern: paramName.String()}
	params.MaxProperties = strict.Pointer(paramsMax)

	definitions["RandomFault"].OneOf = []*jsonschema.Schema{{Required: []string{"rate"}}, {Required: []string{"rates"}}}
	rates := property("RandomFault", "rates")
	rates.Items = &jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"}
	rates.MaxItems, rates.UniqueItems = strict.Pointer(ratesMax), true

	cost := property("CPU", "cost")
	cost.AdditionalProperties = strict.IntegerSchema(0, wasm.CostMax)
	cost.PropertyNames = &jsonschema.Schema{}
	for _, name := range wasm.ClassNames() {
		cost.PropertyNames.Enum = append(cost.PropertyNames.Enum, name)
	}
	definitions["CPU"].DependentRequired = map[string][]string{"cost": {"model"}, "clock_ratio": {"model"}, "trap_cycles": {"model"}}

	schedule := property("Firmware", "schedule")
	for _, n := range append(new(Fabric).kinds(), list...) {
		for _, name := range fabric.SchedulesOf(n) {
			schedule.Enum = append(schedule.Enum, name)
		}
	}
	twin := property("RTL", "twin")
	for _, t := range list.Twins() { // which of them a machine has a place for, its fabric says
		twin.Enum = append(twin.Enum, t.Name)
	}
	definitions["RTL"].Not = &jsonschema.Schema{Required: []string{"twin", "map"}}
	definitions["Faults"].MinProperties = strict.Pointer(1)
	property("FaultSlots", "list").Items = strict.IntegerSchema(0, math.MaxUint32)
	for _, name := range []string{"Fault", "RandomFault"} {
		property(name, "targets").Items = &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1)}
	}
	definitions["Workload"].MaxProperties = strict.Pointer(1)
	pattern := property("Traffic", "pattern")
	for _, name := range fabric.Patterns() {
		pattern.Enum = append(pattern.Enum, name)
	}
	size := property("Traffic", "size") // a number, or a list
	entry := strict.IntegerSchema(1, 255)
	several := &jsonschema.Schema{Type: "array", Items: size.Items, MinItems: strict.Pointer(1)}
	*size = jsonschema.Schema{Description: size.Description, OneOf: []*jsonschema.Schema{entry, several}}
	property("CollisionFree", "slots").Items = strict.IntegerSchema(1, 65535)
	property("VCDTrace", "signals").Items = &jsonschema.Schema{Type: "string", MinLength: strict.Pointer(1)}
	definitions["VCDTrace"].DependentRequired = map[string][]string{"before": {"trigger"}, "after": {"trigger"}}
	return nil
}
