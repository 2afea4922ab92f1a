//go:build linux

package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const asserted = `module q(input clk, input rst_n, input up, output logic [2:0] n);
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) n <= 0; else if (up && n != 5) n <= n + 1;
  most: assert property (@(posedge clk) disable iff (!rst_n) n <= LIMIT);
  end_: cover property (@(posedge clk) disable iff (!rst_n) n == 5);
  kept: assume property (@(posedge clk) disable iff (!rst_n) n == 4 |-> up);
endmodule
`

const assertedMap = "top: q\nsources: [q.sv]\ndefines: {LIMIT: 4}\nclock: clk\nreset: {pin: rst_n, active: low}\n" +
	"goals: only\n"

// TestLongProveGoals follows a user: a refuted assertion in every form of output, then a proof, and refusals.
func TestLongProveGoals(t *testing.T) {
	source := strings.ReplaceAll(asserted, "LIMIT", "`LIMIT")
	dir := folder(t, map[string]string{"q.sv": source, "q.yml": assertedMap,
		"good.yml": strings.Replace(assertedMap, "LIMIT: 4", "LIMIT: 5", 1),
		"both.yml": "model: counter\n" + assertedMap, "seq.sv": strings.Replace(source, "n == 5", "n == 4 ##1 n == 5", 1),
		"seq.yml": strings.Replace(assertedMap, "q.sv", "seq.sv", 1)})
	r := starloomIn(t, dir, "cosim", "prove", "q.yml", "--json", "p.json", "--html", "p.html", "--junit", "p.xml", "--vcd",
		"p.vcd", "--save", "p.csv")
	require.Equal(t, statusFail, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "assert most (q.sv:3:9): refuted in cycle 6\n")
	require.Contains(t, r.stdout, "waveform of most: p.vcd\ninputs of most: p.csv\n")
	require.Contains(t, contents(t, dir, "p.vcd"), "$enddefinitions")
	var report struct {
		Verdict string
		Goals   []struct {
			Name, Verdict string
			Cycle         int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(contents(t, dir, "p.json")), &report))
	require.Equal(t, "goals", report.Verdict)
	require.Equal(t, "most", report.Goals[0].Name)
	require.Equal(t, 6, report.Goals[0].Cycle)
	cases := readJUnit(t, filepath.Join(dir, "p.xml")).Suite.Cases
	require.Len(t, cases, 3)
	page := read(contents(t, dir, "p.html"))
	for _, part := range []string{"assert most (q.sv:3:9): refuted in cycle 6", "cover end_ (q.sv:4:9): reached in cycle 6",
		"assume kept (q.sv:5:9): assumed"} {
		require.Contains(t, page, part)
	}

	r = starloomIn(t, dir, "cosim", "prove", "good.yml")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "3 assertions: 1 proved, 1 reached, 1 assumed\n")
	for args, said := range map[string]string{
		"check q.yml":    "goals: only names none",
		"prove both.yml": "the map names a model",
		"prove seq.yml":  "seq.sv:4:",
	} {
		r = starloomIn(t, dir, append([]string{"cosim"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, r.status, r.stdout+r.stderr)
		require.Contains(t, r.stderr, said)
	}
}

// TestCheckEvaluatesGoals checks that a check ends at an assertion that fails, with its name, line and cycle, and that
// its coverage names covers and conditions that never held. An assume restricts only proofs.
func TestCheckEvaluatesGoals(t *testing.T) {
	source := `module ud(input clk, input rst, input up, input down, output logic [3:0] count);
  always @(posedge clk) if (rst) count <= 0; else if (up & ~down & count != 11) count <= count + 1;
    else if (down & ~up & count != 0) count <= count - 1;
  low: assert property (@(posedge clk) disable iff (rst) count < 12);
  odd: assert property (@(posedge clk) disable iff (rst) count == 13 |-> up);
  end_: cover property (@(posedge clk) disable iff (rst) count == 11);
  never: cover property (@(posedge clk) disable iff (rst) count == 14);
endmodule
`
	text := "model: counter\nparameters: {MAX: 11, MODE: 0}\ntop: ud\nsources: [SOURCE]\nclock: clk\nreset: rst\n" +
		"pins: {up: up, down: down, count: count}\nabsent: [overflow, underflow]\ngoals: beside\n"
	files := map[string]string{"good.sv": source, "bad.sv": strings.Replace(source, "count < 12", "count < 3", 1),
		"assumed.sv": strings.Replace(source, "low: assert", "low: assume", 1)}
	for _, name := range []string{"good", "bad", "assumed"} {
		files[name+".yml"] = strings.Replace(text, "SOURCE", name+".sv", 1)
	}
	dir := folder(t, files)
	for _, c := range []struct {
		name   string
		status int
		said   []string
	}{
		{"good", statusPass, []string{"\nevaluated in every cycle: 2 assertions of the RTL\n", " 2 of 2 lines, ",
			" 1 of 3 cover properties", "\nnever held: odd_condition (good.sv:5), never (good.sv:7)\n"}},
		{"bad", statusFail, []string{"fail: the RTL ends in cycle 4: fatal: bad.sv:4: ", "low (bad.sv:4:8) fails\n"}},
		{"assumed", statusPass, []string{
			"\nassertions of the RTL are not evaluated: assume low (assumed.sv:4:8) restricts the inputs of a proof only\n"}},
	} {
		r := starloomIn(t, dir, "cosim", "check", c.name+".yml", "--cycles", "500", "--coverage", c.name+".txt")
		require.Equal(t, c.status, r.status, r.stdout+r.stderr)
		for _, part := range c.said {
			require.Contains(t, r.stdout, part)
		}
	}
}
