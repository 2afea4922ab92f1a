package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestInputsAreRegularFiles checks that a pipe without a writer and an endless device are refused without waiting
// wherever a user's file is read.
func TestInputsAreRegularFiles(t *testing.T) {
	dir := folder(t, map[string]string{
		"s.yaml":     smallScenario,
		"image.yaml": strings.Replace(smallScenario, "program: pops/random", "image: pipe", 1),
		"perm.yaml":  smallScenario + "workload: {file: pipe}\n",
		"pins.yaml":  smallScenario + "rtl: [{replace: 'pops.group[*].coupler[*]', map: pipe}]\n",
		"rtl.yml":    "model: star_coupler\nparameters: {D: 4, PHIT_BITS: 8}\nimage: pipe\n",
		"map.yml":    "model: star_coupler\nparameters: {D: 4, PHIT_BITS: 8}\ntop: top\nsources: [pipe.v]\n",
		"a.vcd":      "$var wire 1 ! a $end\n$enddefinitions $end\n#0\n1!\n",
		"large.wasm": "",
	})
	for _, pipe := range []string{"pipe", "pipe.v", "pipe.c", "pipe.csv", "pipe.vcd"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, pipe), 0o666))
	}
	require.NoError(t, os.Truncate(filepath.Join(dir, "large.wasm"), 64<<20+1)) // a sparse file
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, command := range []string{
		"run pipe", "run /dev/zero", "run image.yaml", "run perm.yaml", "run pins.yaml",
		"run s.yaml --firmware pipe", "run s.yaml --firmware /dev/zero", "run s.yaml --firmware large.wasm",
		"firmware inspect pipe", "firmware inspect /dev/zero", "firmware build pipe.c",
		"trace info pipe", "trace info /dev/zero", "trace diff a.vcd pipe", "trace diff a.vcd a.vcd --map pipe",
		"trace decode pipe --map pipe --pcapng o", "trace decode a.vcd --map pipe --pcapng o",
		"cosim check pipe", "cosim check rtl.yml", "cosim check map.yml", "cosim build --top t pipe.v",
		"cosim check --twin lfsr -G SEED=0x7EDCBA98 --stimulus pipe.csv",
	} {
		c := exec.CommandContext(ctx, binary, strings.Fields(command)...)
		c.Dir = dir
		said, err := c.CombinedOutput()
		require.NoError(t, ctx.Err(), "%s waits", command)
		require.Equal(t, statusInput, c.ProcessState.ExitCode(), "%s: %v: %s", command, err, said)
		require.Regexp(t, "not a regular file|more than 64 MiB", string(said), command)
	}
}

// TestSourcesFromStandardInput checks that sources are read from standard input as from a file, with errors at its
// lines and without temporary files, and that a command refuses - if it needs a file.
func TestSourcesFromStandardInput(t *testing.T) {
	temporary := t.TempDir()
	dir := folder(t, map[string]string{"trap.c": trapSource, "use.c": "#include \"trap.c\"\n", "s.yaml": smallScenario,
		"wire.v": "module w(input a, output b); assign b = a; endmodule\n", "torn.v": "module w(input a;\n"})
	run := func(in, command string) (said string, status int) {
		text, err := os.ReadFile(filepath.Join(dir, in))
		require.NoError(t, err)
		c := exec.CommandContext(t.Context(), binary, strings.Fields(command)...)
		c.Dir, c.Stdin, c.Env = dir, strings.NewReader(string(text)), append(os.Environ(), "TMPDIR="+temporary)
		out, _ := c.CombinedOutput()
		return string(out), c.ProcessState.ExitCode()
	}
	for _, c := range []struct {
		in, command, want string
		status            int
	}{
		{"trap.c", "firmware build - -o trap.wasm", "", statusPass},
		{"use.c", "firmware build - -o use.wasm", "", statusPass}, // finds headers in the current folder
		{"torn.v", "firmware build - -o torn.wasm", "standard-input.c:1:1: error: ", statusInput},
		{"trap.c", "firmware build -", "standard input: it names no image: give -o OUT.wasm", statusInput},
		{"trap.c", "firmware build - - -o two.wasm", "given twice", statusInput},
		{"wire.v", "cosim build --top w - -o w.wasm", "standard-input.sv: w", statusPass},
		{"torn.v", "cosim build --top w - -o torn.wasm", "standard-input.sv:1:17: syntax error", statusInput},
		{"wire.v", "map - --top w", "SOURCE: a pin map names the files of its RTL, and standard", statusInput},
		{"s.yaml", "run - --firmware -", "standard input: it has no bytes left for the image; ", statusInput},
	} {
		said, status := run(c.in, c.command)
		require.Equal(t, c.status, status, "%s: %s", c.command, said)
		require.Contains(t, said, c.want, c.command)
		require.NotContains(t, said, temporary, c.command)
		left, err := filepath.Glob(filepath.Join(temporary, "starloom-*"))
		require.NoError(t, err)
		require.Empty(t, left, c.command)
	}
	require.NoFileExists(t, filepath.Join(dir, "torn.wasm"))
	require.FileExists(t, filepath.Join(dir, "w.wasm"))
	require.FileExists(t, filepath.Join(dir, "use.wasm"))
	first, err := os.ReadFile(filepath.Join(dir, "trap.wasm"))
	require.NoError(t, err)
	_, status := run("trap.c", "firmware build - -o trap.wasm")
	require.Equal(t, statusPass, status)
	again, err := os.ReadFile(filepath.Join(dir, "trap.wasm"))
	require.NoError(t, err)
	require.Equal(t, first, again, "the image does not depend on a temporary path")
}
