package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCosimCheckScenario checks all RTL of a scenario on the inputs of a run.
func TestCosimCheckScenario(t *testing.T) {
	const scenario = "../../examples/rtl/pops-4x4.yaml"
	status, stdout, stderr := starloom(t, "cosim", "check", scenario)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "pass: no difference in 52 components of pops-4x4-rtl")
	status, _, stderr = starloom(t, "cosim", "check", scenario, "--cycles", "3")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "--cycles: RTL and inputs are those of the scenario")
	status, _, stderr = starloom(t, "cosim", "check", "../../examples/pops-16x16.yaml")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "the scenario has no RTL to check")
}
