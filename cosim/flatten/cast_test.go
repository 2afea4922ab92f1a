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

// TestCastsInIndexes checks that an index cast to its own width has no other bits beyond the end, and that a cast to
// more bits or of a part changes nothing.
func TestCastsInIndexes(t *testing.T) {
	text := `package pk; typedef logic [1:0] ptr_t; localparam int W2 = 2; endpackage
module c import pk::*; #(parameter AW = 2) (input logic clk, input logic [1:0] p, input logic [3:0] d, input logic [1:0] s, output logic [5:0] q, output logic [7:0] bad);
  typedef logic [1:0] loc_t;
  localparam int LW = $clog2(4);
  logic [3:0][1:0] v; logic [3:0] mem [4];
  assign v = {d, d};
  always_comb for (int i = 0; i < 4; i++) mem[i] = d + i;
  assign q[0] = d[AW'(p + 1)];
  assign q[1] = d[ptr_t'(p + 1)] ^ d[loc_t'(p+1)];
  assign q[2] = d[LW'(p + 1)] ^ d[pk::ptr_t'(p+1)];
  assign q[3] = d[W2'(p + 1)] ^ (^v[2'(p + s)]) ^ v[2'(p + 1)][1'(p + 1)];
  assign q[4] = ^mem[AW'(p + 1)] ^ ^mem[2'(p + s)];
  assign q[5] = ^v[2'(p + 1)][1'(s + 1)];
  typedef logic [2:0] big_t;
  localparam int B3 = 3;
  // beyond the end for some
  assign bad[0] = d[3'(p + 1)];
  assign bad[1] = d[big_t'(p + 1)];
  assign bad[2] = d[B3'(p + s)];
  assign bad[3] = d[int'(p + 1)];
  assign bad[4] = d[2'(p) + 1];
  assign bad[5] = ^s[2'(p)];
  assign bad[6] = ^s[ptr_t'(p)];
  assign bad[7] = d[2'(p) + 2'(s) + 0];
endmodule
`
	file := filepath.Join(t.TempDir(), "c.sv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	m, err := Print(context.Background(), cosim.Source{Top: "c", Files: []string{file}}, cosim.BuildOptions{Cache: t.TempDir()})
	require.NoError(t, err)
	for i, line := range strings.Split(text, "\n") {
		beyond := strings.Contains(strings.Join(m.Unknown, " "), fmt.Sprintf("c.sv:%d:", i+1))
		require.Equal(t, strings.Contains(line, "assign bad["), beyond, line)
	}
}
