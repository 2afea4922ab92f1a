package cli

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/sourcestest"
)

var update = flag.Bool("update", false, "write the commands' output into the pages")

// heldElsewhere maps pages to the package whose files their blocks are; another test compares them.
var heldElsewhere = map[string]string{"../../docs/how-to/add-a-network.md": "fabric/fabrictest/stars", "../../docs/how-to/add-an-arbiter.md": "fabric/fabrictest/favour"}

func pages(t *testing.T) []string {
	pages := []string{"../../README.md", "../../examples/rtl/README.md"}
	require.NoError(t, filepath.WalkDir("../../docs", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, filepath.ToSlash(path))
		}
		return err
	}))
	require.Greater(t, len(pages), 20)
	return pages
}

// commandsRun is a lower bound of the number of commands that pages show and tests run. It may only rise.
const commandsRun = 295

// TestCommandsNeverFall checks that a moved page does not take its commands out of the tests.
func TestCommandsNeverFall(t *testing.T) {
	commands := 0
	for _, path := range append(pages(t), guidePage) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if heldElsewhere[path] != "" {
			continue
		}
		for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
			if block[1] == "sh" || block[1] == "sh long" {
				commands += strings.Count("\n"+block[2], "\n$ ")
			}
		}
	}
	require.GreaterOrEqual(t, commands, commandsRun)
	t.Logf("%d commands", commands)
}

// TestDocs runs every command of the front pages in a fresh copy of the project and compares its output with the
// page. A line ... stands for any lines, and ... at the end of a line for its rest.
func TestDocs(t *testing.T) {
	runPages(t, false, "../../README.md")
}

// TestLongDocs does the same for every other page, including blocks of the kind "sh long".
func TestLongDocs(t *testing.T) {
	runPages(t, true, slices.DeleteFunc(pages(t), func(path string) bool { return path == "../../README.md" })...)
}

func runPages(t *testing.T, long bool, pages ...string) {
	require.Contains(t, shell(t, "../..", "go run ./cmd/starloom version"), "starloom ", "the real one")
	project, bin := t.TempDir(), commands(t)
	copyProject(t, project, false)
	for _, path := range pages {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if heldElsewhere[path] != "" || !strings.Contains(string(text), "```sh") {
			continue
		}
		t.Run(strings.TrimPrefix(path, "../../"), func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "starloom")
			if strings.Contains(string(text), "\n$ go mod tidy") {
				copyProject(t, folder, true)
			} else {
				require.NoError(t, exec.Command("cp", "-a", project, folder).Run())
			}
			p := docPage{path: path, folder: folder, bin: bin, long: long}
			p.run(t)
			p.comparePictures(t, folder)
			dirty, err := exec.Command("git", "-C", folder, "status", "--porcelain").Output()
			require.NoError(t, err)
			require.Empty(t, string(dirty), "what the commands write is ignored")
		})
	}
}

const guidePage = "../../examples/validate/README.md"

// TestLongDocsOfTheGuide follows the guide from an empty folder with this program as starloom. The cycles depend on
// the compiler that CI installs.
func TestLongDocsOfTheGuide(t *testing.T) {
	p := docPage{path: guidePage, folder: t.TempDir(), bin: commands(t)}
	p.run(t)
}

// TestDocsMatch checks that ... matches exactly the omitted text.
func TestDocsMatch(t *testing.T) {
	for _, c := range []struct {
		shown, got string
		want       bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"", "a\n", false},
		{"a\n...\n", "a\nb\nc\n", true},
		{"a\n...\n", "a\n", true},
		{"...\nc\n", "a\nb\nc\n", true},
		{"...\nc\n", "a\nb\ncc\n", false},
		{"a ...\n", "a b c\n", true},
		{"a ...\n", "b c\n", false},
		{"a ...\n", "a b\nc\n", false},
		{"a.b\n", "a-b\n", false},
	} {
		require.Equal(t, c.want, matches(c.shown, c.got), "%q %q", c.shown, c.got)
	}
}

