package rv32

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Core is the timing of a processor core. Memories answer in the cycle after the request.
type Core struct {
	Model      string           // ibex, picorv32, rv32-multicycle or instructions
	Parameters map[string]int64 // of the RTL
	Rules      []Rule

	cost      table
	neverLate string // reason why data is never late: no table
}

// Rule is a rule of a core's timing and its source.
type Rule struct{ Instructions, Cycles, Source string }

// table holds costs in cycles. Costs that depend on data are added where the data is known.
type table struct {
	plain, load, store, branch, jump, jumpRegister int
	multiply, multiplyHigh, divide, shift          int // multiply is 0 for a core without the extension M

	taken        int // more for a taken branch
	wideTarget   int // additional cycles of a jump or taken branch to an instruction that spans two words
	wide         int // more for an instruction in two words
	takenPast    int // additional cycles of a taken branch before an instruction that spans two words
	divideByZero int // less for a division by zero
	halfTarget   int // additional cycles of a jump or taken branch to an address that is not a multiple of 4
	kept         int // less for a compressed instruction at an address that is not a multiple of 4
	split        int // more for an access in two words
	loadUse      int // additional cycles of a load whose result the next instruction reads
	shiftSteps   bool
}

const (
	guideIbex  = "Ibex Reference Guide, Pipeline Details, Instruction Cycle Counts"
	guidePico  = "PicoRV32 README, Cycles per Instruction Performance"
	foundOnRTL = "found on RTL"
	multicycle = "rv32_multicycle.v, state "
)

// Cores returns the cores with measured timing, by model and parameters.
func Cores() []Core { return slices.Clone(cores) }

var cores = []Core{
	{Model: "instructions", Rules: []Rule{{"every instruction", "1", "definition"}},
		neverLate: "it counts instructions", cost: table{plain: 1, load: 1, store: 1, branch: 1, jump: 1, jumpRegister: 1,
			multiply: 1, multiplyHigh: 1, divide: 1, shift: 1}},
	{Model: "ibex", Parameters: map[string]int64{"RV32M": 2, "WritebackStage": 0, "BranchTargetALU": 0},
		Rules: []Rule{
			{"integer computations", "1", guideIbex},
			{"mul", "3", guideIbex}, {"mulh, mulhsu, mulhu", "4", guideIbex},
			{"div, divu, rem, remu", "37; 2 for a divisor of 0", foundOnRTL + "; the guide has 38 and 2"},
			{"loads, stores", "2", guideIbex},
			{"loads, stores across a word boundary", "1 more", foundOnRTL},
			{"branches", "1, taken 3", guideIbex}, {"jumps", "2", guideIbex},
			{"jumps, taken branches to a 32-bit instruction at an address that is not a multiple of 4", "1 more", foundOnRTL},
		}, cost: table{plain: 1, load: 2, store: 2, branch: 1, jump: 2, jumpRegister: 2, multiply: 3, multiplyHigh: 4,
			divide: 37, shift: 1, taken: 2, wideTarget: 1, divideByZero: 35, split: 1}},
	{Model: "ibex", Parameters: map[string]int64{"RV32M": 3, "WritebackStage": 1, "BranchTargetALU": 1},
		Rules: []Rule{
			{"integer computations, mul", "1", foundOnRTL}, {"mulh, mulhsu, mulhu", "2", foundOnRTL},
			{"div, divu, rem, remu", "37; 2 for a divisor of 0", foundOnRTL},
			{"loads, stores", "1", foundOnRTL}, {"loads whose result the next instruction reads", "1 more", foundOnRTL},
			{"loads, stores across a word boundary", "1 more", foundOnRTL},
			{"branches", "1, taken 2", foundOnRTL}, {"jumps", "2", foundOnRTL},
			{"jumps, taken branches to a 32-bit instruction at an address that is not a multiple of 4", "1 more", foundOnRTL},
		}, cost: table{plain: 1, load: 1, store: 1, branch: 1, jump: 2, jumpRegister: 2, multiply: 1, multiplyHigh: 2,
			divide: 37, shift: 1, taken: 1, wideTarget: 1, divideByZero: 35, split: 1, loadUse: 1},
		neverLate: "a jump or a taken branch after a load or store overlaps with them"},
	{Model: "picorv32", Parameters: map[string]int64{"BARREL_SHIFTER": 0, "ENABLE_MUL": 1, "ENABLE_DIV": 1,
		"ENABLE_FAST_MUL": 0, "TWO_STAGE_SHIFT": 1, "ENABLE_REGS_DUALPORT": 1},
		Rules: []Rule{
			{"integer computations", "3", guidePico}, {"shifts by n", "4 + n/4 + n%4", guidePico},
			{"mul, div, divu, rem, remu", "40", guidePico}, {"mulh, mulhsu, mulhu", "72", guidePico},
			{"loads, stores", "5", guidePico}, {"branches", "3, taken 5", guidePico},
			{"jal", "3", guidePico}, {"jalr", "6", guidePico},
			{"32-bit instructions at an address that is not a multiple of 4", "1 more", foundOnRTL},
			{"taken branches before such an instruction", "1 more", foundOnRTL},
		}, cost: table{plain: 3, load: 5, store: 5, branch: 3, jump: 3, jumpRegister: 6, multiply: 40, multiplyHigh: 72,
			divide: 40, shift: 4, taken: 2, wide: 1, takenPast: 1, shiftSteps: true}},
	{Model: "rv32-multicycle", // examples/rtl/rv32_multicycle
		Rules: []Rule{
			{"integer computations, jumps, branches, fence, wfi", "4", multicycle + "FETCH 2, DECODE, EXECUTE"},
			{"taken branches", "1 more", multicycle + "JUMP"}, {"shifts by n", "5 + n/4 + n%4", multicycle + "SHIFT"},
			{"loads, stores", "6", multicycle + "MEMORY, 2 for a word"},
			{"loads, stores across a word boundary", "2 more", multicycle + "MEMORY, second_q"},
			{"compressed instructions at an address that is not a multiple of 4", "1 less", multicycle + "FETCH, kept"},
			{"jumps, taken branches to an address that is not a multiple of 4", "2 more", multicycle + "REFILL"},
		}, cost: table{plain: 4, load: 6, store: 6, branch: 4, jump: 4, jumpRegister: 4, shift: 5, taken: 1, halfTarget: 2,
			kept: 1, split: 2, shiftSteps: true}},
}

