package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/traces/diff"
	"starloom/traces/info"
	"starloom/traces/vcd"
)

var full = flag.Bool("full", false, "compare VCDs of 1 GB")

const (
	lanesMap = `period: 1 ns
slot: pops.slot
interfaces:
  - name: "pops.group[$1].nic[$2].port[${port}]"
    rail1: "pops.group[*].nic[*].tx.light.rail1"
    rail0: "pops.group[$1].nic[$2].tx.light.rail0"
    port: "pops.group[$1].nic[$2].tx.port"
    ports: 4
`
	namesMap = "signals: {\"pops.group[*].**\": \"TOP.g_$1.$2\"}\nignore: [pops.slot]\n"
)

// traced returns a folder with the traces of two runs with different seeds.
func traced(t *testing.T) string {
	dir := folder(t, map[string]string{"s.yaml": smallScenario, "lanes.yaml": lanesMap, "names.yaml": namesMap})
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "s.yaml", "--vcd", "a.vcd", "--pcapng", "a.pcapng").status)
	require.Equal(t, statusPass, starloomIn(t, dir, "run", "s.yaml", "--vcd", "b.vcd", "--seed", "7").status)
	return dir
}

func TestTraceCommands(t *testing.T) {
	dir := traced(t)
	run := func(status int, args string) result {
		t.Helper()
		r := starloomIn(t, dir, strings.Fields("trace "+args)...)
		require.Equal(t, status, r.status, "%s: %s%s", args, r.stdout, r.stderr)
		return r
	}

	r := run(statusPass, "info a.vcd a.pcapng --json info.json")
	for _, word := range []string{"a.vcd\n", "timescale    1 ns", "most active  pops.group[", "x or z       none", "a.pcapng\n", "ok  ", "collision  "} {
		assert.Contains(t, r.stdout, word)
	}
	assert.Empty(t, r.stderr)
	data, err := os.ReadFile(filepath.Join(dir, "info.json"))
	require.NoError(t, err)
	var infos info.Report
	require.NoError(t, json.Unmarshal(data, &infos))
	require.Len(t, infos.Files, 2)
	assert.NotZero(t, infos.Files[0].VCD.Changes)
	assert.NotZero(t, infos.Files[1].PCAPNG.Packets)
	r = run(statusPass, "info a.vcd --signals --only **.coupler[*].violation")
	assert.Equal(t, 16, strings.Count(r.stdout, ".violation  wire, 1 bit"), r.stdout)
	assert.True(t, json.Valid([]byte(run(statusPass, "info a.vcd --json -").stdout)))

	assert.True(t, strings.HasPrefix(run(statusPass, "diff a.vcd a.vcd").stdout, "EQUAL  a.vcd  a.vcd\n"))
	r = run(statusFail, "diff a.vcd b.vcd --json diff.json --context 4")
	assert.True(t, strings.HasPrefix(r.stdout, "DIFFERENT  a.vcd  b.vcd\n\nfirst difference at "), r.stdout)
	data, err = os.ReadFile(filepath.Join(dir, "diff.json"))
	require.NoError(t, err)
	var report diff.Report
	require.NoError(t, json.Unmarshal(data, &report))
	assert.Equal(t, diff.VerdictDifferent, report.Verdict)
	assert.Positive(t, report.Differing)
	r = run(statusFail, "diff a.vcd b.vcd --sample-period 1ns --first --from 3 --json -")
	assert.True(t, json.Valid([]byte(r.stdout)))
	assert.Contains(t, r.stderr, "first difference in cycle ")
	run(statusPass, "diff a.vcd b.vcd --only pops.slot")
	run(statusPass, "diff a.vcd b.vcd --x lenient --to 0ns --ignore **.light.** --ignore **.tx.* --ignore **.bits --ignore **.state --ignore **.violation")

	// A file with different names of signals.
	text, err := os.ReadFile(filepath.Join(dir, "a.vcd"))
	require.NoError(t, err)
	renamed := strings.NewReplacer("module pops ", "module TOP ", "module group[0] ", "module g_0 ", "module group[1] ", "module g_1 ",
		"module group[2] ", "module g_2 ", "module group[3] ", "module g_3 ").Replace(string(text))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "renamed.vcd"), []byte(renamed), 0o666))
	assert.Contains(t, run(statusPass, "diff a.vcd renamed.vcd --map names.yaml").stdout, "compared    240 signals")

	before := list(t, dir)
	r = run(statusPass, "decode a.vcd --map lanes.yaml --pcapng d.pcapng --json d.json")
	assert.Contains(t, r.stdout, "interfaces  16 in the waveform, ")
	assert.Contains(t, r.stdout, "0 damaged")
	assert.Len(t, list(t, dir), len(before)+3)
	assert.Contains(t, run(statusPass, "info d.pcapng").stdout, "sent  ")
}

