package binary

import (
	"encoding/binary"
	"fmt"
)

// Opcode is the byte of an instruction, or prefix<<16 | number for two-part instructions.
type Opcode uint32

// Named instructions.
const (
	OpUnreachable       = 0x00 // unreachable
	OpBlock             = 0x02 // block
	OpLoop              = 0x03 // loop
	OpIf                = 0x04 // if
	OpElse              = 0x05 // else
	OpEnd               = 0x0B // end
	OpBr                = 0x0C // br
	OpBrIf              = 0x0D // br_if
	OpBrTable           = 0x0E // br_table
	OpReturn            = 0x0F // return
	OpCall              = 0x10 // call
	OpCallIndirect      = 0x11 // call_indirect
	OpDrop              = 0x1A // drop
	OpSelect            = 0x1B // select
	OpSelectTyped       = 0x1C // select with a type
	OpLocalGet          = 0x20 // local.get
	OpLocalSet          = 0x21 // local.set
	OpLocalTee          = 0x22 // local.tee
	OpGlobalGet         = 0x23 // global.get
	OpGlobalSet         = 0x24 // global.set
	OpTableGet          = 0x25 // table.get
	OpTableSet          = 0x26 // table.set
	OpMemoryGrow        = 0x40 // memory.grow
	OpI32Const          = 0x41 // i32.const
	OpI64Const          = 0x42 // i64.const
	OpF32Const          = 0x43 // f32.const
	OpF64Const          = 0x44 // f64.const
	OpI32Load           = 0x28 // i32.load
	OpLoadLast          = 0x35 // i64.load32_u, the last of the loads
	OpI32Store          = 0x36 // i32.store
	OpStoreLast         = 0x3E // i64.store32, the last of the stores
	OpI32Eqz            = 0x45 // i32.eqz
	OpI32Eq             = 0x46 // i32.eq
	OpI32Ne             = 0x47 // i32.ne
	OpI32LtS            = 0x48 // i32.lt_s
	OpI32LtU            = 0x49 // i32.lt_u
	OpI32GtS            = 0x4A // i32.gt_s
	OpI32GtU            = 0x4B // i32.gt_u
	OpI32LeS            = 0x4C // i32.le_s
	OpI32LeU            = 0x4D // i32.le_u
	OpI32GeS            = 0x4E // i32.ge_s
	OpI32GeU            = 0x4F // i32.ge_u
	OpI64GtU            = 0x56 // i64.gt_u
	OpI64Eq             = 0x51 // i64.eq
	OpI64GeU            = 0x5A // i64.ge_u
	OpF32Eq             = 0x5B // f32.eq
	OpF64Eq             = 0x61 // f64.eq
	OpI32Add            = 0x6A // i32.add
	OpI32Sub            = 0x6B // i32.sub
	OpI32Xor            = 0x73 // i32.xor
	OpI32Shl            = 0x74 // i32.shl
	OpI32ShrU           = 0x76 // i32.shr_u
	OpI64Add            = 0x7C // i64.add
	OpI64Sub            = 0x7D // i64.sub
	OpI64Mul            = 0x7E // i64.mul
	OpI64Or             = 0x84 // i64.or
	OpI64Xor            = 0x85 // i64.xor
	OpI32WrapI64        = 0xA7 // i32.wrap_i64
	OpI64ExtendI32U     = 0xAD // i64.extend_i32_u
	OpI32ReinterpretF32 = 0xBC // i32.reinterpret_f32
	OpI64ReinterpretF64 = 0xBD // i64.reinterpret_f64
	OpF32ReinterpretI32 = 0xBE // f32.reinterpret_i32
	OpF64ReinterpretI64 = 0xBF // f64.reinterpret_i64
	OpRefNull           = 0xD0 // ref.null
	OpRefIsNull         = 0xD1 // ref.is_null
	OpRefFunc           = 0xD2 // ref.func

	Bulk         = 0xFC << 16 // prefix of saturating conversions and bulk memory
	OpMemoryInit = Bulk | 8   // memory.init
	OpDataDrop   = Bulk | 9   // data.drop
	OpMemoryCopy = Bulk | 10  // memory.copy
	OpMemoryFill = Bulk | 11  // memory.fill
	OpTableInit  = Bulk | 12  // table.init
	OpElemDrop   = Bulk | 13  // elem.drop
	OpTableCopy  = Bulk | 14  // table.copy
	OpTableGrow  = Bulk | 15  // table.grow
	OpTableSize  = Bulk | 16  // table.size
	OpTableFill  = Bulk | 17  // table.fill

	SIMD            = 0xFD << 16  // prefix of vector instructions
	OpV128Const     = SIMD | 12   // v128.const
	OpI32x4Splat    = SIMD | 17   // i32x4.splat
	OpF32x4Eq       = SIMD | 0x41 // f32x4.eq
	OpF64x2Eq       = SIMD | 0x47 // f64x2.eq
	OpV128Bitselect = SIMD | 0x52 // v128.bitselect
)

