package flatten

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// TestLongMemories checks that every way to write an array is printed faithfully.
func TestLongMemories(t *testing.T) {
	var modules strings.Builder
	writes := []string{
		"if (w) mem <= '{default: 0}", "mem[a] <= d; if (w) mem <= '{default: '1}", "if (w) mem <= '{8'h1, d, 8'h3, 8'h4}",
		"mem <= w ? '{d, d, d, d} : mem", "mem[a] <= d; if (w) mem[b] <= ~d", "if (w) mem[a] <= mem[b]; else mem[b] <= d",
		"mem[a][3:0] <= d[3:0]", "mem[a][d[2:0]] <= w", "mem[a][d[0] +: 4] <= d[7:4]", "mem[a][7 -: 3] <= d[2:0]", "{mem[a], mem[b]} <= {d, ~d}",
		"if (w) for (int i = 0; i < 4; i++) mem[i] <= d + i", "for (int i = 0; i < 4; i++) if (d[i]) mem[i] <= d", "mem[3] <= d; mem[0] <= mem[3]",
		"if (w) mem[a] <= d; else begin mem[1] <= 8'h5; mem[2] <= 8'h6; end", "mem[a] <= mem[a] + 8'd1; if (w) mem[a] <= 0",
		"for (int i = 3; i > 0; i--) mem[i] <= mem[i-1]; mem[0] <= d", "mem[a ^ 2'd1] <= d; mem[a] <= w ? mem[b] : d", "if (w) begin mem[a] <= d; mem[a][0] <= 1; end",
		"mem[{w, 1'b1}] <= d; mem[{1'b0, w}] <= ~d", "case (a) 0: mem[0] <= d; 1: mem <= '{default: d}; default: mem[b] <= 8'hff; endcase",
		"mem[a] <= d; if (rst) mem[0] <= 8'haa", "foreach (mem[i]) mem[i] <= mem[i] ^ d; if (w) mem[b] <= 0", "mem[a] = d; if (w) mem[b] = mem[a]",
	}
	var outputs, instances strings.Builder
	for i, write := range writes {
		fmt.Fprintf(&modules, "module m%d (input clk, rst, w, input [1:0] a, b, r, input [7:0] d, output reg [7:0] q);\n  logic [7:0] mem [4];\n"+
			"  initial for (int i = 0; i < 4; i++) mem[i] = 0;\n  always @(posedge clk) begin %s; q <= mem[r]; end\nendmodule\n", i, write)
		fmt.Fprintf(&outputs, ", output [7:0] q%d", i)
		fmt.Fprintf(&instances, "  m%d u%d (.q(q%d), .*);\n", i, i, i)
	}
	fmt.Fprintf(&modules, "module all_of_them (input clk, rst, w, input [1:0] a, b, r, input [7:0] d%s);\n%sendmodule\n", &outputs, &instances)
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte(modules.String()), 0o644))
	s, o := cosim.Source{Top: "all_of_them", Files: []string{file}, Clocks: []string{"clk"}}, cosim.BuildOptions{Cache: testCache}
	m, err := Print(context.Background(), s, o)
	require.NoError(t, err)
	_, err = Compare(context.Background(), s, m, o, 2000, 1)
	require.NoError(t, err, "q3 shows writes[3]")
}
