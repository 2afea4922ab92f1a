package starloom

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers from the bottom up: a package may import only what stands before it.
// traces and hw stand side by side and know nothing of each other.
var layers = []string{
	"starloom/hw", "starloom/traces/input", "starloom/traces", "starloom/traces/internal/tracetest",
	"starloom/traces/vcd", "starloom/traces/pcapng", "starloom/traces/pcapng/pcapngtest",
	"starloom/traces/diff", "starloom/traces/decode", "starloom/traces/info",
	"starloom/nic", "starloom/firmware/wasm", "starloom/firmware",
	"starloom/cosim", "starloom/cosim/internal/cosimtest", "starloom/cosim/twin", "starloom/cosim/pinmap", "starloom/cosim/lockstep", // know no backend
	"starloom/cosim/verilator", "starloom/cosim/icarus",
	"starloom/fabric", "starloom/fabric/pops", "starloom", "starloom/cmd/starloom",
}

// TestImportsPointDownward holds the layout of the module.
func TestImportsPointDownward(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	require.NoError(t, err)
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		fields := strings.Fields(line)
		level := slices.Index(layers, fields[0])
		require.GreaterOrEqual(t, level, 0, "package %s has no place in the layout; give it one here and in the README", fields[0])
		for _, imported := range fields[1:] {
			below := slices.Index(layers, imported)
			require.Less(t, below, level, "%s imports %s, which stands above it", fields[0], imported)
			sideBySide := strings.HasPrefix(fields[0], "starloom/traces") && imported == "starloom/hw"
			require.False(t, sideBySide, "traces and hw know nothing of each other")
		}
	}
}
