package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNetlistMistakes: commands print all mistakes of a netlist, a line for each, whether it stands in the scenario or
// in a file of its own, and one of them is a value out of range.
func TestNetlistMistakes(t *testing.T) {
	dir := folder(t, map[string]string{
		"n.yaml": "nodes: {\"p[0..3]\": processor, s: star}\nlinks:\n- {endpoints: [\"p[0..3]:0\", s], latency: 5000}\n- [\"p[0]:1\", x]\n",
		"s.yaml": "starloom: 1\nfabric: {netlist: {file: n.yaml}}\nfirmware: {program: netlist/flood}\n",
		"i.yaml": "starloom: 1\nfabric: {netlist: {nodes: {a: processor, b: processor}, links: [[a, x], [b, y]]}}\nfirmware: {program: netlist/flood}\n",
	})
	n := filepath.Join(dir, "n.yaml")
	for _, args := range [][]string{{"netlist", "show", n}, {"run", filepath.Join(dir, "s.yaml")}} {
		r := starloomIn(t, dir, args...)
		require.Equal(t, statusInput, r.status)
		lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
		require.Len(t, lines, 2)
		require.Contains(t, lines[0], n+":3:42: links[0].latency is 5000; allowed are 0 to 4096")
		require.Contains(t, lines[1], n+`:4:14: there is no node x; did you mean "s"?`)
	}
	r := starloomIn(t, dir, "run", "i.yaml")
	require.Equal(t, statusInput, r.status)
	require.Len(t, strings.Split(strings.TrimSpace(r.stderr), "\n"), 2)
}
