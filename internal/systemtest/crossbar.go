package systemtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/crossbar"
	"starloom/firmware"
)

// GossipScenario returns a gossip among n+1 processors.
func GossipScenario(N, scheduling int, g starloom.Gossip) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Fabric.Crossbar = &crossbar.Network{Ports: N + 1}
	s.NIC = starloom.NIC{PayloadBytes: 8, RXFrames: 1, TXFrames: 1}
	s.Firmware.Program, s.Firmware.Params = "gossip/fsa", map[string]int64{"scheduling": int64(scheduling)}
	s.Workload = starloom.Workload{Gossip: &g}
	s.Stop.Slots = uint32(g.Count()*N*(N+1) + 1)
	return s
}

// HopfieldScenario returns an associative memory on n processors.
func HopfieldScenario(n int, params map[string]int64, g starloom.Gossip) *starloom.Scenario {
	s := starloom.DefaultScenario()
	s.Fabric.Crossbar = &crossbar.Network{Ports: n}
	s.Firmware.Program, s.Firmware.Params = "gossip/hopfield", params
	s.NIC.PayloadBytes = 8 + 16 // to 128 neurons of a processor
	s.Workload = starloom.Workload{Gossip: &g}
	return s
}

// AscendingImage returns an image of a Hopfield network whose updates raise the energy.
func AscendingImage(t *testing.T) string {
	source, err := os.ReadFile("firmware/programs/gossip/hopfield.c")
	require.NoError(t, err)
	mutant := strings.Replace(string(source), "(field > 0) == up", "(field < 0) == up", 1)
	require.NotEqual(t, string(source), mutant)
	folder := t.TempDir()
	path, image := filepath.Join(folder, "ascends.c"), filepath.Join(folder, "ascends.wasm")
	require.NoError(t, os.WriteFile(path, []byte(mutant), 0o666))
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: path, Output: image}))
	return image
}

// Ascends returns a scenario with the image of AscendingImage.
func Ascends(t *testing.T) *starloom.Scenario {
	s := HopfieldScenario(4, map[string]int64{"neurons": 16}, starloom.Gossip{Values: "random", Sessions: 3})
	s.Firmware.Program, s.Firmware.Image = "", AscendingImage(t)
	s.Rules = &starloom.Rules{Energy: true}
	return s
}

// ScatterScenario returns a scatter among n processors, with additional keys.
func ScatterScenario(t testing.TB, program string, n int, more string) *starloom.Scenario {
	s, err := starloom.ParseScenario("scatter.yaml", fmt.Appendf(nil,
		"starloom: 1\nfabric: {crossbar: {ports: %d}}\nfirmware: {program: %s}\nworkload: {scatter: {origin: %d}}\n%s", n, program, n/2, more))
	require.NoError(t, err)
	return s
}

// VotingScenario returns a vote among n modules.
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
