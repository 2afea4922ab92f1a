package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/verilator"
)

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
		{"--top: there is no module gates; did you mean gate? there is gate", []string{"--top", "gates"}},
		{"no parameter DEPTH; its parameters are WIDTH", []string{"--top", "gate", "-G", "DEPTH=3"}},
		{`-G: "WIDTH" is not a name and a value`, []string{"--top", "gate", "-G", "WIDTH"}},
		{"--clock: there is no port clock", []string{"--top", "gate", "--clock", "clock"}},
		{"--top: no top module is named", nil},
		{"is an input of the run", []string{"--top", "gate", "-o", source}},
	} {
		require.Equal(t, statusInput, build(c.args...), c.says)
		require.Contains(t, stderr.String(), c.says)
	}
}

// takeLibrary adds Verilator's library from the user's cache to a cache, if other tests have compiled it.
func takeLibrary(t *testing.T, cache string) {
	require.NoError(t, os.MkdirAll(cache, 0o755))
	user, err := os.UserCacheDir()
	require.NoError(t, err)
	objects, err := filepath.Glob(filepath.Join(user, "starloom", "cosim", "runtime-*"))
	require.NoError(t, err)
	for _, path := range objects {
		_ = os.Symlink(path, filepath.Join(cache, filepath.Base(path))) // otherwise the library is compiled
	}
}

// TestLongCosimBuildTakesWhatMapsTake checks that file lists, languages, libraries and GHDL flags build what pin maps
// attach with them, and nothing without them.
func TestLongCosimBuildTakesWhatMapsTake(t *testing.T) {
	const attach = "../../internal/maps/testdata/attach/"
	cache := t.TempDir()
	takeLibrary(t, cache)
	for _, c := range []struct{ name, file, options, without string }{
		{"file_list", "", "-f file_list.f", "no source is given"},
		{"language_old", "language_old.v", "--language language_old.v=1364-2001", "syntax error"},
		{"vhdl_library", "vhdl_library.vhd", "--libraries tools=vhdl_library_pkg.vhd", "tools"},
		{"vhdl_relaxed", "vhdl_relaxed.vhd", "--ghdl-flags=-frelaxed", "shared variable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(attach)
			build := func(options ...string) (int, string) {
				var stdout, stderr bytes.Buffer
				args := append([]string{"cosim", "build", "--cache", cache, "-o", filepath.Join(cache, c.name+".wasm"), "--top", "dut"}, options...)
				if c.file != "" {
					args = append(args, c.file)
				}
				status := execute(args, &stdout, &stderr)
				return status, stdout.String() + stderr.String()
			}
			status, said := build(strings.Fields(c.options)...)
			require.Equal(t, statusPass, status, said)
			status, said = build()
			require.Equal(t, statusInput, status)
			require.Contains(t, said, c.without)
		})
	}
	for says, options := range map[string][]string{
		"--language: b.v is not one of the sources":             {"--language", "b.v=1364-2001", "a.v"},
		"there is no language \"1364\"":                         {"--language", "a.v=1364", "a.v"},
		"none.f: cannot be read: no such file":                  {"-f", "none.f"},
		"--ghdl-flags: \"-P/etc\" is not an accepted GHDL flag": {"--ghdl-flags=-P/etc", "a.vhd"},
		"library \"1x\" has no name or no files":                {"--libraries", "1x=a.vhd", "a.vhd"},
		"--libraries: \"tools\" is not a name and a value":      {"--libraries", "tools", "a.vhd"},
		"libraries and ghdl_flags are for VHDL; delete them":    {"--libraries", "tools=b.vhd", "a.v"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, statusInput, execute(append([]string{"cosim", "build", "--top", "t"}, options...), &stdout, &stderr), says)
		require.Contains(t, stderr.String(), says)
	}
}
