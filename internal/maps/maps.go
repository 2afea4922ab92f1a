package maps

import (
	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input/strict"
)

type decoder struct{ *strict.Decoder }

// readNode reads one value; where is its path.
type readNode = func(*yaml.Node, string) error

const traceMapRemedy = "give the path of a map; `starloom trace diff --help` and `starloom trace decode --help` show one"

func parse(path string, data []byte, what, remedy string) (*decoder, *yaml.Node, error) {
	d, root, err := strict.Parse(path, data, what, remedy)
	if err != nil {
		return nil, nil, err
	}
	return &decoder{d}, root, nil
}

// FabricKey returns the key that only scenarios have, nil for none.
func FabricKey(root *yaml.Node) *yaml.Node {
	for i := 0; root.Kind == yaml.MappingNode && i < len(root.Content); i += 2 {
		if root.Content[i].Value == "fabric" {
			return root.Content[i]
		}
	}
	return nil
}
