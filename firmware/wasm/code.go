package wasm

import "fmt"

// opcode is an instruction's byte, or prefix<<16 | number for those of two parts.
type opcode uint32

// The instructions that passes and analyses know by name.
const (
	opUnreachable       opcode = 0x00
	opBlock             opcode = 0x02
	opLoop              opcode = 0x03
	opIf                opcode = 0x04
	opElse              opcode = 0x05
	opEnd               opcode = 0x0B
	opBr                opcode = 0x0C
	opBrIf              opcode = 0x0D
	opBrTable           opcode = 0x0E
	opReturn            opcode = 0x0F
	opCall              opcode = 0x10
	opCallIndirect      opcode = 0x11
	opDrop              opcode = 0x1A
	opSelect            opcode = 0x1B
	opSelectTyped       opcode = 0x1C
	opLocalGet          opcode = 0x20
	opLocalSet          opcode = 0x21
	opLocalTee          opcode = 0x22
	opGlobalGet         opcode = 0x23
	opGlobalSet         opcode = 0x24
	opTableGet          opcode = 0x25
	opTableSet          opcode = 0x26
	opMemoryGrow        opcode = 0x40
	opI32Const          opcode = 0x41
	opI64Const          opcode = 0x42
	opF32Const          opcode = 0x43
	opF64Const          opcode = 0x44
	opI32Load           opcode = 0x28
	opLoadLast          opcode = 0x35
	opI32Store          opcode = 0x36
	opStoreLast         opcode = 0x3E
	opI32Eqz            opcode = 0x45
	opI32Eq             opcode = 0x46
	opI32Ne             opcode = 0x47
	opI32LtS            opcode = 0x48
	opI32LtU            opcode = 0x49
	opI32GtS            opcode = 0x4A
	opI32GtU            opcode = 0x4B
	opI32LeS            opcode = 0x4C
	opI32LeU            opcode = 0x4D
	opI32GeS            opcode = 0x4E
	opI32GeU            opcode = 0x4F
	opI64GtU            opcode = 0x56
	opI64Eq             opcode = 0x51
	opI64GeU            opcode = 0x5A
	opF32Eq             opcode = 0x5B
	opF64Eq             opcode = 0x61
	opI32Add            opcode = 0x6A
	opI32Sub            opcode = 0x6B
	opI32Xor            opcode = 0x73
	opI32Shl            opcode = 0x74
	opI32ShrU           opcode = 0x76
	opI64Add            opcode = 0x7C
	opI64Sub            opcode = 0x7D
	opI64Mul            opcode = 0x7E
	opI64Or             opcode = 0x84
	opI64Xor            opcode = 0x85
	opI32WrapI64        opcode = 0xA7
	opI64ExtendI32U     opcode = 0xAD
	opI32ReinterpretF32 opcode = 0xBC
	opI64ReinterpretF64 opcode = 0xBD
	opF32ReinterpretI32 opcode = 0xBE
	opF64ReinterpretI64 opcode = 0xBF
	opRefNull           opcode = 0xD0
	opRefIsNull         opcode = 0xD1
	opRefFunc           opcode = 0xD2

	bulk         = 0xFC << 16
	opMemoryInit = bulk | 8
	opDataDrop   = bulk | 9
	opMemoryCopy = bulk | 10
	opMemoryFill = bulk | 11
	opTableInit  = bulk | 12
	opElemDrop   = bulk | 13
	opTableCopy  = bulk | 14
	opTableGrow  = bulk | 15
	opTableSize  = bulk | 16
	opTableFill  = bulk | 17

	simd            = 0xFD << 16
	opV128Const     = simd | 12
	opI8x16Shuffle  = simd | 13
	opI32x4Splat    = simd | 17
	opF32x4Eq       = simd | 0x41
	opF64x2Eq       = simd | 0x47
	opV128Bitselect = simd | 0x52
)

// The types of values.
const (
	typeI32  = 0x7F
	typeI64  = 0x7E
	typeF32  = 0x7D
	typeF64  = 0x7C
	typeV128 = 0x7B

	typeFunction = 0x70
	typeExtern   = 0x6F
)

const blockEmpty = 0x40

// instruction is one instruction of a function.
type instruction struct {
	op         opcode
	start, end int    // in the function's code
	at         int    // of its index
	index      uint32 // function, local, global, type, label, segment or table; of loads and stores: alignment
	value      int64  // constant, block type; of loads and stores: offset
	targets    []uint32
}

// foreign are the first bytes of the instructions that Starloom does not run, and
// what they belong to.
var foreign = map[byte]string{
	0x06: "exceptions", 0x07: "exceptions", 0x08: "exceptions", 0x09: "exceptions", 0x0A: "exceptions",
	0x18: "exceptions", 0x19: "exceptions", 0x1F: "exceptions",
	0x12: "tail calls", 0x13: "tail calls", 0x14: "typed references", 0x15: "typed references",
	0xD3: "garbage collection", 0xD4: "typed references", 0xD5: "typed references", 0xD6: "typed references",
	0xFB: "garbage collection", 0xFE: "threads",
}

