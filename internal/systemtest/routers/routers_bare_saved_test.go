package routers

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// coldLoad is a load without a warm-up.
const coldLoad = "workload: {traffic: {warm_up: 0, rate: 0.05, size: [{frames: 1}, {frames: 5}], measure: 1200}}\n"

// bareNetworks are runs of bare packets of all kinds: several sizes, on one shard and on two, allocators of several
// words, knots while others move and when nothing moves, faults.
var bareNetworks = map[string]string{
	"mesh":   "fabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}}}\nworkload: {traffic: {warm_up: 0, rate: 0.1, size: [{frames: 1}, {frames: 7}], measure: 15}}",
	"torus":  "fabric: {netlist: {torus: {k: [3, 3]}, router: {vcs: 2, wait_for_tail_credit: true, credit_delay: 2}}}\nworkload: {traffic: {warm_up: 0, rate: 0.1, size: 3, measure: 60}}",
	"shards": "fabric: {netlist: {" + largeMesh + "}}\nworkload: {traffic: {warm_up: 0, rate: 0.1, measure: 20}}",
	"wide":   "fabric: {netlist: {fly: {k: [20]}, router: {vcs: 4, depth: 2, routing_delay: 0}}}\nworkload: {traffic: {warm_up: 0, rate: 0.3, size: 2, measure: 30}}",
	"ring": "fabric: {netlist: {nodes: {\"r[0..3]\": {kind: router, ports: [east, west, local]}, \"p[0..3]\": processor}, router: {vcs: 1}, routes: shortest,\n" +
		"  links: [[\"r[0..2]:east\", \"r[1..3]:west\"], [\"r[3]:east\", \"r[0]:west\"], [\"p[0..3]\", \"r[0..3]:local\"]]}}\n" +
		"workload: {traffic: {warm_up: 0, pattern: tornado, rate: 0.1, size: 20, measure: 200}}",
	"speed-ups": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {input_speedup: 2, output_speedup: 2, internal_speedup: 1.5, output_buffer: 2, routing_delay: 3, crossbar_delay: 2}}}\nworkload: {traffic: {warm_up: 0, rate: 0.1, size: 3, measure: 60}}",
	"priorities": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {speculative: {allocator: islip}, hold_switch: true, priority: network_age, vc_allocator: separable_input_first(matrix), sw_allocator: wavefront}}}\n" +
		"workload: {traffic: {warm_up: 0, rate: 0.1, size: 3, measure: 60}}",
	"rules": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {}, routes: {rules: [" + westFirst + "]}}}\n" +
		"workload: {traffic: {warm_up: 0, rate: 0.1, size: 3, measure: 60}}",
	"picks": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 4, vc_allocator: separable_input_first}, routes: {" + overMid + "}}}\n" +
		"workload: {traffic: {warm_up: 0, rate: 0.1, size: 3, measure: 60}}",
	"classes": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 4, priority: class, allocator: separable_input_first}}}\nworkload: {traffic: {warm_up: 0, measure: 60, classes: {\n" +
		"  a: {rate: 0.05, size: 3, priority: 2, vcs: [0, 1]}, b: {rate: 0.05, requests: {read_reply: {size: 4, vcs: [2, 3]}}}}}}",
	"late":   "fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}\nworkload: {traffic: {warm_up: 0, rate: 0.0005, measure: 6000}}\nrules: {in_order: true}",
	"drop":   "fabric: {netlist: {" + faultyMesh + "}}\n" + coldLoad + "faults: {random: {kind: drop, rate: 0.01}}\nstop: {slots: 400}",
	"credit": "fabric: {netlist: {" + faultyMesh + "}}\n" + coldLoad + "faults: {random: {kind: credit_loss, rate: 0.002}}\nstop: {slots: 1100}",
	"dead":   "fabric: {netlist: {" + faultyMesh + "}}\n" + coldLoad + "faults: {schedule: [{kind: dead, targets: [\"netlist.router[5]\"], slots: {from: 30}}]}\nstop: {slots: 150}",
}

// TestRoutersSaved: a run of bare packets is the same run, state by state and in report and packets, if it is saved and
// restored at any cycle, on other workers.
func TestRoutersSaved(t *testing.T) {
	for name, text := range bareNetworks {
		t.Run(name, func(t *testing.T) {
			s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"\n"))
			require.NoError(t, err)
			savedAtCycles(t, s, map[string]int{"mesh": 1, "torus": 7, "dead": 5, "late": 1023, "credit": 101}[name])
		})
	}
}

