// Package strict reads YAML strictly. It coerces no values and rejects unknown keys. Every error contains file, line
// and column and the allowed values.
//
//	bytes --Document--> nodes --Decoder--> tagged structs, with the place of each value
//	                          --Keys, List, Text ...--> maps of another form
//
// The json tags of a struct are its keys. Its jsonschema tags contain ranges and enumerations; its comments or tags
// contain descriptions. The published schema and this package use the same tags.
package strict

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
)

// Decoder fills values from YAML nodes and rejects unsuitable nodes with their place. It does not use the library's
// decoder, which coerces values and has no columns. The types limit the recursion, so cyclic anchors are harmless.
type Decoder struct {
	File   string
	Whole  string            // name of the document in errors: "the scenario"
	Places map[string]string // places of values by path, filled by Decode

	// Special decodes values with their own syntax and reports whether v is such a value; nil for none. Refuses
	// checks an object before its keys are read; nil for no check.
	Special func(node *yaml.Node, v reflect.Value, path string) (taken bool, err error)
	Refuses func(node *yaml.Node, path string) error
	// Note collects mistakes. It also receives the paths of values that a mistake leaves unknown. If Note is nil,
	// Decode returns the first mistake.
	Note func(path string, err error)
	// Param returns the range of an entry in a map of integers.
	Param func(path, key string) Span

	assigned map[*yaml.Node]string    // places of nodes from assignments
	fields   map[reflect.Type][]Field // cache, because lists have many objects of one type
}

// shorthand is a struct that a document may write as the value of one of its keys.
type shorthand interface {
	Short() (key, description string)
}

// Reader is a value with its own syntax, decoded by a method of its pointer.
type Reader interface {
	ReadYAML(d *Decoder, node *yaml.Node, path string) error
}

// Counted is a value with its own syntax that contains one integer. The range of the key applies to this integer.
type Counted interface{ Magnitude() Number }

// Decode fills v, at path, from a node.
func (d *Decoder) Decode(node *yaml.Node, v reflect.Value, path string, limits Limits) error {
	d.Places[path] = d.Place(node)
	node = Target(node)
	if taken, err := d.special(node, v, path); taken {
		if err == nil {
			err = d.within(node, v, path, limits)
		}
		return err
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.Decode(node, v.Elem(), path, limits)
	case reflect.Struct:
		if short, ok := v.Interface().(shorthand); ok && node.Kind == yaml.ScalarNode {
			key, _ := short.Short()
			fields := d.fieldsOf(v.Type())
			field := fields[slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })]
			return d.Decode(node, v.FieldByIndex(field.Index), path, field.Limits)
		}
		return d.object(node, v, path)
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Struct {
			return d.named(node, v, path)
		}
		return d.params(node, v, path)
	case reflect.Slice:
		if err := d.list(node, v, path, limits.entry()); err != nil {
			return err
		}
	case reflect.String:
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
			return d.Wrong(node, path, "a text")
		}
		v.SetString(node.Value)
	case reflect.Bool:
		if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" || (node.Value != "true" && node.Value != "false") {
			return d.Wrong(node, path, "true or false")
		}
		v.SetBool(node.Value == "true")
	case reflect.Float64:
		value, err := d.Fraction(node, path, limits.Span(v.Type()))
		if err != nil {
			return err
		}
		v.SetFloat(value)
	default:
		number, err := d.Integer(node, path, limits.Span(v.Type()))
		if err != nil {
			return err
		}
		if v.CanUint() {
			v.SetUint(number.Magnitude)
		} else {
			v.SetInt(number.Int64())
		}
	}
	return d.within(node, v, path, limits)
}

func (d *Decoder) fieldsOf(t reflect.Type) []Field {
	if d.fields == nil {
		d.fields = map[reflect.Type][]Field{}
	}
	if d.fields[t] == nil {
		d.fields[t] = Fields(t)
	}
	return d.fields[t]
}

func (d *Decoder) within(node *yaml.Node, v reflect.Value, path string, limits Limits) error {
	if reason, remedy := limits.Refuse(v); reason != "" {
		return d.Refuse(node, path+" "+reason, remedy)
	}
	return nil
}

