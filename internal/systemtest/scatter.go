package systemtest

import (
	"fmt"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// ScatterScenario is a scattering among n processors; more is what else the file has.
func ScatterScenario(t testing.TB, program string, n int, more string) *starloom.Scenario {
	s, err := starloom.ParseScenario("scatter.yaml", fmt.Appendf(nil,
		"starloom: 1\nfabric: {crossbar: {ports: %d}}\nfirmware: {program: %s}\nworkload: {scatter: {origin: %d}}\n%s", n, program, n/2, more))
	require.NoError(t, err)
	return s
}
