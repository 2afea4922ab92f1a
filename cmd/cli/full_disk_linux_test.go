package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeviceFull checks that a full device is reported with a remedy, and not with the status of bad input.
func TestDeviceFull(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	r := starloomIn(t, dir, "run", "s.yaml", "--json", "/dev/full")
	require.Equal(t, statusTool, r.status)
	require.Equal(t, "starloom: output /dev/full: no space left on device: free some disk space, or give another "+
		"path\n", r.stderr)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	r = starloomWith(t, dir, func(command *exec.Cmd) { command.Stdout = full }, "run", "s.yaml")
	require.Equal(t, statusTool, r.status, r.stderr)
	require.Contains(t, r.stderr, "no space left on device: free some disk space")
}

// TestFullDisk checks that an error on a full disk has one remedy and that no file remains.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	small := filepath.Join(dir, "small")
	require.NoError(t, os.Mkdir(small, 0o755))
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", small).Run(); err != nil {
		t.Skip("no disk to fill: ", err)
	}
	defer func() { require.NoError(t, exec.Command("umount", small).Run()) }()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte("starloom: 1\nfabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random}\n"), 0o644))
	const full = `: no space left on device: free some disk space, or give another path\n`
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"firmware", "sdk", "small/sdk"}, `DIR: output small/sdk/[a-z_.]+` + full},
		{[]string{"firmware", "new", "--language", "c", "small/mine"}, `NAME: output small/mine/[A-Za-z_.]+` + full},
		{[]string{"help", "--man", "small"}, `starloom: output small/[a-z-]+\.1` + full},
		{[]string{"run", "s.yaml", "--vcd", "small/run.vcd"}, `starloom: output small/run\.vcd` + full},
		{[]string{"run", "s.yaml", "--vcd", "small/run.fst"}, `output small/run\.fst: vcd2fst: [^;]+; free memory and disk space, or give a path that ends in \.vcd\n`},
		{[]string{"run", "s.yaml", "--log", "none/run.log"}, "--log: output none/run.log: the folder none: no such file or directory: make the folder first, or give another path\\n"},
		{[]string{"firmware", "sdk", "s.yaml"}, "DIR: the folder s.yaml: not a directory: give a writable folder\\n"},
		{[]string{"help", "--man", "s.yaml/man"}, "--man: the folder s.yaml/man: not a directory: give a writable folder\\n"},
	} {
		r := starloomIn(t, dir, c.args...)
		want := statusInput
		if strings.Contains(c.want, "disk space") { // a full disk is not the fault of the input
			want = statusTool
		}
		require.Equal(t, want, r.status, "%v", c.args)
		require.Regexp(t, `^`+c.want+`$`, r.stderr, "%v", c.args)
		entries, err := os.ReadDir(small)
		require.NoError(t, err)
		require.Empty(t, entries, "%v", c.args)
	}
}
