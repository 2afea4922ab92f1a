package wasm

import (
	"fmt"

	"starloom/firmware/wasm/binary"
)

// Limits of the quantities that determine the compiler's time and memory, documented in ABI.md. At the limits an
// image compiles in half a minute with less than a gigabyte. Without limits, a br_table of 200,000 targets takes
// eleven seconds; a hundred thousand branches to one block, or 40,000 locals around 50 loops, take minutes.
const (
	targetsPerFunctionMax = 8_192     // br_tables of a function
	targetsMax            = 65_536    // br_tables of an image
	blocksMax             = 8_192     // block, loop and if in a function
	branchesMax           = 8_192     // br and br_if in a function
	nestingMax            = 1_000     // nested blocks
	localsMax             = 50_000    // locals of a function, with parameters
	parametersMax         = 1_000     // parameters of a type; the limit also applies to results
	allInstructionsMax    = 2_000_000 // instructions of all functions
	instructionsMax       = 100_000   // instructions of a function
	linesBytesMax         = 4 << 20   // line programs of all units in the debug information
	tableEntriesMax       = 65_536    // initial table
	valuesMax             = 2_000_000 // locals of all functions, and values carried by calls, blocks and branches
)

// Compile time in nanoseconds, measured on a core at 2.5 GHz. The time grows with the number of instructions. Within
// a function, it grows quadratically with blocks and branches, with calls, and with locals per block.
const (
	workPerBranchPair  = 40
	workPerCallPairs   = 8 // pairs per nanosecond
	workPerLocalPair   = 5
	workPerInstruction = 200
	workMax            = 10_000_000_000 // nanoseconds for a function
	workImageMax       = 30_000_000_000
	nanoseconds        = 1_000_000_000 // nanoseconds in a second
)

type limits struct {
	targets, values, allInstructions int    // counts of all functions
	work                             uint64 // work of earlier functions

	// Current function:
	functionTargets, blocks, branches, calls, instructions int
	locals                                                 uint64
	widest                                                 int // most values that a branch may carry
}

func (l *limits) nextFunction(locals uint64, results int) error {
	*l = limits{targets: l.targets, values: l.values, allInstructions: l.allInstructions, work: l.work + l.functionWork(),
		locals: locals, widest: results}
	if locals > localsMax {
		return fmt.Errorf("it has %d locals; at most %d are allowed; split the function", locals, localsMax)
	}
	return l.carry(int(locals))
}

// carry counts values. A few bytes of code can create thousands of values, and the compiler stores each.
func (l *limits) carry(values int) error {
	if l.values += values; l.values > valuesMax {
		return fmt.Errorf("with this function the image has more than %d locals and values of calls, blocks and branches; "+
			"pass large values in the memory, and split the image", valuesMax)
	}
	return nil
}

func (l *limits) carried(m *module, i *binary.Instruction) int {
	var t binary.FuncType
	switch i.Op {
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		t = m.blockTypes(i)
		l.widest = max(l.widest, len(t.Params), len(t.Results))
	case binary.OpCall:
		t = m.Types[m.Signature(int(i.Index))]
	case binary.OpCallIndirect:
		t = m.Types[i.Index]
	case binary.OpBr, binary.OpBrIf, binary.OpBrTable, binary.OpReturn:
		return l.widest * max(1, len(i.Targets))
	}
	return len(t.Params) + len(t.Results)
}

func (l *limits) functionWork() uint64 {
	branches, calls, blocks := uint64(l.blocks+l.branches), uint64(l.calls), uint64(l.blocks)
	return workPerBranchPair*branches*branches + calls*calls/workPerCallPairs + workPerLocalPair*l.locals*l.locals*blocks +
		workPerInstruction*uint64(l.instructions)
}

func (l *limits) take(i *binary.Instruction, depth int) error {
	if l.instructions++; l.instructions > instructionsMax {
		return fmt.Errorf("the function has more than %d instructions; split it", instructionsMax)
	}
	if l.allInstructions++; l.allInstructions > allInstructionsMax {
		return fmt.Errorf("with this instruction the image has more than %d instructions; make it "+
			"smaller", allInstructionsMax)
	}
	switch i.Op {
	case binary.OpBlock, binary.OpLoop, binary.OpIf:
		if l.blocks++; l.blocks > blocksMax {
			return fmt.Errorf("the function has more than %d blocks (block, loop, if); split it", blocksMax)
		}
		if depth > nestingMax {
			return fmt.Errorf("blocks are nested deeper than %d; split the function", nestingMax)
		}
	case binary.OpBr, binary.OpBrIf:
		if l.branches++; l.branches > branchesMax {
			return fmt.Errorf("the function has more than %d branches (br, br_if); split it", branchesMax)
		}
	case binary.OpCall, binary.OpCallIndirect:
		l.calls++
	case binary.OpBrTable:
		l.functionTargets += len(i.Targets)
		l.targets += len(i.Targets)
		if l.functionTargets > targetsPerFunctionMax {
			return fmt.Errorf("with this br_table the function has %d branch targets in br_tables; at most %d are allowed; "+
				"split the switch, or keep its table in the memory", l.functionTargets, targetsPerFunctionMax)
		}
		if l.targets > targetsMax {
			return fmt.Errorf("with this br_table the image has %d branch targets in br_tables; at most %d are allowed; "+
				"keep large "+
				"tables in the memory", l.targets, targetsMax)
		}
	}
	return nil
}

func (l *limits) endFunction() error {
	own := l.functionWork()
	size := fmt.Sprintf("%d locals, %d blocks, %d branches and %d calls", l.locals, l.blocks, l.branches, l.calls)
	if own > workMax {
		return fmt.Errorf("a function of %s takes the compiler about %d s; at most %d s are allowed; split it", size,
			own/nanoseconds, workMax/nanoseconds)
	}
	if l.work+own > workImageMax {
		return fmt.Errorf("with this function, of %s, the image takes the compiler more than %d s; make it smaller", size,
			workImageMax/nanoseconds)
	}
	return nil
}
