package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStudyGossip repeats published run-tables and runs orders found by a search.
func TestStudyGossip(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": gossipOf("found/orders-9.csv")})
	r := starloomIn(t, dir, "study", "gossip", "--case", "table [1-7]")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Equal(t, 6, strings.Count(r.stdout, "differing cells  "), r.stdout)
	require.Equal(t, statusPass, starloomIn(t, dir, "study", "gossip", "--case", "claims").status)

	r = starloomIn(t, dir, "study", "gossip", "--case", "search", "--orders", "found", "--csv", "rows.csv")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "csv  found/orders-9.csv\n")
	r = starloomIn(t, dir, "run", "s.yaml")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "lambda       24\n", "pipelined gossiping takes 27")

	before := list(t, dir)
	r = starloomIn(t, dir, "study", "gossip", "--case", "claims", "--orders", "found")
	require.Equal(t, statusPass, r.status)
	require.Contains(t, r.stdout, "note: no files were written: the selected cases have none\n")
	require.Equal(t, before, list(t, dir))
}

// TestStudyBroadcast repeats the published tables, including their errors, with the picture of the plane.
func TestStudyBroadcast(t *testing.T) {
	dir := folder(t, nil)
	for _, c := range []struct {
		pattern      string
		contradicted int
	}{{"table [12]", 1}, {"misprint", 5}, {"counters", 0}, {"one packet", 0}, {"claims", 9}} {
		r := starloomIn(t, dir, "study", "ej", "--case", c.pattern)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Equal(t, c.contradicted, strings.Count(r.stdout, "  contradicted  "), r.stdout)
	}
	r := starloomIn(t, dir, "study", "ej", "--case", "plane", "--plots", ".")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Equal(t, []string{"ej-plane-misprinted.svg", "ej-plane-oriented.svg", "ej-plane.svg"}, list(t, dir))
	picture, err := os.ReadFile(filepath.Join(dir, "ej-plane.svg"))
	require.NoError(t, err)
	require.Contains(t, string(picture), "EJ_{3+4rho}: the broadcast of node 0, diameter 3")
}

// TestStudyPlots checks that plots appear in a new folder.
func TestStudyPlots(t *testing.T) {
	dir := folder(t, map[string]string{"file": ""})
	r := starloomIn(t, dir, "study", "scatter", "--case", "distribution", "--plots", "plots/new")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Equal(t, []string{"scatter-done.svg"}, list(t, filepath.Join(dir, "plots/new")))
	text, err := os.ReadFile(filepath.Join(dir, "plots/new/scatter-done.svg"))
	require.NoError(t, err)
	require.Contains(t, string(text), "n = 128, exact")
	require.Contains(t, string(text), "n = 128, 2000 runs")
	for args, says := range map[string]string{
		"pops --orders plots":     "--orders: study pops writes no such files; delete --orders",
		"scatter --orders plots":  "--orders: study scatter writes no such files; delete --orders",
		"gossip --plots file/sub": "--plots: ",
		"gossip --orders file":    "--orders: ",
		"crossbar":                `there is no study "crossbar"; choose one of pops, gossip, scatter, bus, ej`,
	} {
		r := starloomIn(t, dir, append([]string{"study"}, strings.Fields(args)...)...)
		require.Equal(t, statusInput, r.status, args)
		require.Contains(t, r.stderr, says)
	}
	require.Equal(t, statusInput, starloomIn(t, dir, "study", "scatter", "--plots", "new", "--orders", "new").status)
	require.Equal(t, []string{"file", "plots"}, list(t, dir), "no folder is made for what is refused")
}

// TestLongStudyExport checks that the scenarios of rows are named after their cases, and that their runs have the
// figures of the rows.
func TestLongStudyExport(t *testing.T) {
	dir := t.TempDir()
	r := starloomIn(t, dir, "study", "gossip", "--case", "table 4", "--export", "four")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Contains(t, r.stdout, "scenario  four/table-4.yaml\n")
	require.Equal(t, []string{"table-4.yaml"}, list(t, filepath.Join(dir, "four")))
	require.Regexp(t, `(?m)^table 4  steps +27 +- +27 `, r.stdout)
	text := contents(t, dir, "four/table-4.yaml")
	require.True(t, strings.HasPrefix(text, "# Study gossip, case table 4: starloom run table-4.yaml\n"), text)
	require.NotContains(t, text, "link:", "it has the usual value")
	r = starloomIn(t, filepath.Join(dir, "four"), "run", "table-4.yaml")
	require.Equal(t, statusPass, r.status, r.stderr)
	require.Regexp(t, `(?m)^lambda +27$`, r.stdout)
	r = starloomIn(t, filepath.Join(dir, "four"), "run", "table-4.yaml", "--set", "fabric.crossbar.ports=12")
	require.Equal(t, statusPass, r.status, r.stderr)

	for _, c := range [][2]string{{"ej", "all-to-all"}, {"bus", "table 1"}, {"scatter", "distribution"}, {"pops", "corrected*"}} {
		folder := filepath.Join(dir, c[0])
		r = starloomIn(t, dir, "study", c[0], "--case", c[1], "--export", folder)
		require.Equal(t, statusPass, r.status, r.stderr)
		files := list(t, folder)
		require.NotEmpty(t, files)
		for _, name := range files[:min(len(files), 5)] {
			first, _, _ := strings.Cut(contents(t, folder, name), "\n")
			_, command, _ := strings.Cut(first, ": starloom ")
			r = starloomIn(t, folder, append(strings.Fields(command), "--quiet")...)
			require.NotEqual(t, statusInput, r.status, "%s: %s", name, r.stderr)
		}
	}
	require.Equal(t, statusInput, starloomIn(t, dir, "study", "ej", "--export", "four/table-4.yaml").status)
}
