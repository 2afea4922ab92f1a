//go:build linux

package flatten

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// writer writes modules with unusual expressions, cases and loops.
type writer struct {
	*rand.Rand
	names []string // names of values that may be read
	text  strings.Builder
	loop  string // variable of the innermost loop
}

func (w *writer) pick(list ...string) string { return list[w.IntN(len(list))] }

// expression returns an expression, whose width and sign follow from the rules of the language.
func (w *writer) expression(depth int) string {
	if depth == 0 {
		return w.leaf()
	}
	a := func() string { return w.expression(depth - 1) }
	switch w.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("+", "-", "*", "&", "|", "^", "~^"), a())
	case 3, 4:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("<", "<=", ">", ">=", "==", "!=", "===", "!=="), a())
	case 5:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("<<", ">>", ">>>", "<<<"), w.pick("c", "e", "3'd5", "c[2:0]"))
	case 6:
		return fmt.Sprintf("(%s ? %s : %s)", a(), a(), a())
	case 7:
		return fmt.Sprintf("{%s, %s}", w.expression(min(depth-1, 1)), w.expression(min(depth-1, 1)))
	case 8:
		return fmt.Sprintf("{%d{%s}}", 1+w.IntN(3), w.expression(min(depth-1, 1)))
	case 9:
		return fmt.Sprintf("(%s (%s))", w.pick("~", "-", "!", "&", "|", "^", "~&", "~^"), a())
	case 10:
		return fmt.Sprintf("%s(%s)", w.pick("$signed", "$unsigned", "5'", "11'", "signed'", "unsigned'"), a())
	case 11:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("&&", "||"), a())
	case 12:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("/", "%"), w.pick("a", "b", "d", "7", "-4'sd3", "c"))
	case 13:
		return fmt.Sprintf("f%d(%s, %s)", w.IntN(3), w.expression(min(depth-1, 1)), w.expression(min(depth-1, 1)))
	case 14:
		return fmt.Sprintf("(%s inside {[2:9], %s, 8'b1?0?_??01})", w.pick("a", "b"), w.pick("77", "[100:120]", "8'h9?"))
	}
	return w.leaf()
}

func (w *writer) leaf() string {
	if w.loop != "" && w.IntN(4) == 0 {
		return w.pick(w.loop, fmt.Sprintf("wide[%s*3 +: 5]", w.loop), fmt.Sprintf("a[%s]", w.loop))
	}
	switch w.IntN(6) {
	case 0:
		return w.pick("8'h5a", "4'sb1010", "3'd6", "12'hfed", "-5", "2", "1'b1", "'1", "9'sd200", "40'hf0f0f0f0f0")
	case 1:
		return w.pick("a[c[2:0]]", "b[6:2]", "d[c[2:0] +: 4]", "wide[39 -: 7]", "wide[c +: 8]", "d[11]", "wide[c[3:0]*2 +: 2]")
	}
	return w.names[w.IntN(len(w.names))]
}

func (w *writer) statement(depth int, assign string) {
	indent := strings.Repeat("  ", 5-depth)
	line := func(format string, a ...any) { fmt.Fprintf(&w.text, indent+format+"\n", a...) }
	if depth == 0 || w.IntN(5) < 2 {
		target := w.pick("t", "t", "t[c[3:0]]", "t[7:3]", "t[c[1:0]*4 +: 4]", "arr[c[1:0]]", "arr[2]", "arr[e][3:1]", "{t[15:12], arr[1]}")
		line("%s %s %s;", target, assign, w.expression(2))
		return
	}
	switch w.IntN(5) {
	case 0:
		line("if (%s) begin", w.expression(2))
		w.statement(depth-1, assign)
		line("end else begin")
		w.statement(depth-1, assign)
		line("end")
	case 1:
		w.selection(depth, assign)
	case 2:
		if w.loop != "" || assign == "<=" {
			w.statement(depth-1, assign)
			return
		}
		w.loop = fmt.Sprintf("k%d", depth)
		line("for (int %s = %d; %s < %d; %s += %d) begin", w.loop, w.IntN(3), w.loop, 3+w.IntN(4), w.loop, 1+w.IntN(2))
		w.statement(depth-1, assign)
		line("  if (%s) %s;", w.expression(1), w.pick("break", "continue"))
		w.statement(depth-1, assign)
		line("end")
		w.loop = ""
	default:
		w.statement(depth-1, assign)
		w.statement(depth-1, assign)
	}
}

