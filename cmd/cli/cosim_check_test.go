//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/twin"
)

const (
	checkMap = `model: lfsr
parameters: {SEED: 1}
top: dut
sources: [dut.sv]
clock: clk
reset: rst
pins: {enable: go, value: v}
`
	checkRTL = `module dut(input clk, input rst, input go, output reg [31:0] v);
  always @(posedge clk) if (rst) v <= 1; else if (go) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 32'd0);
  // more
endmodule
`
)

// checkFolder returns a folder with a map and RTL with an additional line.
func checkFolder(t *testing.T, more string) string {
	return folder(t, map[string]string{"m.yml": checkMap, "dut.sv": strings.Replace(checkRTL, "// more", more, 1), "s.yaml": smallScenario,
		"two.yml":   strings.Replace(checkMap, "dut.sv", "two.sv", 1),
		"reset.yml": strings.NewReplacer("dut.sv", "two.sv", "top: dut", "top: one", "reset: rst\n", "").Replace(checkMap),
		"clock.yml": strings.NewReplacer("dut.sv", "two.sv", "top: dut", "top: one", "clock: clk\n", "").Replace(checkMap),
		"two.sv": "module one(input clk, input rst, input go, output reg [31:0] v); always @(posedge clk or posedge rst) if (rst) v <= 1; else if (go) v <= v + 1; endmodule\n" +
			"module dut(input clk, input rst, input go, input clk_b, output reg [31:0] v); one o(clk, rst, go, v); reg b; always @(negedge clk_b) b <= go; endmodule\n",
		"none.yml":  strings.Replace(checkMap, ", value: v}", "}\nabsent: [value]", 1),
		"reset.csv": "cycle,reset,enable_i\n0,1,0\n3,1,1\n",
		"i.yml":     strings.Replace(checkMap, "top: dut\nsources: [dut.sv]", "image: dut.wasm", 1)})
}

