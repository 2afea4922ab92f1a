package systemtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/crossbar"
)

// VotingScenario is a vote of n modules.
func VotingScenario(n int, adjudicate int64, g starloom.Gossip) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Fabric.Crossbar = &crossbar.Network{Ports: n}
	s.Firmware.Program, s.Firmware.Params = "gossip/voting", map[string]int64{"adjudicate": adjudicate}
	s.Workload = starloom.Workload{Gossip: &g}
	return s
}

// MachineRun runs a scenario in the slot engine.
func MachineRun(t testing.TB, s *starloom.Scenario) *starloom.Machine {
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{Engine: starloom.EngineSlot})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	require.NoError(t, m.Run(t.Context(), nil))
	return m
}
