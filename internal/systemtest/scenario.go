package systemtest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
)

// Update is the flag that rewrites golden files.
var Update = flag.Bool("update", false, "rewrite the golden files of this package")

// Golden compares got with the golden file at path, or rewrites the file under -update.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test -run %s -update writes it", t.Name())
	require.Equal(t, string(want), got, "if this is meant: go test -run %s -update", t.Name())
}

// Small is a valid scenario to which test cases append; it ends at line 3.
const Small = `starloom: 1
fabric: {pops: {groups: 2, group_size: 2}}
firmware: {program: pops/random}
`

// EjScenario returns a broadcast on a small Eisenstein-Jacobi network.
func EjScenario(t *testing.T, a, b, dimensions int, program, more string, params ...string) *starloom.Scenario {
	return EjParsed(t, fmt.Sprintf("a: %d, b: %d, dimensions: %d", a, b, dimensions), program, more, params...)
}

// EjParsed returns a broadcast on an Eisenstein-Jacobi network, with additional keys.
func EjParsed(t *testing.T, network, program, more string, params ...string) *starloom.Scenario {
	s, err := starloom.ParseScenario("ej.yaml", fmt.Appendf(nil, "starloom: 1\nname: ej\nfabric: {ej: {%s}}\nfirmware: {program: %s, params: {%s}}\n%s",
		network, program, strings.Join(params, ", "), more))
	require.NoError(t, err)
	return s
}

// RoutedScenario returns a scenario of firmware on routers.
func RoutedScenario(t testing.TB, netlist, rest string) *starloom.Scenario {
	t.Helper()
	s, err := starloom.ParseScenario("routed.yaml", []byte("starloom: 1\nfabric: {netlist: {"+netlist+"}}\n"+rest+"\n"))
	require.NoError(t, err)
	return s
}

// RoutedExchange returns a scenario of firmware on a mesh of routers, some of them RTL.
func RoutedExchange(t *testing.T, rtl string) *starloom.Scenario {
	return RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 2, depth: 2}, streaming: {tick: 7}",
		"nic: {rx_frames: 1}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"+rtl)
}