func TestCosimCheckStatus(t *testing.T) {
	for _, c := range []struct {
		name, more, args string
		status           int
		wants            []string // texts in stdout or, with status 2, in stderr
	}{
		{"equal", "", "m.yml --cycles 1000 --seeds 2", statusPass, []string{"dut on wasm beside the model lfsr SEED=1\npass: no difference found in 1 of 1 output: 2,000 cycles of inputs, 3 times, each from a different power-on state, then 16,000 cycles guided by coverage of the model, which stopped growing after "}},
		{"twin", "", "--twin lfsr -G SEED=0x7EDCBA98 --cycles 1000", statusPass, []string{"model lfsr SEED=2128394904\npass"}},
		{"differs", "always @(posedge clk) if (!rst && v[0]) v <= 2;", "m.yml --cycles 1000", statusFail, []string{"fail: value_o (v) differs in cycle ", "starloom cosim check m.yml --cycles 1000 --vcd check.vcd --save check.csv"}},
		{"unknown", "always @(posedge clk) if (!rst && v[1]) v <= 32'bx;", "m.yml --backend icarus --cycles 200", statusFail, []string{"fail: value_o (v) is unknown in cycle ", "the RTL xxxxxxxx"}},
		{"finish", "always @(posedge clk) if (!rst && go) begin $display(\"good bye\"); $finish; end", "m.yml", statusFail, []string{"fail: the RTL ends in cycle 1: finish", "the RTL has printed:\ngood bye"}},
		{"fatal", "always @(posedge clk) if (!rst && go) $fatal(1, \"no way\");", "m.yml", statusFail, []string{"fail: the RTL ends in cycle 1: fatal", "no way"}},
		{"fatal in Icarus", "always @(posedge clk) if (!rst && go) $fatal(1, \"no way\");", "m.yml --backend icarus", statusFail, []string{"fail: the RTL ends in cycle 1: fatal", "no way"}},
		{"error in Icarus", "always @(posedge clk) if (!rst && go) $error(\"oh %d\", go);", "m.yml --backend icarus", statusFail, []string{"fail: the RTL ends in cycle 1: fatal", "oh 1"}},
		{"assertion", "always @(posedge clk) if (!rst && go) assert (!v[3]) else $error(\"v is %0d\", v);", "m.yml", statusFail, []string{"fail: the RTL ends in cycle ", ": fatal", "v is "}},
		{"files in Icarus", "initial begin $dumpfile(\"gone.vcd\"); $dumpvars; end integer f; initial f = $fopen(\"gone.txt\");", "m.yml --backend icarus --cycles 200", statusPass,
			[]string{"pass: no difference found in 1 of 1 output: 200 cycles of inputs, then 200 cycles guided by coverage of the model, which stopped growing after 125 cycles; longest stretch without reset: 115 cycles; 3 warnings: $dumpfile, $dumpvars, $fopen\n", "dut.sv:3: $fopen: Icarus is not a sandbox"}},
		{"finish at once", "initial $finish;", "m.yml", statusFail, []string{"fail: the RTL ends in cycle 0: finish"}},
		{"nothing compared", "", "none.yml", statusInput, []string{"none.yml:8:9: all outputs of lfsr are absent, so no output can be compared; map at least one of value_o: pins: {value_o: PIN}"}},
		{"always in reset", "", "m.yml --stimulus reset.csv", statusInput, []string{"reset.csv: reset is active in every cycle, so no output was compared; add cycles in which reset is inactive"}},
		{"one cycle", "", "m.yml --cycles 1", statusInput, []string{"--cycles: reset is active in every cycle, so no output was compared; give more than 1"}},
		{"scenario without RTL", "", "s.yaml", statusInput, []string{"the scenario has no RTL to check"}},
		{"no map", "", "", statusInput, []string{"MAP.yml is missing; give a pin map, or --twin NAME"}},
		{"two maps", "", "m.yml m.yml", statusInput, []string{"unexpected argument"}},
		{"map and twin", "", "m.yml --twin lfsr", statusInput, []string{"--twin: a map is also given: m.yml"}},
		{"parameter of a map", "", "m.yml -G A=1", statusInput, []string{"-G: a pin map has its own parameters"}},
		{"no such twin", "", "--twin lfs", statusInput, []string{`--twin: there is no model "lfs"; did you mean lfsr?`}},
		{"no such parameter", "", "--twin lfsr -G SEAD=1", statusInput, []string{"-G: lfsr has no parameter SEAD; did you mean SEED?"}},
		{"too large", "", "--twin star_coupler -G D=4000000000", statusInput, []string{"-G: D of star_coupler is 4000000000; give 0 to 65535"}},
		{"no number", "", "--twin lfsr -G SEED=x", statusInput, []string{`-G: SEED is "x"`}},
		{"bad backend", "", "m.yml --backend vcs", statusInput, []string{`--backend: "vcs" cannot be used; choose one of wasm, icarus`}},
		{"no seeds", "", "m.yml --seeds 0", statusInput, []string{`--seeds: "0" is not a range of seeds`}},
		{"RTL with a mistake", "wire", "m.yml", statusInput, []string{"dut.sv:"}},
		{"second clock", "", "two.yml", statusInput, []string{"two.yml:7:7: the RTL's input clk_b is a second clock, besides clk: its edges trigger logic; name both: clock: {clk: 1, clk_b: 1}"}},
		{"second clock in Icarus", "", "two.yml --backend icarus", statusInput, []string{"two.yml:7:7: nothing drives the RTL's input clk_b; ", "if it is a second clock, name both: clock: {clk: 1, clk_b: 1}"}},
		{"asynchronous reset", "", "reset.yml", statusInput, []string{"reset.yml:6:7: nothing drives the RTL's input rst; ", "declare a clock under clock: and a reset under reset:"}},
		{"a clock that is not named", "", "clock.yml", statusInput, []string{"clock.yml:6:7: nothing drives the RTL's input clk; write clock: clk"}},
		{"no stimulus", "", "m.yml --stimulus none.csv", statusInput, []string{"none.csv: cannot be read"}},
		{"seed of a stimulus", "", "m.yml --stimulus none.csv --seed 1", statusInput, []string{"--seed: the inputs come from none.csv"}},
		{"image on Icarus", "", "i.yml --backend icarus", statusInput, []string{"i.yml:3:8: an image needs backend: wasm"}},
		{"map as output", "", "m.yml --json m.yml", statusInput, []string{"--json: m.yml is an input of the run"}},
		{"source as output", "", "m.yml --vcd dut.sv", statusInput, []string{"--vcd: dut.sv is an input of the run"}},
		{"no folder", "", "m.yml --vcd none/c.vcd", statusInput, []string{"--vcd: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := checkFolder(t, c.more)
			before := list(t, dir)
			r := starloomIn(t, dir, strings.Fields("cosim check "+c.args)...)
			require.Equal(t, c.status, r.status, "%s%s", r.stdout, r.stderr)
			text := r.stdout
			if c.status == statusInput {
				text = r.stderr
				require.Empty(t, r.stdout)
			} else {
				require.Empty(t, r.stderr)
			}
			for _, want := range c.wants {
				require.Contains(t, text, want)
			}
			require.Equal(t, before, list(t, dir), "no file that was not asked for")
		})
	}
}

