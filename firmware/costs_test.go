package firmware

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/firmware/wasm"
)

// TestCostTable: ABI.md has the costs of all classes by all models, with their sources.
func TestCostTable(t *testing.T) {
	const path, from, to = "ABI.md", "<!-- costs -->\n", "<!-- /costs -->\n"
	var want strings.Builder
	fmt.Fprintf(&want, "| class | instructions | `%s` |\n|---|---|%s\n", strings.Join(wasm.Models(), "` | `"), strings.Repeat("---:|", len(wasm.Presets)))
	for _, c := range wasm.Classes() {
		fmt.Fprintf(&want, "| `%s` | %s |", c.Name, c.Means)
		for _, model := range wasm.Models() {
			costs, _ := wasm.Model(model)
			fmt.Fprintf(&want, " %d |", costs.ByName()[c.Name])
		}
		want.WriteByte('\n')
	}
	want.WriteByte('\n')
	for _, p := range wasm.Presets {
		fmt.Fprintf(&want, "* `%s`: %s.\n", p.Name, p.Source)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), from)
	require.True(t, found)
	got, after, found := strings.Cut(rest, to)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(before+from+want.String()+to+after), 0o644))
		return
	}
	require.Equal(t, want.String(), got, "run go test ./firmware -run CostTable -update")
}

// TestFlagsAreStated: the commands in ABI.md have all flags of Build that an image depends on.
func TestFlagsAreStated(t *testing.T) {
	text, err := os.ReadFile("ABI.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "<!-- flags -->\n")
	require.True(t, found)
	commands, _, found := strings.Cut(rest, "<!-- /flags -->")
	require.True(t, found)
	require.Contains(t, commands, strings.Join(wasmLinkFlags, " "))
	for _, flag := range clangFlags {
		if flag == "-g" || strings.HasPrefix(flag, "-W") || strings.HasPrefix(flag, "-fdebug") {
			continue // they change nothing that runs
		}
		require.Contains(t, strings.Fields(commands), flag)
	}
	_, refused, _ := strings.Cut(string(text), "## What is refused\n")
	for _, op := range []string{"table.get", "table.set", "table.size", "table.grow", "table.fill", "table.copy", "table.init", "elem.drop", "data.drop", "ref.null", "ref.is_null", "ref.func"} {
		require.Contains(t, refused, "`"+op+"`")
	}
}
