package stars

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/fabrictest"
)

const guide = "../../../docs/how-to/add-a-network.md"

// TestGuide requires that the page contains the files of this folder, in pieces.
func TestGuide(t *testing.T) {
	fabrictest.RequireGuide(t, guide, "stars.go", "stars_test.go", "starloom-stars/main.go")
	fabrictest.RequireBlocks(t, guide, "c", "testdata/relay.c")
	fabrictest.RequireBlocks(t, guide, "yaml", "testdata/stars.yaml")
}

// TestGuideCommand requires that the page's command prints the output on the page.
func TestGuideCommand(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "starloom-stars"), "./starloom-stars").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata")))
	sessions := fabrictest.Blocks(t, guide, "console")
	require.Len(t, sessions, 1)
	for _, step := range strings.Split(sessions[0], "$ ")[1:] {
		line, want, _ := strings.Cut(step, "\n")
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Dir = dir
		got, _ := command.CombinedOutput() // output includes refusals
		require.Equal(t, want, string(got), line)
	}
}
