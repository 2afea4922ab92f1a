package starloom

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// layers from the bottom up: a package may import only what stands before it.
// traces and hw stand side by side and know nothing of each other.
var layers = []string{
	"starloom/hw", "starloom/traces/input", "starloom/traces", "starloom/traces/internal/tracetest", "starloom/traces/plot",
	"starloom/traces/vcd", "starloom/traces/pcapng", "starloom/traces/pcapng/pcapngtest",
	"starloom/traces/diff", "starloom/traces/decode", "starloom/traces/info",
	"starloom/nic", "starloom/firmware/wasm", "starloom/firmware",
	"starloom/cosim", "starloom/cosim/internal/cosimtest", "starloom/cosim/twin", "starloom/cosim/pinmap", "starloom/cosim/lockstep", "starloom/cosim/inloop", // know no backend
	"starloom/cosim/verilator", "starloom/cosim/icarus",
	"starloom/fabric/bus/gossip",
	"starloom/fabric/crossbar/gossip", "starloom/fabric/crossbar/gossip/gossiptest",
	"starloom/fabric/crossbar/scatter", "starloom/fabric/crossbar/scatter/scattertest", "starloom/fabric/ej/eisenstein", "starloom/fabric/ej/eisenstein/eisensteintest", // arithmetic: no hardware
	"starloom/fabric", "starloom/fabric/pops", "starloom/fabric/crossbar", "starloom/fabric/bus", "starloom/fabric/ej", "starloom",
	"starloom/fabric/fabrictest", "starloom/fabric/fabrictest/ring", "starloom/examples/languages", "starloom/cmd/starloom",
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

// named are the places in which a network of Starloom's own may be named.
var named = regexp.MustCompile(`^(fabric/(pops|fabrictest)/|firmware/(programs|images)/|firmware/sdk/starloom_pops\.h$|examples/|testdata/|.*/testdata/|.*_test\.go$|.*\.md$)`)

// names are how networks are named in code and comments: the noun, the head of programs'
// names and of texts.
var names = regexp.MustCompile(`\bPOPS\b|\bpops/|"pops`)

// TestOneFabricOneFolder searches all sources for the name of a network: outside its
// folder there are an import, which names the folder, and one field.
func TestOneFabricOneFolder(t *testing.T) {
	out, err := exec.Command("git", "ls-files").Output()
	require.NoError(t, err)
	var found []string
	for _, path := range strings.Fields(string(out)) {
		if named.MatchString(path) || !slices.Contains([]string{".go", ".c", ".h", ".v", ".vh", ".cpp", ".hpp"}, filepath.Ext(path)) {
			continue
		}
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) { // removed, and not yet committed
			continue
		}
		require.NoError(t, err)
		if bytes.Contains(text[:min(len(text), 200)], []byte("Code generated")) {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if names.MatchString(line) {
				found = append(found, fmt.Sprintf("%s:%d: %s", path, i+1, strings.TrimSpace(line)))
			}
		}
	}
	require.Len(t, found, 1, "%s", strings.Join(found, "\n"))
	require.Contains(t, found[0], ": POPS *pops.Network `json:")
}