func (d *Decoder) special(node *yaml.Node, v reflect.Value, path string) (taken bool, err error) {
	if d.Special != nil {
		if taken, err := d.Special(node, v, path); taken {
			return true, err
		}
	}
	if v.Kind() != reflect.Struct || !v.CanAddr() {
		return false, nil
	}
	r, ok := v.Addr().Interface().(Reader)
	if ok {
		err = r.ReadYAML(d, node, path)
	}
	return ok, err
}

// list fills a slice. If entries have a shorthand, a single entry may replace a list of one entry.
func (d *Decoder) list(node *yaml.Node, v reflect.Value, path string, entries Limits) error {
	if _, short := reflect.Zero(v.Type().Elem()).Interface().(shorthand); short && node.Kind == yaml.ScalarNode {
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return d.Decode(node, v.Index(0), path, Limits{})
	}
	if node.Kind != yaml.SequenceNode {
		return d.Wrong(node, path, "a list: [...]")
	}
	v.Set(reflect.MakeSlice(v.Type(), len(node.Content), len(node.Content)))
	for i, entry := range node.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		if err := d.note(at, d.Decode(entry, v.Index(i), at, entries)); err != nil {
			return err
		}
	}
	return nil
}

func (d *Decoder) note(path string, err error) error {
	if err != nil && d.Note != nil {
		d.Note(path, err)
		return nil
	}
	return err
}

func needed(fields []Field) (keys []string) {
	for _, field := range fields {
		if field.Limits.Required {
			keys = append(keys, field.Key+": ...")
		}
	}
	if len(keys) == 0 && len(fields) > 0 {
		keys = []string{fields[0].Key + ": ..."}
	}
	return keys
}

// Exemplified is an object with a typical value, which errors show as an example.
type Exemplified interface{ Example() string }

func (d *Decoder) object(node *yaml.Node, v reflect.Value, path string) error {
	fields := d.fieldsOf(v.Type())
	if node.Kind != yaml.MappingNode {
		wanted := "an object: {" + strings.Join(needed(fields), ", ") + "}"
		if e, ok := v.Interface().(Exemplified); ok {
			wanted += ", such as " + e.Example()
		}
		return d.Wrong(node, path, wanted)
	}
	where := path
	if where == "" {
		where = d.Whole
	}
	if d.Refuses != nil {
		if err := d.Refuses(node, path); err != nil {
			return err
		}
	}
	seen, unknown := map[string]string{}, false
	for i := 0; i+1 < len(node.Content); i += 2 {
		keyNode, valueNode := node.Content[i], node.Content[i+1]
		key, err := d.Key(keyNode, where, seen)
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		switch {
		case err != nil:
			unknown = true
		case at < 0:
			unknown = true
			err = d.unknown(keyNode, valueNode, where, allowedKeys(key, path, v.Type(), fields))
		default:
			err = d.Decode(valueNode, v.FieldByIndex(fields[at].Index), Join(path, key), fields[at].Limits)
		}
		if err := d.note(Join(path, Target(keyNode).Value), err); err != nil {
			return err
		}
	}
	for _, field := range fields {
		// an unknown key may be a misspelling of the required key
		if _, ok := seen[field.Key]; field.Limits.Required && !ok && !unknown {
			err := d.note(Join(path, field.Key), d.Refuse(node, fmt.Sprintf("missing key %q in %s", field.Key, where),
				fmt.Sprintf("add %q (%s)", field.Key, field.Limits.Description())))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Decoder) params(node *yaml.Node, v reflect.Value, path string) error {
	if node.Kind != yaml.MappingNode {
		return d.Wrong(node, path, "an object: {name: integer}")
	}
	params := make(map[string]int64, len(node.Content)/2)
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.Key(node.Content[i], path, seen)
		at, number := Join(path, key), Number{}
		if err == nil {
			d.Places[at] = d.Place(node.Content[i+1])
			number, err = d.Integer(Target(node.Content[i+1]), at, d.Param(path, key))
		}
		if err := d.note(path, err); err != nil {
			return err
		}
		params[key] = number.Int64()
	}
	v.Set(reflect.ValueOf(params))
	return nil
}

// named decodes objects by name.
func (d *Decoder) named(node *yaml.Node, v reflect.Value, path string) error {
	if node.Kind != yaml.MappingNode {
		return d.Wrong(node, path, "an object: {name: {...}}")
	}
	all, seen := reflect.MakeMap(v.Type()), map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.Key(node.Content[i], path, seen)
		one := reflect.New(v.Type().Elem()).Elem()
		if err == nil {
			err = d.Decode(node.Content[i+1], one, Join(path, key), Limits{})
		}
		if err := d.note(path, err); err != nil {
			return err
		}
		all.SetMapIndex(reflect.ValueOf(key), one)
	}
	v.Set(all)
	return nil
}

