package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCosimCheckScenario checks all RTL of a scenario on the inputs of a run.
func TestCosimCheckScenario(t *testing.T) {
	const scenario = "../../examples/rtl/pops-4x4.yaml"
	r := starloomIn(t, ".", "cosim", "check", scenario, "--json", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stderr, "pass: no difference found in 52 components of pops-4x4-rtl")
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
	require.Contains(t, r.stderr, "--cycles: RTL and inputs are those of the scenario")
	r = starloomIn(t, ".", "cosim", "check", "../../examples/pops-16x16.yaml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "the scenario has no RTL to check")
}
