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

// TestGuide: the page is the files of this folder, cut into pieces.
func TestGuide(t *testing.T) {
	fabrictest.RequireGuide(t, guide, "stars.go", "stars_test.go", "starloom-stars/main.go")
	fabrictest.RequireBlocks(t, guide, "c", "testdata/relay.c")
	fabrictest.RequireBlocks(t, guide, "yaml", "testdata/stars.yaml")
}

// TestGuideCommand: the page's own command line does what the page shows.
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
		got, _ := command.CombinedOutput() // refusals are shown, too
		require.Equal(t, want, string(got), line)
	}
}