// Key returns a key. The key must be text, and unique in its object.
func (d *Decoder) Key(node *yaml.Node, where string, seen map[string]string) (string, error) {
	place := d.Place(node)
	node = Target(node)
	if node.Kind != yaml.ScalarNode {
		return "", d.Refuse(node, fmt.Sprintf("a key of %s is %s", where, describe(node)), "write a name as key")
	}
	if strings.ContainsFunc(node.Value, unicode.IsControl) {
		return "", d.Refuse(node, fmt.Sprintf("the key %q of %s has control characters", Clip(node.Value), where),
			"write the key as a name on one line")
	}
	if before, ok := seen[node.Value]; ok {
		return "", input.Mistake(place, fmt.Sprintf("key %q is given twice in %s, first at %s", node.Value, where, before),
			"delete one")
	}
	seen[node.Value] = place
	return node.Value, nil
}

// Integer decodes an integer in a range. It rejects quoted numbers, fractions, underscores and leading zeros, because
// readers interpret them differently: a leading zero means octal in YAML 1.1 and decimal in 1.2.
func (d *Decoder) Integer(node *yaml.Node, path string, allowed Span) (Number, error) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || quoted(node) {
		if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!float" && PlainInteger(node.Value) {
			// The library returns a float for an integer that is too large, or that looks like octal but contains a
			// digit 8 or 9.
			if digits := strings.TrimPrefix(node.Value, "-"); digits[0] == '0' && strings.ContainsAny(digits, "89") {
				sign := node.Value[:len(node.Value)-len(digits)]
				return Number{},
					d.Refuse(node, fmt.Sprintf("%s is %s, which YAML readers interpret differently", path, Clip(node.Value)),
						"write it in plain decimal digits: "+Clip(sign+strings.TrimLeft(digits, "0")))
			}
			return Number{}, d.Refuse(node, fmt.Sprintf("%s is %s", path, Clip(node.Value)), allowed.Allowed())
		}
		return Number{}, d.Wrong(node, path, "an integer: "+allowed.String())
	}
	text := node.Value
	n := Number{Negative: strings.HasPrefix(text, "-")}
	text = strings.TrimPrefix(text, "-")
	base := 10
	switch {
	case strings.HasPrefix(text, "0x"):
		base, text = 16, text[2:]
	case strings.HasPrefix(text, "0o"):
		base, text = 8, text[2:]
	case len(text) > 1 && text[0] == '0', !PlainInteger(text):
		return Number{},
			d.Refuse(node, fmt.Sprintf("%s is %s, which YAML readers interpret differently", path, Clip(node.Value)),
				"write it in plain decimal digits")
	}
	magnitude, err := strconv.ParseUint(text, base, 64)
	n.Magnitude = magnitude
	n.Negative = n.Negative && magnitude != 0
	if err != nil || !allowed.Contains(n) {
		return Number{}, d.Refuse(node, fmt.Sprintf("%s is %s", path, Clip(node.Value)), allowed.Allowed())
	}
	return n, nil
}

// Fraction decodes a number in a range, with or without a fraction.
func (d *Decoder) Fraction(node *yaml.Node, path string, allowed Span) (float64, error) {
	tag := node.ShortTag()
	value, err := strconv.ParseFloat(node.Value, 64)
	if node.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || quoted(node) || err != nil ||
		strings.ContainsAny(node.Value, "_xX") {
		return 0, d.Wrong(node, path, "a number: "+allowed.String())
	}
	return value, nil
}

// Number is an integer as sign and magnitude, because seeds use all 64 bits and parameters are signed.
type Number struct {
	Negative  bool
	Magnitude uint64
}

