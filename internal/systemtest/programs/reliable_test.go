package programs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// lossyMachines are small machines for the programs that send lost frames again.
var lossyMachines = map[string]struct{ program, fabric string }{
	"bus": {"bus/stop-and-wait", "fabric: {bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: round_robin}}"},
	"star": {"netlist/reliable", `fabric: {netlist: {nodes: {"p[0..3]": processor, s: star},
  links: [["p[0..3]:0", s], ["p[0]:1", "p[1]:1"]]}}`},
	"torus": {"netlist/reliable", "fabric: {netlist: {torus: {k: [3, 3]}}}"},
	"crossbar": {"netlist/reliable", `fabric: {netlist: {nodes: {"p[0..3]": processor, x: crossbar},
  links: [["p[0..3]", x]]}}`},
	"one port": {"netlist/reliable", `fabric: {netlist: {access: one, nodes: {"p[0..3]": processor, "s[0..1]": star},
  links: [["p[0..2]", "s[0]"], ["p[1..3]", "s[1]"]]}}`},
	"credits": {"netlist/reliable", `fabric: {netlist: {nodes: {"p[0..3]": processor},
  links: [{endpoints: ["p[0..2]", "p[1..3]"], credits: {depth: 2, resync_slots: 8}}]}}`},
	"routers": {"netlist/reliable", "fabric: {netlist: {mesh: {k: [2, 2]}, router: {vcs: 2, depth: 4}}}"},
}

func lossy(t testing.TB, machine, firmware, rest string) *starloom.Scenario {
	s, err := starloom.ParseScenario("lossy.yaml", []byte("starloom: 1\n"+lossyMachines[machine].fabric+
		"\nfirmware: {"+firmware+"}\nworkload: {permutation: reverse}\nstop: {slots: 20000}\n"+rest))
	require.NoError(t, err)
	return s
}

// TestReliable: the programs keep their rules on every kind of medium, whichever frames are lost, with 200 seeds; both
// engines agree; no_loss judges only frames that no fault took.
func TestReliable(t *testing.T) {
	for name, m := range lossyMachines {
		for _, kind := range []string{"drop", "miss", "bit_flip"} {
			if name == "routers" && kind == "miss" {
				continue // a channel has one receiver
			}
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := lossy(t, name, "program: "+m.program, "faults: {random: {kind: "+kind+", rate: 0.2}}")
				seeds, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 200}, starloom.RunOptions{})
				require.NoError(t, err)
				require.Empty(t, seeds.Failed)
				run := systemtest.RunBoth
				if name == "routers" { // they need the cycle engine
					run = runOnce
				}
				report := run(t, s)
				require.Positive(t, report.Faults[0].Count)
				require.Contains(t, reportText(t, report), "(only frames not lost to faults: ")
			})
		}
	}
}

func reportText(t testing.TB, r *starloom.Report) string {
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	return text.String()
}

func runOnce(t testing.TB, s *starloom.Scenario) *starloom.Report {
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	return report
}

// TestReliableMistakes plants mistakes in the programs, which a rule finds under losses.
func TestReliableMistakes(t *testing.T) {
	for _, c := range []struct{ name, machine, right, wrong string }{
		{"takes a piece twice", "bus", "frame->tag == expected && ", ""},
		{"takes any acknowledgement", "bus", " || frame->tag != (s->sent & 1)", ""},
		{"wrong bit", "bus", "frame->tag != (s->sent & 1)", "frame->tag != (s->sent >> 1 & 1)"},
		{"its timer never fires", "bus", "if (s->timer > 0) s->timer--;", ""},
		{"acknowledges a piece once", "bus", "    s->owes = 1;", "    s->owes = frame->tag == expected;"},
		{"takes a piece twice", "star", "p.number == s->received && ", ""},
		{"takes the piece before again", "torus", "p.number == s->received && ", "p.number + 1 >= s->received && "},
		{"counts acknowledgements", "torus",
			"if (p.number <= s->sent) return; /* an old one */\n    s->sent = p.number;", "s->sent++;"},
		{"its timer never fires", "torus", "if (s->timer > 0) s->timer--;", ""},
		{"acknowledges a piece once", "star", "accept(nic, s, p);\n", "accept(nic, s, p);\n    else return;\n"},
	} {
		t.Run(c.machine+"/"+c.name, func(t *testing.T) {
			source, err := os.ReadFile("firmware/programs/" + lossyMachines[c.machine].program + ".c")
			require.NoError(t, err)
			require.Contains(t, string(source), c.right)
			path := filepath.Join(t.TempDir(), "mutant.c")
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(source), c.right, c.wrong, 1)), 0o644))
			image := strings.TrimSuffix(path, ".c") + ".wasm"
			require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: path, Output: image}))
			const rest = "rules: {exactly_once: true, results: {wrong: 0}}\nnic: {payload_bytes: 16, rx_frames: 8}\n" +
				"faults: {random: {kind: drop, rate: 0.2}}"
			failed := 0
			for _, timeout := range []string{"2", "16"} { // shorter and longer than a piece and its acknowledgement take
				s := lossy(t, c.machine, "image: "+image+", params: {timeout: "+timeout+"}", rest)
				s.Stop.Slots = 2000
				report, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 40}, starloom.RunOptions{})
				require.NoError(t, err)
				failed += len(report.Failed)
			}
			require.Positive(t, failed)
		})
	}
}
