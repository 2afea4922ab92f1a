package cosim

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
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

// icarusBuildLimit is how long one tool may take.
const icarusBuildLimit = 2 * time.Minute

// The tools; versionOption is asked for vvp alone, which loads the VPI module.
var (
	iverilogTool    = tool{command: "iverilog", packages: "iverilog"}
	iverilogVPITool = tool{command: "iverilog-vpi", packages: "iverilog"}
	compilerTool    = tool{command: "cc", packages: "gcc"} // of iverilog-vpi
	vvpTool         = tool{"vvp", "iverilog", "-V"}
)

// find returns the path of a tool.
func find(t tool) (string, error) {
	path, err := exec.LookPath(t.command)
	if err != nil {
		return "", &InputError{t.command, "is needed to simulate RTL in Icarus and is not on the PATH", "install the Debian package " + t.packages}
	}
	return path, nil
}

// findIcarusModule returns the path of the VPI module for this vvp, built at most
// once per user and version. Without a cache it is built in scratch.
func findIcarusModule(vvp toolVersion, scratch string) (string, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n%s", runtime.GOARCH, vvp.text, VPI)
	kept, err := openCache("")
	if err != nil {
		kept = cache{scratch, remedyUserCache}
	}
	return kept.take(fmt.Sprintf("icarus-%x.vpi", hash.Sum(nil)[:16]), compileIcarusModule)
}

func compileIcarusModule(path string) error {
	vpi, err := find(iverilogVPITool)
	if err != nil {
		return err
	}
	if _, err := find(compilerTool); err != nil {
		return err
	}
	dir, file := filepath.Split(path)
	if err := os.WriteFile(filepath.Join(dir, "cosim.c"), []byte(VPI), 0o644); err != nil {
		return fmt.Errorf("the module for Icarus: %w", err)
	}
	said, err := runTool(dir, dir, vpi, "--name="+strings.TrimSuffix(file, ".vpi"), "cosim.c")
	if stop := stopped(context.Background(), "iverilog-vpi", "", err); stop != nil {
		return stop
	}
	if err != nil {
		return &InputError{"iverilog-vpi", fmt.Sprintf("does not compile the module for Icarus (%v): %s", err, oneLineOf(said)), "install the Debian packages gcc, libc6-dev and iverilog"}
	}
	return nil
}

// runTool runs a tool in the directory dir, "" for Starloom's own, with its temporary
// files in scratch, and returns what it said. One that takes too long is a ToolError.
func runTool(dir, scratch, tool string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), icarusBuildLimit)
	defer cancel()
	runtime.LockOSThread() // the death signal is bound to the thread
	defer runtime.UnlockOSThread()
	var said bytes.Buffer
	cmd := command(ctx, dir, tool, args...)
	cmd.Env = append(cmd.Env, "TMPDIR="+scratch)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = alone()
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	err := cmd.Run()
	if ctx.Err() != nil {
		err = &ToolError{filepath.Base(tool), "", fmt.Sprintf("does not end and was killed after %v", icarusBuildLimit), remedyTool, err}
	}
	return said.Bytes(), err
}

// compileIcarus compiles a design to the file out.
func compileIcarus(source *Source, out string) error {
	iverilog, err := find(iverilogTool)
	if err != nil {
		return err
	}
	said, err := runTool("", filepath.Dir(out), iverilog, append([]string{"-o", out}, iverilogArguments(source)...)...)
	if stop := stopped(context.Background(), iverilogTool.command, source.name(), err); stop != nil {
		return stop
	}
	if err != nil {
		return icarusRefusal(source, said, err)
	}
	if lost := missingParameter.FindSubmatch(said); lost != nil {
		return &InputError{source.Files[0], fmt.Sprintf("module %s has no parameter %s", source.Top, lost[1]), "name a parameter of the module"}
	}
	return nil
}

func iverilogArguments(s *Source) []string {
	args := []string{"-g2012", "-s", s.Top, "-Y.v", "-Y.sv"}
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		args = append(args, "-P"+s.Top+"."+name+"="+s.Params[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Defines)) {
		define := "-D" + name
		if value := s.Defines[name]; value != "" {
			define += "=" + value
		}
		args = append(args, define)
	}
	for _, dir := range s.IncludeDirs {
		args = append(args, "-I"+dir, "-y"+dir)
	}
	return append(append(args, "--"), s.Files...)
}

var (
	missingParameter = regexp.MustCompile(`(?m)warning: parameter (\S+) not found in`)
	icarusPlace      = regexp.MustCompile(`^(.+?:\d+): (?:error: )?(.+)`)
	icarusSummary    = regexp.MustCompile(`^(\d+ error\(s\)|\*\*\*|\s)`)
)

// icarusRefusal turns iverilog's messages into one error: the place of the first
// message that has one, and the messages behind it.
func icarusRefusal(source *Source, said []byte, err error) error {
	var messages []string
	place := source.Files[0]
	for line := range strings.Lines(string(said)) {
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
		return &ToolError{iverilogTool.command, source.name(), fmt.Sprintf("gives up (%v): %s", err, oneLineOf(said)), remedyTool, err}
	}
	return &InputError{place, "iverilog: " + oneLineOf([]byte(strings.Join(messages, "; "))), "correct the source until `iverilog -g2012` accepts it"}
}
