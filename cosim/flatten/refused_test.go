//go:build linux

package flatten

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
)

// TestLongRefused checks that constructs without an equivalent in plain Verilog are refused with their place and a
// remedy.
func TestLongRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"latch":                   {"always_latch if (i[0]) o = i;", "m.sv:2:1: o keeps its value in a process without a clock: a latch; give it a value in every branch"},
		"asynchronous":            {"always @(posedge clk or negedge rst_n) if (!rst_n) o <= i; else o <= 0;", "o is assigned a value that is not a constant while rst_n is active"},
		"time":                    {"always @(posedge clk) o <= 32'($time);", "$time cannot be printed as plain Verilog"},
		"sensitivity":             {"always @(i[0]) o = i;", "its sensitivity list lacks"},
		"both edges":              {"always @(edge clk) o <= i;", "m.sv:2:10: both edges of a clock"},
		"two drivers":             {"always @(posedge clk) o <= i; always @(posedge clk) o[3] <= 0;", " is written by several processes"},
		"endless":                 {"always_comb begin o = i; while (o[0]) o = o + i; end", "a loop with more than"},
		"random":                  {"always @(posedge clk) o <= $random;", "$random cannot be printed as plain Verilog"},
		"random range":            {"always @(posedge clk) o <= $urandom_range(3);", "$urandom_range cannot be printed as plain Verilog; take random bits"},
		"beyond a row":            {"logic [3:0][7:0] s; always_comb begin s = '0; s[2][i[2:0] +: 2] = 3; end assign o = s;", "a slice that may extend beyond its element"},
		"power":                   {"assign o = 3 ** i;", "a power whose exponent may be negative or has more than 8 varying bits"},
		"0 by 0":                  {"wire [1:0] q = 2'd0 / i[1:0]; assign o = {30'd0, q};", "a division that Verilator folds"},
		"beyond":                  {"localparam [3:0] Q = 4'd0; assign o = {31'd0, Q[4]};", "an index out of range, which Verilator folds"},
		"beyond, for a parameter": {"localparam [3:0] Q = 4'd0; localparam P = Q[4]; assign o = P;", "an index out of range, which Verilator folds"},
		"row beyond": {
			"localparam logic [1:0][1:0] Q = '0; localparam P = Q[2]; assign o = P;",
			"an element of a packed array for a parameter, with an index that may be out of range",
		},
		"beyond in a function": {
			"function automatic logic f(int i); logic [3:0] v; v = '0; return v[i]; endfunction localparam P = f(4); assign o = P;",
			"an index that may be out of range in a function that computes a parameter",
		},
		"written beyond in a function": {
			"function automatic logic f(int i); logic [3:0] v; v = '0; v[i] = 1; return v[0]; endfunction localparam P = f(4); assign o = P;",
			"an index that may be out of range in a function that computes a parameter",
		},
		"wild X":                {"assign o = 1'bx ==? 1'b1;", "an X on the left of ==?, which Verilator folds"},
		"wild X of a parameter": {"localparam P = 2'b0x; assign o = P ==? 2'b01;", "an X on the left of ==?, which Verilator folds"},
		"wild X in a function": {
			"function automatic logic f(logic x); return x ==? 1'b1; endfunction localparam P = f(1'bx); assign o = P;",
			"an X on the left of ==? in a function that computes a parameter",
		},
		"generate by a division": {"generate if (4'd1 / 4'd0 == 0) assign o = 1; else assign o = 0; endgenerate", "a generate condition that may be X"},
		"generate by a function": {
			"function automatic int f(int d); return 1 / d; endfunction generate if (f(0) == 0) assign o = 1; else assign o = 0; endgenerate",
			"a generate condition that may be X",
		},
		"generate by no value": {
			"function automatic logic f(logic x); if (x) return 1; endfunction generate if (f(0) == 0) assign o = 1; else assign o = 0; endgenerate",
			"a generate condition that may be X",
		},
		"case of X":           {"localparam P = 1'bx; always_comb case (P) 0, 1: o = 1; default: o = 0; endcase", "case of a constant that may be X"},
		"assign in a process": {"initial assign o = i;", "assign in a process"},
		"next of another":     {"typedef enum logic [1:0] {A = 1, B = 2} e_t; e_t e; assign e = e_t'(i[1:0]); assign o = e.next();", "without names for all values of its bits"},
		"generate by X":       {"localparam P = 1'bx; generate if (!P) assign o = 1; else assign o = 0; endgenerate", "a generate condition that may be X"},
		"tri-state":           {"assign o = i[0] ? i : 'z;", "'z as a value: a tri-state"},
		"z of a parameter":    {"localparam P = 1'bz; assign o = P;", "'z as a value: a tri-state"},
		"bufif1":              {"wire z; bufif1 g(z, 1'b1, i[0]); assign o = {31'd0, z};", "'z as a value: a tri-state"},
		"two assigns":         {"wire w; assign w = i[0]; assign w = i[1]; assign o = w;", "m.sv:2:18; drive every bit in one place"},
		"race":                {"logic x; always @(posedge clk) x = i[0]; always @(posedge clk) o <= x;", "m.sv:2:10 writes with = at an edge: their order is undefined; write it with <="},
		"case of signs": {
			"wire signed [3:0] a = i[3:0]; wire signed [7:0] b = i[11:4]; always_comb case (a) b: o = 1; 8'd200: o = 2; default: o = 0; endcase",
			"a case of signed and unsigned values",
		},
		"deaf": {
			"wire k = i[1]; function f(input x); f = g(x); endfunction function g(input x); g = x ^ k; endfunction always @* o = f(i[0]);",
			"always @* does not wait for k, which g reads",
		},
		"below 0":         {"logic [-2:0] v; logic signed [31:0] k; assign k = i; assign v = i[2:0]; assign o = {29'd0, v[k], v[i[1:0]], v[i]};", "an unsigned 32-bit index"},
		"signed array":    {"logic signed [3:0][7:0] b; assign b = i; assign o = {31'd0, b < 0};", "a signed packed array"},
		"array of signed": {"typedef logic signed [7:0] s8; s8 [3:0] b; assign b = i; assign o = {31'd0, b[1] < 0};", "a signed packed array"},
		"begins once": {
			"function [3:0] f(input [7:0] x); logic [3:0] c = 0; for (int k = 0; k < 8; k++) c += x[k]; return c; endfunction assign o = f(i[7:0]);",
			"c begins with its value once",
		},
		"may not be called": {
			"function automatic logic f(inout logic [3:0] k); k = k + 1; return 1; endfunction logic [3:0] k; always_comb begin k = 0; o = i[4] && f(k); o[7:4] = k; end",
			"f writes more than its own variables, and is called only if its operand is evaluated",
		},
		"array or another": {
			"logic [15:0] b [1:0], k [0:1], a [0:1]; assign {b[1], b[0]} = i; assign {k[1], k[0]} = i; assign a = i[0] ? b : k; assign o = {a[1], a[0]};",
			"arrays with ranges in opposite directions",
		},
		"ends at start": {"initial $fatal(1, \"never\"); assign o = i;", "the design ends before its first cycle: never"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "m.sv")
			text := "module m (input clk, input rst_n, input [31:0] i, output logic [31:0] o);\n" + c.text + "\nendmodule\n"
			require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			m, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}, Clocks: []string{"clk"}}, cosim.BuildOptions{Cache: testCache})
			if name == "begins once" && cosimtest.Since(t, "verilator", 5, 32) { // this version does so: the value of the previous call is unknown
				require.NoError(t, err)
				require.Len(t, m.Unknown, 1)
				return
			}
			if name == "case of signs" && cosimtest.Since(t, "verilator", 5, 48) { // this version zero-extends it
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			var refused *cosim.InputError
			require.ErrorAs(t, err, &refused)
			require.NotEmpty(t, refused.Remedy)
			require.Contains(t, refused.Place, "m.sv:")
		})
	}
}

