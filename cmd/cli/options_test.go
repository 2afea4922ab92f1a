package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestOldSpellings checks that an old option equals the new one, with a note on standard error, and that help
// names only the new one.
func TestOldSpellings(t *testing.T) {
	const ring = "name: r\nnodes: {'p[0..1]': processor, h: star}\nlinks: [['p[0..1]:0', h]]\n"
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "ring.yaml": ring, "t.csv": "a,b\n1,2\n2,3\n"})
	for _, c := range []struct {
		file     string // written by both
		now, old []string
		note     string
	}{
		{"state", []string{"run", "s.yaml", "--save-state", "state"}, []string{"run", "s.yaml", "--save", "state"},
			"--save is now --save-state"},
		{"n.yaml", []string{"new", "pops", "-o", "n.yaml"}, []string{"new", "pops", "--out", "n.yaml"},
			"--out is now --output"},
		{"p.svg", []string{"plot", "t.csv", "--x", "a", "--y", "b", "-o", "p.svg"},
			[]string{"plot", "t.csv", "--x", "a", "--y", "b", "--out", "p.svg"}, "--out is now --output"},
		{"n.h", []string{"netlist", "header", "ring.yaml", "-o", "n.h"},
			[]string{"netlist", "header", "ring.yaml", "--out", "n.h"}, "--out is now --output"},
		{"n.svg", []string{"netlist", "show", "ring.yaml", "--svg", "topology=n.svg"},
			[]string{"netlist", "show", "ring.yaml", "--svg", "n.svg"}, "--svg F.svg is now --svg topology=F.svg"},
		{"ej-plane-misprinted.svg", []string{"study", "ej", "--case", "plane", "--plots", "."},
			[]string{"study", "ej", "--case", "plane", "--svg", "."}, "--svg is now --plots"},
	} {
		r := starloomIn(t, dir, c.now...)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.NotContains(t, r.stderr, "is now", c.now)
		path := filepath.Join(dir, c.file)
		written, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		r = starloomIn(t, dir, c.old...)
		require.Equal(t, statusPass, r.status, r.stderr)
		require.Contains(t, r.stderr, "note: "+c.note+", and the next version refuses it\n", c.old)
		same, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, written, same, c.old)
	}
	require.Empty(t, starloomIn(t, dir, "run", "s.yaml", "--save", "state", "--quiet").stderr)
	require.Contains(t, starloomIn(t, dir, "run", "s.yaml", "--save", "").stderr, "--save: its value is empty")
}

// TestOneSpelling checks that -o is a file and --out a folder, and that an option of many commands has one form of
// value.
func TestOneSpelling(t *testing.T) {
	shapes := map[string]string{"seeds": "A..B|N", "save": "F", "save-state": "F", "json": "F", "html": "F.html"}
	for _, c := range documented(newRoot()) {
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			value, _ := pflag.UnquoteUsage(f)
			place := c.CommandPath() + " --" + f.Name
			if want, ok := shapes[f.Name]; ok {
				require.Equal(t, want, value, place)
			}
			require.Equal(t, f.Name == "output", f.Shorthand == "o", place)
			require.Equal(t, f.Name == "out", f.Name == "out" && value == "DIR", place)
		})
	}
}

// TestSeedsOfRunsAndChecks checks that a number of seeds is the range from 1 to it, and for a check from --seed on.
func TestSeedsOfRunsAndChecks(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	number := starloomIn(t, dir, "run", "s.yaml", "--seeds", "3")
	require.Equal(t, statusPass, number.status, number.stderr)
	require.Equal(t, starloomIn(t, dir, "run", "s.yaml", "--seeds", "1..3").stdout, number.stdout)
	for _, c := range []struct {
		seeds, seed string
		first, runs uint64
		says        string
	}{
		{"3", "", 0, 3, ""}, {"3", "7", 7, 3, ""}, {"5..8", "", 5, 4, ""}, {"1", "", 0, 1, ""},
		{"5..8", "7", 0, 0, "--seed: --seeds 5..8 names the first seed; delete one of them"},
		{"8..5", "", 0, 0, "is empty; write 5..8"}, {"0", "", 0, 0, "is not a range"},
	} {
		o, command := checkFlags{}, &cobra.Command{}
		o.declare(command)
		require.NoError(t, command.Flags().Set("seeds", c.seeds))
		if c.seed != "" {
			require.NoError(t, command.Flags().Set("seed", c.seed))
		}
		err := o.parseSeeds(command.Flags())
		if c.says != "" {
			require.ErrorContains(t, err, c.says)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.first, o.Seed, c.seeds)
		require.EqualValues(t, c.runs, o.Seeds, c.seeds)
	}
}