// TestTraceDiffOfAnEarlyEnd checks that a waveform that ends early does not pass.
func TestTraceDiffOfAnEarlyEnd(t *testing.T) {
	whole := "$timescale 1 ns $end\n$var wire 1 ! a $end\n$var real 64 # r $end\n$enddefinitions $end\n#0\n0!\nr0.1 #\n#10\n1!\n#20\n0!\n#30\n"
	dir := folder(t, map[string]string{
		"whole.vcd": whole, "died.vcd": whole[:strings.Index(whole, "#20")], "idle.vcd": whole + "#40\n#50\n",
		"near.vcd": strings.Replace(whole, "r0.1 ", "r0.10000000000001 ", 1),
	})
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"whole.vcd died.vcd", statusFail, "DIFFERENT  whole.vcd  died.vcd\n\ncompared    2 signals, from 0 ns to 10 ns, 2 times\n" +
			"ended       B at 10 ns; A continues: a changes at 20 ns (--prefix allows this)\n"},
		{"died.vcd whole.vcd", statusFail, "ended       A at 10 ns; B continues: a changes at 20 ns (--prefix allows this)\n"},
		{"whole.vcd died.vcd --prefix", statusPass, "NO DIFFERENCE in the compared values  whole.vcd  died.vcd\n\ncompared    2 signals, from 0 ns to 10 ns, 2 times\n" +
			"skipped     A from 20 ns on, after the end of B (--prefix)\n"},
		{"whole.vcd died.vcd --to 10ns", statusPass, "skipped     times after --to 10 ns\n"},
		{"whole.vcd died.vcd --to 20ns", statusFail, "ended       B at 10 ns"},
		{"whole.vcd idle.vcd", statusPass, "EQUAL  whole.vcd  idle.vcd\n"},
		{"idle.vcd whole.vcd", statusPass, "EQUAL  idle.vcd  whole.vcd\n"},
		{"whole.vcd near.vcd", statusFail, "\n  r\n  A  0.1\n  B  0.10000000000001\n"},
		{"whole.vcd near.vcd --real-tolerance 1e-12", statusPass, "NO DIFFERENCE in the compared values, reals within 1e-12  whole.vcd  near.vcd\n"},
	} {
		r := starloomIn(t, dir, strings.Fields("trace diff "+c.args)...)
		require.Equal(t, c.status, r.status, "%s: %s%s", c.args, r.stdout, r.stderr)
		require.Contains(t, r.stdout, c.want, c.args)
	}
}

