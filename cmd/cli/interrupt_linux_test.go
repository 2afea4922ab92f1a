package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestInterruptRepetition interrupts the repetition of a finished run, which finds where packets were lost. The
// status is that of an interrupt, and the report covers the whole run.
func TestInterruptRepetition(t *testing.T) {
	terminal, line := pseudoTerminal(t)
	dir := folder(t, map[string]string{"s.yaml": "starloom: 1\nfabric: {pops: {groups: 10, group_size: 1000}}\nfirmware: {program: pops/random}\n"})
	command := exec.Command(binary, "run", "s.yaml", "--runtime", "interpreter", "--workers", "1", "--json", "out.json")
	command.Dir, command.Stderr = dir, line
	var stdout bytes.Buffer
	command.Stdout = &stdout
	require.NoError(t, command.Start())
	require.NoError(t, line.Close())
	var shown []byte
	for buffer := make([]byte, 4096); !bytes.Contains(shown, []byte("repeated for more details")); {
		n, err := terminal.Read(buffer) // returns an error once the command has ended
		require.NoError(t, err, "%s%s", shown, stdout.String())
		shown = append(shown, buffer[:n]...)
	}
	require.NoError(t, command.Process.Signal(syscall.SIGINT))
	go func() { _, _ = io.Copy(io.Discard, terminal) }() // output must not block the command
	_ = command.Wait()
	require.Equal(t, statusInterrupted, command.ProcessState.ExitCode())
	require.Contains(t, stdout.String(), "note: interrupted while the run was repeated to find where packets were lost")
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	require.NoError(t, err)
	require.True(t, json.Valid(data))
	require.NotContains(t, string(data), `"rule": "interrupted"`)
}

// pseudoTerminal returns a terminal and the line that a command uses as its own.
func pseudoTerminal(t *testing.T) (terminal, line *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(terminal.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	line, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	return terminal, line
}