// TestLongWrongPrint checks that Compare rejects a print with one operation changed.
func TestLongWrongPrint(t *testing.T) {
	s := cosim.Source{Top: "credit_counter", Files: []string{"../rtl/credit_counter.v"}, Clocks: []string{"clock"}}
	o := cosim.BuildOptions{Cache: testCache}
	m, err := Print(context.Background(), s, o)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(m.Verilog, "3'h4 - "), m.Verilog)
	m.Verilog = strings.Replace(m.Verilog, "3'h4 - ", "3'h5 - ", 1)
	_, err = Compare(context.Background(), s, m, o, CompareCycles, 1)
	var differs *Difference
	require.ErrorAs(t, err, &differs)
	require.False(t, differs.Second)
	_, err = CompareSecond(context.Background(), s, m, o, 1)
	require.ErrorAs(t, err, &differs)
	require.True(t, differs.Second)
	require.ErrorContains(t, err, "Icarus Verilog reads it differently from Verilator, on which the proof rests: in cycle ")

	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte("module m (input [7:0] i, output [7:0] o);\n  logic [3:0] a [0:1], b [1:0]; assign {b[1], b[0]} = i;\n"+
		"  assign a = b; assign o = {a[0], a[1]};\nendmodule\n"), 0o644))
	s = cosim.Source{Top: "m", Files: []string{file}}
	m, err = Print(context.Background(), s, o)
	require.NoError(t, err)
	_, err = CompareSecond(context.Background(), s, m, o, 1)
	if cosimtest.Since(t, "iverilog", 13) { // this version assigns from left to right, as the standard requires
		require.NoError(t, err)
		return
	}
	require.ErrorContains(t, err, "m.sv:3:12: two arrays with ranges in opposite directions are assigned")
}

