package icarus

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
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"starloom/cosim"
)

const buildLimit = 2 * time.Minute

// only vvp, which loads the VPI module, is queried for its version
var (
	iverilogTool    = cosim.Tool{Command: "iverilog", Packages: "iverilog"}
	iverilogVPITool = cosim.Tool{Command: "iverilog-vpi", Packages: "iverilog"}
	compilerTool    = cosim.Tool{Command: "cc", Packages: "gcc"}
	vvpTool         = cosim.Tool{Command: "vvp", Packages: "iverilog", VersionOption: "-V"}
)

func find(t cosim.Tool) (string, error) {
	path, err := exec.LookPath(t.Command)
	if err != nil {
		return "", &cosim.InputError{
			Place:  t.Command,
			Reason: "is needed to simulate RTL in Icarus, but is not on the PATH",
			Remedy: "install the Debian package " + t.Packages,
		}
	}
	return path, nil
}

// findModule returns the path of the VPI module for vvp. The module is built at most once per user and version of
// vvp. Without a cache, it is built in scratch.
func findModule(vvp cosim.ToolVersion, scratch string) (string, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n", runtime.GOARCH, vvp.Text)
	if err := eachModuleFile(func(_ string, text []byte) error { _, err := hash.Write(text); return err }); err != nil {
		return "", err
	}
	kept, err := cosim.OpenCache("")
	if err != nil {
		kept = cosim.Cache{Dir: scratch, Remedy: cosim.RemedyUserCache}
	}
	return kept.Take(fmt.Sprintf("icarus-%x.vpi", hash.Sum(nil)[:16]), compileModule)
}

func eachModuleFile(do func(name string, text []byte) error) error {
	const folder = "vpi"
	entries, err := cosim.VPI.ReadDir(folder)
	for _, entry := range entries {
		var text []byte
		if text, err = cosim.VPI.ReadFile(folder + "/" + entry.Name()); err == nil {
			err = do(entry.Name(), text)
		}
		if err != nil {
			return err
		}
	}
	return err
}

func compileModule(path string) error {
	vpi, err := find(iverilogVPITool)
	if err != nil {
		return err
	}
	if _, err := find(compilerTool); err != nil {
		return err
	}
	dir, file := filepath.Split(path)
	args := []string{"--name=" + strings.TrimSuffix(file, ".vpi")}
	if err := eachModuleFile(func(name string, text []byte) error {
		if filepath.Ext(name) == ".c" {
			args = append(args, name)
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o644)
	}); err != nil {
		return fmt.Errorf("the module for Icarus: %w", err)
	}
	said, err := runTool(dir, dir, vpi, args...)
	if stop := cosim.Stopped(context.Background(), "iverilog-vpi", "", err); stop != nil {
		return stop
	}
	if err != nil {
		return &cosim.InputError{
			Place:  "iverilog-vpi",
			Reason: fmt.Sprintf("does not compile the module for Icarus (%v): %s", err, cosim.OneLine(said)),
			Remedy: "install the Debian packages gcc, libc6-dev and iverilog",
		}
	}
	return nil
}

// runTool runs a tool in folder dir ("": the working directory) with temporary files in scratch, and returns its
// output. A timeout is a ToolError.
func runTool(dir, scratch, tool string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	runtime.LockOSThread() // the death signal belongs to the thread
	defer runtime.UnlockOSThread()
	var said bytes.Buffer
	cmd := cosim.Command(ctx, dir, tool, args...)
	cmd.Env = append(cmd.Env, "TMPDIR="+scratch)
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = alone()
	cmd.Cancel = func() error { return unix.Kill(-cmd.Process.Pid, unix.SIGKILL) }
	err := cmd.Run()
	if ctx.Err() != nil {
		err = &cosim.ToolError{
			Tool:   filepath.Base(tool),
			Place:  "",
			Reason: fmt.Sprintf("does not end and was killed after %v", buildLimit),
			Remedy: cosim.RemedyTool,
			Err:    err,
		}
	}
	return said.Bytes(), err
}

func compile(source *cosim.Source, out string) error {
	iverilog, err := find(iverilogTool)
	if err != nil {
		return err
	}
	plain := *source
	if plain.Files, err = source.InLanguage(filepath.Dir(out)); err != nil {
		return err
	}
	said, err := runTool("", filepath.Dir(out), iverilog, append([]string{"-o", out}, iverilogArguments(&plain)...)...)
	if stop := cosim.Stopped(context.Background(), iverilogTool.Command, source.Name(), err); stop != nil {
		return stop
	}
	if lost := missingParameter.FindSubmatch(said); lost != nil {
		refused := &cosim.InputError{Place: source.Files[0], Remedy: "name a parameter of the module"}
		refused.Reason = fmt.Sprintf("module %s has no parameter %s", source.Top, lost[2])
		if at := string(lost[3]); at != source.Top {
			refused.Place, refused.Reason = string(lost[1]), fmt.Sprintf("the module of %s has no parameter %s", at, lost[2])
		}
		return refused
	}
	if err != nil {
		return refusalOf(source, said, err)
	}
	return nil
}

func iverilogArguments(s *cosim.Source) []string {
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
	// an error since version 12
	missingParameter = regexp.MustCompile("(?m)^(.*): (?:warning|error): parameter `?(\\w+)`? not found in " +
		"`?([^\\s`]+)`?\\.$")
	messagePlace   = regexp.MustCompile(`^(.+?:\d+): (?:error: )?(.+)`)
	messageSummary = regexp.MustCompile(`^(\d+ error\(s\)|\*\*\*|\s)`)
)

// refusalOf converts iverilog's output to a single error. The error contains the first message with a place and the
// subsequent messages.
func refusalOf(source *cosim.Source, said []byte, err error) error {
	var messages []string
	place := source.Files[0]
	for line := range strings.Lines(string(said)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || messageSummary.MatchString(line) || strings.Contains(line, "warning:") {
			continue
		}
		if found := messagePlace.FindStringSubmatch(line); found != nil && len(messages) == 0 {
			place, line = found[1], found[2]
		}
		messages = append(messages, line)
	}
	if len(messages) == 0 {
		return &cosim.ToolError{
			Tool:   iverilogTool.Command,
			Place:  source.Name(),
			Reason: fmt.Sprintf("gives up (%v): %s", err, cosim.OneLine(said)),
			Remedy: cosim.RemedyTool,
			Err:    err,
		}
	}
	if task := taskOutside(place, messages); task != "" {
		return &cosim.InputError{
			Place: place, Reason: "Icarus Verilog does not read " + task + " outside of processes",
			Remedy: "use backend: wasm, or put it between `ifndef __ICARUS__ and `endif",
		}
	}
	return &cosim.InputError{
		Place:  place,
		Reason: "iverilog: " + cosim.OneLine([]byte(strings.Join(messages, "; "))),
		Remedy: "correct the source until `iverilog -g2012` accepts it",
	}
}

// severityTask matches an elaboration-time $error or similar task outside of processes.
var severityTask = regexp.MustCompile(`\$(?:fatal|error|warning|info)\b`)

func taskOutside(place string, messages []string) string {
	at := max(0, strings.LastIndexByte(place, ':'))
	line, err := strconv.Atoi(place[at+1:])
	if err != nil || len(messages) < 2 || messages[0] != "syntax error" ||
		!strings.HasSuffix(messages[1], "invalid module item.") {
		return ""
	}
	text, err := os.ReadFile(place[:at])
	if lines := strings.Split(string(text), "\n"); err == nil && line <= len(lines) {
		return severityTask.FindString(lines[line-1])
	}
	return ""
}