// TestFrontDoor checks that the README is short and leads to the front page of docs, which leads to every page.
func TestFrontDoor(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(readme), "\n"), 120, "lines")
	require.Contains(t, string(readme), "](docs/README.md)")
	front, err := os.ReadFile("../../docs/README.md")
	require.NoError(t, err)
	for _, path := range pages(t) {
		if page, ok := strings.CutPrefix(path, "../../docs/"); ok && page != "README.md" {
			require.Contains(t, string(front), "]("+page+")")
		}
	}
}

// pageWords is the largest number of words of a page outside docs/reference, without its code.
const pageWords = 2500

// TestPagesAreShort checks the length of pages that are read from beginning to end.
func TestPagesAreShort(t *testing.T) {
	for _, path := range pages(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.HasPrefix(path, "../../docs/reference/") {
			require.LessOrEqual(t, len(strings.Fields(fence.ReplaceAllString(string(text), ""))), pageWords, path)
		}
	}
}

// TestReadmeTests checks that CI first runs the test command of the README.
func TestReadmeTests(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	given := regexp.MustCompile("`([^`]+)` runs the tests").FindSubmatch(readme)
	require.NotNil(t, given)
	ci, err := os.ReadFile("../../.ci/run")
	require.NoError(t, err)
	require.Contains(t, string(ci), "# What CI runs on a clean clone: the README's test command, a quick run on the tools of a newer Debian, and the long tests.\n")
	runs := regexp.MustCompile(`(?m)^(?:exec )?(make .*)$`).FindAllSubmatch(ci, -1)
	var commands []string
	for _, run := range runs {
		commands = append(commands, string(run[1]))
	}
	require.Equal(t, []string{"make --no-print-directory -j3 tools vet newer-tree", string(given[1]), "make newer", "make long"}, commands)
}

// TestEvidence checks that tests named on pages exist in the package named after them.
func TestEvidence(t *testing.T) {
	named, packaged := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z]\\w*)`"), regexp.MustCompile("^ in `([\\w./]+)`")
	count := 0
	for _, page := range []string{"explanation/evidence.md", "contributing.md"} {
		text, err := os.ReadFile("../../docs/" + page)
		require.NoError(t, err)
		for row := range strings.Lines(string(text)) {
			if !strings.HasPrefix(row, "| ") {
				continue
			}
			var waiting []string
			ends := named.FindAllStringSubmatchIndex(row, -1)
			for i, at := range ends {
				waiting = append(waiting, row[at[2]:at[3]])
				rest, folder := row[at[1]:], "internal/systemtest/*"
				if in := packaged.FindStringSubmatch(rest); in != nil {
					folder = in[1]
				} else if i+1 < len(ends) && strings.HasPrefix(rest, ", ") {
					continue // the package follows later tests
				}
				for _, name := range waiting {
					requireTest(t, folder, name)
					count++
				}
				waiting = nil
			}
		}
	}
	require.Greater(t, count, 60)
}

func requireTest(t *testing.T, folder, name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?m)^func ` + name + `\(`)
	require.True(t, slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && declared.Match(text)
	}), "there is no %s in %s", name, folder)
}

// docPage is run in a folder. In a block of commands (sh), lines that start with "$ " are followed by their output.
// Another block is a file, which its first line names and a later command uses.
type docPage struct {
	path, folder, bin string
	long              bool
	text              string
}

var (
	fence     = regexp.MustCompile("(?ms)^```([a-z ]*)\n(.*?)^```$")
	namedFile = regexp.MustCompile(`^(?:# |/\* |// |<!-- )([\w./-]+\.\w+)(?: \*/| -->)?\n`)
	picture   = regexp.MustCompile(`!\[[^]]+\]\(([^)]+\.svg)\)`)
)

