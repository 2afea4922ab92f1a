package rv32

import "math/bits"

func taken(op Op, a, b uint32) bool {
	switch op {
	case opBEQ:
		return a == b
	case opBNE:
		return a != b
	case opBLT:
		return int32(a) < int32(b)
	case opBGE:
		return int32(a) >= int32(b)
	case opBLTU:
		return a < b
	}
	return a >= b
}

// compute returns the result of an instruction without memory access or jump.
func compute(i *Instruction, a, b uint32) uint32 {
	switch op := i.Op; {
	case op == opLUI:
		return uint32(i.Immediate)
	case op == opAUIPC:
		return i.PC + uint32(i.Immediate)
	case op >= opMUL:
		return multiply(op, a, b)
	case op >= opADDI && op <= opSRAI:
		return integer(registerForm[op-opADDI], a, uint32(i.Immediate))
	}
	return integer(i.Op, a, b)
}

// registerForm maps instructions with an immediate to their forms on registers.
var registerForm = [...]Op{opADD, opSLT, opSLTU, opXOR, opOR, opAND, opSLL, opSRL, opSRA}

func integer(op Op, a, b uint32) uint32 {
	switch op {
	case opADD:
		return a + b
	case opSUB:
		return a - b
	case opSLL:
		return a << (b & 31)
	case opSLT:
		return btoi(int32(a) < int32(b))
	case opSLTU:
		return btoi(a < b)
	case opXOR:
		return a ^ b
	case opSRL:
		return a >> (b & 31)
	case opSRA:
		return uint32(int32(a) >> (b & 31))
	case opOR:
		return a | b
	}
	return a & b
}

// multiply follows chapter 7 of the specification. A division by zero has a quotient of all ones and the dividend as
// its remainder; a division of -2^31 by -1 has a quotient of -2^31 and a remainder of 0.
func multiply(op Op, a, b uint32) uint32 {
	high, low := bits.Mul32(a, b)
	minusA, minusB := b&uint32(int32(a)>>31), a&uint32(int32(b)>>31)
	switch op {
	case opMUL:
		return low
	case opMULH:
		return high - minusA - minusB
	case opMULHSU:
		return high - minusA
	case opMULHU:
		return high
	}
	overflow := a == 1<<31 && b == ^uint32(0)
	switch {
	case b == 0 && op <= opDIVU:
		return ^uint32(0)
	case b == 0:
		return a
	case op == opDIVU:
		return a / b
	case op == opREMU:
		return a % b
	case overflow:
		return a * btoi(op == opDIV)
	case op == opDIV:
		return uint32(int32(a) / int32(b))
	}
	return uint32(int32(a) % int32(b))
}

func btoi(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
