package systemtest

import (
	"fmt"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// BusGossipScenario is gossip of n vertices on buses of length l; more is what else the file has.
func BusGossipScenario(t testing.TB, program string, n, l int, more string) *starloom.Scenario {
	s, err := starloom.ParseScenario("bus.yaml", fmt.Appendf(nil,
		"starloom: 1\nfabric: {bus: {vertices: %d, length: %d}}\nfirmware: {program: bus/%s}\n%s", n, l, program, more))
	require.NoError(t, err)
	return s
}