// Instructions counts instructions.
func Instructions() *Core { return &cores[0] }

// Models returns the names of the models.
func Models() (names []string) {
	for _, c := range cores {
		names = append(names, c.Model)
	}
	return slices.Compact(names)
}

// NewCore returns the core of a model with given RTL parameters. Omitted parameters have the values of the first
// measured core of the model. NewCore returns an error for parameters without measured timing.
func NewCore(model string, parameters map[string]int64) (*Core, error) {
	first := slices.IndexFunc(cores, func(c Core) bool { return c.Model == model })
	if first < 0 {
		return nil, fmt.Errorf("there is no core %q; use %s", model, strings.Join(Models(), ", "))
	}
	known := cores[first].Parameters
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("the core %s has no parameter %s with measured values; it has %s", model, name,
				orNone(slices.Sorted(maps.Keys(known))))
		}
	}
	wanted := maps.Clone(known)
	maps.Copy(wanted, parameters)
	var measured []string
	for k := range cores {
		if c := &cores[k]; c.Model == model {
			if maps.Equal(c.Parameters, wanted) {
				return c, nil
			}
			measured = append(measured, c.parameters())
		}
	}
	return nil, fmt.Errorf("the timing of the core %s was not measured with these parameters; measured: %s", model,
		strings.Join(measured, ", or "))
}

// Late returns the core with a data memory that answers some cycles later. Each word of an access waits. Late returns
// an error for a core without measured timing of such memories.
func (c *Core) Late(cycles uint32) (*Core, error) {
	if cycles == 0 {
		return c, nil
	}
	if c.neverLate != "" {
		return nil, fmt.Errorf("the timing of the core %s %s has no wait states: %s", c.Model, c.parameters(),
			c.neverLate)
	}
	late := *c
	late.cost.load += int(cycles)
	late.cost.store += int(cycles)
	late.cost.split += int(cycles)
	return &late, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (c *Core) parameters() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		texts = append(texts, fmt.Sprintf("%s: %d", name, c.Parameters[name]))
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
