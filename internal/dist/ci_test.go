//go:build unix

package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"starloom/internal/sourcestest"
)

// actionlint is the tool that checks the workflow.
const actionlint = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"

// in runs a command line in a folder and returns its output and whether it succeeded.
func in(folder string, environment []string, line ...string) (said string, ok bool) {
	command := exec.Command(line[0], line[1:]...)
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	return string(out), err == nil
}

// read returns a file of the repository with texts replaced.
func read(t *testing.T, name string, replaced ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(top, name))
	require.NoError(t, err)
	for i := 0; i < len(replaced); i += 2 {
		require.Contains(t, string(data), replaced[i])
	}
	return strings.NewReplacer(replaced...).Replace(string(data))
}

// TestLongPipelineSyntax checks that actionlint, GitLab's schema and two linters of Dockerfiles find nothing, except
// planted mistakes.
func TestLongPipelineSyntax(t *testing.T) {
	if testing.Short() {
		t.Skip("installs linters")
	}
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		write(name, read(t, "internal/dist/testdata/cicheck/"+name))
	}
	said, ok := in(folder, nil, "npm", "ci", "--ignore-scripts", "--no-progress")
	require.True(t, ok, said)
	said, ok = in(folder, nil, "git", "init", "-q")
	require.True(t, ok, said)
	said, ok = in(folder, nil, "git", "remote", "add", "origin", "git@example.org:me/mine.git")
	require.True(t, ok, said)
	tool := func(name string) string { return filepath.Join(folder, "node_modules/.bin", name) }
	repository, err := filepath.Abs(top)
	require.NoError(t, err)
	for _, c := range []struct {
		file, source string
		planted      []string
		folder       string
		line         []string
	}{
		{"Dockerfile", "Dockerfile", []string{"FROM scratch", "FRM scratch"}, folder, []string{tool("dockerfile-utils"), "lint", "Dockerfile"}},
		{"Dockerfile", "Dockerfile", []string{"RUN go mod download", "RUN sudo go mod download"}, folder, []string{tool("dockerfilelint"), "Dockerfile"}},
		{
			".gitlab-ci.yml", "examples/ci/gitlab.yml", []string{"when: always", "when: perhaps"}, folder,
			[]string{tool("gitlab-ci-local"), "--list", "--home", folder},
		},
		{
			"github.yml", "examples/ci/github.yml", []string{"if: always()", "if: allways()"}, repository,
			[]string{"go", "run", actionlint, "-shellcheck=", filepath.Join(folder, "github.yml")},
		},
	} {
		write(c.file, read(t, c.source, c.planted...))
		said, ok := in(c.folder, nil, c.line...)
		require.False(t, ok, "%v: a linter that finds nothing: %s", c.planted, said)
		write(c.file, read(t, c.source))
		said, ok = in(c.folder, nil, c.line...)
		require.True(t, ok, said)
	}
}

// workflow has the parts of GitHub's file that the tests read, pipeline those of GitLab's.
type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		Steps []struct{ Uses, Run string }
	}
}

type pipeline struct {
	Variables map[string]string
	Scenarios struct{ Script []string }
}

// TestLongPipelines runs the commands of both pipelines in new folders: with the sources in the repository, with a
// failing scenario, and with the sources in a folder (of GitHub's, with -full of both).
func TestLongPipelines(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	var github workflow
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "examples/ci/github.yml")), &github))
	var gitlab pipeline
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "examples/ci/gitlab.yml")), &gitlab))
	require.Equal(t, github.Env["SCENARIOS"], gitlab.Variables["SCENARIOS"])
	require.Equal(t, github.Env["SOURCES"], gitlab.Variables["SOURCES"])
	var steps []string
	for _, step := range github.Jobs["scenarios"].Steps {
		if step.Run != "" {
			steps = append(steps, step.Run)
		}
	}
	require.Len(t, steps, 3)
	require.Len(t, gitlab.Scenarios.Script, 2)

	const failing = "examples/pops-4x3-published.yaml"
	for _, c := range []struct{ name, sources, more string }{{"sources", ".", ""}, {"submodule", "lib/starloom", ""}, {"fails", ".", failing}} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			sourcestest.Copy(t, top, filepath.Join(folder, c.sources), nil)
			require.NoError(t, os.Chmod(filepath.Join(folder, c.sources, "examples/ci/run-scenarios"), 0o777))
			summary := filepath.Join(folder, "summary.md")
			scenarios := strings.Fields(github.Env["SCENARIOS"] + " " + c.more)
			for i, name := range scenarios {
				scenarios[i] = filepath.Join(c.sources, name)
			}
			environment := []string{"SOURCES=" + c.sources, "SCENARIOS=" + strings.Join(scenarios, " "), "GITHUB_STEP_SUMMARY=" + summary}
			for name, script := range map[string][]string{"github": steps, "gitlab": gitlab.Scenarios.Script} {
				if name == "gitlab" && c.name == "submodule" && !*full {
					continue
				}
				require.NoError(t, os.RemoveAll(filepath.Join(folder, "results")))
				for i, step := range script {
					said, ok := in(folder, environment, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step)
					require.Equal(t, c.more == "" || i != 1, ok, "%s: %s\n%s", name, step, said)
				}
				published(t, filepath.Join(folder, "results"), scenarios)
			}
			text, err := os.ReadFile(summary)
			require.NoError(t, err)
			require.Equal(t, len(scenarios), strings.Count(string(text), "\ndigest "), "%s", text)
			require.Contains(t, string(text), "PASS  pops-16x16\n")
			require.Equal(t, c.more != "", strings.Contains(string(text), "FAIL  "))
		})
	}
}

