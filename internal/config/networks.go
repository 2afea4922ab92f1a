package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/invopop/jsonschema"

	"starloom/fabric"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Networks are networks written in Go that scenario files may name. The fields of a network hold its defaults.
type Networks []fabric.Network

var kindPattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Check rejects networks that a file cannot name. The keys of a network must come from a struct, and the kinds of all
// networks, including built-in ones, must differ.
func (list Networks) Check(builtIn []fabric.Network) error {
	var kinds []string
	for _, n := range builtIn {
		kinds = append(kinds, n.Kind())
	}
	for _, n := range list {
		place := fmt.Sprintf("network %T", n)
		refuse := func(reason, remedy string) error { return input.Mistake(place, reason, remedy) }
		if n == nil || reflect.ValueOf(n).Kind() == reflect.Pointer && reflect.ValueOf(n).IsNil() {
			return refuse("it is nil", "give a value whose fields hold the defaults of a scenario")
		}
		kind := n.Kind()
		switch {
		case !kindPattern.MatchString(kind):
			return refuse(fmt.Sprintf("its kind is %q", kind), "a kind is a key under fabric: small letters, digits and _")
		case slices.Contains(kinds, kind):
			return refuse("another network already has the kind "+kind, "return another word from Kind")
		case structOf(n).Kind() != reflect.Struct:
			return refuse("it is not a struct",
				"make it a struct, or a pointer to a struct, whose fields are the keys under fabric."+kind)
		}
		if reason := strict.Unreadable(structOf(n)); reason != "" {
			return refuse(reason, "a key is an exported field with a json tag, of type string, bool, int, int64, uint32, "+
				"uint64 or float64, a struct, or a list of these")
		}
		kinds = append(kinds, kind)
	}
	return nil
}

// Given returns the network in a struct of pointers to networks, or nil without one.
func Given(v reflect.Value) fabric.Network {
	for i := range v.NumField() {
		if field := v.Field(i); field.Kind() == reflect.Pointer && !field.IsNil() {
			return field.Interface().(fabric.Network)
		}
	}
	return nil
}

// Kinds returns the networks that a struct of pointers to networks may contain, without their sizes.
func Kinds(t reflect.Type) (kinds []fabric.Network) {
	for i := range t.NumField() {
		if field := t.Field(i).Type; field.Kind() == reflect.Pointer {
			kinds = append(kinds, reflect.New(field.Elem()).Interface().(fabric.Network))
		}
	}
	return kinds
}

// Keep replaces the network in a struct of pointers to networks by another network of the same kind.
func Keep(v reflect.Value, n fabric.Network) {
	for i := range v.NumField() {
		if field := v.Field(i); field.Type() == reflect.PointerTo(reflect.TypeOf(n)) && !field.IsNil() {
			kept := reflect.New(reflect.TypeOf(n))
			kept.Elem().Set(reflect.ValueOf(n))
			field.Set(kept)
		}
	}
}

func structOf(n fabric.Network) reflect.Type {
	t := reflect.TypeOf(n)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// Fabric returns a value of a struct type with the fields of others and, for each network, a field that points to the
// network's struct.
func (list Networks) Fabric(others reflect.Type) reflect.Value {
	var fields []reflect.StructField
	for _, field := range strict.Fields(others) {
		fields = append(fields, others.FieldByIndex(field.Index))
	}
	for i, n := range list {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("Network%d", i), Type: reflect.PointerTo(structOf(n)),
			Tag: reflect.StructTag(fmt.Sprintf(`json:"%s,omitempty"`, n.Kind())),
		})
	}
	return reflect.New(reflect.StructOf(fields)).Elem()
}

// Start sets a pointer to the struct of a network to that network's defaults. It returns false for other pointers.
func (list Networks) Start(v reflect.Value) bool {
	for _, n := range list {
		if v.Type() == reflect.PointerTo(structOf(n)) {
			v.Set(reflect.New(structOf(n)))
			v.Elem().Set(reflect.Indirect(reflect.ValueOf(n)))
			return true
		}
	}
	return false
}

// Read returns the network in a value of Fabric, or nil without one.
func (list Networks) Read(v reflect.Value) fabric.Network {
	for i, n := range list {
		switch field := v.FieldByName(fmt.Sprintf("Network%d", i)); {
		case field.IsNil():
		case reflect.TypeOf(n).Kind() == reflect.Pointer:
			return field.Interface().(fabric.Network)
		default:
			return field.Elem().Interface().(fabric.Network)
		}
	}
	return nil
}

// Describe adds a key for each network, with its definitions, to the schema of a fabric.
func (list Networks) Describe(r jsonschema.Reflector, definitions jsonschema.Definitions,
	one *jsonschema.Schema) error {
	for _, n := range list {
		kind, t := n.Kind(), structOf(n)
		r.Namer = func(other reflect.Type) string {
			if other == t {
				return kind
			}
			return kind + "." + other.Name()
		}
		own := r.ReflectFromType(t)
		maps.Copy(definitions, own.Definitions)
		// exclude types with their own form
		types := slices.DeleteFunc(strict.Structs(t), func(t reflect.Type) bool { return own.Definitions[r.Namer(t)] == nil })
		if err := strict.SchemaRanges(own.Definitions, types, r.Namer); err != nil {
			return err
		}
		network := definitions[kind]
		for _, field := range strict.Fields(t) {
			value := reflect.Indirect(reflect.ValueOf(n)).FieldByIndex(field.Index)
			if p, ok := network.Properties.Get(field.Key); ok && !value.IsZero() && value.Kind() != reflect.Pointer {
				p.Default = value.Interface()
			}
		}
		one.Properties.Set(kind, &jsonschema.Schema{Ref: own.Ref, Description: "network " + kind})
	}
	return nil
}
