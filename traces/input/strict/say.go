package strict

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
)

// Place returns file:line:column of a node, or that of its assignment.
func (d *Decoder) Place(node *yaml.Node) string {
	if place, ok := d.assigned[node]; ok {
		return place
	}
	return fmt.Sprintf("%s:%d:%d", d.File, node.Line, node.Column)
}

// Refuse says what is wrong with a node, and what to do.
func (d *Decoder) Refuse(node *yaml.Node, reason, remedy string) error {
	return &input.Error{Place: d.Place(node), Reason: reason, Remedy: remedy}
}

// Wrong refuses a value of the wrong type.
func (d *Decoder) Wrong(node *yaml.Node, path, wants string) error {
	if path == "" {
		path = d.Whole
	}
	return d.Refuse(node, path+" is "+describe(node), "write "+wants)
}

// unknown refuses a key; words of YAML's own are named.
func (d *Decoder) unknown(key, value *yaml.Node, where, remedy string) error {
	reason := fmt.Sprintf("unknown key %q in %s", Target(key).Value, where)
	switch known := spaceless(Target(key).Value); {
	case Target(key).Value == "<<":
		reason, remedy = "<< in "+where+" is a merge key of YAML, which is not read", "write the keys themselves; an alias (*name) may stand for a whole value"
	case value.Anchor != "":
		remedy = fmt.Sprintf("an anchor needs no key of its own: write &%s before the value where it stands first, and *%[1]s where it stands again",
			value.Anchor)
	case known != "" && value.ShortTag() == "!!null":
		reason, remedy = fmt.Sprintf("%q in %s is a colon without a space after it", Clip(Target(key).Value), where), known
	}
	return d.Refuse(key, reason, remedy)
}

// keyAndValue is a key whose colon has no space after it.
var keyAndValue = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_]*):([^\s:/].*)$`)

// spaceless is how a key is written that lacks the space after its colon, "" for one that has it.
func spaceless(line string) string {
	if found := keyAndValue.FindStringSubmatch(line); found != nil {
		return fmt.Sprintf("write `%s: %s`", found[1], Clip(strings.TrimSpace(found[2])))
	}
	return ""
}

// Target returns the node that an alias stands for.
func Target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		return node.Alias
	}
	return node
}

// describe names what a node holds, for "x is ...".
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

// Clip shortens what is quoted in an error.
func Clip(text string) string { return input.Clip(text) }

// Join is the path of a key in an object.
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
	for _, f := range fields { // one that is a key of an inner object
		inner := object.FieldByIndex(f.Index).Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && slices.ContainsFunc(Fields(inner), func(of Field) bool { return of.Key == key }) {
			return fmt.Sprintf("did you mean %s?", Join(Join(path, f.Key), key))
		}
	}
	remedy := "allowed are " + strings.Join(keys, ", ")
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
