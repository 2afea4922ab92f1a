package strict

import (
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"

	"github.com/invopop/jsonschema"
)

// SchemaName returns the name of a type's definition. Network types are named after their packages.
func SchemaName(t reflect.Type) string {
	if t.Name() == "Network" {
		return path.Base(t.PkgPath())
	}
	return t.Name()
}

// Shorthand returns the key whose value may replace an object of the type, and the key's description.
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

// ShorthandSchema returns the schema of an object of numbers that the value of one key may replace.
func ShorthandSchema(t reflect.Type, key string) *jsonschema.Schema {
	object := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema}
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

// IntegerSchema returns the schema of an integer in a range.
func IntegerSchema(minimum int64, maximum uint64) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:    "integer",
		Minimum: json.Number(strconv.FormatInt(minimum, 10)),
		Maximum: json.Number(strconv.FormatUint(maximum, 10)),
	}
}

// Pointer returns a pointer to number, for optional numbers of a schema.
func Pointer(number uint64) *uint64 { return &number }

// SchemaRanges adds ranges of integers, words of Worded types, and descriptions from comments to the definitions.
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
			if kind.Kind() == reflect.String && len(field.Limits.Enum) > len(p.Enum) {
				p.Enum = nil
				for _, word := range field.Limits.Enum {
					p.Enum = append(p.Enum, word)
				}
				p.Description = field.Limits.Description()
			}
			if kind.Kind() == reflect.Pointer {
				if _, description, ok := Shorthand(kind.Elem()); ok && p.Description == "" {
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

// Unreadable returns the reason why no document can be decoded into a struct, "" for none.
func Unreadable(t reflect.Type) (reason string) {
	defer func() {
		if said := recover(); said != nil {
			reason = fmt.Sprint(said) // a tag with an invalid number
		}
	}()
	for _, one := range Structs(t) {
		for _, field := range Fields(one) {
			switch f := one.FieldByIndex(field.Index); {
			case !f.IsExported():
				return fmt.Sprintf("the field %s of %s is not exported", f.Name, one)
			case !readable(f.Type):
				return fmt.Sprintf("the field %s of %s has the type %s", f.Name, one, f.Type)
			}
		}
	}
	return ""
}

func readable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint64,
		reflect.Float64, reflect.Struct:
		return true
	case reflect.Pointer, reflect.Slice:
		return readable(t.Elem())
	}
	return false
}

// Structs returns a type and all structs reachable through its keys, except structs with their own syntax.
func Structs(t reflect.Type) []reflect.Type {
	found := []reflect.Type{t}
	for i := 0; i < len(found); i++ {
		for _, field := range Fields(found[i]) {
			inner := found[i].FieldByIndex(field.Index).Type
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
				inner = inner.Elem()
			}
			if _, _, short := Shorthand(inner); inner.Kind() == reflect.Struct && !short && !slices.Contains(found, inner) {
				found = append(found, inner)
			}
		}
	}
	return found
}
