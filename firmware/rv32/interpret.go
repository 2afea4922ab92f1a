package rv32

import (
	"encoding/binary"
	"fmt"
)

// Window receives the loads and stores outside RAM, text and constants. An error stops the processor.
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
