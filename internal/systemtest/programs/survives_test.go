package programs

import (
	"fmt"
	"starloom/internal/inside"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// survived are the programs of each page, in a small network with the rules that they bring.
var survived = map[string][]struct{ program, rest string }{
	"pops": {
		{"pops/random", "fabric: {pops: {groups: 4, group_size: 4}}"}, {"pops/random-corrected", "fabric: {pops: {groups: 2, group_size: 4}}"},
		{"pops/offline", "fabric: {pops: {groups: 2, group_size: 4}}"}, {"pops/sort", "fabric: {pops: {groups: 2, group_size: 2}}"},
		{"pops/one-to-all", "fabric: {pops: {groups: 2, group_size: 4}}\nworkload: {one_to_all: {source: 0}}"},
		{"pops/two-hops", "fabric: {pops: {groups: 2, group_size: 2}}"},
	},
	"ej": {
		{"ej/improved", oneEJ}, {"ej/previous", oneEJ}, {"ej/general", oneEJ}, {"ej/all-to-all-c1", allEJ}, {"ej/all-to-all-c2", allEJ},
	},
	"crossbar": {{"gossip/fsa", "fabric: {crossbar: {ports: 4}}\nworkload: {gossip: {}}"},
		{"gossip/optimal", "fabric: {crossbar: {ports: 4}}\nworkload: {gossip: {}}"}, {"gossip/voting", "fabric: {crossbar: {ports: 5}}\nworkload: {gossip: {}}"},
		{"gossip/hopfield", "fabric: {crossbar: {ports: 4}}\nworkload: {gossip: {}}"}},
	"bus": {{"bus/two-phase", "fabric: {bus: {vertices: 10, length: 3}}"}, {"bus/improved", "fabric: {bus: {vertices: 10, length: 3}}"},
		{"bus/naive", "fabric: {bus: {vertices: 10, length: 3}}"}, {"bus/sensors", "fabric: {bus: {vertices: 4, buses: [[1, 2, 3, 0]], arbiter: fixed}}"},
		{"bus/stop-and-wait", "fabric: {bus: {vertices: 4, buses: [[1, 2, 3, 0]], arbiter: fixed}}\nworkload: {permutation: reverse}"}},
	"netlist": {{"netlist/gossip", ring + "workload: {gossip: {}}"}, {"netlist/flood", ring + "workload: {one_to_all: {source: 0}}"}, {"netlist/next-hop", ring},
		{"netlist/reliable", ring + "workload: {permutation: reverse}"}},
	"routers": {{"netlist/direct", mesh}, {"netlist/unicast", mesh + "workload: {one_to_all: {source: 0}}"},
		{"netlist/exchange", mesh + "workload: {all_to_all: {}}"},
		{"netlist/request-reply", mesh + "workload: {all_to_all: {}}"},
		{"netlist/reliable", mesh + "workload: {permutation: reverse}"}},
}

const (
	oneEJ = "fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nworkload: {one_to_all: {source: 0}}"
	allEJ = "fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nworkload: {all_to_all: {}}"
	ring  = "fabric: {netlist: {ring: {n: 5}}}\n"
	mesh  = "fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}\n"
)

// TestProgramsSurvive checks the tables of the pages, which list the survived ones of four faults: a run keeps all
// rules with the fault in any of its first eight slots. The processor is the second one.
func TestProgramsSurvive(t *testing.T) {
	faults := []struct{ title, text string }{
		{"all frames of a slot are lost", "{kind: drop, slots: {list: [%d]}}"}, {"a processor stops", "{kind: dead, targets: [%[2]s], slots: {from: %[1]d}}"},
		{"a processor restarts", "{kind: restart, targets: [%[2]s], slots: {list: [%[1]d]}}"}, {"a handler is not called",
			"{kind: clock_pause, targets: [%[2]s], slots: {list: [%[1]d]}}"},
	}
	for page, programs := range survived {
		var table strings.Builder
		fmt.Fprintf(&table, "| program | %s | %s | %s | %s |\n| --- | --- | --- | --- | --- |\n", faults[0].title, faults[1].title, faults[2].title, faults[3].title)
		for _, p := range programs {
			base := "starloom: 1\n" + p.rest + "\nfirmware: {program: " + p.program + "}\n"
			run := func(fault string) *starloom.Report {
				s, err := starloom.ParseScenario("survives.yaml", []byte(base+fault))
				require.NoError(t, err, base+fault)
				report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: starloom.MachineOptions{Runtime: "interpreter", Workers: 1}})
				require.NoError(t, err, base+fault)
				return report
			}
			plain := run("")
			require.Equal(t, starloom.VerdictPass, plain.Verdict, base)
			s, err := starloom.ParseScenario("survives.yaml", []byte(base))
			require.NoError(t, err)
			second := fmt.Sprintf("%q", inside.Decided(s).Network.Names().Processor(1))
			fmt.Fprintf(&table, "| `%s` ", p.program)
			for i, f := range faults {
				said := "yes"
				for slot := range min(8, plain.Slots) {
					args := []any{slot, second}
					if i == 0 {
						args = args[:1]
					}
					if r := run("faults: {schedule: [" + fmt.Sprintf(f.text, args...) + "]}\n"); r.Verdict != starloom.VerdictPass {
						said = fmt.Sprintf("no: `%s`, slot %d", r.Violations[0].Rule, slot)
						break
					}
				}
				table.WriteString("| " + said + " ")
			}
			table.WriteString("|\n")
		}
		systemtest.GoldenPart(t, "docs/reference/"+page+".md", "<!-- what programs survive -->\n", "<!-- end of it -->\n", table.String())
	}
}

// TestRestartBeginsAgain is what the ABI says of a restart: the start handler sees slot 0, the next handler the slot of
// the run, and the state is empty again.
func TestRestartBeginsAgain(t *testing.T) {
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		for rules, broken := range map[string]int{"start: 0, state: 0, first: {min: 0, max: 5}": 0,
			"start: 0, state: 0, first: {max: 4}": 1, "first: 0": 1, "first: distinct": 0} {
			s, err := starloom.ParseScenario("restarts.yaml",
				[]byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 1}}\nfirmware: {image: "+systemtest.Image(t, "starts")+
					"}\nrules: {results: {"+rules+"}}\nstop: {slots: 20}\nfaults: {schedule: [{kind: restart, targets: ['pops.group[1].nic[0]'], slots: {list: [5]}}]}\n"))
			require.NoError(t, err)
			report, err := starloom.Run(t.Context(), s,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: engine}})
			require.NoError(t, err)
			require.EqualValues(t, 1, report.Faults[0].Count)
			require.Len(t, report.Violations, broken, "%s: %+v", rules, report.Violations)
			for _, v := range report.Violations {
				require.Equal(t, []string{starloom.RuleResults, "pops.group[1].nic[0]"}, []string{v.Rule, v.Path})
				require.Contains(t, v.Message, "5")
			}
		}
	}
}