// BlockEmpty is the type of a block without parameters and results.
const BlockEmpty = 0x40

// Instruction is one instruction of a function.
type Instruction struct {
	Op         Opcode
	Start, End int    // offsets in the function's code
	At         int    // position of the index
	Index      uint32 // function, local, global, type, label, segment or table; of loads and stores: alignment
	Value      int64  // integer constant, bits of an f32.const, block type; of loads and stores: offset
	Targets    []uint32
}

// foreign maps the first bytes of rejected instructions to the proposals that define them.
var foreign = map[byte]string{
	0x06: "exceptions", 0x07: "exceptions", 0x08: "exceptions", 0x09: "exceptions", 0x0A: "exceptions",
	0x18: "exceptions", 0x19: "exceptions", 0x1F: "exceptions",
	0x12: "tail calls", 0x13: "tail calls", 0x14: "typed references", 0x15: "typed references",
	0xD3: "garbage collection", 0xD4: "typed references", 0xD5: "typed references", 0xD6: "typed references",
	0xFB: "garbage collection", 0xFE: "threads",
}

// Instruction reads the next instruction. An unknown instruction is an error, because it cannot be rewritten.
func (r *Reader) Instruction(i *Instruction) {
	*i = Instruction{Start: r.At, Targets: i.Targets[:0]}
	first := r.Byte()
	i.Op = Opcode(first)
	switch op := i.Op; {
	case op <= 0x01, op == OpElse, op == OpEnd, op == OpReturn, op == OpDrop, op == OpSelect,
		op >= 0x45 && op <= 0xC4, op == 0xD1:
	case op >= OpBlock && op <= OpIf:
		i.Value = r.s33()
	case op == OpBr, op == OpBrIf, op == OpCall, op >= OpLocalGet && op <= OpTableSet, op == OpRefFunc:
		i.At = r.At
		i.Index = r.U32()
	case op == OpBrTable:
		for n := r.Count(); n >= 0 && r.Err == nil; n-- {
			i.Targets = append(i.Targets, r.U32())
		}
	case op == OpCallIndirect:
		i.At = r.At
		i.Index = r.U32()
		r.U32()
	case op == OpSelectTyped:
		r.bytes(uint64(r.Count()))
	case op >= OpI32Load && op <= OpStoreLast:
		i.Index, i.Value = r.memoryArgument()
	case op == 0x3F, op == 0x40, op == OpRefNull:
		r.Byte()
	case op == OpI32Const:
		i.Value = int64(int32(r.leb(32, true)))
	case op == OpI64Const:
		i.Value = int64(r.leb(64, true))
	case op == OpF32Const:
		if bits := r.bytes(4); bits != nil {
			i.Value = int64(binary.LittleEndian.Uint32(bits))
		}
	case op == OpF64Const:
		r.bytes(8)
	case op == Bulk>>16:
		i.Op = Bulk | Opcode(r.U32())
		r.bulk(i)
	case op == SIMD>>16:
		i.Op = SIMD | Opcode(r.U32())
		r.vector(i)
	default:
		r.At = i.Start
		r.unknown(fmt.Sprintf("%#02x", first), foreign[first])
	}
	i.End = r.At
}

func (r *Reader) unknown(number, belongs string) {
	if belongs != "" {
		belongs = " (" + belongs + ")"
	}
	if r.Broken("the instruction %s%s, which Starloom does not support,", number, belongs); r.Err != nil {
		r.Err = &UnknownError{r.Err}
	}
}

func (r *Reader) memoryArgument() (alignment uint32, offset int64) {
	return r.U32(), int64(r.leb(64, false))
}

func (r *Reader) bulk(i *Instruction) {
	switch op := i.Op; {
	case op < OpMemoryInit: // saturating conversions
	case op == OpMemoryInit, op == OpTableInit, op == OpTableCopy:
		i.Index = r.U32()
		r.U32()
	case op == OpDataDrop, op == OpElemDrop, op > OpTableCopy && op <= OpTableFill:
		i.Index = r.U32()
	case op == OpMemoryCopy:
		r.bytes(2)
	case op == OpMemoryFill:
		r.Byte()
	default:
		r.At = i.Start
		r.unknown(fmt.Sprintf("0xfc %d", op&0xFFFF), "")
	}
}

func (r *Reader) vector(i *Instruction) {
	switch op := i.Op & 0xFFFF; {
	case i.Op > SIMD|0xFF:
		r.At = i.Start
		r.unknown(fmt.Sprintf("0xfd %d", op), "relaxed SIMD")
	case op <= 11, op == 92, op == 93:
		r.memoryArgument()
	case op == 12, op == 13:
		r.bytes(16)
	case op >= 21 && op <= 34:
		r.Byte()
	case op >= 84 && op <= 91:
		r.memoryArgument()
		r.Byte()
	}
}
