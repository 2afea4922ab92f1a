package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the commands' output into the README")

// shellBlock is a block of commands in the README: lines that start with "$ ",
// each followed by what it prints.
var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestReadme runs every command of the README, and of tutorials, in a copy of the
// project and compares what it prints with what they show.
func TestReadme(t *testing.T) {
	require.Contains(t, shell(t, "../..", "go run ./cmd/starloom version"), "starloom ", "the real one")
	project := copyProject(t)
	t.Setenv("PATH", builtOnce(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, path := range []string{"README.md", "examples/rtl/README.md"} {
		t.Run(path, func(t *testing.T) { runReadme(t, project, filepath.Join("../..", path)) })
	}
}

func runReadme(t *testing.T, project, path string) {
	readme, err := os.ReadFile(path)
	require.NoError(t, err)
	text := string(readme)
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		got := ""
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ "); ok {
				got += "$ " + command + "\n" + shell(t, project, command)
			}
		}
		if *update {
			text = strings.Replace(text, block[1], got, 1)
			continue
		}
		require.Equal(t, block[1], got, "go test ./cmd/starloom -run Readme -update writes it")
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// builtOnce is a folder with a go that takes the binary of these tests for
// go run ./cmd/starloom: the copy would be compiled from the first package on.
func builtOnce(t *testing.T) string {
	dir := t.TempDir()
	script := `#!/bin/sh
case "$1 $2 $3 $4" in
"run ./cmd/starloom "*) shift 2; exec "` + binary + `" "$@" ;;
"build -o starloom ./cmd/starloom") exec cp "` + binary + `" starloom ;;
esac
echo "no test knows how to run: go $*" >&2
exit 1
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755))
	return dir
}

func shell(t *testing.T, folder, command string) string {
	run := exec.Command("bash", "-c", command)
	run.Dir = folder
	var out, errors strings.Builder
	run.Stdout, run.Stderr = &out, &errors
	require.NoError(t, run.Run(), "%s\n%s%s", command, out.String(), errors.String())
	return out.String()
}

// copyProject copies what is tracked, and what is new and not ignored.
func copyProject(t *testing.T) string {
	list, err := exec.Command("git", "-C", "../..", "ls-files", "-co", "--exclude-standard").Output()
	require.NoError(t, err)
	target := t.TempDir()
	for _, name := range strings.Fields(string(list)) {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		require.NoError(t, err)
		path := filepath.Join(target, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	return target
}
