package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/hw"
	"starloom/traces"
)

// binary is the command under test: this test binary, which acts as the command if an environment variable is set. So
// nothing is linked twice.
var binary string

const asCommand = "STARLOOM_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main()
	}
	var err error
	if binary, err = os.Executable(); err == nil {
		err = errors.Join(os.Setenv(asCommand, "1"), os.Unsetenv("MAKEFLAGS")) // for all processes of the tests
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if signal.Ignored(syscall.SIGHUP) { // under nohup, processes of the tests would ignore the signal, too
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	os.Exit(m.Run())
}

const smallScenario = `starloom: 1
fabric: {pops: {groups: 4, group_size: 4}}
firmware: {program: pops/random}
`

// folder creates a working folder with these files. A test reads it later for new files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

type result struct {
	status         int
	stdout, stderr string
}

// inFolder is locked while a test has another working folder.
var inFolder sync.Mutex

// starloomIn runs a command line, in this process, which is cheaper, unless - is its standard output.
func starloomIn(t *testing.T, dir string, args ...string) result {
	t.Helper()
	if slices.ContainsFunc(args, func(arg string) bool { return arg == "-" || strings.HasSuffix(arg, "=-") }) {
		return starloomWith(t, dir, func(*exec.Cmd) {}, args...)
	}
	inFolder.Lock()
	defer inFolder.Unlock()
	before, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(dir))
	defer func() { require.NoError(t, os.Chdir(before)) }()
	var stdout, stderr bytes.Buffer
	status := execute(append([]string{}, args...), &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// starloomWith is starloomIn in another process, with a changed environment or standard input.
func starloomWith(t *testing.T, dir string, change func(*exec.Cmd), args ...string) result {
	t.Helper()
	command := exec.Command(binary, args...)
	command.Dir = dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	change(command)
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func TestRunPasses(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	r := starloomIn(t, dir, "run", "s.yaml", "--json", "out.json", "--junit", "out.xml")
	require.Equal(t, statusPass, r.status, r.stderr)
	assert.Empty(t, r.stderr, "silent when it is no terminal")
	assert.True(t, strings.HasPrefix(r.stdout, "PASS  s\n"), r.stdout)
	for _, word := range []string{"slots", "steps", "cycles", "frames", "digest", "out.json", "out.xml"} {
		assert.Contains(t, r.stdout, word)
	}
	assert.Equal(t, []string{"out.json", "out.xml", "s.yaml"}, list(t, dir))
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	require.NoError(t, err)
	var report struct {
		Verdict string
		Metrics struct{ Delivered, Lost int }
	}
	require.NoError(t, json.Unmarshal(data, &report))
	assert.Equal(t, "pass", report.Verdict)
	assert.Equal(t, 16, report.Metrics.Delivered)
	assert.Equal(t, 0, report.Metrics.Lost)
	xml, err := os.ReadFile(filepath.Join(dir, "out.xml"))
	require.NoError(t, err)
	assert.Contains(t, string(xml), `failures="0"`)
}

// TestRunJSONToStdout checks that standard output has only the JSON.
func TestRunJSONToStdout(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	r := starloomIn(t, dir, "run", "s.yaml", "--json", "-")
	require.Equal(t, statusPass, r.status, r.stderr)
	assert.True(t, json.Valid([]byte(r.stdout)))
	assert.Contains(t, r.stderr, "PASS")
}

// TestRunOptions checks that options of execution do not change the result of a run, except the line with the mode,
// and that options that replace values of the scenario act as the scenario would.
func TestRunOptions(t *testing.T) {
	dir := folder(t, map[string]string{
		"s.yaml": smallScenario, "seven.yaml": smallScenario + "name: s\nseed: 7\n",
	})
	modes := regexp.MustCompile(`(?m)^mode .*\n`)
	base := starloomIn(t, dir, "run", "s.yaml").stdout
	assert.Regexp(t, `(?m)^mode +banked: not checked`, base)
	assert.Regexp(t, `(?m)^mode +isolated$`, starloomIn(t, dir, "run", "s.yaml", "--mode", "isolated").stdout)
	for _, args := range [][]string{
		{"--workers", "2"}, {"--bank", "4"}, {"--mode", "isolated"}, {"--mode", "banked"}, {"--runtime", "interpreter"},
		{"--runtime", "compiler"}, {"--engine", "slot"}, {"--seed", "1"}, {"--slots", "5000"},
	} {
		got := starloomIn(t, dir, append([]string{"run", "s.yaml"}, args...)...).stdout
		assert.Equal(t, modes.ReplaceAllString(base, ""), modes.ReplaceAllString(got, ""), args)
	}
	seven := starloomIn(t, dir, "run", "seven.yaml")
	require.Equal(t, statusPass, seven.status, seven.stderr)
	assert.NotEqual(t, base, seven.stdout)
	assert.Equal(t, seven.stdout, starloomIn(t, dir, "run", "s.yaml", "--seed", "7").stdout)
}

func TestRunFails(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario})
	r := starloomIn(t, dir, "run", "s.yaml", "--slots", "2", "--json", "out.json")
	require.Equal(t, statusFail, r.status)
	assert.True(t, strings.HasPrefix(r.stdout, "FAIL  s\n  finishes: cycle "), r.stdout)
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	require.NoError(t, err, "a run that fails has its files too")
	assert.Contains(t, string(data), `"verdict": "fail"`)
}

// TestRunSeeds checks the verdict and tables of many seeds in one process.
func TestRunSeeds(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "all.yaml": `starloom: 1
fabric: {pops: {groups: 2, group_size: 2}}
firmware: {program: pops/random}
workload: {permutation: all}
`})
	r := starloomIn(t, dir, "run", "s.yaml", "--seeds", "1..50", "--csv", "runs.csv", "--stats-csv", "stats.csv", "--junit", "out.xml")
	require.Equal(t, statusPass, r.status, r.stderr)
	assert.Empty(t, r.stderr)
	assert.True(t, strings.HasPrefix(r.stdout, "PASS  s\n\nseeds       1..50\nruns        50\nfailed      0\n"), r.stdout)
	assert.Equal(t, []string{"all.yaml", "out.xml", "runs.csv", "s.yaml", "stats.csv"}, list(t, dir))
	rows, err := os.ReadFile(filepath.Join(dir, "runs.csv"))
	require.NoError(t, err)
	assert.Equal(t, 51, strings.Count(string(rows), "\n"))

	r = starloomIn(t, dir, "run", "s.yaml", "--seeds", "1..50", "--slots", "20", "--json", "-")
	require.Equal(t, statusFail, r.status)
	var report struct {
		Runs   int
		Failed []struct {
			Seed int
			Rule string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
	require.Equal(t, 50, report.Runs)
	require.NotEmpty(t, report.Failed)
	require.Less(t, len(report.Failed), 50)
	require.Equal(t, "finishes", report.Failed[0].Rule)
	first := fmt.Sprintf("--seed %d", report.Failed[0].Seed)
	require.Contains(t, r.stderr, "FAIL  s\n  "+first+": finishes: ")
	require.Equal(t, statusFail, starloomIn(t, dir, append([]string{"run", "s.yaml", "--slots", "20"}, strings.Fields(first)...)...).status)

	// The command in a JUnit file repeats a failed seed, also with special characters in names.
	odd := "it's $HOME.yaml"
	require.NoError(t, os.WriteFile(filepath.Join(dir, odd), []byte(smallScenario), 0o644))
	require.NoError(t, os.Symlink(binary, filepath.Join(dir, "starloom")))
	require.Equal(t, statusFail, starloomIn(t, dir, "run", odd, "--seeds", "1..50", "--slots", "20", "--mode", "isolated", "--firmware", "pops/random-corrected", "--junit", "out.xml").status)
	data, err := os.ReadFile(filepath.Join(dir, "out.xml"))
	require.NoError(t, err)
	again := regexp.MustCompile(`name="seed (\d+)">\s*<failure message="([^"]*)">[^<]*repeat with (starloom [^<]*)&#xA;</failure>`).FindStringSubmatch(string(data))
	require.NotNil(t, again, "%s", data)
	line := html.UnescapeString(again[3])
	require.Equal(t, `starloom run 'it'\''s $HOME.yaml' --slots 20 --mode isolated --firmware pops/random-corrected --seed `+again[1], line)
	repeat := exec.Command("/bin/sh", "-c", line)
	repeat.Dir, repeat.Env = dir, append(os.Environ(), "PATH="+dir)
	out, err := repeat.Output()
	require.Equal(t, statusFail, repeat.ProcessState.ExitCode(), "%v", err)
	require.Contains(t, string(out), strings.SplitN(html.UnescapeString(again[2]), ": ", 3)[1])

	// The command for the worst permutation in a report repeats it, with a waveform.
	r = starloomIn(t, dir, "run", "all.yaml")
	require.Equal(t, statusPass, r.status, r.stderr)
	_, options, ok := strings.Cut(strings.SplitN(r.stdout, "\n", 3)[1], "alone: ")
	require.True(t, ok, r.stdout)
	alone := starloomIn(t, dir, append([]string{"run", "all.yaml", "--vcd", "out.vcd"}, strings.Fields(options)...)...)
	require.Equal(t, statusPass, alone.status, alone.stderr)
	slots := regexp.MustCompile(`\nslots +(\d+)\n`)
	require.Equal(t, slots.FindStringSubmatch(r.stdout)[1], slots.FindStringSubmatch(alone.stdout)[1])
}

// badInput is a command line and the beginning of its standard error.
type badInput struct{ args, want string }

var badRuns = []badInput{
	{"run", "starloom run: SCENARIO is missing; usage: starloom run SCENARIO"},
	{"run s.yaml t.yaml", `starloom run: unexpected argument "t.yaml"`},
	{"run none.yaml", "none.yaml: cannot be read: no such file or directory; give the path of a scenario"},
	{"run folder", "folder: cannot be read: this is a folder; give the path of a scenario"},
	{"run key.yaml", `key.yaml:4:1: unknown key "sed" in the scenario; did you mean "seed"?`},
	{"run perm.yaml", "perm.yaml:4:25: the permutation has 1 destination, but the fabric has 16 processors"},
	{"run image.yaml", "image.yaml:3:19: "},
	{"run text.wasm", "text.wasm: this is firmware, not a scenario; give a scenario and this file: starloom run SCENARIO --firmware text.wasm\n"},
	{"run sweep.yaml", "sweep.yaml: this is a sweep, not a scenario; run it: starloom sweep sweep.yaml --out DIR\n"},
	{"run readme.md", "readme.md:2:35: not YAML: mapping values are not allowed in this context; give a scenario; 'starloom new' writes one\n"},
	{"plot none.csv --x a --y b -o a.svg", "none.csv: cannot be read: no such file or directory; give a CSV file with a header, or the folder"},
	{"run s.yaml --firmware none.wasm", "--firmware: the firmware image cannot be read: "},
	{"run s.yaml --firmware text.wasm", "--firmware: the firmware image text.wasm: not a WebAssembly module; build one with `starloom firmware build`\n"},
	{"run s.yaml --firmware short.wasm", "--firmware: "},
	{"run s.yaml --firmware header.wasm", "--firmware: "},
	{"run s.yaml --seed -3", `--seed: "-3" cannot be used; give an integer from 0 to 18446744073709551615`},
	{"run s.yaml --workers two", `--workers: "two" cannot be used; give an integer from 0 to 65535`},
	{"run s.yaml --slots 0", `--slots: "0" cannot be used; give an integer from 1 to 4294967294`},
	{"run s.yaml --slots -5", `--slots: "-5" cannot be used; give an integer from 1 to 4294967294`},
	{"run s.yaml --slots 4294967295", `--slots: "4294967295" cannot be used; give an integer from 1 to 4294967294`},
	{"run s.yaml --firmware pops/randon", "--firmware: the firmware image cannot be read: "},
	{"run s.yaml --firmware pops/one-to-all", "--firmware: the program pops/one-to-all does not carry permutation; "},
	{"run s.yaml --seeds 1..2 --seed 3", "--seeds: this option is for many runs; use --seed for one; delete one of them"},
	{"run s.yaml --seeds 1..2 --permutation 3", "--seeds: this option is for many runs; use --permutation for one; " +
		"delete one of them"},
	{"run s.yaml --seeds 2..1", "--seeds: the range 2..1 is empty; write 1..2"},
	{"run s.yaml --seeds 1..2 --vcd new.vcd", "--vcd: a waveform shows one run, and --seeds asks for many; run one of them alone with --seed N"},
	{"run s.yaml --seeds 1..2 --csv new.xml", "--csv: output new.xml: two outputs have this path: give each its own"},
	{"run s.yaml --seeds 1..2 --stats-csv none/out.csv", "--stats-csv: "},
	{"run s.yaml --permutation 3", "--permutation: the scenario does not run all permutations, so they have no numbers"},
	{"run s.yaml --permutation x", `--permutation: "x" cannot be used; give an integer from 0 to 18446744073709551615`},
	{"run s.yaml --engine fast", `--engine: "fast" cannot be used; choose one of auto, cycle, slot`},
	{"run s.yaml --mode both", `--mode: "both" cannot be used; choose one of banked, isolated`},
	{"run s.yaml --runtime native", `--runtime: "native" cannot be used; choose one of compiler, interpreter`},
	{"run s.yaml --speed 3", "starloom run: unknown flag: --speed; did you mean --seed? see 'starloom run --help'"},
	{"run s.yaml --pcapgn out", "starloom run: unknown flag: --pcapgn; did you mean --pcapng? see 'starloom run --help'"},
	{"run s.yaml --Seed 3", "starloom run: unknown flag: --Seed; did you mean --seed? see 'starloom run --help'"},
	{"run s.yaml -seed 3", "starloom run: unknown shorthand flag: 's' in -seed; did you mean --seed? see 'starloom run --help'"},
	{"run s.yaml -x", "starloom run: unknown shorthand flag: 'x' in -x; see 'starloom run --help'"},
	{"run s.yaml --adaptive load", "starloom run: unknown flag: --adaptive; it is an option of 'starloom sweep'; see 'starloom run --help'"},
	{"run s.yaml --xyzzy", "starloom run: unknown flag: --xyzzy; see 'starloom run --help'"},
	{"run s.yaml --engine cycel", `--engine: "cycel" cannot be used; did you mean "cycle"? choose one of auto, cycle, slot`},
	{"run s.yaml --set fabric.pops.grops=3", `--set fabric.pops.grops=3: unknown key "grops" in fabric.pops; did you mean "groups"?`},
	{"run s.yaml --set firmware.mode=bankd", `--set firmware.mode=bankd: firmware.mode is "bankd"; did you mean "banked"?`},
	{"study gosip", `study: there is no study "gosip"; did you mean "gossip"? choose one of `},
	{"runn s.yaml", `starloom: there is no command "runn"; did you mean run? see 'starloom --help'`},
	{"run s.yaml --vcd none/out.vcd", "--vcd: "},
	{"run s.yaml --pcapng none/out.pcapng", "--pcapng: "},
	{"run s.yaml --log folder", "--log: "},
	{"run s.yaml --json none/out.json", "--json: "},
	{"run s.yaml --junit folder", "--junit: "},
	{"run s.yaml --vcd new.xml", "--vcd: new.xml ends in .xml; viewers choose the format by the name; write new.vcd"},
	{"run s.yaml --log new.xml", "--log: output new.xml: two outputs have this path: give each its own"},
	{"run s.yaml --vcd ./x/../new.vcd --json new.gtkw --junit no.xml", "--vcd: output ./x/../new.gtkw: "},
	{"run s.yaml --replay 3 --json -", "--json: standard output already receives the output of --replay; give --json a file"},
	{"run s.yaml --csv - --json -", "--csv: standard output already receives the output of --json; give --csv a file"},
	{"run s.yaml --json link --csv new.xml", "--csv: output new.xml: two outputs have this path"},
	{"run s.yaml --json none/out.json", "--json: output none/out.json: the folder none: no such file or directory: make the folder first, or give another path\n"},
	{"run s.yaml --json s.yaml", "--json: s.yaml is an input of the run; give another path"},
}

var badCommands = []badInput{
	{"help nope", `starloom: there is no command "nope"; see 'starloom --help'`},
	{"help runn", `starloom: there is no command "runn"; did you mean run? see 'starloom --help'`},
	{"help man man", `starloom: there is no command "man"; 'starloom help --man DIR' writes manual pages; see 'starloom --help'`},
	{"help --man man man", `starloom help: --man writes the pages of all commands; delete "man"; write 'starloom help --man DIR'`},
	{"help trace dif", `starloom trace: there is no command "dif"; did you mean diff?`},
	{"trace decode a.vcd --map tag.yaml --pcapng o", "tag.yaml:1:1: the tag !mine is not supported; delete it"},
	{"study pops --csv - --json -", "--csv: standard output already receives the output of --json; give --csv a file"},
	{"runn", `starloom: there is no command "runn"; did you mean run?`},
	{"s.yaml", `starloom: there is no command "s.yaml"; did you mean 'starloom run s.yaml'? see 'starloom --help'`},
	{"firmware build s.yaml", "starloom: firmware source s.yaml: not a C or C++ source: "},
	{"study", "starloom study: NAME is missing"},
	{"study nope", `study: there is no study "nope"; choose one of `},
	{"study pops --quick --full", "--quick: --full is given as well; choose one"},
	{"study pops --json none/out.json", "--json: "},
	{"firmware biuld", `starloom firmware: there is no command "biuld"; did you mean build?`},
	{"firmware build", "starloom firmware build: SRC.c is missing"},
	{"firmware build none.c -o new.wasm", "starloom: firmware source none.c: no such file or directory: give the path of a C or C++ source"},
	{"firmware build broken.c -O 4", "starloom: -O 4: unknown level: give one of 0, 1, 2, 3, s, z"},
	{"firmware build broken.c -D 4", "starloom: -D 4: not a macro: give NAME or NAME=VALUE"},
	{"firmware build broken.c -I none", "starloom: -I none: not a folder: give a folder with headers"},
	{"firmware build broken.c broken.c", "starloom: firmware source broken.c: given twice"},
	{"firmware new mine", "--language: it is missing; choose one of c, cpp, rust, assemblyscript, go"},
	{"firmware new --language ada mine", `--language: "ada" cannot be used; choose one of c, cpp, rust, assemblyscript, go`},
	{"firmware new --fabric netlist --language go mine", "--language: there is no project in go for a netlist; write --language c"},
	{"firmware new --language c", "starloom firmware new: NAME is missing"},
	{"firmware new --language c folder", "NAME: "},
	{"firmware new --language c No", `NAME: "No" cannot be the name of a project; give a new folder, whose name has a-z, 0-9, _ and -`},
	{"firmware sdk s.yaml", "DIR: "},
	{"firmware inspect", "starloom firmware inspect: F.wasm is missing"},
	{"firmware inspect pops/random --loop sdk/starloom.h=3", "--loop: no unbounded loop is at sdk/starloom.h; loops without a bound are at random.c:121:1, sdk/starloom.h:"},
	{"firmware inspect pops/random --loop sdk/starloom.h:340", `--loop: "sdk/starloom.h:340" is not FILE:LINE=N or 'offset 0xHEX=N'; write --loop `},
	{"firmware inspect pops/random --loop sdk/starloom.h:340=0", `--loop: a loop cannot iterate "0" times; allowed: 1 to 4294967296; `},
	{"firmware inspect pops/random --model custom", "--model: the model custom needs costs; add --cost load=3 and other classes; an omitted class costs 1\n"},
	{"firmware inspect pops/random --cost loads=3", `--cost: there is no class of instructions "loads"; classes are nop, const, `},
	{"firmware inspect pops/random --cost branch=0", "--cost: the cost 0 of branch; allowed: 1 to 1000000; "},
	{"firmware inspect pops/random --cost load", `--cost: "load" is not CLASS=N; classes are `},
	{"firmware inspect pops/random --loop a.c:1=2 --loop a.c:1=3", "--loop: a.c:1 is given twice; "},
	{"firmware inspect none.wasm", "none.wasm: cannot be read: no such file or directory; give an image built by `starloom firmware build`\n"},
	{"firmware inspect folder", "folder: cannot be read: this is a folder; give an image built by `starloom firmware build`\n"},
	{"firmware inspect pops/randon", "pops/randon: cannot be read: no such file or directory; did you mean \"pops/random\"? give an image built by `starloom firmware build`, or one of the programs bus/"},
	{"firmware inspect text.wasm", "text.wasm: not a WebAssembly module; build one with `starloom firmware build`\n"},
	{"firmware inspect header.wasm", "header.wasm: does not export its memory as \"memory\"; use STARLOOM_FIRMWARE of starloom.h\n"},
	{"firmware inspect pops/random --model arm", `--model: "arm" cannot be used; choose one of unit, rv32-inorder, microcoded, custom`},
	{"trace dissector -o none/out.lua", "--output: "},
	{"trace nothing", `starloom trace: there is no command "nothing"`},
	{"schema extra", `starloom schema: there is no schema "extra"`},
	{"version extra", `starloom version: unexpected argument "extra"`},
}

// TestBadInput checks bad input: exit status 2, place and remedy on standard error, nothing on standard output, and
// no file created or changed.
func TestBadInput(t *testing.T) {
	files := map[string]string{
		"s.yaml": smallScenario, "key.yaml": smallScenario + "sed: 1\n", "perm.yaml": smallScenario + "workload: {permutation: [0]}\n",
		"image.yaml":  strings.Replace(smallScenario, "program: pops/random", "image: none.wasm", 1),
		"text.wasm":   "this is text",
		"sweep.yaml":  "scenario: s.yaml\naxes: {seed: {key: seed, values: [1, 2]}}\n",
		"readme.md":   "# Read me\nThis is what it is, see: more, and: less\n",
		"header.wasm": "\x00asm\x01\x00\x00\x00",
		"short.wasm":  "\x00asm",
		"old.json":    "old",
		"tag.yaml":    "!mine {period: 1 ns}",
		"broken.c":    "#include \"starloom.h\"\nthis is not C\n",
	}
	dir := folder(t, files)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	require.NoError(t, os.Symlink("new.xml", filepath.Join(dir, "link")))
	before := list(t, dir)
	outputs := []string{"--json", "old.json", "--junit", "new.xml"}
	for _, c := range append(slices.Clone(badRuns), badCommands...) {
		args := strings.Fields(c.args)
		if strings.HasPrefix(c.args, "run s.yaml --") && !strings.Contains(c.args, "--json") && !strings.Contains(c.args, "--junit") {
			args = append(args, outputs...)
		}
		r := starloomIn(t, dir, args...)
		assert.Equal(t, statusInput, r.status, "%s: %s", c.args, r.stderr)
		assert.True(t, strings.HasPrefix(r.stderr, c.want), "%s: %s", c.args, r.stderr)
		assert.Empty(t, r.stdout, c.args)
		assert.NotContains(t, r.stderr, "goroutine", c.args)
		assert.NotContains(t, r.stderr, "stat ", "%s: a file is named, not a call of the system", c.args)
		assert.Equal(t, before, list(t, dir), c.args)
		old, err := os.ReadFile(filepath.Join(dir, "old.json"))
		require.NoError(t, err)
		assert.Equal(t, "old", string(old), c.args)
	}
}

// TestEmptyValueIsRefused checks that every command refuses an empty option or argument, as from an unset variable.
func TestEmptyValueIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	words := func(c *cobra.Command, arguments int) []string {
		return append(strings.Fields(c.CommandPath())[1:], slices.Repeat([]string{"x"}, arguments)...)
	}
	options := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, child := range c.Commands() {
			visit(child)
		}
		arguments := 0 // number of required arguments
		for ; arguments < 3 && c.Args != nil && c.Args(c, slices.Repeat([]string{"x"}, arguments)) != nil; arguments++ {
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			var stderr bytes.Buffer
			line := append(words(c, arguments), "--"+f.Name+"=")
			assert.Equal(t, statusInput, execute(line, io.Discard, &stderr), "%v", line)
			assert.Regexp(t, `^--`+f.Name+`: (its value is empty|"" cannot be used); `, stderr.String(), "%v", line)
			options++
		})
		for k := range arguments {
			var stderr bytes.Buffer
			line := words(c, arguments)
			line[len(line)-arguments+k] = ""
			assert.Equal(t, statusInput, execute(line, io.Discard, &stderr), "%q", line)
			assert.Contains(t, stderr.String(), fmt.Sprintf("%s: argument %d is empty; usage: ", c.CommandPath(), k+1), "%q", line)
		}
	}
	visit(newRoot())
	assert.Greater(t, options, 80)
	assert.Empty(t, list(t, "."))
}