// TestCosimCheckInputsAgain checks that the printed commands, in the terminal and on the page, reproduce the case
// from its inputs.
func TestCosimCheckInputsAgain(t *testing.T) {
	dir := checkFolder(t, "always @(posedge clk) if (!rst && v[1]) v <= 32'bx;")
	r := starloomIn(t, dir, strings.Fields("cosim check m.yml --backend icarus --cycles 200 --save check.csv --html p.html")...)
	require.Equal(t, statusFail, r.status, r.stderr)
	const again = "cosim check m.yml --stimulus check.csv --backend icarus"
	require.Contains(t, r.stdout, "; run them again with: starloom "+again+"\n")
	require.Contains(t, read(contents(t, dir, "p.html")), "starloom "+again+"\n")
	r = starloomIn(t, dir, strings.Fields(again)...)
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "fail: value_o (v) is unknown in cycle ")
}

// TestCosimCheckAssertion checks that an assertion of a twin ends the check before the mistake reaches an output, and
// that the case is shrunk as usual.
func TestCosimCheckAssertion(t *testing.T) {
	fifo, err := twin.Find(twin.All(), "fifo")
	require.NoError(t, err)
	i := slices.IndexFunc(fifo.Mutants, func(m twin.Mistake) bool { return m.Name == "ring one word short" })
	dir := t.TempDir()
	_, err = twin.Mutant{Twin: fifo, Mistake: fifo.Mutants[i]}.WriteSources(dir)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.yml"), []byte("model: fifo\nparameters: {DEPTH: 4, WIDTH: 8, COUNT_BITS: 16}\ntop: fifo\nsources: [fifo.v]\nclock: clock\nreset: reset\n"+
		"pins: {push_i: push_i, data_i: data_i, pop_i: pop_i, head_o: head_o, count_o: count_o, overflow_o: overflow_o, overflows_o: overflows_o}\n"), 0o644))
	r := starloomIn(t, dir, "cosim", "check", "m.yml")
	require.Equal(t, statusFail, r.status, r.stderr)
	require.Contains(t, r.stdout, "fail: the RTL ends in cycle 4: fatal: fifo.v:86: ")
	require.Contains(t, r.stdout, "pointers: 3 words, read pointer 0, write pointer 0")
	require.Contains(t, r.stdout, "push_i ")
}

func TestCosimCheckList(t *testing.T) {
	r := starloomIn(t, t.TempDir(), "cosim", "check", "--list")
	require.Equal(t, statusPass, r.status)
	require.Contains(t, r.stdout, "arbiter_round_robin\n  does        grants the next requester after the last one granted, from the cycle after the request on, "+
		"and holds the grant while the request stays high; index_o is the number of the granted requester, 0 without a grant\n  parameters  {REQUESTERS: 4}\n  inputs      clock, reset, request_i[3:0]\n  outputs     grant_o[3:0], index_o[5:0]\n")
	require.Contains(t, r.stdout, "\nEvery parameter needs a value. The values shown are examples")
	require.NotContains(t, r.stdout, "  does        \n")
}

