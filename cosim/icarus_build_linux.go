package cosim

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// icarusModule is the name of the VPI module: vvp loads icarusModule.vpi.
const icarusModule = "cosim"

//go:embed vpi/cosim.c
var icarusModuleSource []byte

// icarusBuildLimit is how long one tool may take, in time and in CPU time.
const icarusBuildLimit = 2 * time.Minute

// icarusTool finds a tool of the Debian package iverilog.
func icarusTool(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed, Icarus Verilog needs it; install the Debian package iverilog", name)
	}
	return path, nil
}

// buildIcarusModule returns the directory of the VPI module for this vvp, built at
// most once per user and version. Without a cache that can be written, the module
// is built in scratch.
func buildIcarusModule(vvp, scratch string) (string, error) {
	version, _ := exec.Command(vvp, "-V").CombinedOutput() // its status differs by version
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n", runtime.GOARCH, version)
	hash.Write(icarusModuleSource)
	cache, err := os.UserCacheDir()
	if err != nil {
		return scratch, compileIcarusModule(scratch)
	}
	parent := filepath.Join(cache, "starloom")
	final := filepath.Join(parent, fmt.Sprintf("icarus-%x", hash.Sum(nil)[:12]))
	if _, err := os.Stat(filepath.Join(final, icarusModule+".vpi")); err == nil {
		return final, nil
	}
	err = os.MkdirAll(parent, 0o755)
	var fresh string
	if err == nil {
		fresh, err = os.MkdirTemp(parent, "building-")
	}
	if err != nil {
		return scratch, compileIcarusModule(scratch)
	}
	defer os.RemoveAll(fresh)
	if err := compileIcarusModule(fresh); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, final); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("keeping the module for Icarus: %w", err)
	}
	return final, nil
}

func compileIcarusModule(dir string) error {
	tool, err := icarusTool("iverilog-vpi")
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return errors.New("cc is not installed, iverilog-vpi needs it; install the Debian package gcc")
	}
	if err := os.WriteFile(filepath.Join(dir, icarusModule+".c"), icarusModuleSource, 0o644); err != nil {
		return fmt.Errorf("the module for Icarus: %w", err)
	}
	said, err := runTool(dir, tool, "--name="+icarusModule, icarusModule+".c")
	if err != nil {
		return fmt.Errorf("the module for Icarus does not compile (%w): %s; install the Debian packages gcc, libc6-dev and iverilog", err, oneLine(said))
	}
	return nil
}

// runTool runs a tool in a directory, with its temporary files in the same, and
// returns what it said.
func runTool(dir, tool string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), icarusBuildLimit)
	defer cancel()
	runtime.LockOSThread() // the death signal is bound to the thread
	defer runtime.UnlockOSThread()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = alone()
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	cmd.WaitDelay = time.Second
	if dir != "" {
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	}
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped after %v", icarusBuildLimit)
	}
	return said.String(), err
}

// compileIcarus compiles a design to the file out.
func compileIcarus(source *icarusSource, out string) error {
	tool, err := icarusTool("iverilog")
	if err != nil {
		return err
	}
	args := []string{"-g2012", "-o", out, "-s", source.Top}
	for _, name := range slices.Sorted(maps.Keys(source.Params)) {
		args = append(args, "-P"+source.Top+"."+name+"="+source.Params[name])
	}
	for _, name := range slices.Sorted(maps.Keys(source.Defines)) {
		args = append(args, "-D"+name+"="+source.Defines[name])
	}
	for _, dir := range source.IncludeDirs {
		args = append(args, "-I"+dir)
	}
	args = append(args, "--")
	said, err := runTool("", tool, append(args, source.Files...)...)
	if err != nil {
		return icarusRefusal(source, said, err)
	}
	if lost := missingParameter.FindStringSubmatch(said); lost != nil {
		return fmt.Errorf("%s: module %s has no parameter %s; use the name of a parameter", source.Files[0], source.Top, lost[1])
	}
	return nil
}

var (
	missingParameter = regexp.MustCompile(`(?m)warning: parameter (\S+) not found in`)
	icarusPlace      = regexp.MustCompile(`^(.+?:\d+): (?:error: )?(.+)`)
	icarusSummary    = regexp.MustCompile(`^(\d+ error\(s\)|\*\*\*|\s)`)
)

// icarusRefusal turns iverilog's messages into one error: the place of the first
// message that has one, and the messages behind it.
func icarusRefusal(source *icarusSource, said string, err error) error {
	var messages []string
	place := source.Files[0]
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\n")
		if line == "" || icarusSummary.MatchString(line) || strings.Contains(line, "warning:") {
			continue
		}
		if found := icarusPlace.FindStringSubmatch(line); found != nil && len(messages) == 0 {
			place, line = found[1], found[2]
		}
		messages = append(messages, line)
	}
	if len(messages) == 0 {
		messages = []string{err.Error()}
	}
	return fmt.Errorf("%s: iverilog: %s", place, oneLine(strings.Join(messages, "\n")))
}
