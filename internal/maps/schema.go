package maps

import (
	_ "embed"
	"strings"

	"starloom/cosim"
	"starloom/cosim/twin"
)

//go:embed pin.schema.json
var pinSchema string

// PinSchema returns the JSON Schema of pin maps for editors. LoadPin also checks relations between values.
func PinSchema(models []twin.Twin) []byte {
	var names []string
	for _, t := range models {
		names = append(names, t.Name)
	}
	return []byte(strings.NewReplacer("{{models}}", strings.Join(names, `", "`),
		"{{backends}}", strings.Join(cosim.Backends, `", "`)).Replace(pinSchema))
}
