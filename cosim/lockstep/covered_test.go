//go:build linux

package lockstep

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/coverage"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// coveredRTL is an LFSR with a branch that random inputs do not reach, and a constant.
const coveredRTL = `module dut(input clk, input rst, input go, input tied, output reg [31:0] v);
  wire always_one = 1'b1;
  reg [1:0] phase;
  always @(posedge clk)
    if (rst) begin
      v <= 1;
      phase <= 0;
    end else if (go) begin
      v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 32'd0);
      phase <= phase == 2 ? 0 : phase + 1;
      case (phase)
        0: ;
        3:
          v <= 7;
        default: ;
      endcase
      if (tied)
        v <= v;
    end
endmodule
`

func coveredMap(t *testing.T) *pinmap.Map {
	file := filepath.Join(t.TempDir(), "dut.v")
	require.NoError(t, os.WriteFile(file, []byte(coveredRTL), 0o600))
	m := &pinmap.Map{
		Library: library(), Model: "lfsr", Parameters: twin.Parameters{"SEED": 1}, Source: cosim.Source{Top: "dut", Files: []string{file}},
		Clock: "clk", Reset: "rst", Pins: []pinmap.Wiring{{Port: "enable", Pins: []string{"go"}}, {Port: "value", Pins: []string{"v"}}},
		Ties: []pinmap.Tie{{Pin: "tied"}}, Build: cosim.BuildOptions{Cache: testCache},
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func coverageText(t *testing.T, c *coverage.Coverage) string {
	var b bytes.Buffer
	require.NoError(t, c.Write(&b, coverage.Text))
	return b.String()
}

// TestLongCovered checks that unreached code is named by its line, that tied inputs have not toggled, and that counts
// add up over seeds and power-on states.
func TestLongCovered(t *testing.T) {
	m := coveredMap(t)
	file := m.Source.Files[0]
	r := runLockstep(t, m, Options{Cycles: 500, Seeds: 2, Coverage: true})
	require.Equal(t, "pass", r.Verdict)
	require.Equal(t, []string{file + ":13-14", file + ":18"}, r.CoverageSummary.Uncovered)
	text := coverageText(t, r.Covered)
	for _, line := range []string{
		file + ":13:10: never taken: case\n", file + ":17:7: never taken: if\n",
		file + ":1:50: never changed: tied of dut\n", file + ":2:8: never changed: always_one of dut\n",
	} {
		require.Contains(t, text, line)
	}
	var out strings.Builder
	require.NoError(t, r.WriteText(&out))
	require.Contains(t, out.String(), "never run: "+file+":13-14, "+file+":18\n")
	for _, c := range r.Covered.RTL.Counts() {
		if c.Comment == "block" && c.Line == 4 {
			require.Equal(t, r.Cycles, c.Count, "the block runs once in each cycle")
		}
	}

	// The merged coverage of single runs equals the coverage of all runs.
	var merged coverage.Coverage
	for seed := range uint64(2) {
		merged.Merge(runLockstep(t, m, Options{Cycles: 500, Seed: seed, Coverage: true}).Covered)
	}
	require.Equal(t, text, coverageText(t, &merged))
	require.Equal(t, r.Covered.RTL.Counts(), merged.RTL.Counts())
}

// TestLongCoveredChangesNothing checks that coverage changes neither the difference found nor the power-on values of
// registers.
func TestLongCoveredChangesNothing(t *testing.T) {
	for _, name := range []string{"missing reset of the count", "a full FIFO that is popped accepts no word"} {
		m := mutantMap(t, "fifo", name, cosim.BackendWasm, twin.Parameters{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 16})
		with, without := runLockstep(t, m, Options{Cycles: 5000, Coverage: true}), runLockstep(t, m, Options{Cycles: 5000})
		require.Equal(t, without.Divergence, with.Divergence)
		require.NotNil(t, with.CoverageSummary)
		require.Nil(t, without.Covered)
		with.CoverageSummary, with.Covered, with.Coverage = nil, nil, without.Coverage
		require.Equal(t, without.Cycles, with.Cycles)
	}
}

// TestCoverageRefused checks that coverage is refused before a run if it cannot be counted.
func TestCoverageRefused(t *testing.T) {
	for says, change := range map[string]func(m *pinmap.Map){
		"coverage of RTL needs backend: wasm, but backend is icarus; delete backend, or do not request coverage": func(m *pinmap.Map) { m.Backend = cosim.BackendIcarus },
		"an image records no coverage of the RTL; give top and sources instead":                                  func(m *pinmap.Map) { m.Source.Files, m.Image = nil, "x.wasm" },
		"its lines differ from the lines of the Verilog that ghdl generates": func(m *pinmap.Map) {
			file := filepath.Join(t.TempDir(), "dut.vhd")
			require.NoError(t, os.WriteFile(file, []byte("entity dut is end;"), 0o600))
			m.Source.Files = []string{file}
		},
	} {
		m := coveredMap(t)
		change(m)
		_, err := Run(context.Background(), m, Options{Cycles: 100, Coverage: true})
		require.ErrorContains(t, err, says)
	}
}
