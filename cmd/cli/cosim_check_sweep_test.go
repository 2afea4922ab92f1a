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

// listsFolder returns a folder with a map with seeds, and RTL that is wrong for one of them.
func listsFolder(t *testing.T, seeds, values string) string {
	return folder(t, map[string]string{
		"m.yml": strings.Replace(checkMap, "parameters: {SEED: 1}", "parameters: {SEED: "+seeds+"}\nparams: {START: "+values+"}", 1),
		"dut.sv": `module dut #(parameter START = 1)(input clk, input rst, input go, output reg [31:0] v);
  generate if (START == 9) no_such_module u(); endgenerate
  always @(posedge clk) if (rst) v <= START == 3 ? 4 : START; else if (go) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 32'd0);
endmodule
`})
}

// TestLongCosimCheckSweep checks the table of all points and that the exit status is the worst one.
func TestLongCosimCheckSweep(t *testing.T) {
	for _, c := range []struct {
		seeds, values, args string
		status              int
		wants               []string
	}{
		{"[1, 5]", "[1, 5]", "", statusPass, []string{
			"SEED  START  verdict  outputs  cycles  warnings  not exercised  what\n1     1      pass     1 of 1   11,000  0         0\n", "pass: no difference found in 2 points\n"}},
		{"[1, 3, 5]", "[1, 3, 5]", "", statusFail, []string{
			"\n3     3      fail     1 of 1   ", "value_o (v) differs in cycle ", "\n5     5      pass ",
			"fail: of 3 points 1 fail\nfor the case: starloom cosim check m.yml -G SEED=3 -G START=3 --cycles 1000\n"}},
		{"[3, 9]", "[3, 9]", "", statusInput, []string{"\n9     9      refused  -", "dut.sv:2:", "fail: of 2 points 1 fail, 1 refused\n"}},
		{"[1, 3]", "[1, 3]", "-G SEED=3", statusFail, []string{"dut on wasm beside the model lfsr SEED=3\nfail: value_o"}},
		{"[1, 3]", "[1, 3]", "-G SEED=3 -G START=3 --vcd a.vcd", statusFail, []string{"waveform: a.vcd"}},
	} {
		dir := listsFolder(t, c.seeds, c.values)
		stdout, stderr, status := runIn(t, dir, append([]string{"cosim", "check", "m.yml", "--cycles", "1000"}, strings.Fields(c.args)...)...)
		require.Equal(t, c.status, status, stdout+stderr)
		for _, want := range c.wants {
			require.Contains(t, stdout, want)
		}
	}
	dir := listsFolder(t, "[1, 3]", "[1, 3]")
	for args, says := range map[string]string{
		"--vcd a.vcd": "--vcd: the pin map has lists of parameters, but this option needs one value of each; choose with -G NAME=VALUE",
		"-G SEED=2":   "-G: no point of the pin map has SEED=2",
		"-G NAME=2":   "-G: a pin map has its own parameters",
	} {
		_, stderr, status := runIn(t, dir, append([]string{"cosim", "check", "m.yml"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, status)
		require.Contains(t, stderr, says)
	}
	_, stderr, status := runIn(t, dir, "cosim", "check", "m.yml", "--cycles", "1000", "--json", "r.json", "--coverage", "c.json", "--seeds", "2")
	require.Equal(t, statusFail, status, stderr)
	var report struct {
		Verdict string
		Points  []struct {
			Values  []string
			Verdict string
			Report  struct{ Model string }
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &report))
	require.Len(t, report.Points, 2)
	require.Equal(t, []string{"SEED=3", "START=3"}, report.Points[1].Values)
	require.Equal(t, "lfsr", report.Points[1].Report.Model)
	text, err = os.ReadFile(filepath.Join(dir, "c.json"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"model_states"`)
}

// TestCosimCheckCoverage checks that the file name selects the form, and that the verdict names the tool that reads
// it.
func TestCosimCheckCoverage(t *testing.T) {
	dir := checkFolder(t, "")
	for file, says := range map[string][2]string{
		"c.info": {"TN:starloom\nSF:dut.sv\n", "coverage: c.info; look at it with: genhtml --branch-coverage -o coverage c.info\n"},
		"c.dat": {"# SystemC::Coverage-3\nC '", "coverage: c.dat; verilator_coverage reads it and merges it with other " +
			"files\n"},
		"c.json": {"{\n  \"schema\": 1,", "coverage: c.json\n"},
		"c.txt":  {"lines ", "coverage: c.txt\n"},
	} {
		stdout, stderr, status := runIn(t, dir, "cosim", "check", "m.yml", "--cycles", "1000", "--coverage", file)
		require.Equal(t, statusPass, status, stderr)
		require.Contains(t, stdout, "coverage of the RTL: ")
		require.Contains(t, stdout, says[1])
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		require.Contains(t, string(text), says[0])
	}
	_, stderr, status := runIn(t, dir, "cosim", "check", "m.yml", "--backend", "icarus", "--coverage", "no.txt")
	require.Equal(t, statusInput, status)
	require.Contains(t, stderr, "--backend: coverage of RTL needs backend: wasm, but backend is icarus; delete "+
		"backend, or do not request coverage")
	require.NoFileExists(t, filepath.Join(dir, "no.txt"))
}

func runIn(t *testing.T, dir string, args ...string) (stdout, stderr string, status int) {
	r := starloomIn(t, dir, args...)
	return r.stdout, r.stderr, r.status
}

// TestCheckParameterOfAMachine checks that a map with parameters of a machine is refused outside of one, with flags
// that work.
func TestCheckParameterOfAMachine(t *testing.T) {
	dir := folder(t, map[string]string{"dark.v": "module dark #(parameter N = 1) (input [N-1:0] one, output up); assign up = |one; endmodule\n", "dark.yml": `model: star_coupler
params: {N: $D}
top: dark
sources: [dark.v]
pins: {rail1_i: one, rail1_o: up}
absent: [rail0_o, violation_o]
`})
	for _, command := range []string{"check", "prove"} {
		_, stderr, status := runIn(t, dir, "cosim", command, "dark.yml")
		require.Equal(t, statusInput, status)
		require.Contains(t, stderr, "dark.yml: star_coupler: parameter D has no value; for example parameters: {D: 4, PHIT_BITS: 8}, or with a command -G D=4 -G PHIT_BITS=8")
		_, stderr, status = runIn(t, dir, "cosim", command, "dark.yml", "-G", "PHIT_BITS=1")
		require.Equal(t, statusInput, status)
		require.Contains(t, stderr, "parameter D has no value; for example parameters: {D: 4, PHIT_BITS: 8}, or with a command -G D=4;")
		_, stderr, status = runIn(t, dir, "cosim", command, "dark.yml", "-G", "N=3")
		require.Equal(t, statusInput, status)
		require.Contains(t, stderr, "-G: N of the RTL follows D of the model; give -G D=3")
	}
}
