package systemtest

import (
	"context"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// MachineReport is the report of a run of a machine, step by step.
func MachineReport(t *testing.T, s *starloom.Scenario) *starloom.Report {
	m := Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}
