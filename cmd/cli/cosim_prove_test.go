//go:build linux

package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim/prove"
)

// held is RTL for arbiter_fixed; wanting is the same without the priority of the holder.
const (
	held = `module held(input clk, input rst_n, input scan, input [3:0] req, output reg [3:0] gnt);
    always @(posedge clk or negedge rst_n)
        if (!rst_n) gnt <= 0;
        else if (!(gnt & req)) gnt <= scan ? 0 : req & -req;
endmodule
`
	heldMap = `model: arbiter_fixed
parameters: {REQUESTERS: 4}
top: held
sources: [held.v]
clock: clk
reset: {pin: rst_n, active: low}
pins: {request: req, grant: gnt}
absent: [index]
ties: {scan: 0}
`
)

// TestLongProve follows a user: a proof, its page, the cache, a folder that repeats the proof, and a proof after a
// check.
func TestLongProve(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := folder(t, map[string]string{"held.v": held, "held.yml": heldMap})
	cached := func() bool {
		r := starloomIn(t, dir, "cosim", "prove", "held.yml", "--json", "p.json", "--html", "p.html", "--junit", "p.xml")
		require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
		require.Equal(t, strings.Contains(r.stdout, "in an earlier run"), strings.Contains(contents(t, dir, "p.html"), "in an earlier run"))
		require.Contains(t, readJUnit(t, filepath.Join(dir, "p.xml")).Suite.Cases[0].Output, "equal: ")
		var report struct {
			Cached bool
			Tools  []string
		}
		require.NoError(t, json.Unmarshal([]byte(contents(t, dir, "p.json")), &report))
		require.Contains(t, strings.Join(report.Tools, " "), "Yosys")
		return report.Cached
	}
	require.False(t, cached())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "held.v"), []byte("`ifdef VERILATOR\n`else\n`endif\n"+held), 0o644))
	require.True(t, cached(), "the same logic")
	require.Contains(t, read(contents(t, dir, "p.html")), "warning: held.v:1: IFDEF: read with VERILATOR defined")
	require.Contains(t, contents(t, dir, "p.json"), `"code": "IFDEF"`)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "held.v"), []byte(strings.Replace(held, "req & -req", "req & (~req + 1)", 1)), 0o644))

	page := read(contents(t, dir, "p.html"))
	for _, part := range []string{"Proved equal", "not compared: index_o", "not checked with other values of tied inputs: scan is 0", "mistakes planted in the twin", "X and undriven nets may have any value", "Yosys", "starloom cosim prove held.yml"} {
		require.Contains(t, page, part)
	}

	r := starloomIn(t, dir, "cosim", "prove", "held.yml", "--cycles", "1000000", "--time", "2s", "--html", "u.html")
	require.Equal(t, statusUndecided, r.status, r.stdout+r.stderr)
	said := regexp.MustCompile(`\nundecided: 4 of 4 bits not proved in 2s\nno difference in the first [\d,]+ cycles after a reset at power-on\n` +
		`with more time: starloom cosim prove held.yml --cycles 1000000 --time 20s\nfor these cycles alone: starloom (cosim prove held.yml --cycles \d+)\n` +
		`to look for a difference: starloom cosim check held.yml\n$`).FindStringSubmatch(r.stdout)
	require.NotNil(t, said, r.stdout)
	require.Contains(t, read(contents(t, dir, "u.html")), "starloom "+said[1])
	r = starloomIn(t, dir, "cosim", "prove", "held.yml", "--cycles", "20")
	require.Equal(t, statusBounded, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "\nequal up to 20 cycles after the first reset: 1 of 2 outputs (not compared: index_o), 4 bits, for all inputs; "+
		"later cycles are not proved\n")

	r = starloomIn(t, dir, "cosim", "prove", "held.yml", "--folder", "proved")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.NotContains(t, r.stdout, "in an earlier run", "a folder has what decides it")
	run := contents(t, dir, "proved/run.sh")
	require.Contains(t, run, "#   Yosys")
	repeated, err := exec.Command("sh", filepath.Join(dir, "proved", "run.sh")).CombinedOutput()
	require.NoError(t, err, string(repeated))
	require.Regexp(t, "Status = 1|outputs proved", string(repeated))
	wrong := strings.NewReplacer("\nproved '", "\nrefuted '", "; lcorr; scorr; scorr -F 2", "").Replace(run)
	require.NotEqual(t, run, wrong)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "proved", "wrong.sh"), []byte(wrong), 0o644))
	repeated, err = exec.Command("sh", filepath.Join(dir, "proved", "wrong.sh")).CombinedOutput()
	require.Error(t, err, string(repeated))

	r = starloomIn(t, dir, "cosim", "check", "held.yml", "--cycles", "1000", "--explore", "0", "--prove", "--html", "c.html")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "equal: 1 of 2 outputs")
	for _, part := range []string{"No difference found", "Proved equal", "not compared: index_o", "The RTL was not checked with other values of tied inputs: scan is 0."} {
		require.Contains(t, read(contents(t, dir, "c.html")), part)
	}

	wrong = strings.NewReplacer("gnt);", "gnt);\n    reg [23:0] past;", "gnt <= 0", "{gnt, past} <= 0", // needs six successive requests that random inputs do not contain
		"else if", "else begin past <= {past[19:0], req}; if (past == 24'h5A693C) gnt <= 0; else if", "-req;", "-req; end").Replace(held)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "held.v"), []byte(wrong), 0o644))
	r = starloomIn(t, dir, "cosim", "prove", "held.yml", "--html", "d.html", "--folder", "refuted")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	for _, part := range []string{"The RTL differs from its model in cycle", "cosim prove held.yml --vcd", "cosim check held.yml --stimulus"} {
		require.Contains(t, read(contents(t, dir, "d.html")), part)
	}
	require.Contains(t, contents(t, dir, "d.html"), `class="scroll waves"`, "the waveform leads the page")
	require.Contains(t, r.stdout, "differs: found by bmc3; in lockstep:")
	require.Contains(t, r.stdout, "for a waveform and the inputs: starloom cosim prove held.yml --vcd prove.vcd --save prove.csv\n")
	requireRefutedAgain(t, dir, r.stdout)
}

