package strict

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input"
)

// Assignment sets a key of a document, from --set or an axis of a sweep, with the checks of a file.
type Assignment struct {
	Key   string // path: nic.rx_frames, rtl[0].replace
	Value string // YAML as in the file: 64, [a, b], {source: 3}; a value with a leading * is text; null removes the key
	Place string // place in errors: file:line:column; "" for the option: --set nic.rx_frames=64
}

func (a *Assignment) place() string {
	if a.Place != "" {
		return a.Place
	}
	return SetOption + " " + a.Key + "=" + Clip(a.Value)
}

// SetOption is the command-line option for assignments. The places of its values begin with SetOption.
const SetOption = "--set"

// Assign returns a copy of a document with the assignments. Assign adds missing keys and their objects; a list may
// grow by one entry at its end. rivals maps an object to keys that exclude each other. The object "rtl[]" stands for
// each entry of the list rtl; an empty list of keys means all keys. An assigned key removes its rivals from the
// document.
func (d *Decoder) Assign(root *yaml.Node, all []Assignment, rivals map[string][]string) (*yaml.Node, error) {
	d.assigned = map[*yaml.Node]string{}
	w := assigner{Decoder: d, rivals: rivals}
	for i := range all {
		a := &all[i]
		steps, err := a.steps()
		if err != nil {
			return nil, err
		}
		key := pathOf(steps)
		for _, before := range w.keys {
			if before == key || inside(before, key) {
				return nil,
					&input.Error{Place: a.place(), Reason: before + " has another value already",
						Remedy: "give a key once, and an object before its keys"}
			}
		}
		w.keys = append(w.keys, key)
	}
	for i := range all {
		value, err := all[i].node()
		if err != nil {
			return nil, err
		}
		if value != nil {
			d.mark(value, all[i].place())
		}
		w.place = all[i].place()
		steps, err := all[i].steps()
		if err == nil {
			root, err = w.put(root, steps, "", value)
		}
		if err != nil {
			return nil, err
		}
	}
	return root, nil
}

type assigner struct {
	*Decoder
	rivals map[string][]string
	keys   []string // all assigned keys
	place  string   // place of the current value
}

type step struct {
	key   string
	index int
}

func (a *Assignment) steps() (steps []step, err error) {
	for part := range strings.SplitSeq(a.Key, ".") {
		key, rest, _ := strings.Cut(part, "[")
		if key == "" {
			return nil, a.unreadable()
		}
		steps = append(steps, step{key: key})
		if rest == "" && !strings.Contains(part, "[") {
			continue
		}
		for entry := range strings.SplitSeq(rest, "[") {
			digits, closed := strings.CutSuffix(entry, "]")
			index, err := strconv.ParseUint(digits, 10, 31)
			if err != nil || !closed {
				return nil, a.unreadable()
			}
			steps = append(steps, step{index: int(index)})
		}
	}
	return steps, nil
}

func (a *Assignment) unreadable() error {
	return input.Mistake(a.place(), fmt.Sprintf("%q is not the path of a key", Clip(a.Key)),
		"write the full path of the key, such as nic.rx_frames or rtl[0].replace")
}

func pathOf(steps []step) (path string) {
	for _, s := range steps {
		path = s.from(path)
	}
	return path
}

func (s step) from(path string) string {
	if s.key == "" {
		return fmt.Sprintf("%s[%d]", path, s.index)
	}
	return Join(path, s.key)
}

func inside(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

// node parses the value. A nil node means that the key is removed.
func (a *Assignment) node() (*yaml.Node, error) {
	if text := strings.TrimSpace(a.Value); text == "null" || text == "~" {
		return nil, nil
	}
	if strings.HasPrefix(a.Value, "*") { // the value is a glob: a separate value cannot contain an alias
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: a.Value, Style: yaml.DoubleQuotedStyle}, nil
	}
	node, err := Document("", []byte(a.Value), "value", "write the value as in a file, or null to delete the key")
	var refused *input.Error
	if errors.As(err, &refused) {
		return nil, input.Mistake(a.place(), refused.Reason, refused.Remedy)
	}
	if err == nil && commented(node) {
		return nil, input.Mistake(a.place(), "what follows # is a comment", "write a text with # in double quotes")
	}
	return node, err
}

