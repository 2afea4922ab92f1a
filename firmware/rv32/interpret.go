package rv32

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Window receives the loads and stores outside RAM, text and constants. An error stops the processor.
type Window interface {
	Load(address, bytes uint32) (uint32, error)
	Store(address, bytes, value uint32) error
	// Deep returns the error of a stack beyond Program.StackBytesMax.
	Deep() error
}

// Processor interprets a program: the reference of the translation.
type Processor struct {
	X      [32]uint32
	PC     uint32
	RAM    []byte
	Cycles uint64
	Limit  uint64 // Step executes no instruction that ends after so many cycles

	program *Program
	timing  timing
	window  Window
	stack   []byte  // most bytes of the stack, in the record
	decoded []timed // by half word of the text; without a size: not yet decoded
}

// timed is an instruction with its cost without dynamic parts.
type timed struct {
	Instruction
	cost int
}

// NewProcessor returns a processor after reset.
func NewProcessor(p *Program, core *Core, window Window) *Processor {
	return &Processor{PC: p.Entry, RAM: append([]byte(nil), p.RAM.Bytes...), Limit: math.MaxUint64, program: p,
		timing: timing{&core.cost, p}, window: window, stack: make([]byte, 4)}
}

// TrapError ends a processor.
type TrapError struct {
	PC     uint32
	Reason string
}

func (e *TrapError) Error() string { return fmt.Sprintf("%s at %#x", e.Reason, e.PC) }

// Attach lets the processor continue from a state: its record in the memory of an image. The RAM stays in the record.
func (c *Processor) Attach(state []byte) {
	for n := range c.X {
		c.X[n] = binary.LittleEndian.Uint32(state[4*n:])
	}
	c.stack = state[stateStack:][:4]
	c.PC, c.RAM = binary.LittleEndian.Uint32(state[statePC:]), state[stateBytes:][:len(c.program.RAM.Bytes)]
}

// Begun reports whether the processor of a state has begun its first turn.
func Begun(state []byte) bool { return binary.LittleEndian.Uint32(state[statePC:]) != 0 }

// Detach writes registers and the next instruction's address, plus 1 if the turn has ended, to a state.
func (c *Processor) Detach(state []byte, ended bool) {
	for n, value := range c.X {
		binary.LittleEndian.PutUint32(state[4*n:], value)
	}
	binary.LittleEndian.PutUint32(state[statePC:], c.PC+btoi(ended))
}

// Turns are the turns of a processor since its last wait. They are part of its state.
type Turns struct {
	Interrupted bool   // the last turn ended between two instructions
	Count       uint32 // turns that ended so
	Spent       uint64 // cycles of their instructions
}

// TurnsOf reads the turns from a state.
func TurnsOf(state []byte) Turns {
	return Turns{state[stateInterrupted] != 0, binary.LittleEndian.Uint32(state[stateTurns:]),
		binary.LittleEndian.Uint64(state[stateTurns+4:])}
}

// Put writes the turns to a state.
func (t Turns) Put(state []byte) {
	state[stateInterrupted] = byte(btoi(t.Interrupted))
	binary.LittleEndian.PutUint32(state[stateTurns:], t.Count)
	binary.LittleEndian.PutUint64(state[stateTurns+4:], t.Spent)
}

// StackOf returns the most bytes that the stack of a state has had since the start.
func StackOf(state []byte) uint32 { return binary.LittleEndian.Uint32(state[stateStack:]) }

// PutStack writes the most bytes of the stack to a state.
func PutStack(state []byte, bytes uint32) { binary.LittleEndian.PutUint32(state[stateStack:], bytes) }

// deepest returns the most bytes of the stack so far.
func (c *Processor) deepest() uint32 { return binary.LittleEndian.Uint32(c.stack) }

// deeper compares the stack pointer with the deepest so far, and with the limit.
func (c *Processor) deeper() error {
	bytes := c.program.stackEnd() - c.X[stackPointer]
	if int32(bytes) <= int32(c.deepest()) {
		return nil
	}
	binary.LittleEndian.PutUint32(c.stack, bytes)
	if limit := c.program.StackBytesMax; limit > 0 && int32(bytes) > int32(limit) {
		return c.window.Deep()
	}
	return nil
}

// Access returns the address and the number of bytes that the next instruction loads or stores, 0 bytes if it does
// neither.
func (c *Processor) Access() (address, bytes uint32, stores bool) {
	i := c.program.instruction(c.PC)
	if !i.Op.isLoad() && !i.Op.isStore() {
		return 0, 0, false
	}
	return c.X[i.Rs1] + uint32(i.Immediate), i.Op.bytes(), i.Op.isStore()
}

// Bytes returns memory from an address on: up to so many bytes of RAM, or of text and constants, none elsewhere.
func (c *Processor) Bytes(address, bytes uint32) []byte {
	for _, m := range []Memory{{c.program.RAM.From, c.RAM}, c.program.Shared} {
		if at := address - m.From; uint64(at) < uint64(len(m.Bytes)) {
			return m.Bytes[at:][:min(bytes, uint32(len(m.Bytes))-at)]
		}
	}
	return nil
}

// Load reads a byte of the NIC's window.
func (c *Processor) Load(address uint32) (uint32, error) { return c.window.Load(address, 1) }

// ErrLimit means that the next instruction would pass Limit. The processor stands before it.
var ErrLimit = errors.New("the compute window ends")

// Fits returns ErrLimit if the next instruction would pass Limit.
func (c *Processor) Fits() error {
	if i := c.instruction(); i != nil && c.after(i) > c.Limit {
		return ErrLimit
	}
	return nil
}

// after returns the cycles after an instruction.
func (c *Processor) after(i *timed) uint64 {
	return c.Cycles + uint64(i.cost+c.timing.dynamic(&i.Instruction, c.X[i.Rs1], c.X[i.Rs2]))
}

// Step executes one instruction. It reports whether the processor now waits for the next turn (wfi).
func (c *Processor) Step() (waits bool, err error) {
	i := c.instruction()
	if i == nil {
		return false, c.trap("no instruction")
	}
	a, b := c.X[i.Rs1], c.X[i.Rs2]
	next, cycles := i.next(), c.after(i)
	if cycles > c.Limit {
		return false, ErrLimit
	}
	switch op := i.Op; {
	case op.isBranch():
		if taken(op, a, b) {
			next = i.target()
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
		c.set(i.Rd, compute(&i.Instruction, a, b))
	}
	if i.deepens() {
		if err := c.deeper(); err != nil {
			return false, err
		}
	}
	c.Cycles = cycles
	c.PC = next
	return waits, nil
}

// instruction returns the next instruction, nil if the text has none there.
func (c *Processor) instruction() *timed {
	p := c.program
	if !p.Text.has(c.PC) || c.PC&1 != 0 {
		return nil
	}
	if c.decoded == nil {
		c.decoded = make([]timed, (p.Text.bytes()+1)/2)
	}
	i := &c.decoded[(c.PC-p.Text.From)/2]
	if i.Size == 0 {
		if _, ok := p.fetch(c.PC); !ok {
			return nil
		}
		i.Instruction = p.instruction(c.PC)
		i.cost = c.timing.fixed(&i.Instruction)
	}
	return i
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
	return c.window.Store(address, bytes, value)
}
