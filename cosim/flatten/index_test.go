//go:build linux

package flatten

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// index is an expression of the loop variable k and the generate variable g, as Verilog text and as a function.
type index struct {
	text string
	at   func(k, g int) int
}

func anIndex(random *rand.Rand, depth int) index {
	if depth == 0 || random.IntN(4) == 0 {
		switch random.IntN(4) {
		case 0, 1:
			n := []int{0, 1, 2, 3, 4, 7, 8, 16, 24, 64, 100, 184, 191, 192, 256, 264, 512}[random.IntN(17)]
			return index{fmt.Sprint(n), func(int, int) int { return n }}
		case 2:
			return index{"g", func(_, g int) int { return g }}
		}
		return index{"k", func(k, _ int) int { return k }}
	}
	a, b := anIndex(random, depth-1), anIndex(random, depth-1)
	switch random.IntN(4) {
	case 0:
		return index{"(" + a.text + "-" + b.text + ")", func(k, g int) int { return a.at(k, g) - b.at(k, g) }}
	case 1:
		return index{"(" + a.text + "*" + b.text + ")", func(k, g int) int { return a.at(k, g) * b.at(k, g) }}
	}
	return index{"(" + a.text + "+" + b.text + ")", func(k, g int) int { return a.at(k, g) + b.at(k, g) }}
}

// turnsOfGenerate is the number of iterations of the generate loop in a test's module.
const turnsOfGenerate = 3

// unknownLines prints a module whose lines are in a generate loop and write one bit of r each. It returns the print
// and marks the lines with an X.
func unknownLines(t *testing.T, lines []string) (m *Module, unknown []bool) {
	file := filepath.Join(t.TempDir(), "m.v")
	text := fmt.Sprintf("module m (input [191:0] v, input [1:0] s, output reg [%d:0] r);\ngenvar g;\n", turnsOfGenerate*len(lines)-1) +
		fmt.Sprintf("generate for (g = 0; g < %d; g = g + 1) begin : turn localparam R = g*%d;\n", turnsOfGenerate, len(lines)) +
		strings.Join(lines, "\n") + "\nend endgenerate\nendmodule\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	unknown = make([]bool, len(lines))
	for _, place := range m.Unknown {
		line, err := strconv.Atoi(strings.Split(place, ":")[1])
		require.NoError(t, err)
		unknown[line-4] = true
	}
	return m, unknown
}

// TestIndexesBeforeTheyAreCut reads with a different index in each line of a module. Verilator truncates indexes to
// the needed bits, drops other parts, and turns products into shifts. A line must have an X if its index is beyond
// the end in some iteration; only few others may have one.
func TestIndexesBeforeTheyAreCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	indexes := []index{
		{"8*k", func(k, _ int) int { return 8 * k }}, {"184-8*k", func(k, _ int) int { return 184 - 8*k }},
		{"256+8*k", func(k, _ int) int { return 256 + 8*k }}, {"264*k", func(k, _ int) int { return 264 * k }},
		{"g*64+k", func(k, g int) int { return 64*g + k }}, {"k*8+g*8", func(k, g int) int { return 8*k + 8*g }}, {"g*96+k", func(k, g int) int { return 96*g + k }},
	}
	for len(indexes) < 100 {
		indexes = append(indexes, anIndex(random, 3))
	}
	var lines []string
	beyond, within := make([]bool, len(indexes)), 0
	for i, x := range indexes {
		kind, turns, below := []string{"integer", "reg [31:0]"}[random.IntN(2)], 1+random.IntN(24), 7*random.IntN(2)
		selected := fmt.Sprintf("v[%s +: 8]", x.text)
		if below > 0 {
			selected = fmt.Sprintf("v[%s -: 8]", x.text)
		}
		lines = append(lines, fmt.Sprintf("always @* begin : b%d %s k; r[R+%d] = 0; for (k = 0; k < %d; k = k + 1) r[R+%d] = r[R+%d] ^ (^%s); end",
			i, kind, i, turns, i, i, selected))
		for k := range turns {
			for g := range turnsOfGenerate {
				at := x.at(k, g) - below
				beyond[i] = beyond[i] || at < 0 || at+8 > 192
			}
		}
		if !beyond[i] {
			within++
		}
	}
	require.Greater(t, within, 20)
	_, unknown := unknownLines(t, lines)
	taken := 0 // number of lines that have an X although their index stays within the end
	for i, line := range lines {
		require.True(t, unknown[i] || !beyond[i], line)
		if unknown[i] && !beyond[i] {
			t.Log(line)
			taken++
		}
	}
	t.Logf("%d of %d that stay within have an X", taken, within)
	require.Less(t, taken, within/10)
}

