package firmware

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSDKIsWholeOrNothing: if one file cannot be written, none is; also on a full disk.
func TestSDKIsWholeOrNothing(t *testing.T) {
	names := func(folder string) (names []string) {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	folder := filepath.Join(t.TempDir(), "sdk")
	require.NoError(t, WriteSDK(folder))
	all := names(folder)
	require.NotEmpty(t, all)

	last := all[len(all)-1]
	taken := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(taken, last), 0o755))
	require.Error(t, WriteSDK(taken))
	require.Equal(t, []string{last}, names(taken))

	none := filepath.Join(t.TempDir(), "none")
	require.EqualError(t, WriteSDK(none, "pops/random", "pops/rand"), `--program: "pops/rand" is not a built-in program; did you mean pops/random? there are `+strings.Join(Programs(), ", "))
	require.NoFileExists(t, none)

	small := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small).Run(); err != nil {
		t.Skip("no disk to fill: ", err)
	}
	defer func() { require.NoError(t, exec.Command("umount", small).Run()) }()
	require.ErrorContains(t, WriteSDK(filepath.Join(small, "sdk")), "no space left")
	require.Empty(t, names(small))
}