func contents(t *testing.T, dir, name string) string {
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

// TestUndecidedSaysWhatNext checks the advice for an undecided proof: more time if engines ran, fewer cycles if some
// are proved.
func TestUndecidedSaysWhatNext(t *testing.T) {
	o := &proveFlags{limit: 5 * time.Minute}
	look := "to look for a difference: starloom cosim check m.yml"
	require.Equal(t, look, o.undecided(&prove.Report{}, "m.yml"), "it was refused: time does not help")
	require.Equal(t, look, o.undecided(&prove.Report{Took: time.Second, Depth: 12}, "m.yml"), "a counterexample that does not replay")
	require.Equal(t, "with more time: starloom cosim prove m.yml --time 50m0s\n"+look, o.undecided(&prove.Report{Late: true}, "m.yml"))
	require.Equal(t, "with more time: starloom cosim prove m.yml --time 50m0s\nfor these cycles alone: starloom cosim prove m.yml --cycles 12\n"+look,
		o.undecided(&prove.Report{Late: true, Depth: 12}, "m.yml"))
	o.limit = 3 * time.Hour
	require.Equal(t, "with more time: starloom cosim prove m.yml --time 24h0m0s\n"+look, o.undecided(&prove.Report{Late: true}, "m.yml"))
}

// TestNoProofOfTwoClocks checks that an impossible proof is refused with the reason and refers to the check, and does
// not suggest more time.
func TestNoProofOfTwoClocks(t *testing.T) {
	for name, reason := range map[string]string{
		"double_rate_link": "the map has 2 clocks, but a proof needs a single clock",
		"two_clock_fifo":   "async_fifo accepts full_o, empty_o from the RTL within bounds; a proof needs a model that defines them",
	} {
		t.Run(name, func(t *testing.T) {
			sources, err := filepath.Abs("../../examples/rtl")
			require.NoError(t, err)
			text := strings.Replace(contents(t, sources, name+".yml"), "sources: [", "backend: icarus\nsources: ["+sources+"/", 1)
			dir := folder(t, map[string]string{"m.yml": text})
			r := starloomIn(t, dir, "cosim", "prove", "m.yml", "--html", "p.html", "--folder", "proof")
			require.Equal(t, statusUndecided, r.status, r.stdout+r.stderr)
			require.True(t, strings.HasSuffix(r.stdout, "\nundecided: "+reason+"\nto look for a difference: starloom cosim check m.yml\n"), r.stdout)
			require.Contains(t, contents(t, dir, "proof/verdict.txt"), reason)
			page := read(contents(t, dir, "p.html"))
			require.Contains(t, page, reason)
			require.Contains(t, page, "starloom cosim check m.yml")
			require.NotContains(t, page, "--time")
			r = starloomIn(t, dir, "cosim", "check", "m.yml", "--cycles", "300", "--explore", "300")
			require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
		})
	}
}

// TestLongGoalsRepeated: the folder of a proof of assertions repeats it without Starloom, and no script passes that
// says the contrary of a verdict.
func TestLongGoalsRepeated(t *testing.T) {
	dir := folder(t, map[string]string{"count.sv": "module count(input clk, input rst, input up, output logic [2:0] n);\n" +
		"  always_ff @(posedge clk) if (rst) n <= 0; else if (up && n < 5) n <= n + 1;\n" +
		"  bound: assert property (@(posedge clk) disable iff (rst) n <= 5);\n" +
		"  below: assert property (@(posedge clk) disable iff (rst) n < 4);\n" +
		"  five: cover property (@(posedge clk) disable iff (rst) n == 5);\nendmodule\n",
		"count.yml": "top: count\nsources: [count.sv]\nclock: clk\nreset: rst\ngoals: only\n"})
	r := starloomIn(t, dir, "cosim", "prove", "count.yml", "--folder", "proof")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "3 assertions: 1 proved, 1 refuted, 1 reached")
	require.Contains(t, r.stdout, "\nto repeat it: sh proof/run.sh\n")
	run := contents(t, dir, "proof/run.sh")
	require.Contains(t, run, "\n# decides bound, below\n")
	for old, other := range map[string]string{"": "", "\nproved '": "\nrefuted '", "\nrefuted '": "\nproved '", "; lcorr; scorr; scorr -F 2": ""} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "proof", "try.sh"), []byte(strings.ReplaceAll(run, old, other)), 0o644))
		said, err := exec.Command("sh", filepath.Join(dir, "proof", "try.sh")).CombinedOutput()
		if !strings.Contains(run, old) {
			continue
		}
		require.Equal(t, old == other, err == nil, "%q: %s", old, said)
	}
}
