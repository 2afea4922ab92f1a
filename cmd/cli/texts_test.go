package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestTexts checks that every text belongs to a command, that every command with an action has one, and that all
// values of its template are filled in.
func TestTexts(t *testing.T) {
	root := newRoot()
	root.InitDefaultHelpCmd()
	var used []string
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.TrimPrefix(pageName(c), "starloom-") + ".txt"
		if c.Long != "" {
			used = append(used, name)
			require.NotContains(t, c.Long+c.Example, "{{", name)
			require.NotContains(t, c.Long, "Examples:", name)
		}
		if c.Example == "" {
			require.Contains(t, []string{"starloom version", "starloom cite", "starloom study list", "starloom firmware", "starloom cosim", "starloom trace", "starloom scenario", "starloom netlist"}, c.CommandPath())
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(root)
	files, err := texts.ReadDir("help")
	require.NoError(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	require.ElementsMatch(t, names, used)
}
