package rv32

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Window receives the loads and stores outside RAM, text and constants. An error ends the processor.
type Window interface {
	Load(address, bytes uint32) (uint32, error)
	Store(address, bytes, value uint32) error
}

// Processor interprets a program: the reference of the translation.
type Processor struct {
	X      [32]uint32
	PC     uint32
	RAM    []byte
	Cycles uint64

	program *Program
	timing  timing
	window  Window
}

// NewProcessor returns a processor after reset.
func NewProcessor(p *Program, core *Core, window Window) *Processor {
	return &Processor{PC: p.Entry, RAM: append([]byte(nil), p.RAM.Bytes...), program: p, timing: timing{&core.cost, p},
		window: window}
}

// TrapError ends a processor.
type TrapError struct {
	PC     uint32
	Reason string
}

func (e *TrapError) Error() string { return fmt.Sprintf("%s at %#x", e.Reason, e.PC) }

// Step executes one instruction. It reports whether the processor now waits for the next turn (wfi).
func (c *Processor) Step() (waits bool, err error) {
	if _, ok := c.program.fetch(c.PC); !ok {
		return false, c.trap("no instruction")
	}
	i := c.program.instruction(c.PC)
	a, b := c.X[i.Rs1], c.X[i.Rs2]
	next := i.next()
	cost := c.timing.fixed(&i) + c.timing.dynamic(&i, a, b)
	switch op := i.Op; {
	case op.isBranch():
		if taken(op, a, b) {
			next = i.target()
			cost += c.timing.whenTaken(&i)
		}
	case op.isLoad():
		value, err := c.load(op, a+uint32(i.Immediate))
		if err != nil {
			return false, err
		}
		c.set(i.Rd, value)
	case op.isStore():
		if err := c.store(a+uint32(i.Immediate), op.bytes(), b); err != nil {
			return false, err
		}
	case op == opJAL:
		c.set(i.Rd, next)
		next = i.target()
	case op == opJALR:
		c.set(i.Rd, next)
		next = (a + uint32(i.Immediate)) &^ 1
	case op == opWFI:
		waits = true
	case op == opECALL, op == opEBREAK, op == opIllegal:
		return false, c.trap(stops[op])
	case i.writes():
		c.set(i.Rd, compute(&i, a, b))
	}
	c.Cycles += uint64(cost)
	c.PC = next
	return waits, nil
}

var stops = map[Op]string{opECALL: "ecall", opEBREAK: "ebreak", opIllegal: "no instruction"}

func (c *Processor) trap(reason string) error { return &TrapError{c.PC, reason} }

func (c *Processor) set(register uint8, value uint32) {
	if register != 0 {
		c.X[register] = value
	}
}

func (c *Processor) load(op Op, address uint32) (uint32, error) {
	bytes := op.bytes()
	ram := Memory{c.program.RAM.From, c.RAM}
	from := ram.at(address, bytes)
	if from == nil {
		from = c.program.Shared.at(address, bytes)
	}
	var value uint32
	if from != nil {
		var word [4]byte
		copy(word[:], from)
		value = binary.LittleEndian.Uint32(word[:])
	} else {
		var err error
		if value, err = c.window.Load(address, bytes); err != nil {
			return 0, err
		}
	}
	switch op {
	case opLB:
		value = uint32(int8(value))
	case opLH:
		value = uint32(int16(value))
	}
	return value, nil
}

func (c *Processor) store(address, bytes, value uint32) error {
	ram := Memory{c.program.RAM.From, c.RAM}
	if to := ram.at(address, bytes); to != nil {
		var word [4]byte
		binary.LittleEndian.PutUint32(word[:], value)
		copy(to, word[:])
		return nil
	}
	if c.program.Shared.at(address, bytes) != nil {
		return c.trap("a store to text or constants")
	}
	return c.window.Store(address, bytes, value)
}

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

// compute returns the result of an instruction that only computes.
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

// registerForm has the instruction on registers for each one with an immediate.
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

// multiply follows chapter 7 of the specification: a division by zero gives all ones and the dividend; -2^31 by -1
// gives -2^31 and 0.
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
