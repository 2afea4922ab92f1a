package starloom

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/traces/diff"
)

// unequal are machines that have, between them, every kind of component for which RTL may stand; where a network leaves it
// open, with latencies, widths and depths that are not the same everywhere.
var unequal = map[string]string{
	"links": `fabric:
  netlist:
    nodes: {"p[0..3]": processor, "hub[0..1]": star}
    links:
      - ["p[0..1]:0", "hub[0]"]
      - ["p[2..3]:0", "hub[1]"]
      - {endpoints: ["p[1]:1", "p[2]:1"], latency: 3}
firmware: {program: netlist/next-hop}
rtl: [{replace: "netlist.**"}]`,
	"shared": `fabric:
  netlist:
    nodes:
      "p[0..4]": processor
      hub: star
      "pair[0..1]": star
      wire: {kind: bus, arbiter: round_robin}
      "line[0..1]": {kind: bus, arbiter: tdma}
      x: {kind: crossbar, arbiter: matrix}
      y: {kind: crossbar, cap: 1}
    links:
      - ["p[0..4]:0", hub]
      - {endpoints: ["p[0..4]:1", wire], latency: 3}
      - {endpoints: ["p[0..4]:2", x], latency: 2}
      - {endpoints: ["p[0]:3", "p[4]:3"], duplex: half}
      - {endpoints: ["p[1..3]:3", y], latency: 4}
      - ["p[2..3]:4", "line[0]"]
      - ["p[0]:4", "line[1]"]
      - ["p[1]:4", "line[1]"]
      - ["p[4]:4", "line[1]"]
      - ["p[0..1]:5", "pair[0]"]
      - {endpoints: ["p[2..4]:5", "pair[1]"], latency: 5}
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
rtl: [{replace: "netlist.**"}]`,
	"whole ports": `fabric:
  netlist:
    nodes: {"p[0..4]": processor, x: {kind: crossbar, arbiter: matrix}, y: crossbar, "wire[0..1]": {kind: bus, arbiter: fixed}}
    links:
      - {endpoints: ["p[0..4]:0", x], latency: 2}
      - ["p[1..3]:1", y]
      - ["p[0]:1", "wire[0]"]
      - ["p[4]:1", "wire[0]"]
      - {endpoints: ["p[0..2]:2", "wire[1]"], latency: 3}
      - ["p[3]:2", "p[4]:2"]
firmware: {program: netlist/flood}
workload: {one_to_all: {source: 0}}
rtl: [{replace: "netlist.*.output[*].port"}, {replace: "netlist.wire[*]", twin: bus}, {replace: "**.tx"}]`,
	"credits": `fabric:
  netlist:
    nodes: {"p[0..4]": processor, x: {kind: bus, arbiter: matrix}}
    links:
      - {endpoints: ["p[0..3]:0", "p[1..4]:1"], credits: 2}
      - {endpoints: ["p[4]:0", "p[0]:1"], latency: 2, credits: {depth: 3, round_trip_slots: 3, resync_slots: 8}}
      - ["p[0..4]:2", x]
firmware: {program: netlist/traffic}
workload: {traffic: {warm_up: 9, measure: 30, rate: 0.2}}
rtl: [{replace: "netlist.**"}]`,
	"faults": `fabric: {netlist: {nodes: {"p[0..3]": processor, "hub[0..1]": star},
  links: [["p[0..1]:0", "hub[0]"], {endpoints: ["p[1..3]:1", "hub[1]"], latency: 3}, ["p[0]:1", "p[2]:0"], ["p[3]:0", "p[2]:2"]]}}
firmware: {program: netlist/next-hop}
faults: {schedule: [{kind: drop, slots: {every: 2}, probability: 0.5}]}
rtl: [{replace: "netlist.**"}]`,
	"lists": `fabric: {crossbar: {ports: 4, matching: list, arbiter: round_robin, cap: 3}}
firmware: {program: gossip/fsa, params: {scheduling: 2}}
workload: {gossip: {sessions: 2}}
rtl: [{replace: "crossbar.**"}]`,
	"ALOHA": `fabric: {crossbar: {ports: 4, medium: aloha}}
firmware: {program: gossip/fsa}
workload: {gossip: {}}
rtl: [{replace: "crossbar.**"}]`,
	"routers": `fabric:
  netlist:
    nodes: {"p[0..3]": processor, "r[0..3]": router}
    links:
      - ["p[0..3]:0", "r[0..3]"]
      - ["r[0]", "r[1..3]"]
      - {endpoints: ["r[1]", "r[2]"], latency: 4}
    router: {vcs: 2, depth: 2}
workload: {traffic: {rate: 0.1, measure: 60}}
rtl: [{replace: "netlist.router[*]"}]`,
	"all at once": `fabric: {pops: {groups: 2, group_size: 3}}
firmware: {program: pops/random-corrected}
rtl: [{replace: pops}]`,
}

// unequalScenario is one of them, with its RTL in a backend.
func unequalScenario(t *testing.T, name, backend string) *Scenario {
	s, err := ParseScenario("s.yaml", []byte("starloom: 1\n"+unequal[name]+"\n"))
	require.NoError(t, err)
	for i := range s.RTL {
		s.RTL[i].Backend = backend
	}
	return s
}

