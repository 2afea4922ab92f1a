//go:build linux

package verilator

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
)

// TestLongBuildsAreReused checks that the second build of the same text runs no tool, prints the same warnings and
// has the same result, but unless one of its inputs has changed.
func TestLongBuildsAreReused(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	put("top.v", "`include \"sub/width.vh\"\nmodule top(input clk, output reg [`WIDTH-1:0] v); part p(clk); reg [7:0] m [0:0]; initial $readmemh(\"m.hex\", m); always @(posedge clk) v <= v + 12'd1 * m[0]; endmodule\n")
	put("b/sub/width.vh", "`define WIDTH 8\n")
	put("b/part.v", "module part(input c); endmodule\n")
	put("m.hex", "1\n")
	require.NoError(t, os.MkdirAll("a/sub", 0o755))
	source := cosim.Source{Top: "top", Files: []string{"top.v"}, IncludeDirs: []string{"a", "b"}, Clocks: []string{"clk"}}
	build := func() (steps int, bits int, said string) {
		var warnings bytes.Buffer
		c, err := Build(context.Background(), source,
			cosim.BuildOptions{Warnings: &warnings, Progress: func(string) { steps++ }})
		require.NoError(t, err)
		d, err := Open(c, cosim.Options{})
		require.NoError(t, err)
		bits = d.Ports()[1].Bits
		require.NoError(t, d.Close())
		require.NoError(t, c.Close())
		return steps, bits, warnings.String()
	}
	steps, bits, said := build()
	require.NotZero(t, steps)
	require.Equal(t, 8, bits)
	require.Contains(t, said, "%Warning-WIDTH")
	again, bits, saidAgain := build()
	require.Zero(t, again, "no tool was asked")
	require.Equal(t, 8, bits)
	require.Equal(t, said, saidAgain)

	// A changed text, or a new file that hides one, is detected; restored ones count as unchanged.
	reused := func() bool {
		s, o := source, cosim.BuildOptions{}
		b, err := newBuilder(context.Background(), &s, &o, wasmTarget)
		require.NoError(t, err)
		defer func() { require.NoError(t, os.RemoveAll(b.work)) }()
		name, err := b.elaborationName()
		require.NoError(t, err)
		return b.elaborated(name) != ""
	}
	for _, change := range [][2]string{{"top.v", "module top; endmodule"}, {"b/sub/width.vh", "`define WIDTH 9\n"}, {"m.hex", "2\n"}, {"a/part.v", ""}, {"part.sv", ""}, {"a/sub/width.vh", ""}} {
		before, err := os.ReadFile(change[0])
		put(change[0], change[1])
		require.False(t, reused(), change[0])
		if err != nil {
			require.NoError(t, os.Remove(change[0]))
		} else {
			put(change[0], string(before))
		}
		require.True(t, reused(), change[0])
	}
	source.Clocks = nil
	require.False(t, reused(), "another clock is another design")
	source.Clocks = []string{"clk"}

	compiled, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "starloom", "cosim", "compiled", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, compiled)
	for _, file := range compiled { // a damaged file is not used
		require.NoError(t, os.WriteFile(file, []byte("no code"), 0o600))
	}
	steps, _, _ = build()
	require.Zero(t, steps)

	put("a/sub/width.vh", "`define WIDTH 10\n")
	steps, bits, _ = build()
	require.NotZero(t, steps)
	require.Equal(t, 10, bits)
}
