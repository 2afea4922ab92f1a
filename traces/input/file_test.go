package input

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input")
	require.NoError(t, os.WriteFile(path, []byte("12345678"), 0o666))
	data, err := Read(path, 8)
	require.NoError(t, err)
	require.Equal(t, "12345678", string(data))
	_, err = Read(path, 7)
	require.ErrorContains(t, err, "more than 7 bytes")
	require.NoError(t, os.Truncate(path, 3<<20)) // a hole: nothing of it is read
	_, err = Read(path, 2<<20)
	require.ErrorContains(t, err, "more than 2 MiB")
	_, err = Read(t.TempDir(), 8)
	require.ErrorContains(t, err, "this is a folder")
	_, err = Read(os.DevNull, 8)
	require.ErrorContains(t, err, " not a regular file")
	_, err = Read(path+"none", 8)
	require.ErrorIs(t, err, os.ErrNotExist)
}
