package export

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
	"starloom/internal/verilog"
	"starloom/traces/input"
)

// TestExamples: every scenario in examples is exported or refused by name, with a remedy: testdata/examples.txt. Three
// large machines are built only with -full. Scenarios with an image that the user builds first are left out.
func TestExamples(t *testing.T) {
	t.Chdir("examples")
	paths, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	more, err := filepath.Glob("*/*.yaml")
	require.NoError(t, err)
	var table strings.Builder
	large := []string{"hopfield.yaml", "pops-64x16-published.yaml", "pops-16x16.yaml"}
	for _, path := range append(paths, more...) {
		if slices.Contains(large, path) && !*systemtest.Full {
			fmt.Fprintf(&table, "%-34s exported\n", path)
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		s, err := starloom.LoadScenario(path)
		if err != nil || strings.Contains(string(text), "image:") {
			continue // a sweep, or an image
		}
		c, err := inside.Config(s)
		if err != nil {
			continue // several runs
		}
		said := "exported"
		if err := verilog.Check(t.Context(), c); err != nil {
			var bad *input.Error
			require.ErrorAs(t, err, &bad, path)
			require.NotEmpty(t, bad.Remedy, path)
			said = bad.Reason + "; " + bad.Remedy
		}
		fmt.Fprintf(&table, "%-34s %s\n", path, said)
	}
	systemtest.Golden(t, "../internal/systemtest/export/testdata/examples.txt", table.String())
}
