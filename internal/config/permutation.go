package config

import (
	"fmt"
	"slices"

	"github.com/invopop/jsonschema"
	yaml "go.yaml.in/yaml/v4"

	"starloom/fabric"
	"starloom/traces/input"
	"starloom/traces/input/strict"
)

// PermutationRules are the permutations that have a name.
var PermutationRules = []string{fabric.PermutationRandom, fabric.PermutationIdentity, fabric.PermutationReverse, fabric.PermutationAll}

// DecodePermutation reads a permutation, which is a word or a list, and says where entry i of a list stands.
func DecodePermutation(d *strict.Decoder, node *yaml.Node, p *fabric.Permutation, path string) (entryPlace func(i int) string, err error) {
	const wants = "random, identity, reverse, all or a list of destinations: [1, 0, 2]"
	switch {
	case node.Kind == yaml.SequenceNode:
		p.Kind, p.List = fabric.PermutationList, make([]uint32, len(node.Content))
		entryPlace = func(i int) string { return d.Place(node.Content[i]) }
		for i, entry := range node.Content {
			number, err := d.Integer(strict.Target(entry), fmt.Sprintf("%s[%d]", path, i), strict.Span{Max: strict.DestinationMax})
			if err != nil {
				return nil, err
			}
			p.List[i] = uint32(number.Magnitude)
		}
		return entryPlace, nil
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str":
		p.Kind, p.List = node.Value, nil
		if !slices.Contains(PermutationRules, node.Value) {
			remedy := input.DidYouMean(node.Value, PermutationRules, "allowed are "+wants)
			return nil, d.Refuse(node, fmt.Sprintf("%s is %q", path, strict.Clip(node.Value)), remedy)
		}
		return entryPlace, nil
	}
	return nil, d.Wrong(node, path, wants)
}

// PermutationSchema describes a permutation, whose two forms no struct tag can say.
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
					"all: every permutation of a small network, one run each, with random numbers of its own",
			},
			{
				Type: "array", Items: strict.IntegerSchema(0, strict.DestinationMax), MinItems: strict.Pointer(1), UniqueItems: true,
				Description: "entry i is the destination of processor i's packet",
			},
		},
	}
}
