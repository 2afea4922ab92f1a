package cores

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type mutant struct{ name, file, right, wrong string }

// mutants are planted errors: an expression of a file that becomes another. The expression stands between « and »
// if a context is needed to find it.
var mutants = []mutant{
	{"lb extends with zeros", "rv32_multicycle.v", "~funct3[2] & (funct3[0] ? moved[15] : moved[7])",
		"~funct3[2] & funct3[0] & moved[15]"},
	{"lhu extends with signs", "rv32_multicycle.v", "{16{negative}}", "{16{moved[15]}}"},
	{"srl is sra", "rv32_multicycle.v", "word_q[30] & a_q[31]", "a_q[31]"},
	{"four more cycles for a shift", "rv32_multicycle.v", "left_q[4:2] != 3'd0", "left_q[4:3] != 2'd0"},
	{"one more cycle for a half word that was kept", "rv32_multicycle.v", "pc_q[1] & half_q[1:0] != 2'b11",
		"pc_q[1] & half_q[1:0] == 2'b01"},
	{"no refill after a branch", "rv32_multicycle.v", "JUMP: state_q <= «target[1] ? REFILL : FETCH»;", "FETCH"},
	{"a load destroys the half word that was kept", "rv32_multicycle.v", "(fetches || refills) && ready_i", "ready_i"},
	{"jalr does not clear bit 0", "rv32_multicycle.v", "{result[31:1], 1'b0}", "result"},
	{"c.jalr links four bytes later", "rv32_multicycle.v", "short_q ? 32'd2 : 32'd4",
		"short_q & ~(jalr & word_q[7]) ? 32'd2 : 32'd4"},
	{"a half word across words misses its second byte", "rv32_multicycle.v", "second_q | lanes[7:4] == 4'd0",
		"second_q | lanes[7:4] == {3'd0, ~funct3[1] & lanes[4]}"},
	{"a store in the wrong bytes", "rv32_multicycle.v", "2'd0 - offset", "offset"},
	{"x0 is the first operand", "rv32_multicycle.v", "word_q[24:20] == 5'd0 ? «32'd0» :", "registers_q[1]"},
	{"bltu is signed", "rv32_multicycle.v", "funct3[1] ? below : less", "less"},
	{"sltiu is signed", "rv32_alu.v", "{31'd0, below_o}", "{31'd0, less_o}"},
	{"less of a negative and a positive number", "rv32_alu.v", "difference[32] : «a_i[31]»;", "b_i[31]"},
	{"a carry is lost", "rv32_alu.v", "«a_i + b_i»;", "{a_i[31:16] + b_i[31:16], a_i[15:0] + b_i[15:0]}"},
	{"a branch without bit 11 of its offset", "rv32_decode.v",
		"{{20{word_i[31]}}, «word_i[7]», word_i[30:25]", "word_i[31]"},
	{"a reserved branch is legal", "rv32_decode.v", "branch_o & funct3[2:1] != 2'b01", "branch_o"},
	{"c.addi4spn with two bits swapped", "rv32_decompress.v",
		"{2'd0, short_i[10:7], short_i[12:11], short_i[5], short_i[6], 2'd0}",
		"{2'd0, short_i[10:7], short_i[12:11], short_i[6], short_i[5], 2'd0}"},
	{"c.li without its sign", "rv32_decompress.v", "form_i(«six», ZERO, 3'd0, rd, IMMEDIATE)", "{7'd0, six[4:0]}"},
	{"c.j to a wrong address", "rv32_decompress.v",
		"{short_i[8], short_i[10:9], short_i[6], short_i[7], short_i[2], short_i[11], short_i[5:3]}",
		"{short_i[8], short_i[10:9], short_i[7], short_i[6], short_i[2], short_i[11], short_i[5:3]}"},
	{"c.jr of x0 is legal", "rv32_decompress.v", "else if («rd != ZERO») word_o = form_i(12'd0", "1'b1"},
	{"c.lwsp with two bits swapped", "rv32_decompress.v", "{4'd0, short_i[3:2], high, short_i[6:4], 2'd0}",
		"{4'd0, short_i[2], short_i[3], high, short_i[6:4], 2'd0}"},
}

// mutated returns a folder with the core's files, in which input mutant_i of the testbench selects an error.
func mutated(t testing.TB) string {
	folder := t.TempDir()
	for _, name := range coreFiles {
		source, err := os.ReadFile(filepath.Join(coreFolder, name))
		require.NoError(t, err)
		text := string(source)
		for k := range mutants {
			m := &mutants[k]
			if m.file == name {
				text = m.apply(t, text, fmt.Sprintf("rv32_testbench.mutant_i == %d", k+1))
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	return folder
}

// apply returns a text with an error under a condition.
func (m *mutant) apply(t testing.TB, text, condition string) string {
	before, rest, marked := strings.Cut(m.right, "«")
	right, after, _ := strings.Cut(rest, "»")
	if !marked {
		before, right, after = "", m.right, ""
	}
	require.Equal(t, 1, strings.Count(text, before+right+after), m.name)
	return strings.Replace(text, before+right+after,
		fmt.Sprintf("%s(%s ? %s : %s)%s", before, condition, m.wrong, right, after), 1)
}

// TestMutants: the comparisons find each of the planted errors.
func TestMutants(t *testing.T) {
	b, core := openCore(t, mutated(t)), multicycle(t)
	programs := func() (err error) {
		for seed := uint64(0); seed < 40 && err == nil; seed++ {
			_, err = b.compare(drawn(seed, seed%4 != 0), core, 1, uint32(seed)+1)
		}
		return err
	}
	require.NoError(t, programs())
	for k, m := range mutants {
		b.set("mutant_i", uint64(k+1))
		err := programs()
		if err == nil {
			_, err = b.words(core, 1000)
		}
		if err == nil {
			_, err = b.halfWords(core, 2)
		}
		require.Error(t, err, m.name)
		t.Log(m.name + ": " + err.Error())
	}
}
