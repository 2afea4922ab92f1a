package strict

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strconv"

	"github.com/invopop/jsonschema"
)

// SchemaName names a type's definition. Every network is a Network, of its own package.
func SchemaName(t reflect.Type) string {
	if t.Name() == "Network" {
		return path.Base(t.PkgPath())
	}
	return t.Name()
}

// Shorthand is what a type says for which the value of one key may stand.
func Shorthand(t reflect.Type) (key, description string, ok bool) {
	if t.Kind() != reflect.Struct {
		return "", "", false
	}
	short, ok := reflect.Zero(t).Interface().(shorthand)
	if ok {
		key, description = short.Short()
	}
	return key, description, ok
}

// ShorthandSchema describes an object of numbers for which the value of one key may stand.
func ShorthandSchema(t reflect.Type, key string) *jsonschema.Schema {
	object := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	short := &jsonschema.Schema{}
	for _, field := range Fields(t) {
		limit := field.Limits.Span(t.FieldByIndex(field.Index).Type)
		p := IntegerSchema(limit.Min, limit.Max)
		if t.FieldByIndex(field.Index).Type.Kind() == reflect.Float64 {
			p.Type = "number"
		}
		p.Description = field.Limits.Description()
		object.Properties.Set(field.Key, p)
		if field.Limits.Required {
			object.Required = append(object.Required, field.Key)
		}
		if field.Key == key {
			short = p
		}
	}
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{short, object}}
}

// IntegerSchema describes an integer of a range.
func IntegerSchema(minimum int64, maximum uint64) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:    "integer",
		Minimum: json.Number(strconv.FormatInt(minimum, 10)),
		Maximum: json.Number(strconv.FormatUint(maximum, 10)),
	}
}

// Pointer is what the schema's optional numbers are.
func Pointer(n uint64) *uint64 { return &n }

// SchemaRanges adds to the definitions of types, which have names, the ranges of their integers, and the
// descriptions that no tag can hold.
func SchemaRanges(definitions jsonschema.Definitions, types []reflect.Type, name func(reflect.Type) string) error {
	for _, t := range types {
		d := definitions[name(t)]
		if d == nil {
			return fmt.Errorf("type %s is not in it", name(t))
		}
		for _, field := range Fields(t) {
			p, ok := d.Properties.Get(field.Key)
			if !ok {
				continue
			}
			kind := t.FieldByIndex(field.Index).Type
			if kind.Kind() == reflect.Pointer {
				if _, description, ok := Shorthand(kind.Elem()); ok {
					p.Description = description
				}
			}
			if kind.Kind() == reflect.Pointer && kind.Elem().Implements(reflect.TypeFor[Counted]()) {
				limit := field.Limits.Span(kind.Elem())
				p.OneOf[0] = IntegerSchema(limit.Min, limit.Max)
			}
			integer := kind.Kind() == reflect.Int || kind.Kind() == reflect.Uint32 || kind.Kind() == reflect.Uint64
			if !integer || len(field.Limits.Enum) > 0 {
				continue
			}
			limit := field.Limits.Span(kind)
			p.Minimum = json.Number(strconv.FormatInt(limit.Min, 10))
			p.Maximum = json.Number(strconv.FormatUint(limit.Max, 10))
		}
	}
	return nil
}