// TestTraceBadInput checks bad input: exit status 2, place and remedy, and no file created or changed.
func TestTraceBadInput(t *testing.T) {
	dir := traced(t)
	for name, text := range map[string]string{
		"broken.vcd": "$timescale 1 ns $end\n$var wire 1 ! a $end\n$enddefinitions $end\n#0\n1!\nbroken\n#5\n", "text.vcd": "hello",
		"other.vcd": "$var wire 1 ! other $end\n$enddefinitions $end\n#0\n1!\n", "key.yaml": "singals: {}\n",
		"silent.vcd":  "$timescale 1 ns $end\n$var wire 1 ! a $end\n$enddefinitions $end\n#0\n#5\n",
		"nolane.yaml": "period: 1 ns\ninterfaces:\n  - {name: n, data: none, valid: none}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	before := list(t, dir)
	for _, c := range []struct{ args, want string }{
		{"info", "starloom trace info: FILE is missing; usage: starloom trace info FILE..."},
		{"info none.vcd", "none.vcd: cannot be read: no such file or directory; give the path of a VCD, an FST or a packet capture, or - for standard input"},
		{"info .", ".: cannot be read: this is a folder"},
		{"info text.vcd", `text.vcd:1: found "hello"; expected a declaration ($timescale, $scope, $var ...)`},
		{"info broken.vcd", `broken.vcd:6: found "broken"; expected b, binary digits, a space and an identifier code`},
		{"info a.vcd --json none/x.json", "--json: "},
		{"info a.vcd --json a.vcd", "--json: a.vcd is an input of the run; give another path"},
		{"info a.vcd --signals --only a[2..1]", "--signals: [2..1] is not a range of indexes"},
		{"diff a.vcd", "starloom trace diff: B.vcd is missing; usage: starloom trace diff A.vcd B.vcd"},
		{"diff a.vcd broken.vcd --ignore **", "a.vcd and broken.vcd: the files have no signal in common"},
		{"diff a.vcd b.vcd --ignore **", "a.vcd and b.vcd: all common signals are left out; give other patterns"},
		{"diff silent.vcd silent.vcd", "silent.vcd and silent.vcd: neither file has a value of a compared signal"},
		{"diff a.vcd /dev/null", "/dev/null: cannot be read: this is not a regular file; give the path of a VCD"},
		{"diff a.vcd other.vcd", "a.vcd and other.vcd: the files have no signal in common: names have forms such as pops.slot and other; give a --map"},
		{"diff broken.vcd broken.vcd", "broken.vcd:6: "},
		{"diff a.vcd a.pcapng", "a.pcapng: this is a packet capture, not a VCD; give a VCD"},
		{"diff a.vcd b.vcd --map key.yaml", `key.yaml:1:1: unknown key "singals" in the map; did you mean "signals"?`},
		{"diff a.vcd b.vcd --map none.yaml", "none.yaml: cannot be read: no such file or directory"},
		{"diff a.vcd b.vcd --x loose", `--x: "loose" cannot be used; choose one of strict, lenient`},
		{"diff a.vcd b.vcd --sample-period 3", `--sample-period: "3" is not a time: write a whole number and s, ms, us, ns, ps or fs; add its unit, such as 3ns`},
		{"diff a.vcd b.vcd --sample-period 0ns", `--sample-period: "0ns" is not a length of time`},
		{"diff a.vcd b.vcd --offset soon", `--offset: "soon" is not a time`},
		{"diff a.vcd b.vcd --offset-cycles 2", "--offset-cycles: cycles are not known"},
		{"diff a.vcd b.vcd --clock pops.clk", "a.vcd: the clock pops.clk is not in the file; `starloom trace info a.vcd --signals` lists the names"},
		{"diff a.vcd b.vcd --from 3", "--from: 3 is a cycle, but times are compared; give a time with its unit"},
		{"diff a.vcd b.vcd --from x", `--from: "x" is not a time`},
		{"diff a.vcd b.vcd --real-tolerance 1", "--real-tolerance: 1 is not a fraction; give 0 or more and less than 1, such as 1e-12"},
		{"diff a.vcd b.vcd --real-tolerance -1e-9", "--real-tolerance: -1e-09 is not a fraction"},
		{"diff a.vcd b.vcd --real-tolerance NaN", "--real-tolerance: NaN is not a fraction"},
		{"diff a.vcd b.vcd --context 0", "--context: 0 columns cannot be drawn; give 1 to 1000"},
		{"decode a.vcd --map lanes.yaml", "starloom trace decode: --pcapng is missing; usage: "},
		{"decode a.vcd --pcapng x.pcapng", "starloom trace decode: --map is missing; usage: "},
		{"decode a.vcd --map nolane.yaml --pcapng x.pcapng", "nolane.yaml:3:5: data: there is no signal none"},
		{"decode a.vcd --map lanes.yaml --pcapng none/x.pcapng", "--pcapng: "},
		{"decode a.vcd --map lanes.yaml --pcapng lanes.yaml", "--pcapng: lanes.yaml is an input of the run"},
		{"decode none.vcd --map lanes.yaml --pcapng x.pcapng", "none.vcd: cannot be read: no such file or directory; give the path of a VCD"},
	} {
		r := starloomIn(t, dir, strings.Fields("trace "+c.args)...)
		assert.Equal(t, statusInput, r.status, "%s: %s", c.args, r.stderr)
		assert.True(t, strings.HasPrefix(r.stderr, c.want), "%s: %s", c.args, r.stderr)
		assert.Empty(t, r.stdout, c.args)
		assert.Equal(t, before, list(t, dir), c.args)
	}
}

func bigVCDs(t *testing.T, dir string, bytes int64) {
	fileA, err := os.Create(filepath.Join(dir, "a.vcd"))
	require.NoError(t, err)
	fileB, err := os.Create(filepath.Join(dir, "b.vcd"))
	require.NoError(t, err)
	w, err := vcd.NewWriter(io.MultiWriter(fileA, fileB), vcd.Options{})
	require.NoError(t, err)
	const signals = 2000
	random := rand.New(rand.NewPCG(1, 1))
	for i := range signals {
		_, err := w.Declare(fmt.Sprintf("top.group[%d].s%d", i%16, i), 1+i%64)
		require.NoError(t, err)
	}
	require.NoError(t, w.Begin())
	cycle := uint64(0)
	for {
		require.NoError(t, w.Cycle(cycle))
		for range 100 {
			i := random.IntN(signals)
			w.Set(vcd.SignalID(i), random.Uint64()>>(63-i%64))
		}
		cycle++
		if cycle%4096 == 0 {
			info, err := fileA.Stat()
			require.NoError(t, err)
			if info.Size() >= bytes {
				break
			}
		}
	}
	require.NoError(t, w.Close(cycle))
	_, err = fmt.Fprintf(fileA, "0!\n#%d\n", cycle+1)
	require.NoError(t, err)
	_, err = fmt.Fprintf(fileB, "1!\n#%d\n", cycle+1)
	require.NoError(t, err)
	require.NoError(t, fileA.Close())
	require.NoError(t, fileB.Close())
}

// peak returns the peak memory of an ended process in MiB.
func peak(t *testing.T, command *exec.Cmd) int64 {
	usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	return usage.Maxrss >> 10
}

// TestTraceDiffOfBigFiles compares two VCDs that differ only at the end, of 1 GB each with -full, within the same
// memory.
func TestTraceDiffOfBigFiles(t *testing.T) {
	size, limitMiB := int64(64<<20), int64(64) // in addition to the program's own memory
	if *full {
		size, limitMiB = 1_000_000_000, 230
	}
	dir := t.TempDir()
	bigVCDs(t, dir, size)
	command := exec.Command(binary, "trace", "diff", "a.vcd", "b.vcd")
	command.Dir = dir
	start := time.Now()
	out, err := command.Output()
	elapsed := time.Since(start)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, statusFail, exit.ExitCode(), "%s", exit.Stderr)
	require.Contains(t, string(out), "\n  top.group[0].s0\n  A  0\n  B  1\n")
	require.Contains(t, string(out), "differing   1 signal\n")
	nothing := exec.Command(binary, "version")
	require.NoError(t, nothing.Run())
	peakMiB := peak(t, command) - peak(t, nothing)
	t.Logf("2 x %d MB in %v (%.0f MB/s, the beginning read twice), peak memory %d MiB", size/1_000_000, elapsed.Round(time.Millisecond),
		float64(2*size)/1e6/elapsed.Seconds(), peakMiB)
	require.LessOrEqual(t, peakMiB, limitMiB)
}