// savedAtCycles saves a run and goes on from there every so many cycles, 0 for 19.
func savedAtCycles(t *testing.T, s *starloom.Scenario, every int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state")
	run := func(o starloom.RunOptions) (*starloom.Report, string, []byte) {
		var packets bytes.Buffer
		o.Packets = starloom.Writer(&packets)
		report, err := starloom.Run(t.Context(), s, o)
		require.NoError(t, err)
		state, err := os.ReadFile(path)
		require.NoError(t, err)
		return report, packets.String(), state
	}
	want, packets, end := run(starloom.RunOptions{State: starloom.StateFiles{Save: path, CheckpointEvery: 100}})
	require.Greater(t, want.Cycles, uint64(40))
	require.NotZero(t, want.Frames.Delivered)
	o := starloom.RunOptions{State: starloom.StateFiles{Save: path}}
	stops := 0
	for at := uint64(1); at < want.Cycles; at += uint64(cmp.Or(every, 19)) {
		o.BreakOn.Slot, o.Workers = uint32(at), 1+stops%2
		part, log, state := run(o)
		require.Equal(t, at, part.Slots)
		require.Contains(t, part.Notes[len(part.Notes)-1], fmt.Sprintf("stopped before slot %d", at))
		if stops%8 == 0 { // the state of the run that was never restored
			_, whole, direct := run(starloom.RunOptions{State: starloom.StateFiles{Save: path},
				BreakOn: starloom.Break{Slot: uint32(at)}})
			require.Equal(t, direct, state, at)
			require.Equal(t, whole, log, at)
		}
		o.State.Restore = path
		stops++
	}
	o.BreakOn = starloom.Break{}
	for range 2 { // the second time from its end
		report, log, state := run(o)
		require.Equal(t, systemtest.ReportText(t, want), systemtest.ReportText(t, report))
		require.Equal(t, packets, log)
		require.Equal(t, end, state)
	}
}

// TestLongRoutersSavedRTL: so it is with routers in Verilog.
func TestLongRoutersSavedRTL(t *testing.T) {
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+bareNetworks["mesh"]+"\nrtl: [{replace: 'netlist.router[3..5]'}]\n"))
	require.NoError(t, err)
	savedAtCycles(t, s, 19)
	plain := *s
	plain.RTL = nil
	path := filepath.Join(t.TempDir(), "state")
	_, err = starloom.Run(t.Context(), &plain, starloom.RunOptions{State: starloom.StateFiles{Save: path},
		BreakOn: starloom.Break{Slot: 9}})
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Restore: path}})
	require.ErrorContains(t, err, "the state is of other RTL; restore it with")
}

// TestBareOnTheMachine: a run without firmware stops where finish_by is broken, and a page shows the signals around its
// fault and tries what mends it, as pages of all machines do.
func TestBareOnTheMachine(t *testing.T) {
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+bareNetworks["dead"]+"\nrules: {finish_by: 100 cycles}\n"))
	require.NoError(t, err)
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Save: filepath.Join(t.TempDir(), "state")}, BreakOn: starloom.Break{Rule: starloom.RuleFinishBy}})
	require.NoError(t, err)
	require.EqualValues(t, 100, report.Slots)
	s, err = starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+strings.TrimSuffix(bareNetworks["dead"], "stop: {slots: 150}")))
	require.NoError(t, err)
	var page bytes.Buffer
	report, err = starloom.Run(t.Context(), s,
		starloom.RunOptions{Reports: starloom.ReportFiles{HTML: starloom.Writer(&page)}})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Without.Verdict)
	require.Contains(t, page.String(), "Signals around cycle 30: netlist.router[5].")
	require.Contains(t, page.String(), "the signals show their flits")
}

