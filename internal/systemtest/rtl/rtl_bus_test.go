package rtl

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/internal/systemtest"
)

// sensorsOn runs bus/sensors on one bus of four.
func sensorsOn(arbiter string, rtl ...starloom.RTL) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Fabric.Bus = &bus.Network{Vertices: 4, Buses: [][]int{{1, 2, 3, 0}},
		ArbiterKeys: contend.ArbiterKeys{Arbiter: arbiter}}
	s.Firmware.Program, s.Firmware.Params = "bus/sensors", map[string]int64{"period": 3, "spread": 1, "readings": 12}
	s.RTL = rtl
	return s
}

// TestForeignArbiterOnABus: with the tutorial's arbiter the readings are served as by the model,
// with its mistake they are not.
func TestForeignArbiterOnABus(t *testing.T) {
	run := func(rtl ...starloom.RTL) *starloom.Report {
		report, err := starloom.Run(context.Background(), sensorsOn("round_robin", rtl...), starloom.RunOptions{})
		require.NoError(t, err)
		return report
	}
	model := run()
	require.Equal(t, starloom.VerdictPass, model.Verdict)
	require.Positive(t, model.Frames.Blocked)
	right := run(starloom.RTL{Replace: "bus.bus[*].arbiter", Map: "examples/rtl/stream_arbiter.yml"})
	require.Len(t, right.RTL, 1)
	require.Equal(t, model.Digest, right.Digest)
	require.Equal(t, model.Metrics, right.Metrics)
	wrong := run(starloom.RTL{Replace: "bus.bus[*].arbiter", Map: "examples/rtl/stream_arbiter_bug.yml"})
	require.NotEqual(t, model.Digest, wrong.Digest)
}

