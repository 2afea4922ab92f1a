package fabric

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"starloom/traces/input/strict"
)

// ResultRules say what results of firmware must be, by their names.
type ResultRules struct{ Of map[string]ResultRule }

// ResultRule is what one result must be: of every processor within Min and Max, and Alike says how those of two processors differ.
type ResultRule struct {
	Min, Max int64
	Alike    string // ResultEqual, ResultDistinct, "" for nothing
}

// The values of ResultRule.Alike.
const (
	ResultEqual    = "equal"    // all processors give the same
	ResultDistinct = "distinct" // no two processors give the same
)

func (r ResultRules) String() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.Of)) {
		list = append(list, name+" "+r.Of[name].String())
	}
	return strings.Join(list, ", ")
}

func (r ResultRule) String() string {
	switch {
	case r.Alike != "":
		return r.Alike
	case r.Min == r.Max:
		return fmt.Sprint(r.Min)
	case r.Max == math.MaxInt64:
		return fmt.Sprintf("%d or more", r.Min)
	case r.Min == math.MinInt64:
		return fmt.Sprintf("%d or less", r.Max)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

// Setting is its value in a list of settings.
func (r ResultRules) Setting() any { return r.Of }

func (r ResultRules) MarshalJSON() ([]byte, error) { return json.Marshal(r.Of) }

func (r ResultRule) MarshalJSON() ([]byte, error) {
	switch {
	case r.Alike != "":
		return json.Marshal(r.Alike)
	case r.Min == r.Max:
		return json.Marshal(r.Min)
	}
	limits := map[string]int64{}
	if r.Min != math.MinInt64 {
		limits["min"] = r.Min
	}
	if r.Max != math.MaxInt64 {
		limits["max"] = r.Max
	}
	return json.Marshal(limits)
}

const resultForm = "the name of a result and what it must be: {sum: 120}, {leader: equal}, {id: distinct}, {rounds: {max: 5}}"

func (r *ResultRules) ReadYAML(d *strict.Decoder, node *yaml.Node, path string) error {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return d.Wrong(node, path, resultForm)
	}
	r.Of = map[string]ResultRule{}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, err := d.Key(node.Content[i], path, seen)
		if err != nil {
			return err
		}
		at := strict.Join(path, name)
		d.Places[at] = d.Place(node.Content[i])
		rule := ResultRule{Min: math.MinInt64, Max: math.MaxInt64}
		if err := rule.read(d, strict.Target(node.Content[i+1]), at); err != nil {
			return err
		}
		r.Of[name] = rule
	}
	return nil
}

func (r *ResultRule) read(d *strict.Decoder, node *yaml.Node, path string) error {
	every := strict.Span{Min: math.MinInt64, Max: math.MaxInt64}
	switch {
	case node.Kind == yaml.ScalarNode && slices.Contains([]string{ResultEqual, ResultDistinct}, node.Value):
		r.Alike = node.Value
		return nil
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!int":
		n, err := d.Integer(node, path, every)
		r.Min, r.Max = n.Int64(), n.Int64()
		return err
	case node.Kind != yaml.MappingNode || len(node.Content) == 0:
		return d.Wrong(node, path, "a number, equal, distinct or {min: ..., max: ...}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := d.Key(node.Content[i], path, seen)
		if err != nil {
			return err
		}
		limit, known := map[string]*int64{"min": &r.Min, "max": &r.Max}[key]
		if !known {
			return d.Refuse(node.Content[i], fmt.Sprintf("unknown key %q in %s", strict.Clip(key), path), "known are min and max")
		}
		n, err := d.Integer(strict.Target(node.Content[i+1]), strict.Join(path, key), every)
		if err != nil {
			return err
		}
		*limit = n.Int64()
	}
	if r.Min > r.Max {
		return d.Refuse(node, fmt.Sprintf("%s has min %d above max %d", path, r.Min, r.Max), "exchange them")
	}
	return nil
}

// refuses says what is wrong with a value, "" if nothing is. judged is the first processor with one, -1 for none, and first those with
// each value.
func (r *ResultRule) refuses(name string, value int64, judged int, first map[int64]int) string {
	same, again := first[value]
	switch {
	case value < r.Min || value > r.Max:
		return fmt.Sprintf("gave %s = %d, and %s is to be %s", name, value, name, r)
	case r.Alike == ResultEqual && judged >= 0 && !again:
		for other := range first {
			return fmt.Sprintf("gave %s = %d, and processor %d gave %d: all are to be equal", name, value, judged, other)
		}
	case r.Alike == ResultDistinct && again:
		return fmt.Sprintf("gave %s = %d, as processor %d did: all are to be distinct", name, value, same)
	}
	return ""
}