func (p *docPage) run(t *testing.T) {
	data, err := os.ReadFile(p.path)
	require.NoError(t, err)
	p.text = string(data)
	blocks := fence.FindAllStringSubmatchIndex(p.text, -1)
	for _, at := range blocks {
		kind, body := string(data[at[2]:at[3]]), string(data[at[4]:at[5]])
		switch kind {
		case "sh":
			p.session(t, body)
		case "sh long":
			if p.long {
				p.session(t, body)
			}
		case "text":
		default:
			name := namedFile.FindStringSubmatch(body)
			require.NotNil(t, name, "%s: the first line of a block names its file:\n%s", p.path, body)
			used := strings.TrimSuffix(name[1], "/main.go")
			require.Contains(t, string(data[at[1]:]), filepath.Base(used), "%s: nothing below uses %s", p.path, name[1])
			file := filepath.Join(p.folder, name[1])
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(body), 0o644))
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(p.path, []byte(p.text), 0o644))
	}
}

// session runs the commands of a block. A command with exit status 1 must print what failed.
func (p *docPage) session(t *testing.T, block string) {
	written := ""
	for _, step := range steps(t, block) {
		command, shown, _ := strings.Cut(step, "\n")
		for strings.HasSuffix(command, "\\") {
			more, rest, _ := strings.Cut(shown, "\n")
			command, shown = command+"\n"+more, rest
		}
		written += "$ " + command + "\n"
		if into, ok := strings.CutPrefix(command, "cd "); ok {
			p.folder = filepath.Join(p.folder, into)
			require.Empty(t, shown)
			continue
		}
		got, status := p.shell(t, command)
		failed := regexp.MustCompile(`(?m)^(FAIL|fail:|DIFFERENT)`).MatchString(shown)
		if *update && !matches(shown, got) {
			written += got
			continue
		}
		require.True(t, matches(shown, got), "%s: %s\nshows\n%s\nand prints\n%s\ngo test ./cmd/cli -run Docs -update writes it", p.path, command, shown, got)
		require.True(t, status == 0 || status == 1 && failed, "%s: %s\nended with %d", p.path, command, status)
		written += shown
	}
	p.text = strings.Replace(p.text, block, written, 1)
}

// steps returns the commands of a block, each with its output.
func steps(t *testing.T, block string) []string {
	require.True(t, strings.HasPrefix(block, "$ "), "a block of commands begins with one:\n%s", block)
	parts := strings.Split("\n"+block, "\n$ ")[1:]
	for i := range parts {
		if !strings.HasSuffix(parts[i], "\n") {
			parts[i] += "\n"
		}
	}
	return parts
}

// matches reports whether the output of a command is that of the page, except for empty lines at the end.
func matches(shown, got string) bool {
	shown, got = strings.TrimRight(shown, "\n")+"\n", strings.TrimRight(got, "\n")+"\n"
	pattern := "^"
	for line := range strings.Lines(shown) {
		line = strings.TrimSuffix(line, "\n")
		switch prefix, cut := strings.CutSuffix(line, "..."); {
		case line == "...":
			pattern += "(?s:.*\n)?"
		case cut:
			pattern += regexp.QuoteMeta(strings.TrimRight(prefix, " ")) + ".*\n"
		default:
			pattern += regexp.QuoteMeta(line) + " *\n"
		}
	}
	return regexp.MustCompile(pattern + "$").MatchString(got)
}

// comparePictures compares a picture of the page with the drawn one of the same name.
func (p *docPage) comparePictures(t *testing.T, folder string) {
	for _, match := range picture.FindAllStringSubmatch(p.text, -1) {
		drawn, err := os.ReadFile(filepath.Join(folder, "out", filepath.Base(match[1])))
		if os.IsNotExist(err) {
			continue // another test compares this picture
		}
		require.NoError(t, err)
		file := filepath.Join(filepath.Dir(p.path), match[1])
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, drawn, 0o644))
		}
		shown, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(drawn), string(shown), "%s: go test ./cmd/cli -run Docs -update writes %s", p.path, match[1])
	}
}

