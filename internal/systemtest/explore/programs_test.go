package explore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/systemtest"
)

// programs are the built-in programs on machines of 2 to 4 processors, and on the smallest Eisenstein-Jacobi network.
var programs = []struct{ program, machine, fabric, workload string }{
	{"scatter/sync", "crossbar of 2", "crossbar: {ports: 2}", "scatter: {origin: 0}"},
	{"scatter/sync", "crossbar of 3", "crossbar: {ports: 3}", "scatter: {origin: 0}"},
	{"scatter/sync", "crossbar of 4", "crossbar: {ports: 4}", "scatter: {origin: 0}"},
	{"scatter/async", "crossbar of 4", "crossbar: {ports: 4}", "scatter: {origin: 0}"},
	{"gossip/fsa", "crossbar of 4", "crossbar: {ports: 4}", "gossip: {}"},
	{"gossip/optimal", "crossbar of 2", "crossbar: {ports: 2}", "gossip: {}"},
	{"gossip/optimal", "crossbar of 4", "crossbar: {ports: 4}", "gossip: {}"},
	{"pops/random", "POPS(2,2)", "pops: {groups: 2, group_size: 2}", "permutation: random"},
	{"pops/random-corrected", "POPS(2,2)", "pops: {groups: 2, group_size: 2}", "permutation: random"},
	{"pops/offline", "POPS(2,2)", "pops: {groups: 2, group_size: 2}", "permutation: random"},
	{"pops/sort", "POPS(2,2)", "pops: {groups: 2, group_size: 2}", "permutation: random"},
	{"pops/one-to-all", "POPS(2,2)", "pops: {groups: 2, group_size: 2}", "one_to_all: {source: 0}"},
	{"pops/two-hops", "POPS(2,2)", "pops: {groups: 2, group_size: 2}", "permutation: random"},
	{"bus/two-phase", "4 vertices, buses of 2", "bus: {vertices: 4, length: 2}", ""},
	{"bus/improved", "4 vertices, buses of 2", "bus: {vertices: 4, length: 2}", ""},
	{"bus/naive", "4 vertices, buses of 2", "bus: {vertices: 4, length: 2}", ""},
	{"bus/stop-and-wait", "bus of 2", "bus: {vertices: 2, buses: [[0, 1]], arbiter: fixed}", "permutation: reverse"},
	{"bus/stop-and-wait", "bus of 4", "bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: fixed}", "permutation: reverse"},
	{"ej/improved", "EJ of 7 nodes", "ej: {a: 1, b: 2, dimensions: 1}", "one_to_all: {source: 0}"},
	{"netlist/next-hop", "torus of 2x2", "netlist: {torus: {k: [2, 2]}}", "permutation: random"},
	{"netlist/flood", "torus of 2x2", "netlist: {torus: {k: [2, 2]}}", "one_to_all: {source: 0}"},
	{"netlist/gossip", "torus of 2x2", "netlist: {torus: {k: [2, 2]}}", "gossip: {}"},
	{"netlist/reliable", "ring of 3", "netlist: {ring: {n: 3}}", "permutation: reverse"},
	{"netlist/reliable", "torus of 2x2", "netlist: {torus: {k: [2, 2]}}", "permutation: reverse"},
	{"netlist/direct", "mesh of 2x2 routers", "netlist: {mesh: {k: [2, 2]}, router: {}}", "permutation: random"},
	{"netlist/unicast", "mesh of 2x2 routers", "netlist: {mesh: {k: [2, 2]}, router: {}}", "one_to_all: {source: 0}"},
}

// tried are the kinds of faults, each with its limit.
var tried = []struct {
	kind  string
	limit int
}{{"drop", 4}, {"miss", 4}, {"bit_flip", 4}, {"restart", 2}, {"dead", 1}, {"clock_pause", 2}}

// survival explores a scenario with faults of one kind. It returns a cell of the table.
func survival(t *testing.T, scenario, kind string, limit int) string {
	t.Helper()
	s, err := starloom.ParseScenario("", []byte(scenario),
		starloom.Assignment{Key: "explore.faults", Value: fmt.Sprintf("{%s: %d}", kind, limit)})
	require.NoError(t, err)
	r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{Workers: 1})
	var refused *starloom.InputError
	if errors.As(err, &refused) {
		return "-" // the fabric has no faults of this kind
	}
	require.NoError(t, err)
	if kind == "restart" || kind == "dead" || kind == "clock_pause" { // they empty FIFOs
		require.NotContains(t, r.Rules, starloom.RuleNoLoss)
	}
	if r.Verdict == outcome.Holds {
		return fmt.Sprintf("holds for %d", limit)
	}
	require.Equal(t, outcome.Fails, r.Verdict)
	require.True(t, r.FewestShown)
	var hits []string
	for _, f := range r.Schedule {
		hits = append(hits, fmt.Sprintf("%s in slot %d", f.Target, f.Slot))
	}
	cell := fmt.Sprintf("`%s`: %s", r.Violations[0].Rule, strings.Join(hits, ", "))
	if survived := len(r.Schedule) - 1; survived > 0 {
		cell = fmt.Sprintf("holds for %d; %s", survived, cell)
	}
	return cell
}

// TestLongOwnPrograms holds the table of built-in programs under faults in the documentation. Runs of both engines
// repeat each schedule in it.
func TestLongOwnPrograms(t *testing.T) {
	rows := make([]string, len(programs))
	t.Run("explore", func(t *testing.T) {
		for i, p := range programs {
			t.Run(p.program+" on "+p.machine, func(t *testing.T) {
				t.Parallel()
				scenario := fmt.Sprintf("starloom: 1\nstop: {slots: 200}\nfabric: {%s}\nfirmware: {program: %s}\n",
					p.fabric, p.program)
				if p.workload != "" {
					scenario += "workload: {" + p.workload + "}\n"
				}
				rows[i] = fmt.Sprintf("\n| `%s` | %s |", p.program, p.machine)
				for _, x := range tried {
					rows[i] += fmt.Sprintf(" %s |", survival(t, scenario, x.kind, x.limit))
				}
			})
		}
	})
	title, line := "| program | machine |", "|---|---|"
	for _, x := range tried {
		title += fmt.Sprintf(" `%s` |", x.kind)
		line += "---|"
	}
	systemtest.GoldenPart(t, "docs/reference/faults.md", "<!-- our own programs -->\n", "<!-- end of it -->\n",
		title+"\n"+line+strings.Join(rows, "")+"\n")
}

// The run of a schedule moves the violation of a packet that never arrived to the place of its loss.
func TestMissingPacketIsRepeated(t *testing.T) {
	scenario := "starloom: 1\nstop: {slots: 100}\nfabric: {pops: {groups: 2, group_size: 2}}\n" +
		"firmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 0}}\n"
	require.Equal(t, "`exactly_once`: pops.group[0].nic[1] in slot 0", survival(t, scenario, "dead", 1))
}