func (w *writer) selection(depth int, assign string) {
	indent := strings.Repeat("  ", 5-depth)
	kind := w.pick("case", "casez", "casex")
	fmt.Fprintf(&w.text, "%s%s (%s)\n", indent, kind, w.pick("a[3:0]", "{e, c[2:0]}", "b[3:0] ^ d[3:0]"))
	for range 1 + w.IntN(4) {
		pattern := make([]byte, 4)
		for i := range pattern {
			pattern[i] = "0011?x"[w.IntN(map[string]int{"case": 4, "casez": 5, "casex": 6}[kind])]
		}
		fmt.Fprintf(&w.text, "%s  4'b%s: begin\n", indent, pattern)
		w.statement(depth-1, assign)
		fmt.Fprintf(&w.text, "%s  end\n", indent)
	}
	fmt.Fprintf(&w.text, "%s  default:\n", indent)
	w.statement(0, assign)
	fmt.Fprintf(&w.text, "%sendcase\n", indent)
}

const fuzzHead = `module odd (input clk, input rst_n, input [7:0] a, input signed [7:0] b, input [4:0] c, input signed [11:0] d, input e, input [39:0] wide`

const fuzzFunctions = `
  function automatic logic signed [9:0] f0(input logic [5:0] x, input logic signed [6:0] y);
    for (int n = 0; n < 5; n++) begin if (x[n]) return y - n; if (y == n) break; end
    return $signed(x) ^ y;
  endfunction
  function automatic [7:0] f1(input [7:0] x, input [3:0] y);
    f1 = x; case (y) 1: f1 = x + 1; 2, 3: f1 = x << y[1:0]; 9: ; default: if (x > 100) f1 = ~x; endcase
  endfunction
  function automatic logic f2(input signed [15:0] x, input [2:0] y); f2 = x[y] ^ (x < 0); endfunction
`

func (w *writer) odd(parts int) string {
	w.names = []string{"a", "b", "c", "d", "e", "wide"}
	var ports strings.Builder
	for i := range parts {
		width, sign := 1+w.IntN(24), w.pick("", "signed ")
		fmt.Fprintf(&ports, ",\n  output logic %s[%d:0] o%d, output logic [15:0] p%d, output logic signed [15:0] q%d", sign, width, i, i, i)
		fmt.Fprintf(&w.text, "  assign o%d = %s;\n", i, w.expression(4))
		w.names = append(w.names, fmt.Sprintf("q%d", i))
		fmt.Fprintf(&w.text, "  always_comb begin : comb%d\n    logic [15:0] t; logic [5:0] arr [4]; t = 0; for (int z = 0; z < 4; z++) arr[z] = 6'(z + a);\n", i)
		w.statement(4, "=")
		fmt.Fprintf(&w.text, "    p%d = t ^ {4'b0, arr[0], arr[1]} ^ {arr[2], arr[3], 4'b0};\n  end\n", i)
		reset := w.pick("@(posedge clk or negedge rst_n)", "@(posedge clk)")
		fmt.Fprintf(&w.text, "  generate if (1) begin : seq%d\n    logic [15:0] t; logic [5:0] arr [4];\n", i)
		fmt.Fprintf(&w.text, "    always_ff %s if (!rst_n) begin t <= 16'h%x; for (int z = 0; z < 4; z++) arr[z] <= 6'(z*%d); end else begin\n", reset, w.IntN(1<<16), w.IntN(20))
		w.statement(4, "<=")
		fmt.Fprintf(&w.text, "    end\n    assign q%d = t ^ {arr[0], arr[1], 4'b0} ^ {4'b0, arr[2], arr[3]};\n  end endgenerate\n", i)
	}
	return fuzzHead + ports.String() + ");\n" + fuzzFunctions + w.text.String() + "endmodule\n"
}

func TestLongOddModules(t *testing.T) {
	first, end := uint64(1), uint64(2)
	if *full {
		first, end = 0, 60
	}
	for seed := first; seed < end; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w, file := &writer{Rand: rand.New(rand.NewPCG(seed, 3))}, filepath.Join(t.TempDir(), "odd.sv")
			s := cosim.Source{Top: "odd", Files: []string{file}, Clocks: []string{"clk"}}
			for err := errors.New("none yet"); err != nil; {
				w.text.Reset()
				require.NoError(t, os.WriteFile(file, []byte(w.odd(8)), 0o644))
				if _, err = Print(context.Background(), s, cosim.BuildOptions{Cache: testCache}); err != nil {
					require.ErrorContains(t, err, "a division that Verilator folds")
				}
			}
			_, done := beside(t, s, CompareCycles)
			require.Greater(t, done.Changed, CompareCycles/4)
		})
	}
}
