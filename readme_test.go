package starloom

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeGo holds that Go code in the README is part of an example, which is run.
func TestReadmeGo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		code := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(string(block[1]), "\t$1")
		require.True(t, strings.Contains(string(examples), code), "not in example_test.go:\n%s", code)
	}
}