// instruction reads the next instruction. An unknown one is an error: what is not
// understood cannot be rewritten.
func (r *reader) instruction(i *instruction) {
	*i = instruction{start: r.at, targets: i.targets[:0]}
	first := r.byte()
	i.op = opcode(first)
	switch op := i.op; {
	case op <= 0x01, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, op >= 0x45 && op <= 0xC4, op == 0xD1:
	case op >= opBlock && op <= opIf:
		i.value = r.s33()
	case op == opBr, op == opBrIf, op == opCall, op >= opLocalGet && op <= opTableSet, op == opRefFunc:
		i.at = r.at
		i.index = r.u32()
	case op == opBrTable:
		for n := r.count(); n >= 0 && r.err == nil; n-- {
			i.targets = append(i.targets, r.u32())
		}
	case op == opCallIndirect:
		i.at = r.at
		i.index = r.u32()
		r.u32()
	case op == opSelectTyped:
		r.bytes(uint64(r.count()))
	case op >= opI32Load && op <= opStoreLast:
		i.index, i.value = r.memoryArgument()
	case op == 0x3F, op == 0x40, op == opRefNull:
		r.byte()
	case op == opI32Const:
		i.value = int64(int32(r.leb(32, true)))
	case op == opI64Const:
		i.value = int64(r.leb(64, true))
	case op == opF32Const:
		r.bytes(4)
	case op == opF64Const:
		r.bytes(8)
	case op == bulk>>16:
		i.op = bulk | opcode(r.u32())
		r.bulk(i)
	case op == simd>>16:
		i.op = simd | opcode(r.u32())
		r.vector(i)
	default:
		r.at = i.start
		r.unknown(fmt.Sprintf("%#02x", first), foreign[first])
	}
	i.end = r.at
}

// unknown refuses an instruction.
func (r *reader) unknown(number, belongs string) {
	if belongs != "" {
		belongs = " (" + belongs + ")"
	}
	if r.broken("the instruction %s%s, which Starloom does not run,", number, belongs); r.err != nil {
		r.err = &UnknownError{r.err}
	}
}

// skipUnreachable reads on to where code can be reached again, and returns the instruction there: the
// end of the block, or its else. Where the code ends before, it returns none.
func (r *reader) skipUnreachable() (i instruction) {
	depth := 0
	for r.more() {
		r.instruction(&i)
		switch i.op {
		case opBlock, opLoop, opIf:
			depth++
		case opElse:
			if depth == 0 {
				return i
			}
		case opEnd:
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return instruction{}
}

func (r *reader) memoryArgument() (alignment uint32, offset int64) {
	return r.u32(), int64(r.leb(64, false))
}

func (r *reader) bulk(i *instruction) {
	switch op := i.op; {
	case op < opMemoryInit: // conversions that saturate
	case op == opMemoryInit, op == opTableInit, op == opTableCopy:
		i.index = r.u32()
		r.u32()
	case op == opDataDrop, op == opElemDrop, op > opTableCopy && op <= opTableFill:
		i.index = r.u32()
	case op == opMemoryCopy:
		r.bytes(2)
	case op == opMemoryFill:
		r.byte()
	default:
		r.at = i.start
		r.unknown(fmt.Sprintf("0xfc %d", op&0xFFFF), "")
	}
}

func (r *reader) vector(i *instruction) {
	switch op := i.op & 0xFFFF; {
	case i.op > simd|0xFF:
		r.at = i.start
		r.unknown(fmt.Sprintf("0xfd %d", op), "relaxed SIMD")
	case op <= 11, op == 92, op == 93:
		r.memoryArgument()
	case op == 12, op == 13:
		r.bytes(16)
	case op >= 21 && op <= 34:
		r.byte()
	case op >= 84 && op <= 91:
		r.memoryArgument()
		r.byte()
	}
}

// nanType is the type of what an instruction leaves whose NaN may have any bits by
// the specification, 0 for all others: abs, neg, copysign, pmin, pmax, loads and
// reinterpretations say every bit.
func nanType(op opcode) byte {
	switch {
	case op >= 0x8D && op <= 0x97, op == 0xB6: // f32.ceil to f32.max, f32.demote_f64
		return typeF32
	case op >= 0x9B && op <= 0xA5, op == 0xBB: // f64.ceil to f64.max, f64.promote_f32
		return typeF64
	}
	switch op {
	case simd | 0x67, simd | 0x68, simd | 0x69, simd | 0x6A, // f32x4.ceil to nearest
		simd | 0xE3, simd | 0xE4, simd | 0xE5, simd | 0xE6, simd | 0xE7, simd | 0xE8, simd | 0xE9, // sqrt to max
		simd | 0x5E: // f32x4.demote_f64x2_zero
		return nanF32x4
	case simd | 0x74, simd | 0x75, simd | 0x7A, simd | 0x94, // f64x2.ceil to nearest
		simd | 0xEF, simd | 0xF0, simd | 0xF1, simd | 0xF2, simd | 0xF3, simd | 0xF4, simd | 0xF5, // sqrt to max
		simd | 0x5F: // f64x2.promote_low_f32x4
		return nanF64x2
	}
	return 0
}

// The shapes of vectors that nanType tells apart; they are not types of the format.
const (
	nanF32x4 = 1
	nanF64x2 = 2
)
