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