func commented(node *yaml.Node) bool {
	return node.HeadComment+node.LineComment+node.FootComment != "" || slices.ContainsFunc(node.Content, commented)
}

func (d *Decoder) mark(node *yaml.Node, place string) {
	d.assigned[node] = place
	for _, child := range node.Content {
		d.mark(child, place)
	}
}

// put returns a copy of a node with a value at the end of steps, including copies of nodes shared by anchors.
func (w *assigner) put(node *yaml.Node, steps []step, path string, value *yaml.Node) (_ *yaml.Node, err error) {
	if len(steps) == 0 {
		return value, nil
	}
	s, rest := steps[0], steps[1:]
	at := s.from(path)
	own, err := w.open(node, s, path)
	if err != nil {
		return nil, err
	}
	if len(rest) == 0 && value == nil {
		return w.unset(own, s, path)
	}
	if s.key == "" {
		switch count := len(own.Content); {
		case s.index == count:
			own.Content = append(own.Content, nil)
		case s.index > count:
			return nil,
				&input.Error{Place: w.place, Reason: at + " is beyond the end of the list",
					Remedy: fmt.Sprintf("the next entry is %s[%d]", path, count)}
		}
		own.Content[s.index], err = w.put(own.Content[s.index], rest, at, value)
		return own, err
	}
	if value != nil {
		w.driveOut(own, path, s.key)
	}
	k := 0
	for k < len(own.Content) && Target(own.Content[k]).Value != s.key {
		k += 2
	}
	if k == len(own.Content) && value == nil { // the key is absent already
		return own, nil
	}
	if k == len(own.Content) {
		key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s.key}
		w.assigned[key] = w.place
		own.Content = append(own.Content, key, nil)
	}
	own.Content[k+1], err = w.put(own.Content[k+1], rest, at, value)
	return own, err
}

func (w *assigner) unset(own *yaml.Node, s step, path string) (*yaml.Node, error) {
	if s.key == "" {
		return nil, input.Mistake(w.place, s.from(path)+" is an entry of a list, which has no key to delete",
			"give the whole list: "+path+"=[...]")
	}
	for k := 0; k+1 < len(own.Content); k += 2 {
		if Target(own.Content[k]).Value == s.key {
			own.Content, w.assigned[own] = slices.Delete(own.Content, k, k+2), w.place
			break
		}
	}
	return own, nil
}

func (w *assigner) open(node *yaml.Node, s step, path string) (*yaml.Node, error) {
	own := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	remedy := "write " + path + "[0] for its first entry"
	if s.key == "" {
		own = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		remedy = "name one of its keys: " + path + ".KEY"
	}
	w.assigned[own] = w.place
	if node == nil || Target(node).ShortTag() == "!!null" {
		return own, nil
	}
	node = Target(node)
	if node.Kind != own.Kind {
		if node.Kind == yaml.ScalarNode {
			remedy = "give it as a whole: " + path + "=..."
		}
		if path == "" {
			path, remedy = w.Whole, "write an object: {...}"
		}
		return nil, input.Mistake(w.place, path+" is "+describe(node), remedy)
	}
	copied := *node
	copied.Anchor, copied.Content = "", slices.Clone(node.Content)
	if place, ok := w.assigned[node]; ok {
		w.assigned[&copied] = place
	}
	return &copied, nil
}

var indices = regexp.MustCompile(`\[\d+\]`)

// driveOut removes the rivals of a key from an object, but not assigned rivals.
func (w *assigner) driveOut(object *yaml.Node, path, key string) {
	group, ok := w.rivals[indices.ReplaceAllString(path, "[]")]
	if !ok || len(group) > 0 && !slices.Contains(group, key) {
		return
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(object.Content); i += 2 {
		name := Target(object.Content[i]).Value
		rival := name != key && (len(group) == 0 || slices.Contains(group, name))
		at := Join(path, name)
		if !rival || slices.ContainsFunc(w.keys, func(other string) bool { return other == at || inside(other, at) }) {
			kept = append(kept, object.Content[i:i+2]...)
		}
	}
	if len(kept) < len(object.Content) {
		object.Content, w.assigned[object] = kept, w.place // the assignment is the place of later errors about the object
	}
}