// TestTraceDiffPins checks that a pin map names the ports in a waveform of a check, and that --only narrows them.
func TestTraceDiffPins(t *testing.T) {
	dir := checkFolder(t, "")
	r := starloomIn(t, dir, "cosim", "check", "m.yml", "--cycles", "100", "--vcd", "case.vcd")
	require.Equal(t, statusPass, r.status, r.stderr)
	r = starloomIn(t, dir, "trace", "diff", "case.vcd", "case.vcd", "--pins", "m.yml")
	require.Equal(t, statusPass, r.status, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "compared    2 signals, from cycle 1 ")
	r = starloomIn(t, dir, "trace", "diff", "case.vcd", "case.vcd", "--pins", "m.yml", "--ignore", "**.enable_i")
	require.Contains(t, r.stdout, "compared    1 signal, from cycle 1 ")
	r = starloomIn(t, dir, "trace", "diff", "case.vcd", "case.vcd", "--pins", "m.yml", "--only", "**.value_o")
	require.Contains(t, r.stderr, "--only: the pin map names the signals to compare; leave some out with --ignore")
	r = starloomIn(t, dir, "trace", "diff", "case.vcd", "-", "--pins", "m.yml")
	require.Equal(t, statusInput, r.status)
	require.Contains(t, r.stderr, "--pins: with a pin map, a waveform is read twice; give a file instead of -")
}
