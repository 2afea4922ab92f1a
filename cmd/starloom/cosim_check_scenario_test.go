package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCosimCheckScenario checks all RTL of a scenario on the inputs of a run.
func TestCosimCheckScenario(t *testing.T) {
	const scenario = "../../examples/rtl/pops-4x4.yaml"
	r := starloomIn(t, ".", "cosim", "check", scenario)
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "pass: no difference found in 52 components of pops-4x4-rtl")
	r = starloomIn(t, ".", "cosim", "check", scenario, "--cycles", "3")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--cycles: RTL and inputs are those of the scenario")
	r = starloomIn(t, ".", "cosim", "check", "../../examples/pops-16x16.yaml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "the scenario has no RTL to check")
}