// TestRoutersSavedRefused: a state of something else, an altered state, and a break that is not looked for are refused.
func TestRoutersSavedRefused(t *testing.T) {
	parse := func(text string) *starloom.Scenario {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"\n"))
		require.NoError(t, err)
		return s
	}
	path := filepath.Join(t.TempDir(), "state")
	_, err := starloom.Run(t.Context(), parse(bareNetworks["mesh"]), starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Slot: 40}})
	require.NoError(t, err)
	seed, firmware := parse(bareNetworks["mesh"]), systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}", firmwareLoad)
	seed.Seed = 2
	for _, x := range []struct {
		s    *starloom.Scenario
		o    starloom.RunOptions
		want string
	}{
		{seed, starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of another seed; restore it with"},
		{parse(bareNetworks["torus"]), starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of another scenario; restore it with"},
		{firmware, starloom.RunOptions{State: starloom.StateFiles{Restore: path}}, "the state is of another firmware, another scenario"},
		{seed, starloom.RunOptions{State: starloom.StateFiles{CheckpointEvery: 2}}, "add --save-state F"},
		{seed, starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Rule: "deadlocks"}}, `did you mean "deadlock"`},
		{parse(bareNetworks["mesh"]), starloom.RunOptions{State: starloom.StateFiles{Save: path + "2", Restore: path}, BreakOn: starloom.Break{Slot: 40}}, "of slot 40, is already past slot 40"},
		{parse(bareNetworks["late"]), starloom.RunOptions{State: starloom.StateFiles{Save: path + "2"}, BreakOn: starloom.Break{Rule: "in_order"}},
			"checked only when the run has ended; break at the slot"},
		{seed, starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&bytes.Buffer{}), Processor: 9}}, "there is no processor 9; allowed: 0 to 8"},
		{seed, starloom.RunOptions{Profile: starloom.Writer(&bytes.Buffer{})}, "the run has no firmware: processors are sources and sinks"},
	} {
		_, err := starloom.Run(t.Context(), x.s, x.o)
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, x.want)
	}
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	refusals := 0
	for _, c := range systemtest.StateColumns(t, whole) {
		altered := bytes.Clone(whole)
		for i := c.First; i < c.End; i++ {
			altered[i] = 0xFF
		}
		require.NoError(t, os.WriteFile(path, systemtest.Sealed(altered), 0o644))
		if _, err := starloom.Run(t.Context(), parse(bareNetworks["mesh"]), starloom.RunOptions{State: starloom.StateFiles{Restore: path}}); err != nil {
			var refused *starloom.InputError
			require.ErrorAs(t, err, &refused, c.Name)
			require.Equal(t, "--restore", refused.Place, c.Name)
			refusals++
		}
	}
	require.Greater(t, refusals, 20)
}

// TestRoutersSavedCredit: a run stops where it finds that a credit is missing, and goes on from there.
func TestRoutersSavedCredit(t *testing.T) {
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+bareNetworks["credit"]+"\n"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "state")
	want, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	part, err := starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Save: path}, BreakOn: starloom.Break{Rule: "credits"}})
	require.NoError(t, err)
	require.EqualValues(t, 1024, part.Slots)
	require.Equal(t, starloom.VerdictFail, part.Verdict)
	rest, err := starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Restore: path}})
	require.NoError(t, err)
	require.Equal(t, systemtest.ReportText(t, want), systemtest.ReportText(t, rest))
}

