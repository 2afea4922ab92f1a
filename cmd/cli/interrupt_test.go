package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom/nic"
)

type interrupted struct {
	result
	took time.Duration // time from the signal to the end
}

// interrupt starts a command, sends it a signal, and waits. The signal is sent when ready returns true (nil: at once)
// and the command has had the processor time busy: on a loaded machine, its start takes longer.
func interrupt(t *testing.T, dir string, sent syscall.Signal, ready func() bool, busy time.Duration,
	args ...string) interrupted {
	t.Helper()
	command := exec.Command(binary, args...)
	command.Dir = dir
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Start())
	if ready != nil {
		require.Eventually(t, ready, 20*time.Second, time.Millisecond)
	}
	for begun := time.Now(); processorTime(t, command.Process.Pid) < busy; time.Sleep(10 * time.Millisecond) {
		require.Less(t, time.Since(begun), time.Minute)
	}
	require.NoError(t, command.Process.Signal(sent))
	start := time.Now()
	_ = command.Wait() // ProcessState holds the exit status
	return interrupted{result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}, time.Since(start)}
}

func processorTime(t *testing.T, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, counts, _ := strings.Cut(string(stat), ") ")
	var ticks time.Duration // of 10 ms; proc_pid_stat(5)
	for _, count := range strings.Fields(counts)[11:13] {
		of, err := strconv.Atoi(count)
		require.NoError(t, err)
		ticks += time.Duration(of)
	}
	return ticks * 10 * time.Millisecond
}

// interruptTerminal does so like a terminal: the signal also reaches the processes that the command has started.
func interruptTerminal(t *testing.T, dir string, args ...string) {
	t.Helper()
	command := exec.Command(binary, args...)
	command.Dir, command.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true}
	before := len(list(t, dir))
	require.NoError(t, command.Start())
	require.Eventually(t, func() bool { return len(list(t, dir)) > before+2 }, 20*time.Second, time.Millisecond, "its files are begun")
	time.Sleep(300 * time.Millisecond) // time for some slots; short, since a hanging handler is ended
	require.NoError(t, syscall.Kill(-command.Process.Pid, syscall.SIGINT))
	_ = command.Wait() // ProcessState holds the exit status
	require.Equal(t, statusInterrupted, command.ProcessState.ExitCode())
}

// TestInterrupt checks that the first interrupt ends the run with a report and complete files.
func TestInterrupt(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("groups: 4", "groups: 256", "group_size: 4", "group_size: 256").Replace(smallScenario)})
	// A temporary file shows that the options have been read and the run starts.
	r := interrupt(t, dir, syscall.SIGINT, func() bool { return len(list(t, dir)) > 1 }, 0,
		"run", "s.yaml", "--runtime", "interpreter", "--workers", "1", "--json", "out.json")
	require.Equal(t, statusInterrupted, r.status, r.stderr)
	assert.Contains(t, r.stdout, "interrupted: cycle ")
	assert.Equal(t, []string{"out.json", "s.yaml"}, list(t, dir))
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	require.NoError(t, err)
	assert.True(t, json.Valid(data))
	assert.Contains(t, string(data), `"rule": "interrupted"`)
}

// endlessModule returns an image whose named function never returns; "start" is the start function. body is the body
// of its loop.
func endlessModule(name string, body ...byte) []byte {
	vector := func(items ...[]byte) []byte { return append([]byte{byte(len(items))}, bytes.Join(items, nil)...) }
	section := func(id byte, items ...[]byte) []byte {
		content := vector(items...)
		return append([]byte{id, byte(len(content) | 0x80), byte(len(content) >> 7)}, content...)
	}
	const i32 = 0x7F
	types := [][]byte{{0x60, 0, 1, i32}, {0x60, 4, i32, i32, i32, i32, 1, i32}, {0x60, 1, i32, 0},
		{0x60, 2, i32, i32, 0}, {0x60, 0, 0}}
	var functions, exports, code [][]byte
	start := []byte(nil)
	for i, f := range []struct {
		name string
		kind byte
		body []byte
	}{
		{"starloom_abi", 0, []byte{0x41, nic.ABIVersion}}, {"starloom_bank", 0, []byte{0x41, 8}}, {"starloom_attach", 1, []byte{0x41, 0}}, {"starloom_start", 2, nil}, {"starloom_slot", 3, nil},
		{"starloom_probe_names", 0, []byte{0x41, 0}}, {"starloom_result_names", 0, []byte{0x41, 0}}, {"starloom_param_names", 0, []byte{0x41, 0}},
		{"_initialize", 4, nil}, {"start", 4, nil},
	} {
		if f.name == name {
			f.body = slices.Concat([]byte{0x03, 0x40}, body, []byte{0x0C, 0, 0x0B, 0x00}) // loop, body, br 0, end, unreachable
		}
		body := append(append([]byte{0}, f.body...), 0x0B)
		functions = append(functions, []byte{f.kind})
		code = append(code, append([]byte{byte(len(body))}, body...))
		if f.name == "start" {
			start = []byte{8, 1, byte(i)}
		} else {
			exports = append(exports, append(append([]byte{byte(len(f.name))}, f.name...), 0, byte(i)))
		}
	}
	exports = append(exports, append([]byte("\x06memory"), 2, 0))
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), section(1, types...), section(3, functions...), section(5, []byte{0, 1}),
		section(7, exports...), start, section(10, code...))
}