// TestLongCosimCheckFiles checks that the inputs of a case lead to the same case, and that equal seeds yield equal
// bytes.
func TestLongCosimCheckFiles(t *testing.T) {
	dir := checkFolder(t, "always @(posedge clk) if (!rst && v[0]) v <= 2;")
	args := func(rest string) []string {
		return strings.Fields("cosim check m.yml --vcd NAME.vcd --save NAME.csv --json NAME.json " + rest)
	}
	run := func(name, rest string) result {
		line := args(rest)
		for i := range line {
			line[i] = strings.Replace(line[i], "NAME", name, 1)
		}
		r := starloomIn(t, dir, line...)
		require.Equal(t, statusFail, r.status, r.stderr)
		return r
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	first := run("a", "--seed 5")
	require.Contains(t, first.stdout, "waveform: a.vcd; look at it with: gtkwave a.gtkw\ninputs: a.csv; run them again with: starloom cosim check m.yml --stimulus a.csv\n")
	run("b", "--seed 5")
	for _, ending := range []string{".vcd", ".csv", ".json"} {
		require.Equal(t, read("a"+ending), read("b"+ending))
	}
	for i, stimulus := range []string{"a.csv", "a.vcd"} {
		name := string(rune('c' + i))
		run(name, "--stimulus "+stimulus)
		require.Equal(t, read("a.csv"), read(name+".csv"))
		require.Equal(t, read("a.vcd"), read(name+".vcd"))
	}
	var a, c struct {
		Verdict    string
		Divergence struct {
			Text, Signal string
			Cycle        int
			Shrunk       bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read("a.json")), &a))
	require.NoError(t, json.Unmarshal([]byte(read("c.json")), &c))
	require.Equal(t, "fail", a.Verdict)
	require.Equal(t, "value_o", a.Divergence.Signal)
	require.True(t, a.Divergence.Shrunk)
	require.False(t, c.Divergence.Shrunk)
	require.Equal(t, a.Divergence.Text, c.Divergence.Text)
	require.Contains(t, read("a.gtkw"), "-model\n")
	require.Contains(t, read("a.gtkw"), "-rtl\n")
	marker := fmt.Sprintf("\n*-4.000000 %d %d%s\n[markername] Adiffers\n", a.Divergence.Cycle, a.Divergence.Cycle, strings.Repeat(" -1", 25))
	require.Contains(t, read("a.gtkw"), marker)
	require.Contains(t, read("a.gtkw"), "-lockstep\n@28\nlockstep.differs\n@1000200\n-lockstep\n@800200\n-model\n@22\nmodel.value_o[31:0]\n", "what differs comes first")
	require.Contains(t, run("a", "--vcd a.wave").stdout, "waveform: a.wave; look at it with: gtkwave a.gtkw\n")
	require.Contains(t, run("f", "--seed 5 --vcd f.fst").stdout, "waveform: f.fst; look at it with: gtkwave f.gtkw\n")
	require.Contains(t, read("f.gtkw"), "[dumpfile] \"f.fst\"\n")
	back, err := exec.Command("fst2vcd", filepath.Join(dir, "f.fst")).Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f.vcd"), back, 0o666))
	require.Equal(t, statusPass, starloomIn(t, dir, "trace", "diff", "a.vcd", "f.vcd").status)
	r := starloomIn(t, dir, "cosim", "check", "m.yml", "--vcd", "/dev/null", "--save", "/dev/null")
	require.Equal(t, statusFail, r.status)
	require.NotContains(t, r.stdout, "/dev/null", "nothing there can be opened")

	r = starloomIn(t, dir, "cosim", "check", "m.yml", "--json", "-")
	require.Equal(t, statusFail, r.status)
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &a))
	require.Contains(t, r.stderr, "fail: value_o")
}