// shell runs a command and returns its output and exit status.
func (p *docPage) shell(t *testing.T, command string) (printed string, status int) {
	run := exec.CommandContext(t.Context(), "bash", "-c", command)
	run.Dir = p.folder
	run.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "PATH="+p.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out, errors strings.Builder
	run.Stdout, run.Stderr = &out, &errors
	if err := run.Run(); err != nil {
		require.IsType(t, &exec.ExitError{}, err)
		require.Contains(t, []int{0, 1}, run.ProcessState.ExitCode(), "%s: %s\n%s%s", p.path, command, out.String(), errors.String())
	}
	return out.String(), run.ProcessState.ExitCode()
}

func shell(t *testing.T, folder, command string) string {
	run := exec.Command("bash", "-c", command)
	run.Dir = folder
	var out, errors strings.Builder
	run.Stdout, run.Stderr = &out, &errors
	require.NoError(t, run.Run(), "%s\n%s%s", command, out.String(), errors.String())
	return out.String()
}

// commands returns a folder with starloom, which is this test binary, and a go command that uses it for go install
// and go build ./cmd/starloom: a copy would be compiled from scratch. Likewise, without -full, programs in out, and a
// module beside them once its packages are found, are built within the sources of these tests.
func commands(t *testing.T) string {
	bin := t.TempDir()
	require.NoError(t, os.Symlink(binary, filepath.Join(bin, "starloom")))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	goTool, err := exec.LookPath("go")
	require.NoError(t, err)
	script := fmt.Sprintf(`#!/bin/sh
root=%q go=%q starloom=%q full=%v
built() {
	made=$(mktemp -d) && trap 'rm -r "$made"' EXIT
	printf '{"Replace": {"%%s": "%%s"}}' "$root/$1/main.go" "$2/main.go" > "$made/overlay"
	(cd "$root" && "$go" build -overlay "$made/overlay" -o "$made/program" "./$1") && "$made/program"
}
case "$*" in
"install ./cmd/starloom") exit ;;
"env GOPATH") exec "$go" env GOPATH ;;
"build -o starloom ./cmd/starloom") exec cp "$starloom" starloom ;;
"run ./out/"*) built "${2#./}" "$PWD/${2#./}"; exit ;;
"run .")
	[ $full = false ] || exec "$go" run .
	"$go" list -deps . > list && grep -qx starloom list && built out/mine "$PWD"
	exit ;;
"mod "*) exec "$go" "$@" ;;
esac
echo "no test knows how to run: go $*" >&2
exit 3
`, root, goTool, binary, *full)
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755))
	if tshark, err := exec.LookPath("tshark"); err == nil && os.Getuid() == 0 { // tshark 4.4 loads no script for root
		script := fmt.Sprintf("#!/bin/sh\nHOME=/nonexistent exec setpriv --reuid=65534 --regid=65534 --clear-groups %s \"$@\"\n", tshark)
		require.NoError(t, os.WriteFile(filepath.Join(bin, "tshark"), []byte(script), 0o755))
	}
	return bin
}

// neededByCommands matches files that commands can need without a Go compiler.
var neededByCommands = regexp.MustCompile(`^([^/]+$|examples/|out/|firmware/images/|hw/testdata/)`)

// copyProject creates a repository in a folder from the project's tracked and new files, without ignored ones: all
// files, or only the inputs of commands.
func copyProject(t *testing.T, target string, whole bool) {
	sourcestest.Copy(t, "../..", target, func(name string) bool { return whole || neededByCommands.MatchString(name) })
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "as it is"}} {
		text, err := exec.Command("git", slices.Concat([]string{"-C", target}, args)...).CombinedOutput()
		require.NoError(t, err, string(text))
	}
}
