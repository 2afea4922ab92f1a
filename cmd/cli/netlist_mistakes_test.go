package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNetlistMistakes checks that commands print all mistakes of a netlist, one per line, in a scenario or in its own
// file, including a value out of range.
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
		require.Contains(t, lines[0], n+":3:42: links[0].latency is 5000; allowed: 0 to 4096")
		require.Contains(t, lines[1], n+`:4:14: there is no node x; name one of nodes`)
	}
	r := starloomIn(t, dir, "run", "i.yaml")
	require.Equal(t, statusInput, r.status)
	require.Len(t, strings.Split(strings.TrimSpace(r.stderr), "\n"), 2)
}

// TestNetlistOfScenario checks that all commands read a scenario alike: show and header refuse the same as run, with
// the same words, but other files may be missing.
func TestNetlistOfScenario(t *testing.T) {
	const text = "starloom: 1\nfabric: {netlist: {ring: {n: 4}}}\nfirmware: {image: not-yet.wasm}\n"
	dir := folder(t, map[string]string{"s.yaml": text, "key.yaml": text + "slot: 3\n", "two.yaml": text + "traces: {vcd: 3}\n",
		"value.yaml": strings.Replace(text, "starloom: 1", "starloom: 2", 1), "other.yaml": "starloom: 1\nfabric: {ej: {a: 3, b: 4, dimensions: 1}}\n"})
	for _, command := range []string{"show", "header"} {
		require.Zero(t, starloomIn(t, dir, "netlist", command, "s.yaml").status)
		for _, file := range []string{"key.yaml", "two.yaml"} {
			r := starloomIn(t, dir, "netlist", command, file)
			require.Equal(t, statusInput, r.status)
			require.Equal(t, starloomIn(t, dir, "run", file).stderr, r.stderr)
		}
		r := starloomIn(t, dir, "netlist", command, "other.yaml")
		require.Equal(t, statusInput, r.status)
		require.Contains(t, r.stderr, "other.yaml:2:9: the scenario has no netlist; write fabric: {netlist: {nodes: {...}, links: [...]}}")
	}
}
