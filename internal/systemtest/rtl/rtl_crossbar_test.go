package rtl

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/cosim/lockstep"
	"starloom/fabric/contend"
	"starloom/fabric/crossbar"
)

// TestForeignArbiterInAGossip checks that a gossip with the tutorial's arbiter equals the model's, that it differs
// with the planted mistake, and that the inputs of the run reveal the mistake.
func TestForeignArbiterInAGossip(t *testing.T) {
	s, err := starloom.LoadScenario("examples/rtl/gossip-4.yaml")
	require.NoError(t, err)
	run := func(rtl ...starloom.RTL) *starloom.Report {
		c := *s
		c.RTL = rtl
		report, err := starloom.Run(context.Background(), &c, starloom.RunOptions{})
		require.NoError(t, err)
		return report
	}
	model := run()
	require.Equal(t, starloom.VerdictPass, model.Verdict)
	require.Positive(t, model.Frames.Blocked)
	right := run(s.RTL...)
	require.Len(t, right.RTL, 4)
	require.Equal(t, model.Digest, right.Digest)

	s.RTL = []starloom.RTL{{Replace: "crossbar.output[*].arbiter", Map: "stream_arbiter_bug.yml"}}
	wrong := run(s.RTL...)
	require.Equal(t, starloom.VerdictFail, wrong.Verdict)
	require.NotEqual(t, model.Digest, wrong.Digest)
	recorded, err := starloom.RecordRTL(context.Background(), s)
	require.NoError(t, err)
	defer func() { require.NoError(t, recorded.Close()) }()
	found := ""
	for _, part := range recorded.Parts {
		report, err := starloom.CosimCheck(context.Background(), part.Map,
			starloom.CheckOptions{Options: lockstep.Options{Stimulus: part.Stimulus, NoShrink: true}})
		require.NoError(t, err)
		if report.Divergence != nil && found == "" {
			found = part.Path + " " + report.Divergence.Signal
		}
	}
	require.Equal(t, "crossbar.output[0].arbiter grant_o", found)
}

// TestRecordedCrossbar: all parts of a crossbar in RTL are their models on the inputs of a run.
func TestRecordedCrossbar(t *testing.T) {
	s, err := starloom.LoadScenario("examples/rtl/gossip-4.yaml")
	require.NoError(t, err)
	s.RTL = []starloom.RTL{{Replace: "crossbar.**", Backend: cosim.BackendIcarus}}
	run, err := starloom.RecordRTL(context.Background(), s)
	require.NoError(t, err)
	defer func() { require.NoError(t, run.Close()) }()
	require.Len(t, run.Parts, 7*4)
	checked := map[string]bool{}
	for _, part := range run.Parts {
		if checked[part.Map.Model] {
			continue // the command checks all
		}
		checked[part.Map.Model] = true
		report, err := starloom.CosimCheck(context.Background(), part.Map,
			starloom.CheckOptions{Options: lockstep.Options{Stimulus: part.Stimulus}})
		require.NoError(t, err)
		require.Nil(t, report.Divergence, part.Path)
	}
	require.Len(t, checked, 7)
}

// TestLongCrossbarRTLErrors name what a crossbar has.
func TestLongCrossbarRTLErrors(t *testing.T) {
	for _, c := range []struct {
		network        crossbar.Network
		rtl            starloom.RTL
		reason, remedy string
	}{
		{crossbar.Network{Ports: 4}, starloom.RTL{Replace: "crossbar.arbiter[0]"}, `no component matches "crossbar.arbiter[0]"`,
			"components are, for example, crossbar.output[3], crossbar.output[3].link, crossbar.nic[3].tx, crossbar.nic[3].rx, " +
				"crossbar.output[3].filter, crossbar.output[3].arbiter, crossbar.input[3], crossbar.output[3].port, and crossbar.** for all of them"},
		{crossbar.Network{Ports: 4}, starloom.RTL{Replace: "crossbar"}, `no component matches "crossbar"`, "crossbar.output[3].arbiter"},
		{crossbar.Network{Ports: 4}, starloom.RTL{Replace: "crossbar.output[*].arbiter", Twin: "arbiter_matrix"},
			"no component of kind arbiter_matrix", "arbiter_fixed"},
		{crossbar.Network{Ports: 4}, starloom.RTL{Replace: "crossbar.nic[*].tx", Twin: "deserialiser"},
			"crossbar.nic[*].tx are transmitters (model requester), but the RTL is a deserialiser", "use RTL of the model " +
				"requester, or replace crossbar.nic[3].rx"},
		{crossbar.Network{Ports: 4, Medium: "aloha"}, starloom.RTL{Replace: "crossbar.output[*].filter"}, "no component matches", "crossbar.medium[0].contention"},
		{crossbar.Network{Ports: 6, CrossbarKeys: contend.CrossbarKeys{ArbiterKeys: contend.ArbiterKeys{Arbiter: "round_robin"}}},
			starloom.RTL{Replace: "crossbar.output[*].arbiter",
				Map: "examples/rtl/stream_arbiter.yml"}, "the pin map has REQUESTERS = 4, but crossbar.output[0].arbiter has " +
				"6", "change the map"},
		{crossbar.Network{Ports: 4}, starloom.RTL{Replace: "crossbar.output[1].*", Twin: "output_port"},
			"both ports of outputs and their parts arbiters are replaced", "one or the other"},
		{crossbar.Network{Ports: 200}, starloom.RTL{Replace: "crossbar.**"}, "more than 1024 components are RTL", "replace fewer, for example crossbar.output[0]"},
	} {
		s := starloom.DefaultScenario()
		s.Fabric.Crossbar, s.Firmware.Program, s.Workload = &c.network, "gossip/fsa", starloom.Workload{Gossip: &starloom.Gossip{}}
		s.RTL = []starloom.RTL{c.rtl}
		if c.rtl.Twin == "output_port" {
			s.RTL = append(s.RTL, starloom.RTL{Replace: "crossbar.output[2].arbiter"})
		}
		_, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{})
		var bad *starloom.InputError
		require.ErrorAs(t, err, &bad, c.reason)
		require.Contains(t, bad.Reason, c.reason)
		require.Contains(t, bad.Remedy, c.remedy)
	}
}
