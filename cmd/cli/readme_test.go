package cli

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

// block is a block of the README. In one of commands (sh) lines that start with "$ " are
// followed by what they print; namedFile is a file that its first line names.
var (
	block     = regexp.MustCompile("(?s)```(sh|yaml|c)\n(.*?)```")
	namedFile = regexp.MustCompile(`^(?:# |/\* )(\w+\.\w+)(?: \*/)?\n`)
)

// TestReadme runs every command of the README, and of tutorials, in a copy of the
// project and compares what it prints with what they show.
func TestReadme(t *testing.T) {
	require.Contains(t, shell(t, "../..", "go run ./cmd/starloom version"), "starloom ", "the real one")
	project := copyProject(t)
	git := func(args ...string) string {
		text, err := exec.Command("git", append([]string{"-C", project, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...).CombinedOutput()
		require.NoError(t, err, string(text))
		return string(text)
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "as it is")
	t.Setenv("PATH", builtOnce(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, path := range []string{"README.md", "docs/traffic.md", "examples/rtl/README.md"} {
		t.Run(path, func(t *testing.T) { runReadme(t, project, filepath.Join("../..", path)) })
	}
	require.Empty(t, git("status", "--porcelain"), "what the commands write is ignored")
}

// TestLongReadmeOfTheGuide follows the guide from an empty folder, with this program as starloom.
// Its figures of cycles are those of the compiler that the CI installs.
func TestLongReadmeOfTheGuide(t *testing.T) {
	t.Setenv("LC_ALL", "C") // ls
	bin := t.TempDir()
	require.NoError(t, os.Symlink(binary, filepath.Join(bin, "starloom")))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	runReadme(t, t.TempDir(), "../../examples/validate/README.md")
}

func runReadme(t *testing.T, folder, path string) {
	readme, err := os.ReadFile(path)
	require.NoError(t, err)
	text := string(readme)
	for _, block := range block.FindAllStringSubmatch(text, -1) {
		if block[1] != "sh" {
			if name := namedFile.FindStringSubmatch(block[2]); name != nil {
				require.NoError(t, os.WriteFile(filepath.Join(folder, name[1]), []byte(block[2]), 0o644))
			}
			continue
		}
		got := ""
		for line := range strings.Lines(block[2]) {
			command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "$ ")
			if !ok {
				continue
			}
			got += "$ " + command + "\n"
			if into, ok := strings.CutPrefix(command, "cd "); ok {
				folder = filepath.Join(folder, into)
				continue
			}
			got += shell(t, folder, command)
		}
		if *update {
			text = strings.Replace(text, block[0], "```sh\n"+got+"```", 1)
			continue
		}
		require.Equal(t, block[2], got, "go test ./cmd/cli -run Readme -update writes it")
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
