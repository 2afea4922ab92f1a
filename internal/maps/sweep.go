package maps

import (
	"fmt"
	"slices"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/cosim/pinmap"
	"starloom/traces/input/strict"
)

// Point is a pin map with one value of each list.
type Point struct {
	*pinmap.Map
	Values []string // PORTS=4, parameters of the RTL after those of the model; none for a map without lists
}

const pointsMax = 1000

// LoadPins reads a pin map of which parameters and params may have lists, which go side by side:
//
//	parameters: {REQUESTERS: [1, 2, 5, 16]}
//	params: {NUM: [1, 2, 5, 16]}
//
// It returns a map for each place of the lists, or one for a map without lists.
func LoadPins(path string, library pinmap.Library) ([]Point, error) {
	data, path, err := strict.Read(path, pinMapRemedy)
	if err != nil {
		return nil, err
	}
	return ParsePins(path, data, library)
}

// ParsePins is LoadPins for the bytes of a file.
func ParsePins(path string, data []byte, library pinmap.Library) ([]Point, error) {
	d, root, err := parse(path, data, "the pin map", pinMapRemedy)
	if err != nil {
		return nil, err
	}
	lists, err := d.lists(root)
	if err != nil {
		return nil, err
	}
	if len(lists) == 0 {
		m, err := d.readPin(path, root, library)
		return []Point{{Map: m}}, err
	}
	var points []Point
	for i := range lists[0].values {
		p := Point{}
		at := root
		for _, l := range lists {
			at = withValue(at, l, l.values[i])
			p.Values = append(p.Values, l.name+"="+l.values[i].Value)
		}
		if p.Map, err = d.readPin(path, at, library); err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}

type list struct {
	key, name string
	values    []*yaml.Node
}

// listed are the keys that may have lists.
var listed = []string{"parameters", "params"}

func (d *decoder) lists(root *yaml.Node) (lists []list, err error) {
	for _, key := range listed {
		object := valueOf(root, key)
		if object == nil || object.Kind != yaml.MappingNode {
			continue
		}
		for i := 0; i+1 < len(object.Content); i += 2 {
			node := strict.Target(object.Content[i+1])
			if node.Kind != yaml.SequenceNode {
				continue
			}
			l := list{key: key, name: object.Content[i].Value}
			for _, value := range node.Content {
				l.values = append(l.values, strict.Target(value))
			}
			where := strict.Join(key, l.name)
			switch {
			case len(l.values) == 0:
				return nil, d.Refuse(node, where+" is an empty list", "write its values")
			case len(l.values) > pointsMax:
				return nil, d.Refuse(node, fmt.Sprintf("%s has %d values", where, len(l.values)), fmt.Sprintf("give at most %d", pointsMax))
			case len(lists) > 0 && len(l.values) != len(lists[0].values):
				return nil, d.Refuse(node, fmt.Sprintf("%s has %d values, %s.%s has %d: lists go side by side", where, len(l.values),
					lists[0].key, lists[0].name, len(lists[0].values)), "give each list as many values; for all pairs of two lists, write each pair")
			}
			lists = append(lists, l)
		}
	}
	return lists, nil
}

// valueOf is the value of a key of an object, nil for none.
func valueOf(object *yaml.Node, key string) *yaml.Node {
	for i := 0; object.Kind == yaml.MappingNode && i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == key {
			return strict.Target(object.Content[i+1])
		}
	}
	return nil
}

func withValue(root *yaml.Node, l list, value *yaml.Node) *yaml.Node {
	return withKey(root, l.key, withKey(valueOf(root, l.key), l.name, value))
}

func withKey(object *yaml.Node, key string, value *yaml.Node) *yaml.Node {
	changed := *object
	changed.Content = slices.Clone(object.Content)
	for i := 0; i+1 < len(changed.Content); i += 2 {
		if changed.Content[i].Value == key {
			changed.Content[i+1] = value
		}
	}
	return &changed
}

func (d *decoder) refuseLists(root *yaml.Node) error {
	lists, err := d.lists(root)
	if err != nil || len(lists) == 0 {
		return err
	}
	var names []string
	for _, l := range lists {
		names = append(names, l.key+"."+l.name)
	}
	object := valueOf(root, lists[0].key)
	return d.Refuse(valueOf(object, lists[0].name), "one value is needed here, and the pin map has a list in "+strings.Join(names, ", "),
		"give one value; `starloom cosim check` of the pin map alone runs all of a list")
}
