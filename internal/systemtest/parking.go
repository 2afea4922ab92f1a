package systemtest

import (
	"fmt"
	"strings"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// EjScenario is a broadcast on a small network.
func EjScenario(t *testing.T, a, b, dimensions int, program, more string, params ...string) *starloom.Scenario {
	return EjParsed(t, fmt.Sprintf("a: %d, b: %d, dimensions: %d", a, b, dimensions), program, more, params...)
}

// EjParsed is a broadcast on the network with these keys.
func EjParsed(t *testing.T, network, program, more string, params ...string) *starloom.Scenario {
	s, err := starloom.ParseScenario("ej.yaml", fmt.Appendf(nil, "starloom: 1\nname: ej\nfabric: {ej: {%s}}\nfirmware: {program: %s, params: {%s}}\n%s",
		network, program, strings.Join(params, ", "), more))
	require.NoError(t, err)
	return s
}