// TestRoutersReplayed checks that the replay of a processor agrees with its rows in the file of packets, from the
// cycle of a restored state on.
func TestRoutersReplayed(t *testing.T) {
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+bareNetworks["mesh"]+"\n"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "state")
	var told, packets, rest bytes.Buffer
	o := starloom.RunOptions{Replay: starloom.ReplayOptions{Processor: 4}}
	o.Replay.Output, o.Packets = starloom.Writer(&told), starloom.Writer(&packets)
	_, err = starloom.Run(t.Context(), s, o)
	require.NoError(t, err)
	rows, err := csv.NewReader(&packets).ReadAll()
	require.NoError(t, err)
	lines := map[int][]string{} // by cycle
	say := func(cycle, format string, values ...any) {
		at, err := strconv.Atoi(cycle)
		require.NoError(t, err)
		lines[at] = append(lines[at], fmt.Sprintf(format, values...))
	}
	for _, row := range rows[1:] { // id, source, destination, size, created, sent, received, hops
		if row[1] == "4" {
			say(row[4], "packet %s to %s is created, ", row[0], row[2])
			say(row[5], "sends the head of packet %s", row[0])
		}
		if row[2] == "4" {
			say(row[6], "receives the tail of packet %s from %s, created in cycle %s, over %s router", row[0], row[1], row[4], row[7])
		}
	}
	got := strings.Split(strings.TrimSpace(told.String()), "\n")
	require.Equal(t, "netlist.p[4] has no firmware: its source and sink "+
		"in "+fmt.Sprint(cyclesOf(t, got[0]))+" cycles", got[0])
	require.Len(t, got, len(lines)+1)
	last := -1
	for _, line := range got[1:] {
		cycle, what, found := strings.Cut(strings.TrimPrefix(line, "cycle "), ": ")
		require.True(t, found)
		at, err := strconv.Atoi(cycle)
		require.NoError(t, err)
		require.Greater(t, at, last)
		last = at
		require.Len(t, strings.Split(what, "; "), len(lines[at]), line)
		for _, part := range lines[at] {
			require.Contains(t, what, part)
		}
	}

	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{State: starloom.StateFiles{Save: path},
		BreakOn: starloom.Break{Slot: 20}})
	require.NoError(t, err)
	o.Replay.Output, o.Packets, o.State.Restore = starloom.Writer(&rest), starloom.Output{}, path
	_, err = starloom.Run(t.Context(), s, o)
	require.NoError(t, err)
	begun := slices.IndexFunc(got, func(line string) bool {
		var cycle int
		_, err := fmt.Sscanf(line, "cycle %d:", &cycle)
		return err == nil && cycle >= 20
	})
	require.Contains(t, rest.String(), " from cycle 20 on\n")
	_, after, _ := strings.Cut(strings.TrimSpace(rest.String()), "\n")
	require.Equal(t, strings.Join(got[begun:], "\n"), after)
}

// cyclesOf is the number of cycles that the first line of a replay names.
func cyclesOf(t *testing.T, line string) (cycles int) {
	_, rest, _ := strings.Cut(line, " in ")
	_, err := fmt.Sscan(rest, &cycles)
	require.NoError(t, err)
	return cycles
}

// TestStuckEndsOnce checks that packets that wait forever end a run in one cycle, skipped, watched or restored, and
// that the final violations are sorted by cycle among the earlier ones, each once.
func TestStuckEndsOnce(t *testing.T) {
	folder := t.TempDir()
	parse := func(last int, rules string) *starloom.Scenario {
		rows := fmt.Sprintf("source,destination,size,created\n0,1,1,0\n0,1,1,20\n2,3,1,40\n0,1,1,%d\n", last)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "p.csv"), []byte(rows), 0o600))
		s, err := starloom.ParseScenario(filepath.Join(folder, "s.yaml"), []byte(`starloom: 1
fabric: {netlist: {mesh: {k: [2, 2]}, router: {vcs: 1, depth: 1}}}
workload: {traffic: {arrivals: file, file: p.csv}}
faults: {schedule: [{kind: stuck, targets: ["netlist.router[0].output[0]"], slots: {from: 0}}]}
`+rules))
		require.NoError(t, err)
		return s
	}
	run := func(s *starloom.Scenario, o starloom.RunOptions) *starloom.Report {
		report, err := starloom.Run(t.Context(), s, o)
		require.NoError(t, err)
		return report
	}
	s, state := parse(60, ""), filepath.Join(folder, "state")
	want := run(s, starloom.RunOptions{})
	recorded := run(s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.Writer(&bytes.Buffer{})}})
	require.Equal(t, want.Cycles, recorded.Cycles)
	run(s, starloom.RunOptions{State: starloom.StateFiles{Save: state}, BreakOn: starloom.Break{Slot: 57}})
	require.Equal(t, want.Cycles, run(s, starloom.RunOptions{State: starloom.StateFiles{Restore: state}}).Cycles)

	end := run(parse(62, ""), starloom.RunOptions{}).Cycles
	report := run(parse(62, fmt.Sprintf("rules: {finish_by: %d cycles, latency_max: 10}\n", end)), starloom.RunOptions{})
	over, cycle := 0, uint64(0)
	for _, v := range report.Violations {
		require.LessOrEqual(t, cycle, v.Cycle)
		if cycle = v.Cycle; v.Rule == starloom.RuleFinishBy {
			over++
		}
	}
	require.Equal(t, 1, over)
	require.Len(t, report.Violations, int(report.ViolationsTotal))
}
