package rv32

import (
	"fmt"
	"sort"
	"strings"
)

// mnemonics names instructions as the assembler does.
var mnemonics = strings.Fields("unimp lui auipc jal jalr beq bne blt bge bltu bgeu lb lh lw lbu lhu sb sh sw addi " +
	"slti sltiu xori ori andi slli srli srai add sub sll slt sltu xor srl sra or and mul mulh mulhsu mulhu div divu rem " +
	"remu fence ecall ebreak wfi")

// registerNames are the registers' names in the calling convention.
var registerNames = strings.Fields("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 " +
	"s10 s11 t3 t4 t5 t6")

// String returns the instruction in the assembler's notation, without pseudo-instructions. A compressed instruction
// stands as the instruction that it abbreviates; the targets of jumps are addresses.
func (i *Instruction) String() string {
	name, rd, rs1, rs2 := mnemonics[i.Op], registerNames[i.Rd], registerNames[i.Rs1], registerNames[i.Rs2]
	switch op := i.Op; {
	case op == opLUI || op == opAUIPC:
		return fmt.Sprintf("%s %s, %#x", name, rd, uint32(i.Immediate)>>12)
	case op == opJAL:
		return fmt.Sprintf("%s %s, %#x", name, rd, i.target())
	case op == opJALR || op.isLoad():
		return fmt.Sprintf("%s %s, %d(%s)", name, rd, i.Immediate, rs1)
	case op.isBranch():
		return fmt.Sprintf("%s %s, %s, %#x", name, rs1, rs2, i.target())
	case op.isStore():
		return fmt.Sprintf("%s %s, %d(%s)", name, rs2, i.Immediate, rs1)
	case op >= opADDI && op <= opSRAI:
		return fmt.Sprintf("%s %s, %s, %d", name, rd, rs1, i.Immediate)
	case op >= opADD && op <= opREMU:
		return fmt.Sprintf("%s %s, %s, %s", name, rd, rs1, rs2)
	}
	return name
}

// Instructions shown before and after an instruction.
const (
	shownBefore = 3
	shownAfter  = 2
)

// Around disassembles the instruction at an address and its neighbours in the same function, one line each with
// address and, for the instruction itself, a mark. It returns "" for addresses outside the functions.
func (p *Program) Around(pc uint32) string {
	f := p.functionAt(pc)
	if f == nil {
		return ""
	}
	var lines []string
	for at, after := f.From, 0; at < f.To && after <= shownAfter; {
		i, mark := p.instruction(at), "  "
		if at == pc {
			mark = "> "
		}
		if lines = append(lines, fmt.Sprintf("%s%#x  %s", mark, at, &i)); at >= pc {
			after++
		} else if len(lines) > shownBefore {
			lines = lines[1:]
		}
		at = i.next()
	}
	return strings.Join(lines, "\n")
}

// Origin returns the address of the instruction whose translation is at an offset in the image's code section, false
// for code without one.
func (t *Translation) Origin(offset uint64) (pc uint32, ok bool) {
	n := sort.Search(len(t.places), func(k int) bool { return uint64(t.places[k].at) > offset })
	if n == 0 {
		return 0, false
	}
	return t.places[n-1].pc, true
}
