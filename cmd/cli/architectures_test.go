package cli

import (
	"debug/elf"
	littleendian "encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongArchitectures checks that the architecture changes no byte. It compares this machine with linux/arm64,
// whose compiler fuses x*y+z unless forbidden, under qemu-aarch64 (Debian package qemu-user). The sandbox compiles
// images to arm64 code there, as on such a machine.
func TestLongArchitectures(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for other architectures")
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	require.NoError(t, err, "Debian package qemu-user; make tools installs it")
	arm := filepath.Join(t.TempDir(), "starloom-arm64")
	buildFor(t, "linux", "arm64", arm)
	t.Run("fused", func(t *testing.T) {
		require.Empty(t, fused(t, arm), "x*y+z reaches outputs: write float64(x*y) + z")
	})
	cases := slices.Concat(architectureRuns(t), architectureStudies)
	if *full {
		for _, name := range []string{"pops", "gossip", "scatter", "bus", "ej"} {
			cases = append(cases, "study "+name+" --quick --json - --csv out.csv")
		}
		cases = append(cases, "study scatter --case [dr]* --plots .",
			"study ej --case table* --plots .", "study bus --case lengths --plots .", "study gossip --case lengths --plots .")
	}
	image := floatFirmware(t)
	for _, command := range cases {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			here := architectureRun(t, image, command, binary)
			require.Equal(t, here, architectureRun(t, image, command, emulator, arm))
			require.Contains(t, []string{"0", "1"}, here["status"], "%s%s", here["stdout"], here["stderr"])
		})
	}
}

func buildFor(t *testing.T, system, architecture, path string) {
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", path, "starloom/cmd/starloom")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// fused lists the functions of this module in which an arm64 program multiplies and adds floats in one instruction.
// Instructions of data processing with three sources have 0x1f in their top byte. For functions of package math, see
// the RATIONALE.
func fused(t *testing.T, program string) (functions []string) {
	file, err := elf.Open(program)
	require.NoError(t, err)
	defer file.Close()
	section := file.Section(".text")
	text, err := section.Data()
	require.NoError(t, err)
	symbols, err := file.Symbols()
	require.NoError(t, err)
	own, others := 0, 0
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Value < section.Addr || s.Value+s.Size > section.Addr+section.Size {
			continue
		}
		found := 0
		for code := text[s.Value-section.Addr:][:s.Size]; len(code) >= 4; code = code[4:] {
			found += map[bool]int{true: 1}[littleendian.LittleEndian.Uint32(code)>>24 == 0x1f]
		}
		if !strings.HasPrefix(s.Name, "starloom") && !strings.HasPrefix(s.Name, "main.") {
			others += found
			continue
		}
		if own++; found > 0 {
			functions = append(functions, fmt.Sprintf("%s: %d", s.Name, found))
		}
	}
	require.Greater(t, own, 1000, "no functions of this module were found")
	require.Positive(t, others, "package math has some: they are not found")
	return functions
}

// architectureRuns returns all examples without RTL, and runs of many seeds, for all engines and outputs.
func architectureRuns(t *testing.T) []string {
	examples, err := filepath.Glob("../../examples/*.yaml")
	require.NoError(t, err)
	var commands []string
	for _, path := range examples {
		name := filepath.Base(path)
		if name == "pops-4x4-survival.yaml" || name == "pops-2x4-all.yaml" && !*full { // a survival curve for many seeds; 40,320 runs
			continue
		}
		commands = append(commands, "run examples/"+name+" --json -")
	}
	require.Greater(t, len(commands), 15)
	return append(commands,
		"run floats.yaml --json - --engine cycle", "run floats.yaml --json - --engine slot --seeds 1..4",
		"run examples/pops-16x16.yaml --vcd out.vcd --pcapng out.pcapng --log out.log",
		"run examples/pops-16x16.yaml --seeds 1..40 --json - --csv out.csv --stats-csv stats.csv --junit out.xml",
		"run examples/gossip.yaml --run-table out.svg", "run examples/ej-broadcast.yaml --run-table out.svg",
		"run examples/ej-faults.yaml --svg topology=out.svg --svg timeline=time.svg --svg heat=heat.svg",
		"run examples/bus-sensors.yaml --svg latency=out.svg",
		"run examples/bus-faults.yaml --html out.html", "run examples/pops-4x4-faults.yaml --seeds 1..40 --slots 20 --html out.html",
		"run examples/scatter.yaml --seeds 1..40 --json - --stats-csv stats.csv",
		"run examples/bus-sensors.yaml --engine cycle --seeds 1..4 --json -",
		"run examples/pops-4x4-survival.yaml --seeds 1..40 --json -",
	)
}

