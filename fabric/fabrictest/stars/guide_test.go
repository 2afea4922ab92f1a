package stars

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGuide: the page is this file, cut into pieces, and its firmware.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/new-fabric.md")
	require.NoError(t, err)
	blocks := func(language string) string {
		var pieces []string
		for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?)\n```").FindAllSubmatch(guide, -1) {
			pieces = append(pieces, string(match[1]))
		}
		return strings.Join(pieces, "\n\n") + "\n"
	}
	for language, file := range map[string]string{"go": "stars_test.go", "c": "testdata/relay.c"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(source), blocks(language), file)
	}
}
