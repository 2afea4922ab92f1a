package verilator

import (
	"fmt"
	"strconv"
)

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

func (b *builder) runtimeUnits() []string {
	units := []string{"verilated.cpp", "verilated_threads.cpp"}
	if b.options.Seeing.Internals {
		units = append(units, "verilated_vcd_c.cpp")
	}
	return units
}

func (b *builder) wantedHeader() string {
	one := map[bool]int{true: 1}
	return fmt.Sprintf("#define SL_TRACE %d\n#define SL_COVERAGE %d\n", one[b.options.Seeing.Internals],
		one[b.options.Seeing.Coverage])
}
