package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMap checks that a first pin map of an arbiter passes a check as it is written, that it has a schema beside it,
// and that it replaces no file.
func TestMap(t *testing.T) {
	dir := folder(t, map[string]string{"held.v": held})
	require.NoError(t, os.Mkdir(filepath.Join(dir, "maps"), 0o777))
	r := starloomIn(t, dir, "map", "held.v", "--model", "arbiter_fixed", "-o", "maps/held.yml")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Equal(t, "made maps/held.yml: check its guesses, then: starloom cosim check maps/held.yml\n", r.stdout)
	require.Equal(t, []string{"held.yml", "pin-map.schema.json"}, list(t, filepath.Join(dir, "maps")))
	text := contents(t, dir, "maps/held.yml")
	require.True(t, strings.HasPrefix(text, "# yaml-language-server: $schema=pin-map.schema.json\n"), text)
	require.Contains(t, text, "#   output   4  gnt\n")
	require.Contains(t, text, "sources: [../held.v]\n")
	r = starloomIn(t, dir, "cosim", "check", "maps/held.yml", "--cycles", "500")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)

	require.NoError(t, os.Mkdir(filepath.Join(dir, "inc"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inc", "ports.vh"), []byte("input clk, input rst_n,"), 0o644))
	included := strings.Replace(held, "input clk, input rst_n,", "\n`ifdef PORTS\n`include \"ports.vh\"\n`endif\n", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "included.v"), []byte(included), 0o644))
	path := filepath.Join(dir, "maps", "included.yml")
	r = starloomIn(t, dir, "map", "included.v", "--top", "held", "-I", "inc", "-D", "PORTS", "--model", "arbiter_fixed", "-o", path)
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, contents(t, dir, "maps/included.yml"), "include: [../inc]\ndefines: {PORTS: \"\"}\n")
	r = starloomIn(t, dir, "cosim", "check", "maps/included.yml", "--cycles", "500")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)

	for line, want := range map[string]string{
		"map held.v -o maps/held.yml":     "--output: maps/held.yml is there already; give another path",
		"map held.v --model arbiter_fixd": `--model: there is no model "arbiter_fixd"; did you mean arbiter_fixed?`,
		"map held.v --top other -o -":     "other",
		"map none.v -o -":                 "none.v",
		"map":                             "SOURCE is missing",
	} {
		before := list(t, dir)
		r = starloomIn(t, dir, strings.Fields(line)...)
		require.Equal(t, statusInput, r.status, "%s: %s", line, r.stderr)
		require.Contains(t, r.stderr, want, line)
		require.Equal(t, before, list(t, dir))
	}
}
