package cosim

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A Tool is a program that a build needs.
type Tool struct {
	Command, Packages string // packages: of Debian
	VersionOption     string
}

// ToolVersion is a tool as it was found.
type ToolVersion struct{ Path, Text string }

// toolVersions holds the versions already read, by path and change time.
var toolVersions sync.Map

// Version finds a tool and reads its version, which is a part of the hash of
// a build.
func (t Tool) Version(ctx context.Context) (ToolVersion, error) {
	path, err := exec.LookPath(t.Command)
	if err != nil {
		return ToolVersion{}, &InputError{
			Place: t.Command, Reason: "is needed to build RTL and is not on the PATH", Remedy: "install the Debian package " + t.Packages,
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
	version := ToolVersion{path, FirstLine(out)}
	toolVersions.Store(key, version)
	return version, nil
}

// Command is a tool's process, which ends with the context, and with Starloom; messages come in
// English.
func Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "LC_ALL=C")
	c.WaitDelay = time.Second
	bind(c)
	return c
}

// FirstLine is that of a tool's output.
func FirstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return string(line)
}

// OneLine joins the lines of a tool's output and shortens it.
func OneLine(said []byte) string {
	text := strings.Join(strings.Fields(string(said)), " ")
	if len(text) > 500 {
		text = text[:500] + "..."
	}
	return text
}
