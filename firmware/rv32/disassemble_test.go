package rv32

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// disassembled is what llvm-objdump 14 prints for one word of each instruction, one after the other from address 0
// on, without aliases; upper halves in hexadecimal, fence without its operands.
const disassembled = `
40000537 lui a0, 0x40000
fffffd97 auipc s11, 0xfffff
010000ef jal ra, 0x18
ffc782e7 jalr t0, -4(a5)
00b50463 beq a0, a1, 0x18
fff01ee3 bne zero, t6, 0x10
00944463 blt s0, s1, 0x20
0041d463 bge gp, tp, 0x24
00736463 bltu t1, t2, 0x28
fed67ae3 bgeu a2, a3, 0x18
fff10703 lb a4, -1(sp)
00281783 lh a5, 2(a6)
7ff92883 lw a7, 2047(s2)
000a4983 lbu s3, 0(s4)
800b5a83 lhu s5, -2048(s6)
017c00a3 sb s7, 1(s8)
ff9d1f23 sh s9, -2(s10)
05ceaa23 sw t3, 84(t4)
ff900f13 addi t5, zero, -7
00152513 slti a0, a0, 1
0025b513 sltiu a0, a1, 2
fff5c513 xori a0, a1, -1
0045e513 ori a0, a1, 4
0055f513 andi a0, a1, 5
01f59513 slli a0, a1, 31
0015d513 srli a0, a1, 1
4025d513 srai a0, a1, 2
00c58533 add a0, a1, a2
40c58533 sub a0, a1, a2
00c59533 sll a0, a1, a2
00c5a533 slt a0, a1, a2
00c5b533 sltu a0, a1, a2
00c5c533 xor a0, a1, a2
00c5d533 srl a0, a1, a2
40c5d533 sra a0, a1, a2
00c5e533 or a0, a1, a2
00c5f533 and a0, a1, a2
02c58533 mul a0, a1, a2
02c59533 mulh a0, a1, a2
02c5a533 mulhsu a0, a1, a2
02c5b533 mulhu a0, a1, a2
02c5c533 div a0, a1, a2
02c5d533 divu a0, a1, a2
02c5e533 rem a0, a1, a2
02c5f533 remu a0, a1, a2
0ff0000f fence
00000073 ecall
00100073 ebreak
10500073 wfi
`

// TestDisassembly: instructions have the text of another disassembler, and the lines around one of them stay in its
// function.
func TestDisassembly(t *testing.T) {
	seen := map[Op]bool{opIllegal: true}
	require.Equal(t, "unimp", new(Instruction).String())
	require.Len(t, mnemonics, int(opCount))
	for n, line := range strings.Split(strings.TrimSpace(disassembled), "\n") {
		word, want, _ := strings.Cut(line, " ")
		var w uint32
		_, err := fmt.Sscanf(word, "%x", &w)
		require.NoError(t, err)
		i := Decode(w, uint32(4*n))
		require.Equal(t, want, i.String())
		seen[i.Op] = true
	}
	require.Len(t, seen, int(opCount))

	text := littleEndian(encodeI(1, 0, 0, 5, 0x13), 0x00010001, 0x00B52023, wfiWord)
	p := &Program{Text: Range{testText, testText + 16}, Compressed: true, Shared: Memory{testText, text}}
	p.functions = []function{{Range{testText, testText + 4}, "one"}, {Range{testText + 4, testText + 16}, "two"}}
	require.Equal(t, "  0x80000004  addi zero, zero, 0\n  0x80000006  addi zero, zero, 0\n> 0x80000008  sw a1, 0(a0)\n"+
		"  0x8000000c  wfi", p.Around(testText+8))
	require.Equal(t, "> 0x80000000  addi t0, zero, 1", p.Around(testText))
	require.Empty(t, p.Around(testText+16))
}
