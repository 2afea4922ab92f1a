package starloom

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeGo holds that Go code in the README is a program that runs, beside the sources as
// it says, or part of an example.
func TestReadmeGo(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(readme, -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		if strings.HasPrefix(string(block[1]), "package main\n") {
			runReadmeGo(t, strings.ReplaceAll(string(block[1]), "../starloom/", ""))
			continue
		}
		code := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(string(block[1]), "\t$1")
		require.True(t, strings.Contains(string(examples), code), "not in example_test.go:\n%s", code)
	}
}

// runReadmeGo runs a program as if it stood in this module.
func runReadmeGo(t *testing.T, program string) {
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o644))
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "readme", "main.go"): file}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o644))
	out, err := exec.CommandContext(t.Context(), "go", "run", "-overlay", overlay, "./readme").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "is done")
}
