package scenario

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/crossbar"
	"starloom/fabric/pops"
)

// decided finds the setting of a key.
func decided(t *testing.T, e *starloom.Explained, key string) starloom.Setting {
	t.Helper()
	for _, s := range e.Settings {
		if s.Key == key {
			return s
		}
	}
	t.Fatalf("no key %s", key)
	return starloom.Setting{}
}

// TestExplainDecides: who has decided a value is noted where that is done, also if another would have
// decided the same, and a look changes nothing.
func TestExplainDecides(t *testing.T) {
	parse := func(text string) *starloom.Scenario {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text))
		require.NoError(t, err)
		return s
	}
	seed, slots := uint64(1), uint32(5000)
	s := parse("fabric: {crossbar: {ports: 4, cap: 9}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {}}\nnic: {payload_bytes: 8}\n")
	require.NoError(t, s.Override(context.Background(), starloom.Overrides{Seed: &seed, Slots: &slots}))
	hash := s.Hash()
	e, err := s.Explain(context.Background())
	require.NoError(t, err)
	for _, want := range []starloom.Setting{
		{Key: "seed", Value: uint64(1), By: starloom.ByOption, Of: "--seed"},
		{Key: "stop.slots", Value: uint32(5000), By: starloom.ByOption, Of: "--slots"},
		{Key: "nic.payload_bytes", Value: 8, By: starloom.ByFile, Of: "s.yaml:5:22"},
		{Key: "nic.tx_frames", Value: 4, By: starloom.ByDefault, Of: ""},
		{Key: "fabric.crossbar.cap", Value: 4, By: starloom.ByNetwork, Of: "crossbar"}, // of four ports
		{Key: "fabric.crossbar.ports", Value: 4, By: starloom.ByFile, Of: "s.yaml:2:28"},
		{Key: "workload.gossip.sessions", Value: 1, By: starloom.ByDefault, Of: ""},
		{Key: "rules.exactly_once", Value: true, By: starloom.ByProgram, Of: "gossip/fsa"},
		{Key: "rtl", Value: nil, By: starloom.ByDefault, Of: ""},
	} {
		require.Equal(t, want, decided(t, e, want.Key))
	}
	var one, two bytes.Buffer
	require.NoError(t, e.WriteText(&one))
	again, err := s.Explain(context.Background())
	require.NoError(t, err)
	require.NoError(t, again.WriteText(&two))
	require.Equal(t, one.String(), two.String())
	require.Equal(t, hash, s.Hash())

	s = parse("fabric: {crossbar: {ports: 4}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {sessions: 3}}\n")
	e, err = s.Explain(context.Background())
	require.NoError(t, err)
	require.Equal(t, starloom.Setting{Key: "nic.payload_bytes", Value: 8, By: starloom.ByProgram, Of: "gossip/fsa"}, decided(t, e, "nic.payload_bytes"))
	require.Equal(t, starloom.ByProgram, decided(t, e, "stop.slots").By)
	s.Firmware.Program, s.NIC.PayloadBytes = "gossip/hopfield", 1
	require.ErrorContains(t, s.Check(), "nic.payload_bytes is 1, but a message of gossip/hopfield has")
}

// TestReplacedRules: who gives a rule beside a program gives all of them, and is told which ones are not checked any
// more.
func TestReplacedRules(t *testing.T) {
	const text = "starloom: 1\nfabric: {pops: {groups: 3, group_size: 4}}\nfirmware: {program: pops/random-corrected}\n"
	const all = "collision_free: {period: 5, slots: [3, 4, 5]}, packets_per_processor_max: 3, exactly_once: true"
	for rules, want := range map[string]string{
		"":                     "",
		"rules: {}":            "collision_free, packets_per_processor_max, exactly_once",
		"rules: {" + all + "}": "",
		"rules: {deadline_slots: 100, exactly_once: true}":      "collision_free, packets_per_processor_max",
		"rules: {" + all + ", deadline_slots: 100}":             "",
		"rules: {packets_per_processor_max: 9, no_loss: false}": "collision_free, exactly_once",
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte(text+rules))
		require.NoError(t, err)
		var notes []string
		if want != "" {
			notes = []string{"the scenario's rules replace those of pops/random-corrected; not checked: " + want}
		}
		e, err := s.Explain(context.Background())
		require.NoError(t, err)
		require.Equal(t, notes, e.Notes, rules)
		report, err := starloom.Run(context.Background(), s, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, notes, report.Notes, rules)

		require.NoError(t, s.Override(context.Background(), starloom.Overrides{Image: "firmware/images/pops/random-corrected.wasm"}))
		e, err = s.Explain(context.Background())
		require.NoError(t, err)
		require.Equal(t, notes, e.Notes, "with an image in the place of the program: %s", rules)
	}
}

// TestExplainCaller: of a scenario from Go the caller has decided what no one else has.
func TestExplainCaller(t *testing.T) {
	s := starloom.DefaultScenario()
	s.Fabric.Crossbar, s.Firmware.Program = &crossbar.Network{Ports: 3}, "scatter/sync"
	s.Workload.Scatter = &starloom.Scatter{}
	e, err := s.Explain(context.Background())
	require.NoError(t, err)
	require.Equal(t, starloom.ByCaller, decided(t, e, "nic.rx_frames").By)
	require.Equal(t, starloom.ByProgram, decided(t, e, "fabric.crossbar.output").By)
	require.Equal(t, starloom.ByProgram, decided(t, e, "rules.no_loss").By)

	s = starloom.DefaultScenario()
	s.Fabric.Custom, s.Firmware.Program = pops.Network{Groups: 2, GroupSize: 2}, "pops/random"
	e, err = s.Explain(context.Background())
	require.NoError(t, err)
	require.Equal(t, starloom.Setting{Key: "fabric.pops.groups", Value: 2, By: starloom.ByCaller, Of: ""}, decided(t, e, "fabric.pops.groups"))

	s = starloom.DefaultScenario()
	s.Fabric.Crossbar, s.Firmware.Program = &crossbar.Network{}, "scatter/sync"
	_, err = s.Explain(context.Background())
	var refused *starloom.InputError
	require.ErrorAs(t, err, &refused)
}