// TestIndexesOfEachTurn checks that an index of the circuit keeps its bits in every iteration of generate, even if
// some iterations lack one of its constants, and that there is an X if it may be beyond the end. A lost index has two
// free bits on top.
func TestIndexesOfEachTurn(t *testing.T) {
	indexes := []index{
		{"g*4+s", func(s, g int) int { return 4*g + s }}, {"s*4+g", func(s, g int) int { return 4*s + g }},
		{"s+g*64", func(s, g int) int { return s + 64*g }}, {"s+g*96", func(s, g int) int { return s + 96*g }},
		{"(g+s)*8", func(s, g int) int { return 8 * (g + s) }}, {"(s^g)+8", func(s, g int) int { return s ^ g + 8 }},
		{"264+s-g", func(s, g int) int { return 264 + s - g }}, {"g*8+4*(s+g)", func(s, g int) int { return 8*g + 4*(s+g) }},
	}
	var lines []string
	for i, x := range indexes {
		lines = append(lines, fmt.Sprintf("always @* r[R+%d] = ^v[%s +: 8];", i, x.text))
	}
	m, unknown := unknownLines(t, lines)
	for i, line := range lines {
		beyond := false
		for s := range 4 {
			for g := range turnsOfGenerate {
				beyond = beyond || indexes[i].at(s, g)+8 > 192
			}
		}
		require.True(t, unknown[i] || !beyond, line)
		require.Empty(t, regexp.MustCompile(fmt.Sprintf(`wire \[1:0\] x\d+; // X: \S+:%d:`, i+4)).FindString(m.Verilog), line)
	}
}

// TestIndexesOfOtherParameters checks that loop variables are distinguished in modules of one source with different
// parameters.
func TestIndexesOfOtherParameters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.v")
	require.NoError(t, os.WriteFile(file, []byte(`module turned #(parameter A = 4) (input [A*A-1:0] v, output reg [A*A-1:0] r);
  integer i, k;
  always @* for (i = 0; i < A; i = i + 1) for (k = 0; k < A; k = k + 1) r[k*A+i] = v[i*A+k];
endmodule
module m (input [15:0] a, input [143:0] b, input [3:0] e, output [15:0] c, output [143:0] d, output [3:0] f);
  turned #(4) four (a, c);
  turned #(12) twelve (b, d);
  turned #(2) two (e, f);
endmodule
module n (input [99:0] a, input [3:0] b, output [99:0] c, output [3:0] d);
  turned #(10) ten (a, c); // 10 is 2 in the bits that are left of an index below 4
  turned #(2) two (b, d);
endmodule
`), 0o644))
	for _, top := range []string{"m", "n"} {
		m, err := Print(context.Background(), cosim.Source{Top: top, Files: []string{file}},
			cosim.BuildOptions{Cache: testCache})
		require.NoError(t, err)
		require.Empty(t, m.Unknown)
	}
}

// TestIndexOfOneBit checks that a one-bit vector, which is printed as a scalar, has no index.
func TestIndexOfOneBit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.v")
	require.NoError(t, os.WriteFile(file, []byte("module m (input [0:0] one, input [1:0] at, output y); assign y = one[at]; endmodule\n"), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	require.NotContains(t, m.Verilog, "one[")
	read(t, m)
}

// TestNestedIndexesOfALoop checks that a loop variable has a value at each level of a selection, even if Verilator
// has merged the levels.
func TestNestedIndexesOfALoop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte(`module m #(parameter int N = 2) (input [2:0][N-1:0] v, output logic [5:0] y);
  always_comb for (int k = 0; k < 6; k++) y[k] = v[k / N][k % N];
endmodule
`), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	require.Empty(t, m.Unknown)
	for k := range 6 {
		require.Contains(t, m.Verilog, fmt.Sprintf("assign y[%d] = v[%d];", k, k))
	}
}

// TestNestedIndexesAreThoseOfVerilator checks that an index that Verilator computed from narrower operands is not
// taken for one of these operands.
func TestNestedIndexesAreThoseOfVerilator(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte(`module m (input [2:0] s, input signed [3:0] x, input [3:0] v, input [31:0] w, output logic [3:0] y);
  typedef union packed { logic [3:0] all; logic [1:0][1:0] pair; } both;
  both b;
  assign b = v;
  assign y = {b.all[(s - x) % 4'd4], b.all[(s + x) % 4'd4], b.pair[w[0] + (s & 2'd1)], b.all[x + w]};
endmodule
`), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	require.NotRegexp(t, `b\[[sx]\[1:0\]`, m.Verilog)
	require.Len(t, m.Unknown, 2, "of pair, and of the last bit")
}

// TestIndexesTimesElements checks that a product that overflows Verilator's 32 bits does not count as an index within
// the vector.
func TestIndexesTimesElements(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte(`module m (input [31:0] w, input [2:0] s, input [29:0] d, output [2:0] y, z);
  wire [4:0][1:0][2:0] v = d;
  assign y = v[s][w];
  assign z = v[w][0];
endmodule
`), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	require.Regexp(t, `= \{\d+'h0, w\};`, m.Verilog, "no bit of w is lost")
	require.Len(t, m.Unknown, 2)
}

// TestSignedIndexes checks that a signed index keeps its sign if the lower bound of the range is not 0.
func TestSignedIndexes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte(`module inside_of (input [31:0] d, output y, output [7:0] z);
  wire signed [5:0] i = $signed({1'b0, d[4:0]}) - 6'sd16;
  wire signed [1:0] k = d[1:0];
  wire [15:-16] v = d;
  logic [7:0] m [-2:1];
  always_comb for (int n = -2; n < 2; n++) m[n] = d[8*(n+2) +: 8];
  assign y = v[i];
  assign z = m[k];
endmodule
module beyond (input signed [4:0] low, input [20:4] w, output x);
  assign x = w[low]; // 5'b10000 is -16, and no place of w
endmodule
`), 0o644))
	beside(t, cosim.Source{Top: "inside_of", Files: []string{file}}, 2000)
	m, err := Print(context.Background(), cosim.Source{Top: "beyond", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
	require.NoError(t, err)
	require.Regexp(t, `= \{\{27\{low\[4\]\}\}, low\};`, m.Verilog)
}
