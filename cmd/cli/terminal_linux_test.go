package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// onTerminal runs the command with a pseudo-terminal of the given width as standard output.
func onTerminal(t *testing.T, dir string, columns uint16, environment []string, args ...string) (string, int) {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system has no pseudo-terminals: %v", err)
	}
	defer controller.Close()
	fd := int(controller.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	command := exec.Command(binary, args...)
	command.Dir, command.Stdout, command.Stderr = dir, tty, tty
	command.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR=", "COLUMNS="), environment...)
	require.NoError(t, command.Start())
	require.NoError(t, tty.Close())
	var b strings.Builder
	block := make([]byte, 4096)
	for {
		n, err := controller.Read(block)
		b.Write(block[:n])
		if err != nil {
			break // the terminal is closed
		}
	}
	_ = command.Wait()
	return strings.ReplaceAll(b.String(), "\r\n", "\n"), command.ProcessState.ExitCode()
}

// TestVerdictInColour checks that a terminal shows the verdict in colour and no line beyond its width, and that a dumb
// terminal, NO_COLOR and a pipe get no colour.
func TestVerdictInColour(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	piped := starloomIn(t, dir, "run", "s.yaml")
	shown, status := onTerminal(t, dir, 60, nil, "run", "s.yaml")
	require.Equal(t, statusPass, status, shown)
	parts := strings.Split(shown, "\r\x1b[K") // of progress, but for the last
	shown = parts[len(parts)-1]
	require.True(t, strings.HasPrefix(shown, "\x1b[1;32mPASS\x1b[0m  s\n"), "%q", shown)
	require.Equal(t, strings.Fields(piped.stdout), strings.Fields(uncoloured(shown)))
	require.NotEqual(t, piped.stdout, uncoloured(shown), "a line is longer than the terminal")
	for line := range strings.Lines(uncoloured(shown)) {
		require.LessOrEqual(t, utf8.RuneCountInString(line)-1, 60, line)
	}
	for _, variable := range []string{"NO_COLOR=1", "TERM=dumb"} {
		shown, _ = onTerminal(t, dir, 60, []string{variable}, "run", "s.yaml")
		require.NotContains(t, shown, "\x1b[1", variable)
		require.Contains(t, shown, "PASS  s\n", variable)
	}
	require.NotContains(t, piped.stdout, "\x1b")
	shown, status = onTerminal(t, dir, 60, nil, "run", "s.yaml", "--set", "stop.slots=1")
	require.Equal(t, statusFail, status)
	require.Contains(t, shown, "\x1b[1;31mFAIL\x1b[0m  s")
}

// TestProductsKeepTheirLines checks that a terminal gets a requested file and a command to copy as they are.
func TestProductsKeepTheirLines(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	shown, status := onTerminal(t, dir, 40, nil, "schema")
	require.Equal(t, statusPass, status)
	require.Equal(t, starloomIn(t, dir, "schema").stdout, shown)
	long := strings.Repeat("d", 30) + ".yaml"
	shown, _ = onTerminal(t, dir, 40, nil, "new", "pops", "-o", long)
	require.Contains(t, shown, "made "+long+": starloom run "+long+"\n")
	require.FileExists(t, filepath.Join(dir, long))
}

func uncoloured(text string) string {
	for _, code := range []string{"\x1b[1;32m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[0m"} {
		text = strings.ReplaceAll(text, code, "")
	}
	return text
}
