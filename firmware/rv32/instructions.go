package rv32

import "starloom/firmware/wasm/binary"

// read leaves the value of a register.
func (e *emitter) read(register uint8) {
	if register == 0 {
		e.constant(0)
		return
	}
	e.get(e.locals[register])
}

// put sets a register to the value on the stack.
func (e *emitter) put(register uint8) {
	if register == 0 {
		e.add(binary.OpDrop)
		return
	}
	e.set(e.locals[register])
}

// operations maps instructions with two operands, in their forms on registers, to WebAssembly instructions.
var operations = map[Op]int{
	opADD: binary.OpI32Add, opSUB: binary.OpI32Sub, opSLL: binary.OpI32Shl, opSLT: binary.OpI32LtS,
	opSLTU: binary.OpI32LtU, opXOR: binary.OpI32Xor, opSRL: binary.OpI32ShrU, opSRA: opI32ShrS, opOR: opI32Or,
	opAND: opI32And, opMUL: opI32Mul,
}

// instruction emits an instruction that does not end a block.
func (e *emitter) instruction(i *Instruction) {
	if op := i.Op; op == opSLL || op == opSRL || op == opSRA {
		e.countSteps(i.Rs2)
	}
	e.compute(i)
	if i.deepens() {
		e.deeper()
	}
}

func (e *emitter) compute(i *Instruction) {
	switch op := i.Op; {
	case op.isLoad():
		e.load32(i)
	case op.isStore():
		e.store32(i)
	case op >= opDIV && op <= opREMU && (i.Rd != 0 || e.countsDivision(i)):
		e.division(i)
	case !i.writes():
	case op == opLUI, op == opAUIPC:
		e.constant(compute(i, 0, 0))
		e.put(i.Rd)
	case op == opADDI && (i.Immediate == 0 || i.Rs1 == 0):
		if e.read(i.Rs1); i.Rs1 == 0 {
			e.bytes = e.bytes[:len(e.bytes)-2] // the zero
			e.constant(uint32(i.Immediate))
		}
		e.put(i.Rd)
	case op >= opADDI && op <= opSRAI:
		e.read(i.Rs1)
		e.constant(uint32(i.Immediate))
		e.add(operations[registerForm[op-opADDI]])
		e.put(i.Rd)
	case op > opMUL && op <= opMULHU:
		e.multiplyHigh(i)
	default:
		e.read(i.Rs1)
		e.read(i.Rs2)
		e.add(operations[op])
		e.put(i.Rd)
	}
}

// deeper emits the comparison of the stack pointer with the deepest so far, and with the limit.
func (e *emitter) deeper() {
	e.constant(e.stackEnd())
	e.read(stackPointer)
	e.add(binary.OpI32Sub)
	e.tee(localAddress)
	e.get(localState)
	e.add(binary.OpI32Load, 2, uint32(stateStack))
	e.add(binary.OpI32GtS, binary.OpIf, binary.BlockEmpty)
	e.get(localState)
	e.get(localAddress)
	e.add(binary.OpI32Store, 2, uint32(stateStack))
	if e.StackBytesMax > 0 {
		e.get(localAddress)
		e.constant(e.StackBytesMax)
		e.add(binary.OpI32GtS, binary.OpIf, binary.BlockEmpty, binary.OpCall, e.deep, binary.OpEnd)
	}
	e.add(binary.OpEnd)
}

// countSteps counts the cycles of a shifter with steps of 4 and 1; see timing.steps.
func (e *emitter) countSteps(by uint8) {
	if !e.timing.shiftSteps || by == 0 {
		return
	}
	for bit := uint32(1); bit < 32; bit *= 2 {
		e.get(e.locals[by])
		e.constant(bit)
		e.add(opI32And, binary.OpIf, binary.BlockEmpty)
		e.cost(e.timing.steps(bit))
		e.add(binary.OpEnd)
	}
}

func (e *emitter) multiplyHigh(i *Instruction) {
	extend := map[Op][2]int{opMULH: {opI64ExtendI32, opI64ExtendI32}, opMULHSU: {opI64ExtendI32, binary.OpI64ExtendI32U},
		opMULHU: {binary.OpI64ExtendI32U, binary.OpI64ExtendI32U}}[i.Op]
	e.read(i.Rs1)
	e.add(extend[0])
	e.read(i.Rs2)
	e.add(extend[1], binary.OpI64Mul, binary.OpI64Const, 32, opI64ShrU, binary.OpI32WrapI64)
	e.put(i.Rd)
}

// countsDivision reports whether the cost of a division depends on its divisor.
func (e *emitter) countsDivision(i *Instruction) bool {
	return i.Op >= opDIV && i.Op <= opREMU && e.timing.divideByZero > 0
}

