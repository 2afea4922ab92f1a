package config

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/invopop/jsonschema"
	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric"
	"starloom/fabric/outcome"
	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// Origin is the origin of a value: By is its kind, Of the place or name.
type Origin struct{ By, Of string }

// Settings lists the values of a scenario.
type Settings struct {
	List   []outcome.Setting
	Origin func(path string) Origin
	short  map[string]Origin // origins of values that replace an object in the file
}

func (l *Settings) add(path string, value any) {
	o, ok := l.short[path]
	if !ok {
		o = l.Origin(path)
	}
	l.List = append(l.List, outcome.Setting{Key: path, Value: value, By: o.By, Of: o.Of})
}

// Network lists the keys of a network. A network written in Go may be without keys.
func (l *Settings) Network(n fabric.Network) {
	at, before := "fabric."+n.Kind(), len(l.List)
	if v := reflect.Indirect(reflect.ValueOf(n)); v.Kind() == reflect.Struct {
		l.Value(v, at)
	}
	if len(l.List) == before {
		l.add(at, map[string]any{})
	}
}

// Field lists the value of a key of an object. An omitted key is listed with its default, if any.
func (l *Settings) Field(object reflect.Value, field *strict.Field, path string) {
	if v := object.FieldByIndex(field.Index); !field.MayMiss() || !v.IsZero() || v.Kind() == reflect.Bool {
		l.Value(v, path)
		return
	}
	l.add(path, usual(object.Type(), field))
}

// Value lists the value at path. A value or a list of values takes one line.
func (l *Settings) Value(v reflect.Value, path string) {
	if p, ok := v.Interface().(fabric.Permutation); ok {
		l.permutation(p, path)
		return
	}
	if s, ok := v.Interface().(interface{ Setting() any }); ok && !v.IsZero() {
		l.add(path, s.Setting())
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			l.add(path, nil)
			return
		}
		l.Value(v.Elem(), path)
	case reflect.Struct:
		l.object(v, path)
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()),
			func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) }) {
			l.Value(v.MapIndex(key), strict.Join(path, key.String()))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			l.add(path, v.Interface())
			return
		}
		for i := range v.Len() {
			l.Value(v.Index(i), hw.Index(path, i))
		}
	default:
		l.add(path, v.Interface())
	}
}

func (l *Settings) object(v reflect.Value, path string) {
	fields := strict.Fields(v.Type())
	if short, ok := v.Interface().(fabric.Shorthand); ok { // the file may have a single value instead of the object
		key, _ := short.Short()
		stated := func(o Origin) bool { return o.By == outcome.ByFile || o.By == outcome.ByOption }
		if at, o := strict.Join(path, key), l.Origin(path); stated(o) && !stated(l.Origin(at)) {
			if l.short == nil {
				l.short = map[string]Origin{}
			}
			l.short[at] = o
		}
	}
	if len(fields) == 0 {
		l.add(path, map[string]any{})
	}
	for _, field := range fields {
		l.Field(v, &field, strict.Join(path, field.Key))
	}
}

var usualWord = regexp.MustCompile(`\(default ([a-z0-9_.]+)\)$`)

// usual returns the default of an omitted key, found in the key's comment: a number, an enumerated word, or nil.
func usual(object reflect.Type, field *strict.Field) any {
	said := usualWord.FindStringSubmatch(strict.Comment(object, object.FieldByIndex(field.Index).Name))
	if said == nil {
		return nil
	}
	if number, err := strconv.Atoi(said[1]); err == nil {
		return number
	}
	if slices.Contains(field.Limits.Enum, said[1]) {
		return said[1]
	}
	return nil
}

func (l *Settings) permutation(p fabric.Permutation, path string) {
	switch {
	case p.Kind == "":
		l.add(path, nil)
	case p.Kind == fabric.PermutationList:
		l.add(path, p.List)
	default:
		l.add(path, p.Kind)
	}
}

// PermutationRules are the named permutations.
var PermutationRules = []string{fabric.PermutationRandom, fabric.PermutationIdentity,
	fabric.PermutationReverse, fabric.PermutationAll}

// DecodePermutation parses a permutation, given as a word or a list. entryPlace returns the place of entry i of a
// list.
func DecodePermutation(d *strict.Decoder, node *yaml.Node, p *fabric.Permutation,
	path string) (entryPlace func(i int) string, err error) {
	const wants = "random, identity, reverse, all or a list of destinations: [1, 0, 2]"
	switch {
	case node.Kind == yaml.SequenceNode:
		p.Kind, p.List = fabric.PermutationList, make([]uint32, len(node.Content))
		entryPlace = func(i int) string { return d.Place(node.Content[i]) }
		for i, entry := range node.Content {
			number, err := d.Integer(strict.Target(entry), fmt.Sprintf("%s[%d]", path, i),
				strict.Span{Max: strict.DestinationMax})
			if err != nil {
				return nil, err
			}
			p.List[i] = uint32(number.Magnitude)
		}
		return entryPlace, nil
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str":
		p.Kind, p.List = node.Value, nil
		if !slices.Contains(PermutationRules, node.Value) {
			remedy := input.DidYouMean(node.Value, PermutationRules, "allowed: "+wants)
			return nil, d.Refuse(node, fmt.Sprintf("%s is %q", path, strict.Clip(node.Value)), remedy)
		}
		return entryPlace, nil
	}
	return nil, d.Wrong(node, path, wants)
}

// PermutationSchema describes the two forms of a permutation, which struct tags cannot express.
func PermutationSchema() *jsonschema.Schema {
	rules := make([]any, len(PermutationRules))
	for i, rule := range PermutationRules {
		rules[i] = rule
	}
	return &jsonschema.Schema{
		Default: fabric.PermutationRandom,
		OneOf: []*jsonschema.Schema{
			{
				Type: "string", Enum: rules,
				Description: "random: drawn from the seed; identity: i to i; reverse: i to n-1-i; " +
					"all: every permutation of a small network, each in a run with its own random numbers",
			},
			{
				Type: "array", Items: strict.IntegerSchema(0, strict.DestinationMax),
				MinItems: strict.Pointer(1), UniqueItems: true,
				Description: "entry i is the destination of processor i's packet",
			},
		},
	}
}
