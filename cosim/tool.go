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

// A tool is a program that a build needs.
type tool struct {
	command, packages string // packages: of Debian
	versionOption     string
}

// toolVersion is a tool as it was found.
type toolVersion struct{ path, text string }

// toolVersions holds what was asked already, by path and change time.
var toolVersions sync.Map

// version finds a tool and asks it who it is: its answer is a part of the hash of
// a build.
func (t tool) version(ctx context.Context) (toolVersion, error) {
	path, err := exec.LookPath(t.command)
	if err != nil {
		return toolVersion{}, &InputError{t.command, "is needed to build RTL and is not on the PATH", "install the Debian package " + t.packages}
	}
	info, err := os.Stat(path)
	if err != nil {
		return toolVersion{}, err
	}
	key := fmt.Sprint(path, info.ModTime().UnixNano(), info.Size())
	if known, ok := toolVersions.Load(key); ok {
		return known.(toolVersion), nil
	}
	out, err := command(ctx, "", t.command, t.versionOption).CombinedOutput()
	if stop := stopped(ctx, t.command, t.versionOption, err); stop != nil {
		return toolVersion{}, stop
	}
	if err != nil {
		return toolVersion{}, &InputError{t.command, fmt.Sprintf("does not run: %v: %s", err, firstLine(out)), "install the Debian package " + t.packages + " again"}
	}
	version := toolVersion{path, firstLine(out)}
	toolVersions.Store(key, version)
	return version, nil
}

// command is a tool's process, which ends with the context; messages come in
// English.
func command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "LC_ALL=C")
	c.WaitDelay = time.Second
	return c
}

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return string(line)
}

// oneLineOf joins the lines of a tool's output and shortens it.
func oneLineOf(said []byte) string {
	text := strings.Join(strings.Fields(string(said)), " ")
	if len(text) > 500 {
		text = text[:500] + "..."
	}
	return text
}
