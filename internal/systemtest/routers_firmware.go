package systemtest

import (
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// RoutedScenario is firmware on routers.
func RoutedScenario(t testing.TB, netlist, rest string) *starloom.Scenario {
	t.Helper()
	s, err := starloom.ParseScenario("routed.yaml", []byte("starloom: 1\nfabric: {netlist: {"+netlist+"}}\n"+rest+"\n"))
	require.NoError(t, err)
	return s
}
