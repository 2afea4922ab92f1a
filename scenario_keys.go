package starloom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"starloom/internal/config"

	"starloom/internal/check"

	"go.yaml.in/yaml/v3"
)

// keys are those of a scenario file that says the same. The image is beside it; what else it reads
// is named by its whole path.
func (s *Scenario) keys() (map[string]any, error) {
	own := *s
	own.RTL, own.Traces, own.Workload.File = nil, Traces{}, ""
	if own.Firmware.Program == "" {
		own.Firmware.Image = own.Firmware.imageName()
	}
	if g := own.Workload.Gossip; g != nil {
		whole := *g
		own.Workload.Gossip = &whole
		for _, file := range []struct {
			path string
			to   *string
		}{{g.Path, &whole.Orders}, {g.ValuesPath, &whole.Values}} {
			if file.path == "" {
				continue
			}
			absolute, err := filepath.Abs(file.path)
			if err != nil {
				return nil, err
			}
			*file.to = absolute
		}
	}
	data, err := json.Marshal(&own)
	if err != nil {
		return nil, err
	}
	keys := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // a seed has 64 bits
	if err := decoder.Decode(&keys); err != nil {
		return nil, err
	}
	delete(keys, "traces")
	if workload := keys["workload"].(map[string]any); workload["permutation"] == PermutationRandom { // which is the default, and excludes others
		delete(workload, "permutation")
		if len(workload) == 0 {
			delete(keys, "workload")
		}
	}
	return keys, nil
}

// checkedKeys is what a check of firmware makes smaller scenarios with.
func (s *Scenario) checkedKeys() check.Keys {
	k := check.Keys{YAML: scenarioYAML, Read: func(keys map[string]any) (*config.Config, error) {
		data, err := json.Marshal(keys)
		if err != nil {
			return nil, err
		}
		small, err := ParseScenario("scenario", data)
		if err != nil {
			return nil, err
		}
		return small.elaborate()
	}}
	if s.Fabric.Custom == nil {
		k.Own = s.keys
	}
	return k
}

// scenarioYAML writes keys as a scenario file: a line for each of the outer ones, the version first.
func scenarioYAML(keys map[string]any) ([]byte, error) {
	var out bytes.Buffer
	order := slices.Sorted(maps.Keys(keys))
	slices.SortStableFunc(order, func(a, b string) int { return keyRank(a) - keyRank(b) })
	for _, key := range order {
		data, err := json.Marshal(keys[key])
		if err != nil {
			return nil, err
		}
		var node yaml.Node // JSON is YAML; this leaves out quotes that no one needs
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

// keyRank puts the keys first that a reader looks for first.
func keyRank(key string) int {
	first := []string{"starloom", "name", "seed", "fabric", "firmware"}
	if k := slices.Index(first, key); k >= 0 {
		return k
	}
	return len(first)
}

// inOneLine writes a node in one line, with quotes only where text would be something else without.
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
