package wasm

import "fmt"

// Limits of what the compiler's time and memory grow with faster than the image.
const (
	localsMax       = 10_000
	nestingMax      = 1_000
	tableTargetsMax = 4_096  // in one br_table
	targetsMax      = 65_536 // in all br_tables of an image
)

// targetBudget counts the targets of br_tables.
type targetBudget struct{ taken int }

func (b *targetBudget) take(i *instruction, place func(*instruction) string) error {
	if i.op != opBrTable {
		return nil
	}
	if len(i.targets) > tableTargetsMax {
		return fmt.Errorf("%s has a br_table of %d targets, allowed are %d; split the switch, or use a table in the memory", place(i), len(i.targets), tableTargetsMax)
	}
	if b.taken += len(i.targets); b.taken > targetsMax {
		return fmt.Errorf("%s: the br_tables of the image have more than %d targets in all; use tables in the memory", place(i), targetsMax)
	}
	return nil
}
