package verilator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// What is built in so that more than ports can be seen. A build without it is as it was.

func (b *builder) translationFlags() []string {
	flags := plainFlags
	if b.options.Seeing.Internals {
		flags = append(flags[:len(flags):len(flags)], "--trace", "--trace-structs", "--trace-underscore",
			"--trace-max-width", strconv.Itoa(tracedBitsMax), "--trace-max-array", strconv.Itoa(tracedWordsMax))
	}
	if b.options.Seeing.Coverage {
		flags = append(flags[:len(flags):len(flags)], "--coverage", "--coverage-max-width", strconv.Itoa(tracedBitsMax))
	}
	return flags
}

// runtimeUnits are the texts of Verilator's library that are compiled.
func (b *builder) runtimeUnits() []string {
	units := []string{"verilated.cpp", "verilated_threads.cpp"}
	if b.options.Seeing.Internals {
		units = append(units, "verilated_vcd_c.cpp")
	}
	return units
}

// wantedHeader is wanted.h: what the glue has of seeing.h.
func (b *builder) wantedHeader() string {
	one := map[bool]int{true: 1}
	return fmt.Sprintf("#define SL_TRACE %d\n#define SL_COVERAGE %d\n", one[b.options.Seeing.Internals], one[b.options.Seeing.Coverage])
}

// Wider vectors and longer memories are left out of waveforms, by name.
const (
	tracedBitsMax  = 8192
	tracedWordsMax = 4096
)

// untraced are the signals that are too large for a waveform.
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