// endlessSource is firmware whose handler number WHERE never returns, the slot handler in slot 2.
const endlessSource = `#include "starloom_pops.h"
typedef struct { volatile uint32_t turns; } state_t;
static void on_start(sl_nic *nic, state_t *s) { while (WHERE == 1) s->turns++; }
static void on_slot(sl_nic *nic, state_t *s) {
    sl_log(nic, "slot");
    sl_send_packet(nic, sl_slot(nic) % 2, SL_ANY, (sl_packet){sl_self(nic), 0});
    while (WHERE == 2 && sl_slot(nic) == 2 && sl_self(nic) == 5) s->turns++;
}
static uint32_t choose(uint32_t i, uint32_t t, uint32_t g, uint32_t d) {
    static volatile uint32_t turns;
    while (WHERE == 3) turns++;
    return (i + t + d) % g;
}
STARLOOM_CHOICE(choose)
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// TestLongInterruptEveryExport checks that one signal ends firmware that never returns, in any export, compiled or
// interpreted. During loading there is no report; during a run there are a report and complete files.
func TestLongInterruptEveryExport(t *testing.T) {
	dir := folder(t, nil)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	type command struct {
		name   string
		args   []string
		report bool
	}
	var commands []command
	for _, export := range []string{"start", "_initialize", "starloom_abi", "starloom_probe_names", "starloom_result_names", "starloom_param_names", "starloom_bank", "starloom_attach"} {
		write(export+".wasm", string(endlessModule(export, 0x41, 0, 0x41, 0, 0x41, 0x80, 0xE0, 0x03, 0xFC, 0x0B, 0))) // memory.fill of 60 KiB: its turns would take half a minute
		write(export+".yaml", strings.Replace(smallScenario, "program: pops/random", "image: "+export+".wasm", 1))
		commands = append(commands, command{export, []string{"inspect"}, false}, command{export, []string{"run"}, false})
	}
	commands = append(commands, command{"starloom_abi", []string{"run", "--firmware"}, false})
	for where, name := range []string{"none", "starloom_start", "starloom_slot", "starloom_call_choice"} {
		write(name+".c", strings.ReplaceAll(endlessSource, "WHERE", string(rune('0'+where))))
		r := starloomIn(t, dir, "firmware", "build", name+".c")
		require.Equal(t, statusPass, r.status, r.stderr)
		text := strings.Replace(smallScenario, "program: pops/random", "image: "+name+".wasm", 1)
		if name == "starloom_call_choice" {
			text += "workload: {adversary: {slots: 2}}\n"
		}
		write(name+".yaml", text)
		if where > 0 {
			commands = append(commands, command{name, []string{"run"}, name != "starloom_call_choice"})
		}
	}
	write("all.yaml", "starloom: 1\nfabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {image: starloom_slot.wasm}\nworkload: {permutation: all}\n")
	write("sort.yaml", strings.Replace(smallScenario, "pops/random", "pops/sort", 1))
	commands = append(commands, command{"all", []string{"run"}, true})

	// A few at a time, since each occupies a core.
	var wait sync.WaitGroup
	turn := make(chan bool, 2)
	for i, c := range commands {
		turn <- true
		wait.Go(func() {
			defer func() { <-turn }()
			sent, status := syscall.SIGINT, statusInterrupted
			switch i % 3 {
			case 1:
				sent = syscall.SIGTERM
			case 2:
				sent, status = syscall.SIGHUP, statusHungUp
			}
			args := []string{"run", c.name + ".yaml"}
			switch {
			case c.args[0] == "inspect":
				args = []string{"firmware", "inspect", c.name + ".wasm"}
			case len(c.args) > 1: // --firmware replaces a program with a schedule
				args = []string{"run", "sort.yaml", "--firmware", c.name + ".wasm"}
			}
			r := interrupt(t, dir, sent, nil, 300*time.Millisecond, args...)
			assert.Equal(t, status, r.status, "%v: %s%s", args, r.stdout, r.stderr)
			assert.Less(t, r.took, 2*time.Second, args)
			if c.report {
				assert.Contains(t, r.stdout, "interrupted", args)
				assert.Empty(t, r.stderr, args)
			} else {
				assert.Equal(t, "starloom: interrupted\n", r.stderr, args)
			}
		})
	}
	wait.Wait()

	// The files of an interrupted run cover the whole slots.
	before := list(t, dir)
	whole := starloomIn(t, dir, "run", "none.yaml", "--slots", "2", "--vcd", "a.vcd", "--log", "a.log", "--json", "a.json")
	require.Equal(t, statusFail, whole.status)
	files := []string{"b.json", "b.log", "b.lua", "b.pcapng", "b.vcd", "b.gtkw", "b.sucl"}
	r := interrupt(t, dir, syscall.SIGHUP, func() bool { return len(list(t, dir)) == len(before)+5+len(files) },
		300*time.Millisecond,
		"run", "starloom_slot.yaml", "--vcd", "b.vcd", "--pcapng", "b.pcapng", "--log", "b.log", "--json", "b.json")
	require.Equal(t, statusHungUp, r.status, r.stderr)
	require.Less(t, r.took, 2*time.Second)
	require.Subset(t, list(t, dir), files)
	require.Len(t, list(t, dir), len(before)+5+len(files))
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(text)
	}
	// Comments name the images, which differ.
	signals := func(name string) string {
		_, after, ok := strings.Cut(read(name), "$timescale")
		require.True(t, ok)
		return after
	}
	require.Equal(t, signals("a.vcd"), signals("b.vcd"))
	interruptTerminal(t, dir, "run", "starloom_slot.yaml", "--vcd", "c.fst")
	back, err := exec.Command("fst2vcd", filepath.Join(dir, "c.fst")).Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.vcd"), back, 0o666))
	compared := starloomIn(t, dir, "trace", "diff", "b.vcd", "c.vcd")
	require.Equal(t, statusPass, compared.status, compared.stdout)
	require.Equal(t, 2*16, strings.Count(read("b.log"), "\n"))
	require.True(t, strings.HasPrefix(read("a.log"), read("b.log")))
	var report struct {
		Slots, Cycles int
		Violations    []struct{ Rule string }
	}
	frames := regexp.MustCompile(`(?s)"frames": \{.*?\}`)
	require.Equal(t, frames.FindString(read("a.json")), frames.FindString(read("b.json")), "what the last whole slot brought counts")
	require.NoError(t, json.Unmarshal([]byte(read("b.json")), &report))
	require.Equal(t, 2, report.Slots)
	require.Equal(t, "interrupted", report.Violations[0].Rule)
	info := starloomIn(t, dir, "trace", "info", "b.pcapng")
	require.Equal(t, statusPass, info.status, info.stderr)
}

// TestNohup checks that a run under nohup continues after its terminal has closed.
func TestNohup(t *testing.T) {
	dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("groups: 4", "groups: 256", "group_size: 4", "group_size: 256").Replace(smallScenario)})
	command := exec.Command("nohup", binary, "run", "s.yaml", "--runtime", "interpreter", "--workers", "1", "--json", "out.json")
	command.Dir = dir
	require.NoError(t, command.Start())
	require.Eventually(t, func() bool { return len(list(t, dir)) > 1 }, 20*time.Second, time.Millisecond)
	require.NoError(t, command.Process.Signal(syscall.SIGHUP))
	time.Sleep(200 * time.Millisecond)
	require.NotContains(t, list(t, dir), "out.json")
	require.NoError(t, command.Process.Signal(syscall.SIGTERM))
	_ = command.Wait() // ProcessState holds the exit status
	require.Equal(t, statusInterrupted, command.ProcessState.ExitCode())
	require.Contains(t, list(t, dir), "out.json")
}

// TestInterruptTwice checks that a command that cannot end in order, since its output is not read, ends at once on
// the second signal, and soon after the first. It leaves no files.
func TestInterruptTwice(t *testing.T) {
	for name, signals := range map[string][]syscall.Signal{"one": {syscall.SIGINT}, "two": {syscall.SIGINT, syscall.SIGTERM}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{"s.yaml": strings.NewReplacer("groups: 4", "groups: 16", "group_size: 4", "group_size: 16").Replace(smallScenario)})
			command := exec.Command(binary, "run", "s.yaml", "--vcd", "-", "--json", "out.json")
			command.Dir = dir
			_, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			require.Eventually(t, func() bool { return len(list(t, dir)) > 1 }, 20*time.Second, time.Millisecond)
			time.Sleep(300 * time.Millisecond)
			start := time.Now()
			for _, sent := range signals {
				require.NoError(t, command.Process.Signal(sent))
				time.Sleep(50 * time.Millisecond)
			}
			_, err = command.Process.Wait()
			require.NoError(t, err)
			took := time.Since(start)
			require.Less(t, took, 2*time.Second)
			require.Equal(t, len(signals) == 1, took > orderlyEnd)
			require.Equal(t, []string{"s.yaml"}, list(t, dir))
		})
	}
}
