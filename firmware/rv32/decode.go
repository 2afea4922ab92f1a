package rv32

// Op is an instruction of RV32IM after decompression.
type Op uint8

// Instructions. Within a group they are in the order of funct3, where the specification defines it.
const (
	opIllegal Op = iota
	opLUI
	opAUIPC
	opJAL
	opJALR
	opBEQ
	opBNE
	opBLT
	opBGE
	opBLTU
	opBGEU
	opLB
	opLH
	opLW
	opLBU
	opLHU
	opSB
	opSH
	opSW
	opADDI
	opSLTI
	opSLTIU
	opXORI
	opORI
	opANDI
	opSLLI
	opSRLI
	opSRAI
	opADD
	opSUB
	opSLL
	opSLT
	opSLTU
	opXOR
	opSRL
	opSRA
	opOR
	opAND
	opMUL
	opMULH
	opMULHSU
	opMULHU
	opDIV
	opDIVU
	opREM
	opREMU
	opFENCE
	opECALL
	opEBREAK
	opWFI
	opCount
)

// Instruction is a decoded instruction. Absent registers are 0.
type Instruction struct {
	Op           Op
	Rd, Rs1, Rs2 uint8
	Size         uint8 // bytes: 2 or 4
	Immediate    int32 // for shifts: 0 to 31; for branches and jal: offset from PC
	PC           uint32
}

func (o Op) isBranch() bool { return o >= opBEQ && o <= opBGEU }
func (o Op) isLoad() bool   { return o >= opLB && o <= opLHU }
func (o Op) isStore() bool  { return o >= opSB && o <= opSW }

// ends reports whether an instruction ends a block: after it, control may stop or continue elsewhere.
func (o Op) ends() bool {
	return o.isBranch() || o == opJAL || o == opJALR || o == opECALL || o == opEBREAK || o == opWFI || o == opIllegal
}

// bytes returns the width of a load or store in bytes.
func (o Op) bytes() uint32 {
	if o.isStore() {
		return 1 << (o - opSB)
	}
	return 1 << ((o - opLB) % 3)
}

func (i *Instruction) next() uint32   { return i.PC + uint32(i.Size) }
func (i *Instruction) target() uint32 { return i.PC + uint32(i.Immediate) }

func (i *Instruction) reads(register uint8) bool {
	first := i.Op != opLUI && i.Op != opAUIPC && i.Op != opJAL && i.Op < opFENCE && i.Op != opIllegal
	second := i.Op.isBranch() || i.Op.isStore() || i.Op >= opADD && i.Op <= opREMU
	return register != 0 && (first && i.Rs1 == register || second && i.Rs2 == register)
}

// writes reports whether the instruction has a destination register.
func (i *Instruction) writes() bool {
	return i.Rd != 0 && !i.Op.isBranch() && !i.Op.isStore() && i.Op < opFENCE && i.Op != opIllegal
}

// stackPointer is the register of the stack pointer.
const stackPointer = 2

// deepens reports whether an instruction may lower the stack pointer. The upper half of an address (lui, auipc) does
// not count.
func (i *Instruction) deepens() bool {
	raises := i.Op == opADDI && i.Rs1 == stackPointer && i.Immediate >= 0
	return i.Rd == stackPointer && i.writes() && !raises && i.Op != opLUI && i.Op != opAUIPC && i.Op != opJAL &&
		i.Op != opJALR
}

func field(word uint32, high, low uint) uint32 { return word >> low & (1<<(high-low+1) - 1) }
func signed(value uint32, bits uint) int32     { return int32(value<<(32-bits)) >> (32 - bits) }

// Decode decodes the instruction in the low 16 or 32 bits of a word. Op is 0 for an unknown instruction.
func Decode(word, pc uint32) Instruction {
	if word&3 != 3 {
		i := decompress(word & 0xFFFF)
		i.PC, i.Size = pc, 2
		return i
	}
	i := decode32(word)
	i.PC, i.Size = pc, 4
	return i
}

var (
	branches  = [8]Op{opBEQ, opBNE, opIllegal, opIllegal, opBLT, opBGE, opBLTU, opBGEU}
	loads     = [8]Op{opLB, opLH, opLW, opIllegal, opLBU, opLHU, opIllegal, opIllegal}
	stores    = [8]Op{opSB, opSH, opSW}
	immediate = [8]Op{opADDI, opSLLI, opSLTI, opSLTIU, opXORI, opSRLI, opORI, opANDI}
	registers = map[uint32][8]Op{
		0:    {opADD, opSLL, opSLT, opSLTU, opXOR, opSRL, opOR, opAND},
		0x20: {0: opSUB, 5: opSRA},
		1:    {opMUL, opMULH, opMULHSU, opMULHU, opDIV, opDIVU, opREM, opREMU},
	}
	systems = map[uint32]Op{0x00000073: opECALL, 0x00100073: opEBREAK, 0x10500073: opWFI}
)

// decode32 follows RISC-V Instruction Set Manual 20191213, chapter 24, tables "RV32I Base" and "RV32M".
func decode32(w uint32) Instruction {
	rd, rs1, rs2 := uint8(field(w, 11, 7)), uint8(field(w, 19, 15)), uint8(field(w, 24, 20))
	funct3, funct7 := field(w, 14, 12), w>>25
	signedImmediate := int32(w) >> 20
	switch w & 0x7F {
	case 0x37:
		return Instruction{Op: opLUI, Rd: rd, Immediate: int32(w & 0xFFFFF000)}
	case 0x17:
		return Instruction{Op: opAUIPC, Rd: rd, Immediate: int32(w & 0xFFFFF000)}
	case 0x6F:
		return Instruction{Op: opJAL, Rd: rd, Immediate: signed(
			field(w, 31, 31)<<20|field(w, 19, 12)<<12|field(w, 20, 20)<<11|field(w, 30, 21)<<1, 21)}
	case 0x67:
		if funct3 == 0 {
			return Instruction{Op: opJALR, Rd: rd, Rs1: rs1, Immediate: signedImmediate}
		}
	case 0x63:
		return Instruction{Op: branches[funct3], Rs1: rs1, Rs2: rs2, Immediate: signed(
			field(w, 31, 31)<<12|field(w, 7, 7)<<11|field(w, 30, 25)<<5|field(w, 11, 8)<<1, 13)}
	case 0x03:
		return Instruction{Op: loads[funct3], Rd: rd, Rs1: rs1, Immediate: signedImmediate}
	case 0x23:
		return Instruction{Op: stores[funct3], Rs1: rs1, Rs2: rs2, Immediate: signed(funct7<<5|field(w, 11, 7), 12)}
	case 0x13:
		return decodeImmediate(rd, rs1, funct3, funct7, signedImmediate)
	case 0x33:
		return Instruction{Op: registers[funct7][funct3], Rd: rd, Rs1: rs1, Rs2: rs2}
	case 0x0F:
		if funct3 == 0 { // fence.i is refused: text does not change
			return Instruction{Op: opFENCE}
		}
	case 0x73:
		return Instruction{Op: systems[w]}
	}
	return Instruction{}
}

func decodeImmediate(rd, rs1 uint8, funct3, funct7 uint32, value int32) Instruction {
	op := immediate[funct3]
	if op == opSLLI || op == opSRLI {
		switch {
		case funct7 == 0x20 && op == opSRLI:
			op = opSRAI
		case funct7 != 0:
			return Instruction{}
		}
		value &= 31
	}
	return Instruction{Op: op, Rd: rd, Rs1: rs1, Immediate: value}
}
