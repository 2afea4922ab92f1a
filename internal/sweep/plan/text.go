package plan

import (
	"encoding/json"
	"strings"

	yaml "go.yaml.in/yaml/v4"

	"starloom/traces/input/strict"
)

// depthMax is the maximum nesting of values, because an anchor may refer to its own parent.
const depthMax = 32

func write(b *strings.Builder, node *yaml.Node, depth int) bool {
	node = strict.Target(node)
	if depth == 0 {
		return false
	}
	switch node.Kind {
	case yaml.ScalarNode:
		if node.ShortTag() != "!!str" {
			b.WriteString(node.Value)
			return true
		}
		quoted, err := json.Marshal(node.Value)
		b.Write(quoted)
		return err == nil
	case yaml.SequenceNode:
		return writeEntries(b, node, depth, "[]", ", ", ", ")
	case yaml.MappingNode:
		return writeEntries(b, node, depth, "{}", ": ", ", ")
	}
	return false
}

func writeEntries(b *strings.Builder, node *yaml.Node, depth int, brackets, afterEven, afterOdd string) bool {
	b.WriteByte(brackets[0])
	for i, entry := range node.Content {
		if i > 0 {
			b.WriteString([]string{afterOdd, afterEven}[i%2])
		}
		if !write(b, entry, depth-1) {
			return false
		}
	}
	b.WriteByte(brackets[1])
	return true
}