// TestSecond checks that a source is not refused if Icarus cannot read it or ends it.
func TestSecond(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	for text, absent := range map[string]string{
		"assign o = i;": "", "wire z; assign o = z ? i : ~i;": "",
		"if (1) begin : g assign z = 1; end wire z; assign o = z ? i : ~i;": "",
		"assign o = i inside {[2:9]};":                                      "m.sv:2: iverilog: sorry",
		"assign o = i; always @(posedge clk) if (i[0]) $fatal(1, \"odd\");": "the design ended itself 20 times",
	} {
		require.NoError(t, os.WriteFile(file, []byte("module m (input clk, input [31:0] i, output [31:0] o);\n"+text+"\nendmodule\n"), 0o644))
		s, o := cosim.Source{Top: "m", Files: []string{file}, Clocks: []string{"clk"}}, cosim.BuildOptions{Cache: testCache}
		m, err := Print(context.Background(), s, o)
		require.NoError(t, err)
		second, err := CompareSecond(context.Background(), s, m, o, 1)
		require.NoError(t, err)
		require.Contains(t, second.Absent, absent)
		require.Equal(t, absent == "", second.Absent == "" && second.Cycles >= SecondCycles)
		require.Equal(t, strings.Contains(text, "?"), second.Branches == 2 && len(second.Untaken) == 1, "a condition that is X takes none")
		require.Equal(t, strings.Contains(text, "wire z"), second.Unknown["o"] > 0.9, "what Icarus does not know it does not show")
		require.Equal(t, strings.Contains(text, "begin : g"), second.Valued["o"] > 0.9, "Verilator takes the net that is declared later")
	}
}

// TestLongVHDL prints an entity with a generic.
func TestLongVHDL(t *testing.T) {
	s := cosim.Source{Top: "H_Stage", Files: []string{"testdata/logic_pkg.vhd"}, Clocks: []string{"clk"}, Params: map[string]string{"Width_g": "5"}}
	m, done := beside(t, s, CompareCycles)
	require.Greater(t, done.Changed, 1000)
	require.Equal(t, 5, m.Ports[2].Bits)
}