// TestUnwritableOutputIsRefusedFirst checks that an unwritable output is refused before a run, here of minutes.
func TestUnwritableOutputIsRefusedFirst(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("groups: 4", "groups: 4000", "group_size: 4", "group_size: 4000").Replace(smallScenario)})
	start := time.Now()
	for _, option := range []string{"--json", "--junit"} {
		r := starloomIn(t, dir, "run", "s.yaml", option, "none/out")
		require.Equal(t, statusInput, r.status, r.stderr)
	}
	assert.Less(t, time.Since(start), 10*time.Second)
}

func TestOtherCommands(t *testing.T) {
	dir := folder(t, nil)
	for args, want := range map[string]string{
		"":                             "Available Commands",
		"--help --all":                 "Exit status: 0 pass",
		"help":                         "starloom run pops.yaml --vcd",
		"help run":                     "--pcapng F",
		"run --help":                   "Usage:\n  starloom run SCENARIO",
		"study list":                   "pops  ",
		"schema":                       `"title": "Starloom scenario"`,
		"version":                      "starloom ",
		"tools":                        "tests passed with",
		"tools --ran":                  "verilator      5.032",
		"--version":                    ", scenario format 1, ",
		"trace dissector":              "",
		"firmware":                     "inspect",
		"firmware inspect pops/random": "sha256",
		"firmware inspect pops/random --functions --blocks --model microcoded":       "starloom_slot 0 ",
		"firmware inspect pops/random --model custom --cost load=3 --cost divide=30": "by the model custom with divide 30, load 3;",
		"firmware inspect pops/random --json -":                                      `"worst_case": 1`,
		"cosim check --help --all":                                                   "with --stimulus and for a scenario)",
		"firmware inspect --help --all":                                              "pops/two-hops",
		"completion bash":                                                            "starloom",
		"__complete study p":                                                         "pops",
		"__complete run x --engine ":                                                 "cycle",
		"__complete run x --engine cyc":                                              "cycle",
	} {
		fields := strings.Split(args, " ")
		if args == "" {
			fields = nil
		}
		r := starloomIn(t, dir, fields...)
		assert.Equal(t, statusPass, r.status, "%q: %s", args, r.stderr)
		assert.Contains(t, r.stdout, want, args)
		assert.NotEmpty(t, r.stdout, args)
	}
	toStdout := starloomIn(t, dir, "trace", "dissector")
	require.Equal(t, statusPass, starloomIn(t, dir, "trace", "dissector", "-o", "out.lua").status)
	data, err := os.ReadFile(filepath.Join(dir, "out.lua"))
	require.NoError(t, err)
	assert.Equal(t, toStdout.stdout, string(data))
}

