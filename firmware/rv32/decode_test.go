package rv32

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decodings are instructions as an assembler writes them, and what the specification says that they are.
var decodings = []struct {
	assembly string
	want     Instruction
}{
	{"lui x5, 0xfffff", Instruction{Op: opLUI, Rd: 5, Immediate: -4096}},
	{"auipc x31, 1", Instruction{Op: opAUIPC, Rd: 31, Immediate: 4096}},
	{"jal x1, 1048574", Instruction{Op: opJAL, Rd: 1, Immediate: 1048574}},
	{"jal x0, -1048576", Instruction{Op: opJAL, Immediate: -1048576}},
	{"jal x7, 2730", Instruction{Op: opJAL, Rd: 7, Immediate: 2730}},
	{"jalr x3, -2048(x9)", Instruction{Op: opJALR, Rd: 3, Rs1: 9, Immediate: -2048}},
	{"beq x1, x2, 4094", Instruction{Op: opBEQ, Rs1: 1, Rs2: 2, Immediate: 4094}},
	{"bne x31, x30, -4096", Instruction{Op: opBNE, Rs1: 31, Rs2: 30, Immediate: -4096}},
	{"blt x8, x9, 1364", Instruction{Op: opBLT, Rs1: 8, Rs2: 9, Immediate: 1364}},
	{"bge x8, x9, -1366", Instruction{Op: opBGE, Rs1: 8, Rs2: 9, Immediate: -1366}},
	{"bltu x8, x9, 2", Instruction{Op: opBLTU, Rs1: 8, Rs2: 9, Immediate: 2}},
	{"bgeu x8, x9, 16", Instruction{Op: opBGEU, Rs1: 8, Rs2: 9, Immediate: 16}},
	{"lb x1, 2047(x2)", Instruction{Op: opLB, Rd: 1, Rs1: 2, Immediate: 2047}},
	{"lh x1, -1(x2)", Instruction{Op: opLH, Rd: 1, Rs1: 2, Immediate: -1}},
	{"lw x1, 5(x2)", Instruction{Op: opLW, Rd: 1, Rs1: 2, Immediate: 5}},
	{"lbu x17, 0(x18)", Instruction{Op: opLBU, Rd: 17, Rs1: 18}},
	{"lhu x17, 4(x18)", Instruction{Op: opLHU, Rd: 17, Rs1: 18, Immediate: 4}},
	{"sb x17, -2048(x18)", Instruction{Op: opSB, Rs2: 17, Rs1: 18, Immediate: -2048}},
	{"sh x17, 1365(x18)", Instruction{Op: opSH, Rs2: 17, Rs1: 18, Immediate: 1365}},
	{"sw x17, 682(x18)", Instruction{Op: opSW, Rs2: 17, Rs1: 18, Immediate: 682}},
	{"addi x4, x5, -2048", Instruction{Op: opADDI, Rd: 4, Rs1: 5, Immediate: -2048}},
	{"slti x4, x5, 7", Instruction{Op: opSLTI, Rd: 4, Rs1: 5, Immediate: 7}},
	{"sltiu x4, x5, -1", Instruction{Op: opSLTIU, Rd: 4, Rs1: 5, Immediate: -1}},
	{"xori x4, x5, -1", Instruction{Op: opXORI, Rd: 4, Rs1: 5, Immediate: -1}},
	{"ori x4, x5, 255", Instruction{Op: opORI, Rd: 4, Rs1: 5, Immediate: 255}},
	{"andi x4, x5, 15", Instruction{Op: opANDI, Rd: 4, Rs1: 5, Immediate: 15}},
	{"slli x4, x5, 31", Instruction{Op: opSLLI, Rd: 4, Rs1: 5, Immediate: 31}},
	{"srli x4, x5, 1", Instruction{Op: opSRLI, Rd: 4, Rs1: 5, Immediate: 1}},
	{"srai x4, x5, 16", Instruction{Op: opSRAI, Rd: 4, Rs1: 5, Immediate: 16}},
	{"add x1, x2, x3", Instruction{Op: opADD, Rd: 1, Rs1: 2, Rs2: 3}},
	{"sub x1, x2, x3", Instruction{Op: opSUB, Rd: 1, Rs1: 2, Rs2: 3}},
	{"sll x1, x2, x3", Instruction{Op: opSLL, Rd: 1, Rs1: 2, Rs2: 3}},
	{"slt x1, x2, x3", Instruction{Op: opSLT, Rd: 1, Rs1: 2, Rs2: 3}},
	{"sltu x1, x2, x3", Instruction{Op: opSLTU, Rd: 1, Rs1: 2, Rs2: 3}},
	{"xor x1, x2, x3", Instruction{Op: opXOR, Rd: 1, Rs1: 2, Rs2: 3}},
	{"srl x1, x2, x3", Instruction{Op: opSRL, Rd: 1, Rs1: 2, Rs2: 3}},
	{"sra x1, x2, x3", Instruction{Op: opSRA, Rd: 1, Rs1: 2, Rs2: 3}},
	{"or x1, x2, x3", Instruction{Op: opOR, Rd: 1, Rs1: 2, Rs2: 3}},
	{"and x1, x2, x3", Instruction{Op: opAND, Rd: 1, Rs1: 2, Rs2: 3}},
	{"mul x1, x2, x3", Instruction{Op: opMUL, Rd: 1, Rs1: 2, Rs2: 3}},
	{"mulh x1, x2, x3", Instruction{Op: opMULH, Rd: 1, Rs1: 2, Rs2: 3}},
	{"mulhsu x1, x2, x3", Instruction{Op: opMULHSU, Rd: 1, Rs1: 2, Rs2: 3}},
	{"mulhu x1, x2, x3", Instruction{Op: opMULHU, Rd: 1, Rs1: 2, Rs2: 3}},
	{"div x1, x2, x3", Instruction{Op: opDIV, Rd: 1, Rs1: 2, Rs2: 3}},
	{"divu x1, x2, x3", Instruction{Op: opDIVU, Rd: 1, Rs1: 2, Rs2: 3}},
	{"rem x1, x2, x3", Instruction{Op: opREM, Rd: 1, Rs1: 2, Rs2: 3}},
	{"remu x1, x2, x3", Instruction{Op: opREMU, Rd: 1, Rs1: 2, Rs2: 3}},
	{"fence", Instruction{Op: opFENCE}},
	{"ecall", Instruction{Op: opECALL}},
	{".word 0x00100073", Instruction{Op: opEBREAK}}, // ebreak
	{"wfi", Instruction{Op: opWFI}},
	{"unimp", Instruction{}},

	{"c.addi4spn x8, sp, 1020", Instruction{Op: opADDI, Rd: 8, Rs1: 2, Immediate: 1020}},
	{"c.addi4spn x15, sp, 340", Instruction{Op: opADDI, Rd: 15, Rs1: 2, Immediate: 340}},
	{"c.lw x9, 124(x10)", Instruction{Op: opLW, Rd: 9, Rs1: 10, Immediate: 124}},
	{"c.lw x9, 68(x10)", Instruction{Op: opLW, Rd: 9, Rs1: 10, Immediate: 68}},
	{"c.sw x9, 84(x10)", Instruction{Op: opSW, Rs2: 9, Rs1: 10, Immediate: 84}},
	{"c.nop", Instruction{Op: opADDI}},
	{"c.addi x17, -32", Instruction{Op: opADDI, Rd: 17, Rs1: 17, Immediate: -32}},
	{"c.jal 682", Instruction{Op: opJAL, Rd: 1, Immediate: 682}},
	{"c.jal -2048", Instruction{Op: opJAL, Rd: 1, Immediate: -2048}},
	{"c.li x31, 31", Instruction{Op: opADDI, Rd: 31, Immediate: 31}},
	{"c.addi16sp sp, -512", Instruction{Op: opADDI, Rd: 2, Rs1: 2, Immediate: -512}},
	{"c.addi16sp sp, 336", Instruction{Op: opADDI, Rd: 2, Rs1: 2, Immediate: 336}},
	{"c.lui x3, 0xfffe0", Instruction{Op: opLUI, Rd: 3, Immediate: -32 << 12}},
	{"c.srli x8, 21", Instruction{Op: opSRLI, Rd: 8, Rs1: 8, Immediate: 21}},
	{"c.srai x15, 31", Instruction{Op: opSRAI, Rd: 15, Rs1: 15, Immediate: 31}},
	{"c.andi x9, -1", Instruction{Op: opANDI, Rd: 9, Rs1: 9, Immediate: -1}},
	{"c.sub x9, x10", Instruction{Op: opSUB, Rd: 9, Rs1: 9, Rs2: 10}},
	{"c.xor x9, x10", Instruction{Op: opXOR, Rd: 9, Rs1: 9, Rs2: 10}},
	{"c.or x9, x10", Instruction{Op: opOR, Rd: 9, Rs1: 9, Rs2: 10}},
	{"c.and x9, x10", Instruction{Op: opAND, Rd: 9, Rs1: 9, Rs2: 10}},
	{"c.j 2046", Instruction{Op: opJAL, Immediate: 2046}},
	{"c.j -1366", Instruction{Op: opJAL, Immediate: -1366}},
	{"c.beqz x8, -256", Instruction{Op: opBEQ, Rs1: 8, Immediate: -256}},
	{"c.bnez x15, 254", Instruction{Op: opBNE, Rs1: 15, Immediate: 254}},
	{"c.slli x31, 21", Instruction{Op: opSLLI, Rd: 31, Rs1: 31, Immediate: 21}},
	{"c.lwsp x5, 252(sp)", Instruction{Op: opLW, Rd: 5, Rs1: 2, Immediate: 252}},
	{"c.lwsp x5, 84(sp)", Instruction{Op: opLW, Rd: 5, Rs1: 2, Immediate: 84}},
	{"c.jr x5", Instruction{Op: opJALR, Rs1: 5}},
	{"c.mv x5, x6", Instruction{Op: opADD, Rd: 5, Rs2: 6}},
	{"c.ebreak", Instruction{Op: opEBREAK}},
	{"c.jalr x5", Instruction{Op: opJALR, Rd: 1, Rs1: 5}},
	{"c.add x5, x6", Instruction{Op: opADD, Rd: 5, Rs1: 5, Rs2: 6}},
	{"c.swsp x5, 168(sp)", Instruction{Op: opSW, Rs1: 2, Rs2: 5, Immediate: 168}},
	{".short 0", Instruction{}},
}

