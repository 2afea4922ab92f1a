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
	// node: each packet draws a router that it visits before its destination, the router of any processor; box: on a
	// mesh each coordinate lies between those of source and destination, on a flattened butterfly only coordinates in
	// which they differ are drawn
	Mid string `json:"mid,omitempty" jsonschema:"enum=node,enum=box"`
	// the first rule that holds gives the candidates of a head; the router of the destination needs no rule
	Rules []RouteRule `json:"rules" jsonschema:"required,minItems=1"`
}

// RouteRule gives candidates to the heads for which its condition holds.
type RouteRule struct {
	// condition, such as dx < 0 and class == free (default: always)
	If string `json:"if,omitempty"`
	// a head requests only one of the candidates in take: draw, or load: the first with the fewest flits on their way
	// through its port, credits included
	Choose *RouteChoice `json:"choose,omitempty"`
	// candidates, all requested at once until one is free
	Take []RouteCandidate `json:"take" jsonschema:"required,minItems=1"`
}

// RouteChoice selects one candidate of a rule.
type RouteChoice struct {
	// draw: each is equally likely; load: the port with the fewest flits whose credits have not returned
	By string `json:"by" jsonschema:"required,enum=draw,enum=load"`
	// hops: a load is multiplied by the number of links to the destination, over mid if the candidate leads there
	Times string `json:"times,omitempty" jsonschema:"enum=hops"`
	// added to the load of each candidate but the first (default 0)
	Bias int `json:"bias,omitempty" jsonschema:"minimum=0,maximum=65536"`
	// of equal loads, the first candidate or a drawn one (default first)
	Ties string `json:"ties,omitempty" jsonschema:"enum=first,enum=draw"`
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
	// of several ports a head requests only one. random: drawn; load: the first with the least load; load_of_two: of
	// two drawn ones, that with the lower load
	Pick string `json:"pick,omitempty" jsonschema:"enum=random,enum=load,enum=load_of_two"`
	// 1: an input port requests it before its other candidates of priority 0, if the allocator of virtual channels knows
	// priorities: all but islip
	Priority int `json:"priority,omitempty" jsonschema:"minimum=0,maximum=1"`
	// mid: leads to the drawn router of the packet, not to its destination; the candidate exists until the packet has
	// been there
	Toward string `json:"toward,omitempty" jsonschema:"enum=mid"`
}

func (Relation) Declaration() string       { return relationSource }
func (RouteRule) Declaration() string      { return relationSource }
func (RouteCandidate) Declaration() string { return relationSource }
func (RouteChoice) Declaration() string    { return relationSource }

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
				c.names[i], high, vcs), fmt.Sprintf("write vcs: %d or more, or give class %s fewer channels", high+1, c.names[i]))
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
