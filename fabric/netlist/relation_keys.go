package netlist

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/hw"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// relationSource is this file, whose comments describe keys of a scenario.
//
//go:embed relation_keys.go
var relationSource string

// Relation is a routing relation: rules that give each head at a router its candidates, pairs of an output port and a
// class of virtual channels. A head requests all free virtual channels of its candidates until it gets one.
type Relation struct {
	// classes of virtual channels, in order: NAME: number of channels, or NAME: FIRST..LAST (default: one class)
	Classes RouteClasses `json:"classes,omitzero"`
	// router at the root of the tree of up and down (default: the first router)
	Root string `json:"root,omitempty"`
	// the first rule that holds gives the candidates of a head; the router of the destination needs no rule
	Rules []RouteRule `json:"rules" jsonschema:"required,minItems=1"`
}

// RouteRule gives candidates to the heads for which its condition holds.
type RouteRule struct {
	// condition, such as dx < 0 and class == free (default: always)
	If string `json:"if,omitempty"`
	// candidates, all requested at once until one is free
	Take []RouteCandidate `json:"take" jsonschema:"required,minItems=1"`
}

// RouteCandidate is a set of output ports with a class of virtual channels.
type RouteCandidate struct {
	// productive, dor, shortest, up, down or the name of a port; dor(y x): in this order of dimensions;
	// productive(west south): only these ports
	To string `json:"to" jsonschema:"required,minLength=1"`
	// class of virtual channels (default: all)
	Class string `json:"class,omitempty"`
	// condition of this candidate (default: always)
	If string `json:"if,omitempty"`
}

func (Relation) Declaration() string       { return relationSource }
func (RouteRule) Declaration() string      { return relationSource }
func (RouteCandidate) Declaration() string { return relationSource }

// RouteClasses are named classes of virtual channels.
type RouteClasses struct {
	names  []string
	values []string // number of channels, or FIRST..LAST
	places []string
}

// IsZero reports whether no classes are named.
func (c RouteClasses) IsZero() bool { return len(c.names) == 0 }

// JSONSchemaAlias describes RouteClasses as an object.
func (RouteClasses) JSONSchemaAlias() any { return map[string]string{} }

// MarshalJSON encodes the classes in order.
func (c RouteClasses) MarshalJSON() ([]byte, error) {
	var parts []string
	for i, name := range c.names {
		value := form(c.values[i])
		if strict.PlainInteger(c.values[i]) {
			value = c.values[i]
		}
		parts = append(parts, form(name)+":"+value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// ReadYAML implements strict.Reader.
func (c *RouteClasses) ReadYAML(d *strict.Decoder, node *yaml.Node, path string) error {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return d.Wrong(node, path, "an object: {escape: 1, free: 3}")
	}
	seen := map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, err := d.Key(node.Content[i], path, seen)
		if err != nil {
			return err
		}
		value := strict.Target(node.Content[i+1])
		if value.Kind != yaml.ScalarNode {
			return d.Wrong(value, strict.Join(path, name), "a number of channels, or a range such as 0..1")
		}
		c.names, c.values = append(c.names, name), append(c.values, value.Value)
		c.places = append(c.places, d.Place(value))
	}
	return nil
}

// ranges returns the virtual channels of each class. Without classes, all channels form one class.
func (c *RouteClasses) ranges(vcs int) (all []hw.VCRange, err error) {
	if c.IsZero() {
		return []hw.VCRange{{Low: 0, High: uint8(vcs - 1)}}, nil
	}
	next, taken := 0, make([]bool, vcs)
	for i, text := range c.values {
		first, last, ranged := strings.Cut(text, "..")
		low, err := strconv.Atoi(first)
		high := low
		switch {
		case ranged && err == nil:
			high, err = strconv.Atoi(last)
		case !ranged:
			low, high = next, next+low-1
		}
		if err != nil || low < 0 || high < low {
			return nil, input.Mistake(c.places[i], fmt.Sprintf("class %s is %q", c.names[i], text),
				"write a number of virtual channels, or a range such as 0..1")
		}
		if high >= vcs {
			return nil, input.Mistake(c.places[i], fmt.Sprintf("class %s ends at virtual channel %d, but there are only %d",
				c.names[i], high, vcs), fmt.Sprintf("write vcs: %d or more, or fewer channels", high+1))
		}
		for vc := low; vc <= high; vc++ {
			if taken[vc] {
				return nil, input.Mistake(c.places[i], fmt.Sprintf("virtual channel %d belongs to two classes", vc),
					"give each channel to one class")
			}
			taken[vc] = true
		}
		all, next = append(all, hw.VCRange{Low: uint8(low), High: uint8(high)}), high+1
	}
	for vc, is := range taken {
		if !is {
			return nil, input.Mistake(c.places[len(c.places)-1],
				fmt.Sprintf("virtual channel %d of %d belongs to no class", vc, vcs), "give each channel to one class")
		}
	}
	return all, nil
}

// placedRelation is a relation with the places of its values.
type placedRelation struct {
	Relation
	path   string // path of the relation within its document
	places map[string]string
	whole  string // place of the relation
}

func (r *placedRelation) place(format string, values ...any) string {
	if place := r.places[strict.Join(r.path, fmt.Sprintf(format, values...))]; place != "" {
		return place
	}
	return r.whole
}