// TestModelsAreTheMachine: the models beside which a check runs a machine's RTL show what the machine's own components do, and
// there is one of every twin that has a place.
func TestModelsAreTheMachine(t *testing.T) {
	models, sets := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(unequal)) {
		run, err := RecordRTL(t.Context(), unequalScenario(t, name, ""))
		require.NoError(t, err, name)
		for _, p := range run.Parts {
			models[p.Map.Model], sets[p.Map.Model+p.Map.Parameters.Text()] = true, true
		}
		require.NoError(t, run.Close())
	}
	for _, tw := range twin.All() {
		if len(tw.Components) > 0 && !placeless[tw.Name] {
			require.True(t, models[tw.Name], tw.Name)
		}
	}
	for _, set := range []string{
		"link{DELAY_CYCLES: 1, PHIT_BITS: 64}", "link{DELAY_CYCLES: 5, PHIT_BITS: 64}", "credit_counter{DEPTH: 2}", "credit_counter{DEPTH: 3}",
		"output_port{INPUTS: 3, KIND: 0}", "output_port{INPUTS: 5, KIND: 2}", "bus_taps{PHIT_BITS: 64, TAPS: 3}", "bus_taps{PHIT_BITS: 64, TAPS: 5}",
	} {
		require.True(t, sets[set], set)
	}
}

// placeless are twins of components that no network has.
var placeless = map[string]bool{"fifo": true, "lfsr": true, "crc16": true}

// TestUnequalRTL: RTL in the place of all parts, each with its own latency, width and depth, shows in every cycle what the models show.
func TestUnequalRTL(t *testing.T) { requireSameWaveforms(t, "links", cosim.BackendIcarus) }

// TestLongUnequalRTL: so it is with every kind of part. Of a machine that is RTL all at once only the ends of links are seen:
// TestLongRTLTraces has it.
func TestLongUnequalRTL(t *testing.T) {
	requireSameWaveforms(t, "links", cosim.BackendWasm)
	for _, name := range slices.Sorted(maps.Keys(unequal)) {
		if name != "links" && name != "all at once" {
			t.Run(name, func(t *testing.T) { requireSameWaveforms(t, name, cosim.BackendIcarus) })
		}
	}
}

func requireSameWaveforms(t *testing.T, name, backend string) {
	s := unequalScenario(t, name, backend)
	r, err := diff.Files(t.Context(), waveform(t, withRTL(s)), waveform(t, s), diff.Options{})
	require.NoError(t, err)
	require.Nil(t, r.First)
	require.Nil(t, r.GoesOn)
	require.Empty(t, r.Shapes)
	require.Empty(t, r.OnlyB.Names)
	if require.Greater(t, r.Compared, 30); name != "routers" { // what is inside of RTL is not known
		require.Equal(t, diff.VerdictEqual, r.Verdict)
	}
}

// TestPinMapOfUnequalParts: a pin map is held to the parameters of every part for which its RTL stands: those that it gives, and those
// that it leaves open and of which it tells the RTL nothing.
func TestPinMapOfUnequalParts(t *testing.T) {
	links := func(more string) *Scenario {
		verilog, err := filepath.Abs("cosim/rtl/link.v")
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "link.yml")
		require.NoError(t, os.WriteFile(file, []byte("model: link\ntop: link\nsources: ["+verilog+"]\nclock: clock\nreset: reset\n"+
			"pins: {rail1_i: rail1_i, rail0_i: rail0_i, rail1_o: rail1_o, rail0_o: rail0_o}\n"+more), 0o666))
		s := unequalScenario(t, "links", "")
		s.RTL = []RTL{{Replace: "netlist.**", Map: file, Backend: cosim.BackendIcarus}}
		return s
	}
	for more, reason := range map[string]string{
		"params: {DELAY_CYCLES: $DELAY_CYCLES, PHIT_BITS: $PHIT_BITS}\nparameters: {DELAY_CYCLES: 1}\n": "the pin map has DELAY_CYCLES = 1, and netlist.link[0].forth.fibre has 3",
		"params: {DELAY_CYCLES: 1, PHIT_BITS: $PHIT_BITS}\n":                                            "netlist.hub[0].fibre has DELAY_CYCLES = 1, netlist.link[0].forth.fibre has 3, and the RTL is the same for both",
	} {
		_, err := NewMachine(t.Context(), links(more), MachineOptions{})
		var bad *InputError
		require.ErrorAs(t, err, &bad)
		require.Equal(t, reason, bad.Reason)
		require.Contains(t, bad.Place, "s.yaml:")
		require.Contains(t, bad.Remedy, "in another entry")
	}
	s := links("params: {DELAY_CYCLES: $DELAY_CYCLES, PHIT_BITS: $PHIT_BITS}\n")
	r, err := diff.Files(t.Context(), waveform(t, withRTL(s)), waveform(t, s), diff.Options{})
	require.NoError(t, err)
	require.Equal(t, diff.VerdictEqual, r.Verdict)
	s.RTL = []RTL{{Replace: "netlist.hub[*].fibre", Map: s.RTL[0].Map, Backend: cosim.BackendIcarus}, {Replace: "netlist.link[*].**.fibre", Twin: "link", Backend: cosim.BackendIcarus}}
	r, err = diff.Files(t.Context(), waveform(t, withRTL(s)), waveform(t, s), diff.Options{})
	require.NoError(t, err)
	require.Equal(t, diff.VerdictEqual, r.Verdict)
}

// waveform is the file of a run.
func waveform(t *testing.T, s *Scenario) string {
	file := filepath.Join(t.TempDir(), "run.vcd")
	_, err := Run(t.Context(), s, RunOptions{VCD: File(file)})
	require.NoError(t, err)
	return file
}