func numberOf(v reflect.Value) Number {
	switch {
	case v.CanUint():
		return Number{Magnitude: v.Uint()}
	case v.Int() < 0:
		return Number{Negative: true, Magnitude: -uint64(v.Int())}
	}
	return Number{Magnitude: uint64(v.Int())}
}

func (n Number) String() string {
	text := strconv.FormatUint(n.Magnitude, 10)
	if n.Negative {
		return "-" + text
	}
	return text
}

// Int64 returns the integer, which must be in the range of int64.
func (n Number) Int64() int64 {
	if n.Negative {
		return -int64(n.Magnitude)
	}
	return int64(n.Magnitude)
}

func quoted(node *yaml.Node) bool {
	return node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
}

// PlainInteger reports whether text is an integer in decimal digits.
func PlainInteger(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// Place returns file:line:column of a node, or the place of the node's assignment.
func (d *Decoder) Place(node *yaml.Node) string {
	if place, ok := d.assigned[node]; ok {
		return place
	}
	return fmt.Sprintf("%s:%d:%d", d.File, node.Line, node.Column)
}

// Refuse returns an error at a node.
func (d *Decoder) Refuse(node *yaml.Node, reason, remedy string) error {
	return input.Mistake(d.Place(node), reason, remedy)
}

// Wrong refuses a value of the wrong type.
func (d *Decoder) Wrong(node *yaml.Node, path, wants string) error {
	if path == "" {
		path = d.Whole
	}
	return d.Refuse(node, path+" is "+describe(node), "write "+wants)
}

// unknown rejects a key, and explains YAML syntax that looks like a key.
func (d *Decoder) unknown(key, value *yaml.Node, where, remedy string) error {
	reason := fmt.Sprintf("unknown key %q in %s", Target(key).Value, where)
	switch known := spaceless(Target(key).Value); {
	case Target(key).Value == "<<":
		reason, remedy = "<< in "+where+" is a merge key of YAML, which is not supported",
			"write the keys themselves; an alias (*name) may replace only a whole value"
	case value.Anchor != "":
		remedy = fmt.Sprintf("an anchor needs no key of its own: write &%s before the value where it stands first, and "+
			"*%[1]s where it stands again",
			value.Anchor)
	case known != "" && value.ShortTag() == "!!null":
		reason, remedy = fmt.Sprintf("%q in %s is a colon without a space after it", Clip(Target(key).Value), where), known
	}
	return d.Refuse(key, reason, remedy)
}

var keyAndValue = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_]*):([^\s:/].*)$`)

// spaceless returns the corrected form of a key without a space after its colon, "" for other lines.
func spaceless(line string) string {
	if found := keyAndValue.FindStringSubmatch(line); found != nil {
		return fmt.Sprintf("write `%s: %s`", found[1], Clip(strings.TrimSpace(found[2])))
	}
	return ""
}

// Target resolves an alias.
func Target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}

func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "an object"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		switch {
		case node.ShortTag() == "!!null":
			return "empty"
		case node.ShortTag() == "!!str", quoted(node):
			return fmt.Sprintf("the text %q", Clip(node.Value))
		}
		return Clip(node.Value)
	}
	return "no value"
}

// Clip shortens a quotation in an error.
func Clip(text string) string { return input.Clip(text) }

// Join returns the path of a key in an object.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func allowedKeys(key, path string, object reflect.Type, fields []Field) string {
	if len(fields) == 0 {
		return "delete it: no keys are allowed here"
	}
	keys := make([]string, len(fields))
	for i := range fields {
		keys[i] = fields[i].Key
	}
	for _, f := range fields { // a key of an inner object
		inner := object.FieldByIndex(f.Index).Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct &&
			slices.ContainsFunc(Fields(inner), func(of Field) bool { return of.Key == key }) {
			return fmt.Sprintf("did you mean %s?", Join(Join(path, f.Key), key))
		}
	}
	remedy := "allowed: " + strings.Join(keys, ", ")
	if len(keys) == 1 {
		remedy = "allowed is " + keys[0]
	}
	return input.DidYouMean(key, keys, remedy)
}

// Has reports whether a document is an object with a key.
func Has(root *yaml.Node, key string) bool {
	root = Target(root)
	for i := 0; root.Kind == yaml.MappingNode && i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return true
		}
	}
	return false
}
