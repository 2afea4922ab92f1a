package verilator

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of waveforms. Larger vectors and memories are listed by name instead.
const (
	tracedBitsMax  = 8192
	tracedWordsMax = 4096
)

func (n *netlist) untraced() (names []string) {
	for _, module := range n.root.all("module") {
		for _, v := range module.all("var") {
			words, element := 1, n.types[v.get("dtype_id")]
			for element != nil && element.name == "unpackarraydtype" {
				if left, right, ok := rangeOf(element); ok {
					words *= span(left, right)
				}
				element = n.types[element.get("sub_dtype_id")]
			}
			bits := 0
			if element != nil {
				bits, _, _ = n.shape(element.get("id"))
			}
			if words > tracedWordsMax || bits > tracedBitsMax {
				names = append(names, fmt.Sprintf("%s of module %s: %d words of %d bits; at most %d of %d are shown",
					v.get("name"), cmp.Or(module.get("origName"), module.get("name")), words, bits, tracedWordsMax, tracedBitsMax))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
