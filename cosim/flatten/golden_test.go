//go:build linux

package flatten

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// TestGoldenX checks which bits of a print's outputs are X, in every form of expression.
func TestGoldenX(t *testing.T) {
	const text = `module m(input clk, input rst, input en, input [1:0] a, input [3:0] d, input [1:0] be,
    output reg [3:0] kept, output reg [3:0] bare, output [3:0] sum, output [7:0] same, output [3:0] word,
    output [3:0] beyond, output both, output less);
  reg [3:0] mem [0:3];
  reg [3:0] first = 4'd5;
  reg late;
  wire [4:0] open;
  always @(posedge clk) if (rst) kept <= 0; else if (en) kept <= d;
  always @(posedge clk) if (en) bare <= d;
  always @(posedge clk) if (kept > 4'd9 && kept < 4'd10) $fatal(1, "between");
  always @(posedge clk) begin if (be[0]) mem[a][1:0] <= d[1:0]; if (be[1]) mem[a][3:2] <= d[3:2]; end
  assign sum = kept + {bare[3:2], 2'b01};
  assign same = {bare[0] ? d : d, bare[0] & 1'b0, bare[0] | 1'b1, first[1:0]};
  assign word = mem[a];
  assign beyond = d[{1'b0, a} * 2 +: 4];
  assign both = bare[0] ^ open[2];
  assign less = {bare, kept} == {d, ~kept};
endmodule
`
	dir := t.TempDir()
	file := filepath.Join(dir, "m.v")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	s := cosim.Source{Top: "m", Files: []string{file}, Clocks: []string{"clk"}}
	o := cosim.BuildOptions{Cache: testCache}
	m, err := PrintGolden(t.Context(), s, o)
	require.NoError(t, err)
	require.Equal(t, 1, m.Omits, "checks of the source")
	require.Equal(t, []string{"kept", "bare"}, []string{m.Shown[0].Source, m.Shown[1].Source})
	_, err = m.Compare(t.Context(), s, o, false)
	require.NoError(t, err)
	design, err := m.Build(t.Context(), o)
	require.NoError(t, err)
	defer design.Close()
	d, err := design.Open(cosim.Options{Seed: 3})
	require.NoError(t, err)
	defer d.Close()
	in := func(values ...uint64) {
		copy(d.Inputs(), values) // rst, en, a, d, be
		require.NoError(t, d.Settle())
	}
	x := func(want ...uint64) {
		t.Helper()
		require.Equal(t, want, d.Unknown()) // kept, bare, sum, same, word, beyond, both, less
	}
	in(1, 0, 0, 6, 0)
	x(15, 15, 15, 0, 15, 0, 1, 1)
	require.NoError(t, d.Edge(1))
	in(0, 0, 2, 6, 1)
	x(0, 15, 12, 0, 15, 15, 1, 0) // both differ in kept; d has 4 bits
	require.NoError(t, d.Edge(1))
	x(0, 15, 12, 0, 12, 15, 1, 0)
	in(0, 1, 2, 9, 2)
	require.NoError(t, d.Edge(1))
	x(0, 0, 0, 0, 0, 15, 1, 0)
	require.Equal(t, []uint64{9, 9, 9 + 9, 9<<4 | 5, 8 | 2}, []uint64{d.Outputs()[0], d.Outputs()[1],
		d.Outputs()[2] + 16, d.Outputs()[3], d.Outputs()[4]})
	in(0, 0, 1, 9, 0)
	x(0, 0, 0, 0, 15, 12, 1, 0)
}

// TestGoldenWrites checks in Verilator and Icarus that writes to a memory leave the right words X: writes at an address
// that is X, writes that may not happen, writes of a part, two writes in one cycle.
func TestGoldenWrites(t *testing.T) {
	const text = `module m(input clk, input rst, input arm, input [2:0] a, input [2:0] b, input [7:0] d, input [3:0] w,
    output [7:0] q, output [7:0] r, output [7:0] s);
  reg [7:0] one [0:7], two [0:5], rom [0:7];
  reg [2:0] at;
  reg on;
  initial begin rom[0] = 8'h11; rom[3] = 8'h4x; two[2] = 8'h77; end
  always @(posedge clk) if (rst) on <= 0; else if (arm) begin at <= a; on <= on | w[3]; end
  always @(posedge clk) begin
    if (w[0]) one[a] <= d;
    if (w[1]) one[b][3:0] <= d[3:0];
    if (w[2] && on) one[at] <= ~d;
    if (w == 5) one[at][7:6] <= d[1:0];
    if (w[1] ^ at[0]) two[b] <= d;
  end
  assign q = one[a];
  assign r = b < 6 ? two[b] : 8'd0;
  assign s = rom[a];
endmodule
`
	file := filepath.Join(t.TempDir(), "m.v")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	s := cosim.Source{Top: "m", Files: []string{file}, Clocks: []string{"clk"}}
	goldenBeside(t, s)
}

// goldenBeside prints a Golden and runs it beside its source in both simulators. No output but open may have an X in
// nearly all cycles.
func goldenBeside(t *testing.T, s cosim.Source, open ...string) {
	o := cosim.BuildOptions{Cache: testCache}
	m, err := PrintGolden(t.Context(), s, o)
	require.NoError(t, err)
	for _, second := range []bool{false, true} {
		done, err := m.Compare(t.Context(), s, o, second)
		require.NoError(t, err)
		require.True(t, done.Absent == "" || len(open) > 0, done.Absent)
		for output, part := range done.Unknown {
			if !slices.Contains(open, output) {
				require.Less(t, part, hiddenMost, output)
			}
		}
	}
}

// TestLongGoldens runs small modules in the styles of libraries as Goldens beside their sources.
func TestLongGoldens(t *testing.T) {
	files := []string{"testdata/axis.v", "testdata/basejump.sv", "testdata/cells.sv"}
	if !*full {
		files = files[:1]
	}
	s, _ := together(t, []string{"b_tristate", "b_wild"}, files...)
	goldenBeside(t, s, "m_two_resets_o") // some of its registers have no reset; Icarus reads axis.v alone
}
