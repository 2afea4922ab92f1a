// Package sourcestest gives tests a copy of the repository, in which they build and run programs.
package sourcestest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Copy copies the tracked files and the new files that are not ignored, of the repository at top, to a folder. wanted
// selects files by name; nil selects all.
func Copy(t testing.TB, top, folder string, wanted func(name string) bool) {
	t.Helper()
	list, err := exec.Command("git", "-C", top, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	require.NoError(t, err)
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if wanted != nil && !wanted(name) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(top, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		require.NoError(t, err)
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, data, 0o666))
	}
}
