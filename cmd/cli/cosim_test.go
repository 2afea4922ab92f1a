package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

// TestCosimBuild builds a small design and reads what is printed and written.
func TestCosimBuild(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "gate.v")
	require.NoError(t, os.WriteFile(source, []byte(`module gate #(parameter WIDTH = 4) (
  input wire clk_i, input wire [WIDTH-1:0] a_i, output reg [WIDTH-1:0] q_o
);
`+"`ifdef INVERT"+`
  always @(posedge clk_i) q_o <= ~a_i;
`+"`else"+`
  always @(posedge clk_i) q_o <= a_i;
`+"`endif"+`
endmodule
`), 0o644))
	wasm, cache := filepath.Join(dir, "gate.wasm"), filepath.Join(dir, "cache")
	takeLibrary(t, cache)
	var stdout, stderr bytes.Buffer
	build := func(args ...string) int {
		stdout.Reset()
		stderr.Reset()
		return execute(append([]string{"cosim", "build", "--cache", cache, "-o", wasm, source}, args...), &stdout, &stderr)
	}
	require.Equal(t, statusPass, build("--top", "gate", "--clock", "clk_i", "-GWIDTH=7", "-D", "INVERT"), "%s", &stderr)
	require.Empty(t, stderr.String())
	for _, line := range []string{"gate.v: gate\n", "clk_i  clock      1     logic\n", "q_o    output     7     logic [6:0]\n", "parameters WIDTH=7\n", "written to " + wasm} {
		require.Contains(t, stdout.String(), line)
	}
	data, err := os.ReadFile(wasm)
	require.NoError(t, err)
	circuit, err := verilator.Load(data)
	require.NoError(t, err)
	defer circuit.Close()
	device, err := verilator.Open(circuit, cosim.Options{})
	require.NoError(t, err)
	device.Inputs()[0] = 5
	require.NoError(t, device.Edge(1))
	require.EqualValues(t, ^5&0x7f, device.Outputs()[0])
	require.NoError(t, device.Close())

	for _, c := range []struct {
		says string
		args []string
	}{
		{"there is no module gates; the modules are gate", []string{"--top", "gates"}},
		{"no parameter DEPTH; its parameters are WIDTH", []string{"--top", "gate", "-G", "DEPTH=3"}},
		{`-G: "WIDTH" is not a name and a value`, []string{"--top", "gate", "-G", "WIDTH"}},
		{"--clock: there is no port clock", []string{"--top", "gate", "--clock", "clock"}},
		{"--top: no top module is named", nil},
		{"is what the run is made from", []string{"--top", "gate", "-o", source}},
	} {
		require.Equal(t, statusInput, build(c.args...), c.says)
		require.Contains(t, stderr.String(), c.says)
	}
}

// takeLibrary begins a cache with Verilator's library out of the user's cache, if other
// tests have compiled it.
func takeLibrary(t *testing.T, cache string) {
	require.NoError(t, os.MkdirAll(cache, 0o755))
	user, err := os.UserCacheDir()
	require.NoError(t, err)
	objects, err := filepath.Glob(filepath.Join(user, "starloom", "cosim", "runtime-*"))
	require.NoError(t, err)
	for _, path := range objects {
		_ = os.Link(path, filepath.Join(cache, filepath.Base(path))) // else it is compiled
	}
}