// TestDecode decodes what clang's assembler writes.
func TestDecode(t *testing.T) {
	var source strings.Builder
	source.WriteString(".text\n.globl _start\n_start:\n")
	for _, d := range decodings {
		if strings.HasPrefix(d.assembly, "c.") {
			source.WriteString(".option rvc\n")
		} else {
			source.WriteString(".option norvc\n")
		}
		source.WriteString(d.assembly + "\n")
	}
	elf := link(t, "a.s", source.String(), "rv32imc")
	p, err := Load(elf)
	require.NoError(t, err)
	pc := p.Entry
	for _, d := range decodings {
		got := p.instruction(pc)
		want := d.want
		want.PC, want.Size = pc, got.Size
		require.Equal(t, want, got, d.assembly)
		short := strings.HasPrefix(d.assembly, "c.") || strings.HasPrefix(d.assembly, ".short")
		require.Equal(t, short, got.Size == 2, d.assembly)
		pc += uint32(got.Size)
	}
}

// TestForeign names instructions of other extensions with their function and line.
func TestForeign(t *testing.T) {
	for march, source := range map[string]string{
		"rv32ima": "amoadd.w x1, x2, (x3)",
		"rv32if":  "fadd.s f1, f2, f3",
		"rv32i":   "csrrw x1, mscratch, x2",
		"rv32ifc": "c.flw f8, 0(x8)",
		"rv32im":  "mret", // privileged
		"rv32imc": "fence.i",
	} {
		_, err := Load(link(t, "a.s", ".text\n.globl _start\n.type _start,@function\n_start:\nnop\n"+source+"\n", march))
		require.ErrorContains(t, err, "in _start at ")
		require.ErrorContains(t, err, "a.s:6")
	}
}