// published requires JUnit, a page and a text of each scenario, and that JUnit names the failures.
func published(t *testing.T, results string, scenarios []string) {
	t.Helper()
	entries, err := os.ReadDir(results)
	require.NoError(t, err)
	require.Len(t, entries, 3*len(scenarios))
	for _, scenario := range scenarios {
		name := filepath.Join(results, strings.TrimSuffix(filepath.Base(scenario), ".yaml"))
		text, err := os.ReadFile(name + ".txt")
		require.NoError(t, err)
		data, err := os.ReadFile(name + ".xml")
		require.NoError(t, err)
		var suites struct {
			XMLName  xml.Name
			Failures int `xml:"failures,attr"`
			Suites   []struct {
				Failures int `xml:"failures,attr"`
			} `xml:"testsuite"`
		}
		require.NoError(t, xml.Unmarshal(data, &suites))
		failures := suites.Failures
		for _, suite := range suites.Suites {
			failures = max(failures, suite.Failures)
		}
		require.Equal(t, strings.HasPrefix(string(text), "FAIL"), failures > 0, "%s: %s", name, data)
		page, err := os.ReadFile(name + ".html")
		require.NoError(t, err)
		require.Contains(t, strings.ToLower(string(page[:64])), "<!doctype html>")
	}
}

// TestLongDockerfile follows the Dockerfile without an engine: the commands of its first stage in a folder with the
// context, and the program of the second in an otherwise empty file system.
func TestLongDockerfile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	build, root := t.TempDir(), t.TempDir()
	require.NoError(t, os.Chmod(root, 0o755))
	sourcestest.Copy(t, top, build, nil)
	stage, work, user := "", "", 0
	for line := range strings.Lines(read(t, "Dockerfile")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "#":
		case "FROM":
			_, stage, _ = strings.Cut(rest, " AS ")
		case "WORKDIR":
			if work = rest; stage == "" {
				require.NoError(t, os.MkdirAll(filepath.Join(root, work), 0o777))
			}
		case "COPY":
			if inside, ok := strings.CutPrefix(rest, "--from=build /src/"); ok {
				from, to, _ := strings.Cut(inside, " ")
				data, err := os.ReadFile(filepath.Join(build, from))
				require.NoError(t, err)
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, to)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(root, to), data, 0o755))
				continue
			}
			require.Contains(t, []string{"go.mod go.sum ./", ". ."}, rest, "the context already exists")
		case "RUN":
			require.Equal(t, "build", stage)
			require.Equal(t, "/src", work)
			said, ok := in(build, nil, "sh", "-c", rest)
			require.True(t, ok, said)
		case "USER":
			_, err := fmt.Sscanf(rest, "%d", &user)
			require.NoError(t, err)
		case "ENTRYPOINT":
			require.Equal(t, `["/usr/bin/starloom"]`, rest)
		case "CMD":
			require.Equal(t, `["help"]`, rest)
		default:
			t.Fatalf("%s is not known here: %s", word, line)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("built; only root can run it in a file system of its own")
	}
	mounted := filepath.Join(root, work)
	require.NoError(t, os.Chown(mounted, user, user))
	require.NoError(t, os.WriteFile(filepath.Join(mounted, "scenario.yaml"), []byte(read(t, "examples/pops-16x16.yaml")), 0o644))
	inside := func(arguments ...string) string {
		command := exec.Command("/usr/bin/starloom", arguments...)
		command.Dir, command.Env = work, []string{"PATH=/usr/bin"}
		command.SysProcAttr = &syscall.SysProcAttr{Chroot: root,
			Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s", said)
		return string(said)
	}
	require.Contains(t, inside("help"), "starloom run pops.yaml")
	require.Contains(t, inside("run", "scenario.yaml", "--html", "run.html", "--junit", "run.xml"), "PASS  pops-16x16")
	for _, name := range []string{"run.html", "run.xml"} {
		require.FileExists(t, filepath.Join(mounted, name))
	}
}

// TestPinnedByDigest checks that templates name external sources by their digests, not by tags, which can move, and
// images of the present stable Debian.
func TestPinnedByDigest(t *testing.T) {
	named := regexp.MustCompile(`(?m)^\s*(?:- )?(?:uses:|image:|FROM) *(\S+)`)
	pinned, found := regexp.MustCompile(`@[0-9a-f]{40}$|@sha256:[0-9a-f]{64}$`), 0
	for _, file := range []string{"Dockerfile", "examples/ci/github.yml", "examples/ci/gitlab.yml", "examples/pipeline/.github/workflows/firmware.yml"} {
		for _, match := range named.FindAllStringSubmatch(read(t, file), -1) {
			if match[1] != "scratch" {
				require.Regexp(t, pinned, match[1], file)
				if strings.HasPrefix(match[1], "golang:") {
					require.Regexp(t, `^golang:[\d.]+-trixie@`, match[1], file)
				}
				found++
			}
		}
	}
	require.Equal(t, 9, found)
}
