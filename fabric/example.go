package fabric

import (
	"reflect"
	"strings"

	"starloom/internal/strict"
)

// Exemplary is a network that says what a small scenario is, for those who begin with one.
type Exemplary interface {
	Network
	// Example is one of a program of the network; of "" it names the program to begin with.
	Example(program string) Example
}

// Example is a small scenario of a program.
type Example struct {
	Program string   // of Example("")
	Set     []string // keys and values, as --set has them: fabric.ring.nodes=8; a workload only if it has more than it must
	Expect  string   // how its run ends, as --expect has it; "" for pass
}

// ExampleOf is that of a network, nothing if it has none.
func ExampleOf(n Network, program string) (e Example) {
	if x, ok := n.(Exemplary); ok {
		e = x.Example(program)
	}
	return e
}

// KeysOf are keys that the shortest scenario gives a network: those that must be there, or what the network says
// by a method Keys.
func KeysOf(n Network) string {
	if x, ok := n.(interface{ Keys() string }); ok {
		return x.Keys()
	}
	var keys []string
	for _, field := range strict.Fields(reflect.Indirect(reflect.ValueOf(n)).Type()) {
		if field.Limits.Required {
			keys = append(keys, field.Key+": ...")
		}
	}
	return strings.Join(keys, ", ")
}
