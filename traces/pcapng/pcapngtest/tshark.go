package pcapngtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tshark is a run of tshark. For root it loads no script from 4.4 on: root runs it as a user without rights, who may
// read the files that the arguments name.
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
