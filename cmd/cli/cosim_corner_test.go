//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cornerRTL is an LFSR with difficult features of foreign RTL in one build: a text parameter, $readmem files beside
// the map and beside the source, an interface instance with a falling clock, and constructs that Verilator warns of.
const cornerRTL = "`ifndef __ICARUS__\n" + `interface wires(input logic c); logic [3:0] n; endinterface
module falls(wires w); always @(negedge w.c) w.n <= w.n + 4'd1; initial w.n = 0; endmodule
` + "`endif\n" + `module dut #(parameter FILE = "none.hex", parameter integer N = 0) (input clk, input rst, input go, output reg [31:0] v);
  reg [31:0] m [0:1], k [0:1], far [0:1];
  initial begin $readmemh(FILE, m); $readmemh("beside.hex", k); $readmemh("../far.hex", far); end
` + "`ifndef __ICARUS__\n  wires w(.c(clk)); falls f(.w(w));\n  wire [3:0] n = w.n; reg [3:0] was;\n  always @(posedge clk) begin was <= n; if (!rst && was == n) $error(\"the falling edge is lost\"); end\n`endif\n" + `  wire [1:0] q; assign q = {go, go}; assign q[0] = rst;
  reg latch; always @* if (go) latch = rst;
  reg late; always @(posedge clk) late <= #1 q[1] & latch;
  wire [63:0] unused = {m[1], k[1]};
  always @(posedge clk) if (rst) v <= m[0] & k[0] & far[0] & N; else if (go) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 32'd0);
endmodule
`

func TestLongCosimCheckCorners(t *testing.T) {
	const words = "00000001\nffffffff\n"
	root := folder(t, map[string]string{"far.hex": words})
	for name, text := range map[string]string{
		"maps/words.hex": words, "rtl/dut.sv": cornerRTL, "rtl/beside.hex": words,
		"maps/m.yml": strings.NewReplacer("[dut.sv]", "[../rtl/dut.sv]\nparams: {FILE: words.hex, N: 1}").Replace(checkMap),
	} {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	elsewhere := t.TempDir()
	check := func(args ...string) result {
		return starloomIn(t, elsewhere, append([]string{"cosim", "check", filepath.Join(root, "maps", "m.yml"), "--cycles", "2000", "--json", "r.json"}, args...)...)
	}
	r := check()
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "pass: no difference found in 1 of 1 output: 2,000 cycles of inputs, 3 times, each "+
		"from a different power-on state, then 16,000 cycles guided by coverage of the model, which stopped growing after ")
	require.Contains(t, r.stdout, " cycles; 3 warnings: ASSIGNDLY, LATCH, MULTIDRIVEN\n")
	require.Contains(t, r.stdout, "dut.sv:13:14: MULTIDRIVEN: ")
	var report struct {
		Warnings []struct{ Code, Place, Text string }
	}
	text, err := os.ReadFile(filepath.Join(elsewhere, "r.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &report))
	require.Len(t, report.Warnings, 3)

	r = check() // takes the build from the cache
	require.Contains(t, r.stdout, "3 warnings")

	r = check("--backend", "icarus")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "pass: no difference found in 1 of 1 output: 2,000 cycles of inputs, then 2,000 cycles guided by coverage of the model, which stopped growing after 823 cycles; longest stretch without reset: 1,182 cycles; 1 warning: IFDEF\n")

	// The contents of the files belong to the build.
	require.NoError(t, os.WriteFile(filepath.Join(root, "far.hex"), []byte("0\n0\n"), 0o644))
	r = check("--backend", "icarus")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	require.NoError(t, os.Remove(filepath.Join(root, "far.hex")))
	for _, backend := range []string{"wasm", "icarus"} {
		r = check("--backend", backend)
		require.Equal(t, statusInput, r.status, r.stdout+r.stderr)
		require.Contains(t, r.stderr, "../far.hex: $readmem in ")
		require.Contains(t, r.stderr, "the folder of the pin map")
	}
}

// TestToolStatus checks that a killed compiler is neither bad input nor Starloom's fault.
func TestToolStatus(t *testing.T) {
	dir := checkFolder(t, "")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "iverilog"), []byte("#!/bin/sh\nkill -9 $$\n"), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	r := starloomIn(t, dir, "cosim", "check", "m.yml", "--backend", "icarus")
	require.Equal(t, statusTool, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stderr, "dut.sv: dut: iverilog: was stopped: signal: killed; ")
}

// xorCoupler combines light by XOR in one bit of the phit, which differs from OR only if two senders light it.
const xorCoupler = `module dark(input [255:0] one, zero, output [63:0] up, down, output bad);
  wire [63:0] or1 = one[63:0] | one[127:64] | one[191:128] | one[255:192];
  wire x = one[20] ^ one[84] ^ one[148] ^ one[212];
  assign down = zero[63:0] | zero[127:64] | zero[191:128] | zero[255:192];
  assign up = {or1[63:21], x, or1[19:0]}; assign bad = |(up & down);
endmodule
`

// TestLongUnexercisedInputs checks that a mistake that the inputs of a passing run do not exercise is found by later
// random inputs and by a check of the map alone.
func TestLongUnexercisedInputs(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": darkScenario, "dark.v": strings.ReplaceAll(xorCoupler, " ^ ", " | "), "dark.yml": darkMap})
	r := starloomIn(t, dir, "cosim", "check", "s.yaml")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "then 88 cycles of random inputs from states that the run reached")
	require.NotContains(t, r.stdout, "inputs never exercised")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "dark.v"), []byte(xorCoupler), 0o644))
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "s.yaml", "--slots", "200").status)
	r = starloomIn(t, dir, "cosim", "check", "s.yaml")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "found by random inputs from a state that the run reached")
	r = starloomIn(t, dir, "cosim", "check", "dark.yml", "-G", "D=4", "-G", "PHIT_BITS=64", "--backend", "icarus")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "fail: rail1_o (up) differs in cycle")
}