// division emits b == 0 ? of zero : b == -1 ? of minus one : a / b. For unsigned numbers -1 is no exception.
func (e *emitter) division(i *Instruction) {
	rest, unsigned := i.Op == opREM || i.Op == opREMU, i.Op == opDIVU || i.Op == opREMU
	op := map[Op]int{opDIV: opI32DivS, opDIVU: opI32DivU, opREM: opI32RemS, opREMU: opI32RemU}[i.Op]
	cost := 0
	if e.countsDivision(i) {
		cost = e.timing.fixed(i)
	}
	e.read(i.Rs2)
	e.add(binary.OpI32Eqz, binary.OpIf, binary.I32)
	e.cost(cost - e.timing.divideByZero)
	if rest {
		e.read(i.Rs1)
	} else {
		e.constant(^uint32(0))
	}
	e.add(binary.OpElse)
	e.cost(cost)
	if !unsigned {
		e.read(i.Rs2)
		e.constant(^uint32(0))
		e.add(binary.OpI32Eq, binary.OpIf, binary.I32)
		e.constant(0)
		if !rest {
			e.read(i.Rs1)
			e.add(binary.OpI32Sub)
		}
		e.add(binary.OpElse)
	}
	e.read(i.Rs1)
	e.read(i.Rs2)
	e.add(op, binary.OpEnd)
	if !unsigned {
		e.add(binary.OpEnd)
	}
	e.put(i.Rd)
}

// outside emits code that leaves 1 on the stack for a misaligned access or an access outside RAM, otherwise 0.
// localAddress receives the address relative to RAM.
func (e *emitter) outside(i *Instruction) {
	e.read(i.Rs1)
	e.beyond(&e.RAM, uint32(i.Immediate)-e.RAM.From, i.Op.bytes())
}

// beyond adds an offset to the number on the stack, which localAddress receives: an address relative to a memory. It
// leaves 1 on the stack for a misaligned access or an access outside the memory, otherwise 0. A rotation moves
// misaligned bits to the top.
func (e *emitter) beyond(m *Memory, offset, bytes uint32) {
	if offset != 0 {
		e.constant(offset)
		e.add(binary.OpI32Add)
	}
	e.tee(localAddress)
	if bytes > 1 {
		e.constant(bytes / 2)
		e.add(opI32RotR)
	}
	if uint32(len(m.Bytes)) < bytes {
		e.add(binary.OpDrop)
		e.constant(1)
		return
	}
	e.constant((uint32(len(m.Bytes)) - bytes) / bytes)
	e.add(binary.OpI32GtU)
}

// signedBytes marks a load with sign extension, for window_load of shim/shim.c.
const signedBytes = 16

// constantsMax is the maximum size of a text whose loads of constants need no call. In larger texts they would take a
// quarter of the instructions that an image may have.
const constantsMax = 64 << 10

var loadsOfWasm = map[Op]int{
	opLB: opI32Load8S, opLBU: opI32Load8U, opLH: opI32Load16S, opLHU: opI32Load16U, opLW: binary.OpI32Load,
}

func (e *emitter) load32(i *Instruction) {
	op := loadsOfWasm[i.Op]
	kind := i.Op.bytes()
	if i.Op == opLB || i.Op == opLH {
		kind |= signedBytes
	}
	constants := (!e.slow || e.stepping) && i.Rs1 != stackPointer && e.Text.bytes() <= constantsMax
	distance := e.RAM.From - e.Shared.From
	e.outside(i)
	e.add(binary.OpIf, binary.I32)
	e.get(localAddress)
	if constants {
		e.beyond(&e.Shared, distance, i.Op.bytes())
		e.add(binary.OpIf, binary.I32)
		e.get(localAddress)
		e.constant(distance)
		e.add(binary.OpI32Sub)
	}
	e.constant(kind)
	e.add(binary.OpCall, e.translator.load, binary.OpElse)
	if constants {
		e.get(localAddress)
		e.access(op, e.sharedAt)
		e.add(binary.OpEnd, binary.OpElse)
	}
	e.get(localAddress)
	e.get(localState)
	e.add(binary.OpI32Add)
	e.access(op, stateBytes)
	e.add(binary.OpEnd)
	e.put(i.Rd)
}

func (e *emitter) store32(i *Instruction) {
	op := map[Op]int{opSB: opI32Store8, opSH: opI32Store16, opSW: binary.OpI32Store}[i.Op]
	e.outside(i)
	e.add(binary.OpIf, binary.BlockEmpty)
	e.get(localAddress)
	e.read(i.Rs2)
	e.constant(i.Op.bytes())
	e.add(binary.OpCall, e.translator.store, binary.OpElse)
	e.get(localAddress)
	e.get(localState)
	e.add(binary.OpI32Add)
	e.read(i.Rs2)
	e.access(op, stateBytes)
	e.add(binary.OpEnd)
}
