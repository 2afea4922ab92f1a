package cosim

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Tool is an external program that a build needs.
type Tool struct {
	Command, Packages string // Packages names Debian packages
	VersionOption     string
}

// ToolVersion is an installed tool.
type ToolVersion struct{ Path, Text string }

// toRoot matches the line that tshark prints for root before its version.
var toRoot = regexp.MustCompile(`(?m)^Running as user .*\n`)

var versionNumber = regexp.MustCompile(`\d+(?:\.\d+)*`)

// Number returns the version as numbers: 5 and 32 for 5.032.
func (v ToolVersion) Number() (number []int) {
	for _, part := range strings.Split(v.NumberText(), ".") {
		n, _ := strconv.Atoi(part)
		number = append(number, n)
	}
	return number
}

// NumberText returns the version number as printed by the tool.
func (v ToolVersion) NumberText() string { return versionNumber.FindString(v.Text) }

// Since reports whether the version is number or later.
func (v ToolVersion) Since(number ...int) bool { return slices.Compare(v.Number(), number) >= 0 }

var toolVersions sync.Map

// Version finds a tool and reads its version. The version is part of the hash of a build.
func (t Tool) Version(ctx context.Context) (ToolVersion, error) {
	path, err := exec.LookPath(t.Command)
	if err != nil {
		return ToolVersion{}, &InputError{
			Place: t.Command, Reason: "is needed to build RTL, but is not on the PATH",
			Remedy: "install the Debian package " + t.Packages,
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return ToolVersion{}, err
	}
	key := fmt.Sprint(path, info.ModTime().UnixNano(), info.Size())
	if known, ok := toolVersions.Load(key); ok {
		return known.(ToolVersion), nil
	}
	out, err := Command(ctx, "", t.Command, t.VersionOption).CombinedOutput()
	if stop := Stopped(ctx, t.Command, t.VersionOption, err); stop != nil {
		return ToolVersion{}, stop
	}
	if err != nil {
		return ToolVersion{}, &InputError{
			Place: t.Command, Reason: fmt.Sprintf("does not run: %v: %s", err, FirstLine(out)),
			Remedy: "install the Debian package " + t.Packages + " again",
		}
	}
	version := ToolVersion{path, FirstLine(toRoot.ReplaceAll(out, nil))}
	toolVersions.Store(key, version)
	return version, nil
}

// Command returns a process that ends with the context and with Starloom. Its messages are in English.
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	words := slices.Concat(started(name), args)
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "LC_ALL=C")
	c.WaitDelay = time.Second
	bind(c)
	return c
}

// started returns the command that runs a tool. For Verilator, started returns the program that the Perl script would
// start, with the same shell and stack limit, because on a small module the script takes several times as long as
// Verilator. If environment variables configure the script, started returns the script itself.
func started(name string) []string {
	if name != "verilator" ||
		slices.ContainsFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "VERILATOR_") }) {
		return []string{name}
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	program := filepath.Join(filepath.Dir(path), "verilator_bin")
	if info, failed := os.Stat(program); err != nil || failed != nil || info.Mode()&0o111 == 0 || !isPerl(path) {
		return []string{name}
	}
	return []string{"/bin/sh", "-c", `ulimit -s unlimited 2>/dev/null; exec "$0" "$@"`, program}
}

func isPerl(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	first, _ := bufio.NewReader(io.LimitReader(f, 200)).ReadString('\n')
	return strings.HasPrefix(first, "#!") && strings.Contains(first, "perl")
}

// FirstLine returns the first line of a text, without blank lines before it.
func FirstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return string(line)
}

// OneLine joins the lines of a tool's output and truncates the result.
func OneLine(said []byte) string {
	text := strings.Join(strings.Fields(string(said)), " ")
	if len(text) > 500 {
		text = text[:500] + "..."
	}
	return text
}
