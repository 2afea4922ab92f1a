package pcapngtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tshark returns a command that runs tshark. As root it runs tshark as an unprivileged user with read access to the
// files in arguments: from 4.4 on, tshark loads no scripts as root.
func Tshark(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("tshark")
	require.NoError(t, err, "tshark is not installed: apt-get install tshark")
	if os.Getuid() != 0 {
		return exec.Command(path, arguments...)
	}
	for _, argument := range arguments {
		file := strings.TrimPrefix(argument, "lua_script:")
		if _, err := os.Stat(file); err != nil || !filepath.IsAbs(file) {
			continue
		}
		for _, folder := range []string{filepath.Dir(file), filepath.Dir(filepath.Dir(file))} {
			if folder != os.TempDir() {
				require.NoError(t, os.Chmod(folder, 0o755))
			}
		}
		require.NoError(t, os.Chmod(file, 0o644))
	}
	plain := []string{"--reuid=65534", "--regid=65534", "--clear-groups", path}
	command := exec.Command("setpriv", append(plain, arguments...)...)
	command.Env = append(os.Environ(), "HOME=/nonexistent")
	return command
}
