package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// WriteYAML encodes keys as a scenario file: one line per top-level key, the version first.
func WriteYAML(keys map[string]any) ([]byte, error) {
	var out bytes.Buffer
	order := slices.Sorted(maps.Keys(keys))
	slices.SortStableFunc(order, func(a, b string) int { return keyRank(a) - keyRank(b) })
	for _, key := range order {
		data, err := json.Marshal(keys[key])
		if err != nil {
			return nil, err
		}
		var node yaml.Node // JSON is YAML; this drops unnecessary quotes
		if err := yaml.Unmarshal(data, &node); err != nil {
			return nil, err
		}
		inOneLine(&node)
		text, err := yaml.Marshal(&node)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s: %s\n", key, bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\n"), []byte(" "))))
	}
	return out.Bytes(), nil
}

// Keys returns the keys of a value in a document.
func Keys(value any) (keys map[string]any, err error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // a seed has 64 bits
	err = decoder.Decode(&keys)
	return keys, err
}

func keyRank(key string) int {
	first := []string{"starloom", "name", "seed", "fabric", "firmware"}
	if k := slices.Index(first, key); k >= 0 {
		return k
	}
	return len(first)
}

func inOneLine(node *yaml.Node) {
	if node.Kind == yaml.MappingNode || node.Kind == yaml.SequenceNode {
		node.Style = yaml.FlowStyle
	}
	if node.Kind == yaml.ScalarNode {
		node.Style = 0
	}
	for _, child := range node.Content {
		inOneLine(child)
	}
}