// TestViolationOfABusIsDerived checks RTL without a violation output on a bus without an arbiter: the violation is
// derived from the rails, the run equals the model's in every signal, and the report names the derived outputs. RTL
// with a violation output that is always 0 shows another trace.
func TestViolationOfABusIsDerived(t *testing.T) {
	folder, err := filepath.Abs("cosim/rtl")
	require.NoError(t, err)
	var sources []string
	for _, name := range []string{"bus.v", "bus_taps.v", "arbiter_lock.v", "arbiter_fixed.v", "arbiter_round_robin.v", "arbiter_matrix.v", "arbiter_tdma.v"} {
		sources = append(sources, filepath.Join(folder, name))
	}
	attach := func(violation string) string {
		path := filepath.Join(t.TempDir(), "bus.yml")
		text := fmt.Sprintf("model: bus\ntop: bus\nsources: [%s]\nclock: clock\nreset: reset\n"+
			"params: {TAPS: $TAPS, PHIT_BITS: $PHIT_BITS, ARBITER: $ARBITER, KIND: $KIND, SLICE_CYCLES: $SLICE_CYCLES}\n"+
			"pins: {request: request_i, rail1_i: rail1_i, rail0_i: rail0_i, rail1_o: rail1_o, rail0_o: rail0_o, grant: grant_o%s\n",
			strings.Join(sources, ", "), violation)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	model := sensorsOn("none")
	model.Fabric.Bus.Vertices, model.Fabric.Bus.Buses = 6, [][]int{{1, 2, 3, 0}, {4, 5, 2}}
	part := starloom.RTL{Replace: "bus.bus[*]", Map: attach("}\nabsent: [violation]")}
	requireSameRuns(t, model, 3, part)
	require.Equal(t, traced(t, model), traced(t, systemtest.WithRTL(model, part)), "in every cycle")

	m := systemtest.Machine(t, systemtest.WithRTL(model, part), starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	report := m.Report()
	require.Positive(t, report.Frames.Collided, "a violation matters")
	require.Len(t, report.RTL, 2)
	for _, of := range report.RTL {
		require.Equal(t, []string{"violation_o"}, of.Derived)
	}
	var people bytes.Buffer
	require.NoError(t, report.WriteText(&people))
	require.Contains(t, people.String(), "2 bus (wasm; violation_o is derived from the rails)")

	dark := systemtest.WithRTL(model, starloom.RTL{Replace: "bus.bus[*]", Map: attach(", violation: 0}")})
	require.NotEqual(t, traced(t, model)["run.vcd"], traced(t, dark)["run.vcd"], "the trace shows it")
}

// TestLongRecordedBus: all parts of a bus in RTL are their models on the inputs of a run, and so is the
// bus as one part.
func TestLongRecordedBus(t *testing.T) {
	checked := map[string]bool{}
	for _, c := range []struct {
		arbiter, replace string
		parts            int
	}{{"matrix", "bus.**", 2*4 + 3}, {"matrix", "bus.bus[0]", 1}, {"none", "bus.bus[*]", 1}} {
		run, err := starloom.RecordRTL(context.Background(),
			sensorsOn(c.arbiter, starloom.RTL{Replace: c.replace, Backend: cosim.BackendIcarus}))
		require.NoError(t, err)
		require.Len(t, run.Parts, c.parts)
		for _, part := range run.Parts {
			report, err := starloom.CosimCheck(context.Background(), part.Map,
				starloom.CheckOptions{Options: lockstep.Options{Stimulus: part.Stimulus}})
			require.NoError(t, err)
			require.Nil(t, report.Divergence, part.Path)
			checked[part.Map.Model] = true
		}
		require.NoError(t, run.Close())
	}
	require.Equal(t, map[string]bool{"bus": true, "bus_taps": true, "arbiter_matrix": true, "link": true, "requester": true, "deserialiser": true}, checked)
}

// TestBusRTLErrors name what a bus network has.
func TestBusRTLErrors(t *testing.T) {
	for _, c := range []struct {
		arbiter        string
		rtl            []starloom.RTL
		reason, remedy string
	}{
		{"fixed", []starloom.RTL{{Replace: "bus.tap[0]"}}, `no component matches "bus.tap[0]"`,
			"components are, for example, bus.bus[0].taps, bus.bus[0].wire, bus.nic[3].tx, bus.nic[3].rx, bus.bus[0].arbiter, bus.bus[0], and bus.** for all of them"},
		{"lottery", []starloom.RTL{{Replace: "bus.bus[*]"}}, `no component matches "bus.bus[*]"`,
			"replace its parts one by one: bus.bus[0].taps, bus.bus[0].wire, bus.bus[0].arbiter"},
		{"none", []starloom.RTL{{Replace: "bus.bus[*].arbiter"}}, "no component matches", "bus.bus[0], bus.bus[0].wire, bus.nic[3].tx"},
		{"none", []starloom.RTL{{Replace: "bus.bus[*]", Twin: "star_coupler"}}, "no component of kind star_coupler", "choose one of bus, link"},
		{"fixed", []starloom.RTL{{Replace: "bus.bus[*]", Twin: "bus"}, {Replace: "bus.bus[*].arbiter"}},
			"both buses and their parts arbiters are replaced", "one or the other"},
		{"round_robin", []starloom.RTL{{Replace: "bus.nic[0].tx", Twin: "serialiser"}}, "no component of kind serialiser", "requester"},
	} {
		_, err := starloom.NewMachine(context.Background(), sensorsOn(c.arbiter, c.rtl...), starloom.MachineOptions{})
		var bad *starloom.InputError
		require.ErrorAs(t, err, &bad, c.reason)
		require.Contains(t, bad.Reason, c.reason)
		require.Contains(t, bad.Remedy, c.remedy)
	}
	s := sensorsOn("tdma")
	s.NIC.PayloadBytes, s.Link.PhitBits = 65504, 1
	for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
		_, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{Engine: engine})
		require.ErrorContains(t, err, "fabric.bus.arbiter: a slot has 524163 cycles, but a turn of arbiter tdma has at "+
			"most 65535; choose a smaller nic.payload_bytes")
	}
}

// TestRTLOfAnotherArbiter: the message names the model that the scenario has there, and where the other one is.
func TestRTLOfAnotherArbiter(t *testing.T) {
	s, err := starloom.ParseScenario("s.yaml", []byte(`
starloom: 1
fabric: {netlist: {nodes: {"cpu[0..3]": processor, tram: {kind: bus, arbiter: round_robin}, xb: crossbar}, links: [["cpu[0..3]", tram], ["cpu[0..3]", xb]]}}
firmware: {program: netlist/gossip}
workload: {gossip: {}}
rtl: [{replace: "netlist.xb.**.arbiter", map: examples/rtl/stream_arbiter.yml}]
`))
	require.NoError(t, err)
	_, err = starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.ErrorContains(t, err, "netlist.xb.**.arbiter are arbiters (model arbiter_fixed), but the RTL is an "+
		"arbiter_round_robin; "+
		"use RTL of the model arbiter_fixed, or replace netlist.tram.")
	require.ErrorContains(t, err, "arbiter; the scenario sets the kind of its arbiters")
}
