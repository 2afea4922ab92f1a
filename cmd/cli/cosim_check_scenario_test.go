package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/twin"
)

func TestCosimCheckScenario(t *testing.T) {
	const scenario = "../../examples/rtl/pops-4x4.yaml"
	r := starloomIn(t, ".", "cosim", "check", scenario, "--json", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stderr, "pass: no difference found in 52 components of pops-4x4-rtl: 200 of 200 outputs, "+
		"5,936 cycles of inputs, 3 times, each from a different power-on state, then ")
	var all struct {
		Verdict, Scenario, Top, Path string
		Components                   int
		Cycles                       uint64
		CyclesAll                    uint64 `json:"cycles_all"`
		Kinds                        []struct {
			Top, Verdict string
			Components   int
			Cycles       uint64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &all))
	require.Equal(t, "pops-4x4-rtl", all.Scenario)
	require.Equal(t, "pass", all.Verdict)
	require.Equal(t, 52, all.Components)
	require.NotEmpty(t, all.Path)
	components, cycles := 0, uint64(0)
	for _, kind := range all.Kinds {
		require.Equal(t, "pass", kind.Verdict)
		components, cycles = components+kind.Components, cycles+kind.Cycles
	}
	require.Equal(t, all.Components, components)
	require.Equal(t, all.CyclesAll, cycles)
	require.Greater(t, cycles, all.Cycles)
	require.Equal(t, all.Kinds[0].Top, all.Top)
	r = starloomIn(t, ".", "cosim", "check", scenario, "--cycles", "3")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--cycles: the RTL and its inputs come from the scenario")
	r = starloomIn(t, ".", "cosim", "check", "../../examples/pops-16x16.yaml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "the scenario has no RTL to check")
}

// scenarioWith returns a scenario with a pin map of a twin with a mistake.
func scenarioWith(t *testing.T, twinName, from, to, pins, scenario string) string {
	t.Helper()
	tw, err := twin.Find(twin.All(), twinName)
	require.NoError(t, err)
	files := map[string]string{"s.yaml": scenario}
	for _, name := range tw.Sources {
		source, err := tw.Source(name)
		require.NoError(t, err)
		files[name] = string(source)
	}
	require.Equal(t, 1, strings.Count(files[tw.Sources[0]], from))
	files[tw.Sources[0]] = strings.Replace(files[tw.Sources[0]], from, to, 1)
	files["m.yml"] = "model: " + twinName + "\ntop: " + twinName + "\nsources: [" + strings.Join(tw.Sources, ", ") +
		"]\nclock: clock\nreset: reset\n" + pins
	return folder(t, files)
}

// TestMistakesThatARunHides checks that a check on the inputs of a run finds a mistake, or names the pair of events
// that the run lacks.
func TestMistakesThatARunHides(t *testing.T) {
	const forgets = "count_q - taken + given"
	credits := func(scenario string) string {
		return scenarioWith(t, "credit_counter", forgets, "count_q - (give_i == 0 ? taken : NONE) + given",
			"params: {DEPTH: 4}\npins: {take_i: take_i, give_i: give_i, count_o: count_o, underflow_o: underflow_o, overflow_o: overflow_o}\n", scenario)
	}
	const last = "~(choice_o | (choice_o - ONE))"
	served := func(scenario string) string {
		return scenarioWith(t, "arbiter_round_robin", last, "~(choice_o - ONE)",
			"params: {REQUESTERS: 8}\npins: {request_i: request_i, grant_o: grant_o, index_o: index_o}\n", scenario)
	}
	for _, c := range []struct{ name, dir, gap, random string }{
		{"a take is forgotten where a give meets it", credits(`starloom: 1
name: ej
fabric: {ej: {a: 1, b: 2, dimensions: 1, duplex: half, credits: 4}}
firmware: {program: ej/improved}
workload: {one_to_all: {source: 0}}
stop: {slots: 100}
rtl: [{replace: "ej.node[*].dim[*].port[*].credits", map: m.yml}]
`), "take_i never with give_i in the same cycle", "-G DEPTH=4"},
		{"who was served last is asked first", served(`starloom: 1
name: gossip
fabric: {crossbar: {ports: 8, arbiter: round_robin}}
firmware: {program: gossip/fsa}
workload: {gossip: {orders: pipelined, sessions: 3}}
stop: {slots: 1000}
rtl: [{replace: "crossbar.output[*].arbiter", map: m.yml}]
`), "request_i never by the same requester again, beside another, when there is no holder", "-G REQUESTERS=8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := starloomIn(t, c.dir, "cosim", "check", "s.yaml", "--json", "r.json")
			if r.status == statusFail {
				return // the check finds the mistake
			}
			require.Equal(t, statusPass, r.status, r.stderr)
			require.Contains(t, r.stdout, c.gap+"; ")
			var all struct {
				Kinds []struct {
					Unexercised []struct {
						Input, Never string
						Together     bool
					}
				}
			}
			text, err := os.ReadFile(filepath.Join(c.dir, "r.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &all))
			named := false
			for _, gap := range all.Kinds[0].Unexercised {
				named = named || gap.Together && gap.Input+" never "+gap.Never == c.gap
			}
			require.True(t, named)
			r = starloomIn(t, c.dir, append([]string{"cosim", "check", "m.yml"}, strings.Fields(c.random)...)...)
			require.Equal(t, statusFail, r.status, "random inputs have it: %s", r.stdout)
		})
	}
}

// TestCosimCheckEarliest checks that the earliest of several differing components is shown, in the cycle in which the
// waveform of the run deviates.
func TestCosimCheckEarliest(t *testing.T) {
	text, err := os.ReadFile("../../examples/rtl/gossip-4.yaml")
	require.NoError(t, err)
	scenario := strings.Replace(string(text), "map: stream_arbiter.yml", "map: stream_arbiter_bug.yml", 1)
	model, _, _ := strings.Cut(scenario, "rtl:")
	files := map[string]string{"bug.yaml": scenario, "model.yaml": model}
	for _, name := range []string{"stream_arbiter_bug.yml", "stream_arbiter_bug.sv"} {
		text, err := os.ReadFile("../../examples/rtl/" + name)
		require.NoError(t, err)
		files[name] = string(text)
	}
	dir := folder(t, files)
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "model.yaml", "--vcd", "model.vcd").status)
	require.Equal(t, statusFail, starloomIn(t, dir, "run", "bug.yaml", "--vcd", "bug.vcd").status)
	r := starloomIn(t, dir, "trace", "diff", "model.vcd", "bug.vcd")
	require.Contains(t, r.stdout, "first difference at 8 ns\n  crossbar.input[0].to\n")

	r = starloomIn(t, dir, "cosim", "check", "bug.yaml", "--json", "r.json", "--vcd", "case.vcd", "--save", "case.csv", "--junit", "r.xml")
	require.Equal(t, statusFail, r.status, r.stderr)
	require.Equal(t, `crossbar.output[2].arbiter in a run of gossip-4-rtl
stream_arbiter on wasm beside the model arbiter_round_robin REQUESTERS=4
fail: grant_o (ready_o) differs in cycle 8: the model says 1, the RTL 2

cycle          0   1   2   3   4   5   6   7   8
reset          ____________________________________
request_i      |0                      |3      |1
model.grant_o  |0                          |1
rtl.grant_o    |0                          |1  |2
                                               ^

found in cycle 8 of the run, power-on 1
4 of 4 components differ; the others: crossbar.output[3].arbiter from cycle 20, crossbar.output[0].arbiter from cycle 32, crossbar.output[1].arbiter with random inputs
`, r.stdout)
	var all struct {
		Path       string
		Divergence struct {
			Cycle uint64
			Found struct{ Cycle uint64 }
		}
		Differing []struct {
			Path     string
			Cycle    uint64
			Explored bool
		}
	}
	report, err := os.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(report, &all))
	require.Equal(t, "crossbar.output[2].arbiter", all.Path)
	require.Equal(t, uint64(8), all.Divergence.Cycle)
	require.Equal(t, uint64(8), all.Divergence.Found.Cycle)
	require.Len(t, all.Differing, 4)
	require.False(t, all.Differing[2].Explored)
	require.True(t, all.Differing[3].Explored)
	require.Equal(t, uint64(20), all.Differing[1].Cycle)
	wave, err := os.ReadFile(filepath.Join(dir, "case.vcd"))
	require.NoError(t, err)
	require.Contains(t, string(wave), "#0\n$dumpvars", "cycle 0 is that of the run")
	differs := regexp.MustCompile(`\$var wire 1 (\S) differs`).FindStringSubmatch(string(wave))
	require.NotNil(t, differs)
	require.Regexp(t, `(?s)\n#8\n.*\n1`+regexp.QuoteMeta(differs[1])+`\n.*#9\s*$`, string(wave), "lockstep.differs rises in cycle 8, the last one")
	require.Contains(t, string(wave), "$scope module internals $end", "RTL of a machine, too, shows what is inside")
	inputs, err := os.ReadFile(filepath.Join(dir, "case.csv"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(inputs), "# cycle 5 here is cycle 0 of the run, for crossbar.output[2].arbiter\ncycle,reset,request_i\n0,1,"))
	r = starloomIn(t, dir, "cosim", "check", "stream_arbiter_bug.yml", "--stimulus", "case.csv")
	require.Equal(t, statusFail, r.status, r.stderr)
	require.Contains(t, r.stdout, "differs in cycle 13")
}
