package stars

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pieces are the blocks of the page in a language.
func pieces(t *testing.T, language string) (blocks []string) {
	t.Helper()
	guide, err := os.ReadFile("../../../docs/new-fabric.md")
	require.NoError(t, err)
	for _, match := range regexp.MustCompile("(?s)```"+language+"\n(.*?\n)```").FindAllSubmatch(guide, -1) {
		blocks = append(blocks, string(match[1]))
	}
	return blocks
}

// TestGuide: the page is the files of this folder, cut into pieces; each Go file begins with its package.
func TestGuide(t *testing.T) {
	files := []string{"starloom-stars/main.go", "stars_test.go", "stars.go"}
	written := map[string]string{"testdata/relay.c": strings.Join(pieces(t, "c"), "\n"), "testdata/stars.yaml": strings.Join(pieces(t, "yaml"), "\n")}
	var file string
	for _, piece := range pieces(t, "go") {
		if strings.HasPrefix(piece, "package ") {
			require.NotEmpty(t, files)
			file, files = files[len(files)-1], files[:len(files)-1]
			written[file] = piece
			continue
		}
		written[file] += "\n" + piece
	}
	require.Empty(t, files)
	for file, text := range written {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(source), text, file)
	}
}

// TestGuideCommand: the page's own command line does what the page shows.
func TestGuideCommand(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "starloom-stars"), "./starloom-stars").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata")))
	sessions := pieces(t, "console")
	require.Len(t, sessions, 1)
	for _, step := range strings.Split(sessions[0], "$ ")[1:] {
		line, want, _ := strings.Cut(step, "\n")
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Dir = dir
		got, _ := command.CombinedOutput() // refusals are shown, too
		require.Equal(t, want, string(got), line)
	}
}
