package rtl

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/internal/systemtest"
	"starloom/traces/diff"
)

// TestModelsAreTheMachine checks that the models beside a machine's RTL equal the machine's own components, with one
// model for every twin with a place.
func TestModelsAreTheMachine(t *testing.T) {
	models, sets := map[string]bool{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(systemtest.Unequal)) {
		run, err := starloom.RecordRTL(t.Context(), systemtest.UnequalScenario(t, name, ""))
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

// placeless are twins of components that no network has, or that stand in exports only.
var placeless = map[string]bool{"fifo": true, "lfsr": true, "crc16": true, "route_table": true,
	"packet_source": true, "packet_sink": true, "packet_ejector": true}

// TestUnequalRTL: RTL in the place of all parts, each with its own latency, width and depth, shows in every cycle what
// the models show.
func TestUnequalRTL(t *testing.T) { requireSameWaveforms(t, "links", cosim.BackendIcarus) }

// TestLongUnequalRTL: so it is with every kind of part. Of a machine that is RTL all at once only the ends of links are
// seen: TestLongRTLTraces has it.
func TestLongUnequalRTL(t *testing.T) {
	requireSameWaveforms(t, "links", cosim.BackendWasm)
	for _, name := range slices.Sorted(maps.Keys(systemtest.Unequal)) {
		if name != "links" && name != "all at once" {
			t.Run(name, func(t *testing.T) { requireSameWaveforms(t, name, cosim.BackendIcarus) })
		}
	}
}

func requireSameWaveforms(t *testing.T, name, backend string) {
	s := systemtest.UnequalScenario(t, name, backend)
	r, err := diff.Files(t.Context(), waveform(t, systemtest.WithRTL(s)), waveform(t, s), diff.Options{})
	require.NoError(t, err)
	require.Nil(t, r.First)
	require.Nil(t, r.GoesOn)
	require.Empty(t, r.Shapes)
	require.Empty(t, r.OnlyB.Names)
	if require.Greater(t, r.Compared, 30); name != "routers" { // signals inside RTL are not known
		require.Equal(t, diff.VerdictEqual, r.Verdict)
	}
}

// TestPinMapOfUnequalParts checks that a pin map is held to the parameters of every replaced part: to its own, and to
// open ones that it does not pass to the RTL.
func TestPinMapOfUnequalParts(t *testing.T) {
	links := func(more string) *starloom.Scenario {
		verilog, err := filepath.Abs("cosim/rtl/link.v")
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "link.yml")
		require.NoError(t, os.WriteFile(file, []byte("model: link\ntop: link\nsources: ["+verilog+"]\nclock: clock\nreset: reset\n"+
			"pins: {rail1_i: rail1_i, rail0_i: rail0_i, rail1_o: rail1_o, rail0_o: rail0_o}\n"+more), 0o666))
		s := systemtest.UnequalScenario(t, "links", "")
		s.RTL = []starloom.RTL{{Replace: "netlist.**", Map: file, Backend: cosim.BackendIcarus}}
		return s
	}
	for more, reason := range map[string]string{
		"params: {DELAY_CYCLES: $DELAY_CYCLES, PHIT_BITS: $PHIT_BITS}\nparameters: {DELAY_CYCLES: 1}\n": "the pin map has DELAY_CYCLES = 1, but netlist.link[0].forth.fibre has 3",
		"params: {DELAY_CYCLES: 1, PHIT_BITS: $PHIT_BITS}\n":                                            "netlist.hub[0].fibre has DELAY_CYCLES = 1, but netlist.link[0].forth.fibre has 3, and both use the same RTL",
	} {
		_, err := starloom.NewMachine(t.Context(), links(more), starloom.MachineOptions{})
		var bad *starloom.InputError
		require.ErrorAs(t, err, &bad)
		require.Equal(t, reason, bad.Reason)
		require.Contains(t, bad.Place, "s.yaml:")
		require.Contains(t, bad.Remedy, "in another entry")
	}
	s := links("params: {DELAY_CYCLES: $DELAY_CYCLES, PHIT_BITS: $PHIT_BITS}\n")
	r, err := diff.Files(t.Context(), waveform(t, systemtest.WithRTL(s)), waveform(t, s), diff.Options{})
	require.NoError(t, err)
	require.Equal(t, diff.VerdictEqual, r.Verdict)
	s.RTL = []starloom.RTL{{Replace: "netlist.hub[*].fibre", Map: s.RTL[0].Map, Backend: cosim.BackendIcarus},
		{Replace: "netlist.link[*].**.fibre", Twin: "link", Backend: cosim.BackendIcarus}}
	r, err = diff.Files(t.Context(), waveform(t, systemtest.WithRTL(s)), waveform(t, s), diff.Options{})
	require.NoError(t, err)
	require.Equal(t, diff.VerdictEqual, r.Verdict)
}

// waveform is the file of a run.
func waveform(t *testing.T, s *starloom.Scenario) string {
	file := filepath.Join(t.TempDir(), "run.vcd")
	_, err := starloom.Run(t.Context(), s, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File(file)}})
	require.NoError(t, err)
	return file
}
