package systemtest

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// GoldenPart compares what stands between two lines of a file; -update writes it.
func GoldenPart(t *testing.T, path, first, last, want string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), first)
	require.True(t, ok, first)
	got, after, ok := strings.Cut(rest, last)
	require.True(t, ok, last)
	if *Update {
		require.NoError(t, os.WriteFile(path, []byte(before+first+want+last+after), 0o644))
		return
	}
	require.Equal(t, want, got)
}