// TestGraph checks constant folding: known values are computed, unknown bits stay unknown.
func TestGraph(t *testing.T) {
	g := newGraph()
	a := g.variable(&variable{index: 1, what: &dtype{bits: 8}})
	n := func(width, value int) *expr { return g.number(width, value) }
	require.Same(t, n(8, 0x2a), g.binary(opMul, n(8, 6), n(8, 7)))
	require.Same(t, n(8, 0xfe), g.binary(opDivS, n(8, 0xf8), n(8, 4)), "-8 / 4")
	require.Same(t, g.unknown(8), g.binary(opMod, n(8, 1), n(8, 0)))
	require.Same(t, g.slice(a, 2, 3), g.slice(g.concat(g.slice(a, 4, 4), g.slice(a, 0, 4)), 2, 3), "neighbours are one")
	require.Same(t, a, g.mux(g.bit(true), a, n(8, 0)))
	require.Same(t, g.bit(true), g.compare(opLtS, n(4, 8), n(4, 7)))
	require.Same(t, g.bit(false), g.compare(opEq, g.zext(a, 9), n(9, 256)))
	require.Same(t, g.concat(g.slice(a, 0, 5), n(3, 0)), g.shift(opShl, a, n(32, 3)))
	require.Same(t, n(8, 0xf0), g.shift(opSar, n(8, 0x80), n(4, 3)))
	require.Equal(t, "10'bxx00000000", literalText(g.slice(g.concat(g.unknown(8), n(8, 0)), 0, 10)))
	c := g.slice(a, 0, 1)
	require.Same(t, g.mux(c, n(8, 4), n(8, 6)), g.binary(opAdd, g.mux(c, n(8, 3), n(8, 5)), n(8, 1)), "choices of constants")
}

// TestDeadBranch checks that branches excluded by a constant are not read, but those of other instances are.
func TestDeadBranch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte(`module m #(parameter U = 0) (input [7:0] i, output logic [1:0] o);
  assign o[0] = U ? i[8 +: 1] : 1'b0;
  always_comb if (U != 0) o[1] = i[8]; else o[1] = i[7];
endmodule
module both (input [7:0] i, output [3:0] o); m a(i, o[1:0]); m #(1) b(i, o[3:2]); endmodule
`), 0o644))
	for top, unknown := range map[string]int{"m": 0, "both": 2} {
		m, err := Print(t.Context(), cosim.Source{Top: top, Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
		require.NoError(t, err)
		require.Len(t, m.Unknown, unknown, "%s: %v", top, m.Unknown)
	}
}

// TestGenerateByADivision checks that ranges of loop variables and their powers exclude a zero divisor in generate.
func TestGenerateByADivision(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	for divisor, never0 := range map[string]bool{"2 * 2 ** l": true, "2 ** (L - l)": true, "2 ** l - 1": false, "2 ** (l + 31) * 2": false, "l ** 2": false} {
		require.NoError(t, os.WriteFile(file, []byte("module m #(parameter W = 8, parameter L = 2) (input [31:0] i, output [31:0] o);\n"+
			"genvar l, n; generate for (l = 0; l < L; l = l + 1) for (n = 0; n < W / ("+divisor+"); n = n + 1) assign o[8*l+n] = i[n];\n"+
			"endgenerate assign o[31:16] = i[31:16];\nendmodule\n"), 0o644))
		_, err := Print(context.Background(), cosim.Source{Top: "m", Files: []string{file}}, cosim.BuildOptions{Cache: testCache})
		if never0 {
			require.NoError(t, err, divisor)
		} else {
			require.ErrorContains(t, err, "a generate condition that may be X", divisor)
		}
	}
}
