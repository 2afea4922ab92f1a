package wasm

import "fmt"

// Limits of what the compiler's time and memory grow with faster than with the size of
// an image. At them a function compiles in about two seconds, all br_tables in one:
// without, a br_table of 200,000 targets takes eleven seconds and half a gigabyte.
const (
	targetsPerFunctionMax = 8_192  // of its br_tables
	targetsMax            = 65_536 // of all br_tables of an image
	blocksMax             = 8_192  // block, loop and if of a function
	nestingMax            = 1_000  // of blocks
	localsMax             = 50_000 // of a function, with its parameters
	parametersMax         = 1_000  // of a type, and its results
	tableEntriesMax       = 65_536 // when a table is made
)

// limits counts what is limited while the code is read.
type limits struct {
	targets                         int // of all functions
	functionTargets, functionBlocks int
}

// nextFunction starts a function with the given number of locals.
func (l *limits) nextFunction(locals uint64) error {
	l.functionTargets, l.functionBlocks = 0, 0
	if locals > localsMax {
		return fmt.Errorf("it has %d locals, allowed are %d; split the function", locals, localsMax)
	}
	return nil
}

// take counts an instruction that is inside of depth blocks.
func (l *limits) take(i *instruction, depth int) error {
	switch i.op {
	case opBlock, opLoop, opIf:
		if l.functionBlocks++; l.functionBlocks > blocksMax {
			return fmt.Errorf("the function has more than %d blocks (block, loop, if); split it", blocksMax)
		}
		if depth > nestingMax {
			return fmt.Errorf("blocks are nested deeper than %d; split the function", nestingMax)
		}
	case opBrTable:
		l.functionTargets += len(i.targets)
		l.targets += len(i.targets)
		if l.functionTargets > targetsPerFunctionMax {
			return fmt.Errorf("with this br_table the function has %d branch targets in br_tables, allowed are %d; split the switch, or keep its table in the memory", l.functionTargets, targetsPerFunctionMax)
		}
		if l.targets > targetsMax {
			return fmt.Errorf("with this br_table the image has %d branch targets in br_tables, allowed are %d; keep large tables in the memory", l.targets, targetsMax)
		}
	}
	return nil
}