// TestExitStatus checks that the exit status shows who can correct an error.
func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{nil, statusPass, ""},
		{errFailed, statusFail, ""},
		{fault(&starloom.InputError{Place: "a.yaml:1:2", Reason: "bad", Remedy: "do"}), statusInput, "a.yaml:1:2: bad; do\n"},
		{fault(errors.Join(&starloom.InputError{Place: "p", Reason: "bad", Remedy: "do"}, errors.New("close"))), statusInput, "p: bad; do\n"},
		{fault(fmt.Errorf("output x: %w", syscall.ENOSPC)), statusTool, "starloom: output x: no space left on device: " + traces.RemedyFull + "\n"},
		{errInterrupted, statusInterrupted, ""},
		{fault(context.Canceled), statusInterrupted, "starloom: interrupted\n"},
		{fault(&starloom.ToolError{Tool: "vvp", Place: "a.v: a", Reason: "signal: killed", Remedy: "do"}), statusTool, "a.v: a: vvp: signal: killed; do\n"},
		{fault(fmt.Errorf("a.c does not compile (%w)", exec.Command("sh", "-c", "kill -9 $$").Run())), statusTool, "a.c does not compile (signal: killed)\n"},
		{errTool, statusTool, ""},
		{errRefused, statusInput, ""},
		{fault(errors.New("broken")), statusFault, "starloom: this is a fault of Starloom, not of your input: broken\nplease report it with the command line and the scenario\n"},
	} {
		var stderr bytes.Buffer
		assert.Equal(t, c.status, report(c.err, &stderr), c.err)
		assert.Equal(t, c.says, stderr.String())
	}
	var stderr bytes.Buffer
	assert.Equal(t, statusFault, protect(&stderr, func() int { panic("broken invariant") }))
	assert.Contains(t, stderr.String(), "this is a fault of Starloom, not of your input: broken invariant\nplease report it")
	assert.Contains(t, stderr.String(), "goroutine")

	stderr.Reset()
	assert.Equal(t, statusFault, protect(&stderr, func() int {
		panic(&hw.Fault{Path: "net.nic[3].tx", Cycle: 24, Text: "two drivers", Stack: []byte("the worker's stack")})
	}))
	assert.Equal(t, "starloom: this is a fault of Starloom, not of your input: net.nic[3].tx: cycle 24: two drivers\n"+
		"please report it with the command line, the scenario and what follows\n\nthe worker's stack", stderr.String())
}