// architectureStudies are cases of studies that compute floats, and some cases that run.
var architectureStudies = []string{
	"study scatter --case [tmg]* --json -", "study scatter --case co* --json -",
	"study bus --case [ag]* --json -", "study bus --case table* --json - --plots .", "study gossip --case table*[1-79] --json -",
	"study gossip --case claims --json - --csv out.csv", "study ej --case table*[12] --json - --plots .", "study ej --case plane --plots .",
	"study pops --case offline* --json -", "study pops --case adversary*d --json -", "study pops --case d=16g*n=1024 --json - --plots .",
}

// junitTimes are the only figures of a file that may differ between machines.
var junitTimes = regexp.MustCompile(` time="[0-9]+\.[0-9]{3}"`)

// architectureRun runs a command in its own folder and returns its status, output and files.
func architectureRun(t *testing.T, image []byte, command string, emulator ...string) map[string]string {
	dir := folder(t, map[string]string{"floats.wasm": string(image), "floats.yaml": floatScenario})
	examples, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(examples, filepath.Join(dir, "examples")))
	words := slices.Concat(emulator, strings.Fields(command))
	run := exec.CommandContext(t.Context(), words[0], words[1:]...)
	run.Dir = dir
	var stdout, stderr strings.Builder
	run.Stdout, run.Stderr = &stdout, &stderr
	_ = run.Run() // the exit status has the result
	files := map[string]string{"status": fmt.Sprint(run.ProcessState.ExitCode()), "stdout": stdout.String(), "stderr": stderr.String()}
	for _, name := range list(t, dir) {
		if !slices.Contains([]string{"examples", "floats.wasm", "floats.yaml"}, name) {
			data, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			files[name] = string(junitTimes.ReplaceAll(data, nil))
		}
	}
	return files
}

const floatScenario = `starloom: 1
fabric: {pops: {groups: 4, group_size: 1}}
firmware: {image: floats.wasm}
stop: {slots: 20}
`

// floatFirmware passes on sums of products, roots, quotients and NaNs with any bits. Its results are their bits.
func floatFirmware(t *testing.T) []byte {
	dir := folder(t, map[string]string{"floats.c": `#include "starloom.h"
typedef struct { double sum, least; float narrow; uint64_t bits; } state_t;
static uint64_t bits_of(double x) { uint64_t bits; __builtin_memcpy(&bits, &x, 8); return bits; }
static void on_start(sl_nic *nic, state_t *s) {
    s->sum = 0.1 * (sl_self(nic) + 1);
    s->narrow = 0.3f;
    sl_listen(nic, (sl_self(nic) + 3) % 4);
}
static void on_slot(sl_nic *nic, state_t *s) {
    sl_frame *frame = sl_send(nic, (sl_self(nic) + 1) % 4, SL_KIND_DATA, SL_ANY, 16);
    double nan = (s->sum - s->sum) / (s->narrow - s->narrow);
    __builtin_memcpy(frame->payload, &s->sum, 8);
    __builtin_memcpy(frame->payload + 8, &nan, 8);
    for (const sl_frame *f; (f = sl_receive(nic));) {
        double x, y;
        __builtin_memcpy(&x, f->payload, 8);
        __builtin_memcpy(&y, f->payload + 8, 8);
        s->sum = x * s->sum + __builtin_sqrt(x) / 3;
        s->least = x * 1.1 - s->least * 0.9;
        s->narrow = (float)x * s->narrow + 0.7f;
        s->bits = s->bits * 31 + bits_of(y + s->least) + bits_of(s->sum) + (uint64_t)(int64_t)__builtin_floor(s->least * 1e6);
    }
    sl_result(nic, 0, bits_of(s->sum));
    sl_result(nic, 1, bits_of(s->narrow));
    sl_result(nic, 2, s->bits);
    if (sl_slot(nic) == 10) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`})
	r := starloomIn(t, dir, "firmware", "build", "floats.c")
	require.Equal(t, statusPass, r.status, r.stderr)
	image, err := os.ReadFile(filepath.Join(dir, "floats.wasm"))
	require.NoError(t, err)
	return image
}
