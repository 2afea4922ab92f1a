package rv32

// timing holds the costs of a program's instructions on a core.
type timing struct {
	*table
	program *Program
}

// fixed returns the cost of an instruction without the part that depends on data, for a branch that is not taken.
func (t *timing) fixed(i *Instruction) int {
	cost := t.class(i)
	if t.wide > 0 && i.Size == 4 && i.PC&2 != 0 {
		cost += t.wide
	}
	if i.Size == 2 && i.PC&2 != 0 {
		cost -= t.kept
	}
	if t.loadUse > 0 && i.Op.isLoad() {
		if next := t.program.instruction(i.next()); next.reads(i.Rd) {
			cost += t.loadUse
		}
	}
	return cost
}

func (t *timing) class(i *Instruction) int {
	switch op := i.Op; {
	case op.isBranch():
		return t.branch
	case op.isLoad():
		return t.load
	case op.isStore():
		return t.store
	case op == opJAL:
		return t.jump + t.arrival(i.target())
	case op == opJALR:
		return t.jumpRegister
	case op == opMUL:
		return t.multiply
	case op > opMUL && op <= opMULHU:
		return t.multiplyHigh
	case op >= opDIV && op <= opREMU:
		return t.divide
	case op >= opSLLI && op <= opSRAI:
		return t.shift + t.steps(uint32(i.Immediate))
	case op == opSLL || op == opSRL || op == opSRA:
		return t.shift
	}
	return t.plain
}

// arrival returns the additional cost of a jump to a target.
func (t *timing) arrival(target uint32) (cost int) {
	if t.wideTarget > 0 && t.program.wide(target) {
		cost = t.wideTarget
	}
	if target&2 != 0 {
		cost += t.halfTarget
	}
	return cost
}

// steps returns the number of cycles of a shifter with steps of 4 and 1.
func (t *timing) steps(by uint32) int {
	if !t.shiftSteps {
		return 0
	}
	return int(by/4 + by%4)
}

// whenTaken returns the additional cost of a taken branch.
func (t *timing) whenTaken(i *Instruction) int {
	cost := t.taken + t.arrival(i.target())
	if t.takenPast > 0 && t.program.wide(i.next()) {
		cost += t.takenPast
	}
	return cost
}

// dynamic returns the part of an instruction's cost that depends on its operands, which may be negative.
func (t *timing) dynamic(i *Instruction, a, b uint32) int {
	switch op := i.Op; {
	case op == opSLL || op == opSRL || op == opSRA:
		return t.steps(b & 31)
	case op >= opDIV && op <= opREMU && b == 0:
		return -t.divideByZero
	case (op.isLoad() || op.isStore()) && splits(a+uint32(i.Immediate), op.bytes()):
		return t.split
	case op == opJALR:
		return t.arrival((a + uint32(i.Immediate)) &^ 1)
	case op.isBranch() && taken(op, a, b):
		return t.whenTaken(i)
	}
	return 0
}

// worst returns an upper bound of an instruction's cost.
func (t *timing) worst(i *Instruction) int {
	cost := t.fixed(i)
	switch op := i.Op; {
	case op == opSLL || op == opSRL || op == opSRA:
		cost += t.steps(31)
	case op.isLoad() || op.isStore():
		cost += t.split
	case op == opJALR:
		cost += t.wideTarget + t.halfTarget
	case op.isBranch():
		cost += t.whenTaken(i)
	}
	return cost
}

func splits(address, bytes uint32) bool { return address&3+bytes > 4 }
