package engines

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// debugged is a scenario with a program for RISC-V, translated without optimisation so that gdb sees all variables.
func debugged(t *testing.T, source string) *starloom.Scenario {
	image := filepath.Join(t.TempDir(), "image.elf")
	require.NoError(t, firmware.Build(context.Background(),
		firmware.BuildOptions{Source: source, Output: image, Target: "rv32imc", Level: "0"}))
	s := riscv(t, source, "rv32imc", "ibex")
	s.Firmware.Image = image
	s.Firmware.CPU.BudgetCycles = 4000
	return s
}

// plainRun is the report of a run without a debugger.
func plainRun(t *testing.T, s *starloom.Scenario, engine string) string {
	m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
	require.NoError(t, m.Run(context.Background(), nil))
	return withoutBacktraces(t, m.Report())
}

// withoutBacktraces is a report without backtraces: those of the interpreter name the innermost function alone.
func withoutBacktraces(t *testing.T, r *starloom.Report) string {
	for k := range r.Violations {
		r.Violations[k].Backtrace = nil
	}
	return systemtest.ReportText(t, r)
}

// debugRun runs a scenario under a debugger, which use connects at the address, and returns the report.
func debugRun(t *testing.T, s *starloom.Scenario, engine string, processors []int, use func(address string)) string {
	o := starloom.DebugOptions{Processors: processors, Address: "127.0.0.1:0"}
	o.Engine = engine
	done := make(chan struct{})
	o.Ready = func(at string) {
		go func() {
			defer close(done)
			use(at)
		}()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := starloom.Debug(ctx, s, o)
	require.NoError(t, err)
	<-done
	return withoutBacktraces(t, r)
}

// session is what a reader types, and what gdb must answer, in this order.
var session = []struct{ command, answer string }{
	{"info threads", "Thread 8 (processor 7, pops.group[1].nic[3], between two turns)"},
	{"break on_slot if starloom_state.sent > 0", "Breakpoint 1 at"},
	{"continue", "hit Breakpoint 1, on_slot (nic="},
	{"backtrace", "main () at ./router.c:57"},
	{"print *s", "{acknowledged = 0, received = 0, sent = 1}"},
	{"monitor cycle", "29 cycles since the turn of processor 3 in slot 1 began; it may take 4000 || 27 cycles since" /* clang 14, 19 */},
	{"next", "49\t    if (sl_slot(nic) % 2 == 0) {"},
	{"step", "sl_slot (nic="},
	{"finish", "49\t    if (sl_slot(nic) % 2 == 0) {"},
	{"stepi", ""},
	{"thread 2", "Switching to thread 2 (Thread 8)"},
	{"backtrace", "main () at ./router.c:57"},
	{"delete", ""},
	{"watch starloom_state.received thread 1", "Hardware watchpoint 2"},
	{"continue", "Old value = 0"},
	{"print starloom_state", "{acknowledged = 1, received = 1, sent = 1}"},
	{"monitor frames", "RX 0: from 14, data to 3"},
	{"print frame->source", "= 14"},
	{"reverse-continue", "Old value = 1"},
	{"reverse-stepi", ""},
	{"monitor slot", "slot 23, which begins in cycle 92138 of the network"},
	{"delete", ""},
	{"tbreak on_slot", "Temporary breakpoint 3"},
	{"reverse-continue", "hit Temporary breakpoint 3, on_slot"},
	{"monitor run-to 40", "continue stops in slot 40"},
	{"continue", "Thread 1 stopped"},
	{"monitor slot", "slot 40,"},
	{"monitor run-to 20", "reverse-continue stops in slot 20"},
	{"reverse-continue", "Thread 1 stopped"},
	{"monitor slot", "slot 20,"},
	{"x/2xw 0x40000000", "Cannot access memory at address 0x40000000"},
	{"set var starloom_state.sent = 7", "Cannot access memory at address 0x20000008"},
	{"monitor", "monitor run-to SLOT"},
	{"reverse-continue", "No more reverse-execution history || Reached end of recorded history" /* gdb 13, 16 */},
	{"continue", "the run has ended in slot 54: pass"},
}

// TestGDB types the session into gdb. The report of the run is that without gdb, in both engines, banked and isolated.
func TestGDB(t *testing.T) {
	gdb, err := exec.LookPath("gdb-multiarch")
	require.NoError(t, err, "install the package gdb-multiarch")
	s := debugged(t, router)
	for n, engine := range []string{"slot", "cycle"} {
		s.Firmware.Mode = []string{"banked", "isolated"}[n]
		want := plainRun(t, s, engine)
		got := debugRun(t, s, engine, []int{7, 3}, func(at string) {
			var commands strings.Builder
			commands.WriteString("set pagination off\nset confirm off\nset width 0\ntarget remote " + at + "\n")
			for k, one := range session {
				fmt.Fprintf(&commands, "echo \\n<%d>\\n\n%s\n", k, one.command)
			}
			c := exec.Command(gdb, "-q", "-nx", s.Firmware.Image)
			c.Dir = filepath.Dir(router) // source names are relative
			c.Stdin = strings.NewReader(commands.String())
			out, err := c.CombinedOutput()
			if !assertNoError(t, err, string(out)) {
				return
			}
			for k, one := range session {
				_, answer, _ := strings.Cut(string(out), fmt.Sprintf("\n<%d>\n", k))
				answer, _, _ = strings.Cut(answer, fmt.Sprintf("\n<%d>\n", k+1))
				known := strings.Split(one.answer, " || ")
				if !slices.ContainsFunc(known, func(part string) bool { return strings.Contains(answer, part) }) {
					t.Errorf("%s: %q, not %q", one.command, answer, one.answer)
				}
			}
		})
		require.Equal(t, want, got)
	}
}

func assertNoError(t *testing.T, err error, text string) bool {
	if err != nil {
		t.Errorf("%v: %s", err, text)
	}
	return err == nil
}

// client speaks gdb's protocol.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
}

func connect(t *testing.T, address string) *client {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return nil
	}
	return &client{t, conn, bufio.NewReader(conn)}
}

// ask sends a command and returns the reply after outputs of the console.
func (c *client) ask(command string) string {
	sum := byte(0)
	for _, b := range []byte(command) {
		sum += b
	}
	fmt.Fprintf(c.conn, "$%s#%02x", command, sum)
	for {
		if _, err := c.r.ReadString('$'); err != nil {
			return err.Error()
		}
		reply, err := c.r.ReadString('#')
		if err != nil {
			return err.Error()
		}
		if _, err := c.r.Discard(2); err != nil {
			return err.Error()
		}
		if reply[0] != 'O' || reply == "OK#" {
			return strings.TrimSuffix(reply, "#")
		}
	}
}

// TestTimeGoesBack: a step back from any instruction leads to the registers and the memory before it, across turns of
// two processors, slots and saved states.
func TestTimeGoesBack(t *testing.T) {
	s := debugged(t, router)
	s.Firmware.Params = map[string]int64{"odds": 1 << 20} // a run up to its limit
	debugRun(t, s, "slot", []int{3, 7}, func(at string) {
		c := connect(t, at)
		snapshot := func() string {
			return c.ask("g") + c.ask("m20000000,40") + c.ask("qRcmd,"+hex.EncodeToString([]byte("cycle")))
		}
		monitor := func(command string) string { return c.ask("qRcmd," + hex.EncodeToString([]byte(command))) }
		monitor("run-to 300") // after several saved states
		c.ask("vCont;c")
		for _, thread := range []string{"4", "8"} {
			c.ask("Hg" + thread)
			if reply := c.ask("vCont;s:" + thread); !strings.HasPrefix(reply, "T05thread:"+thread) {
				t.Error(reply)
			}
			var seen []string
			for range 700 { // more than a turn
				seen = append(seen, snapshot())
				c.ask("vCont;s:" + thread)
			}
			for k := len(seen) - 1; k >= 0; k-- {
				if reply := c.ask("bs"); !strings.HasPrefix(reply, "T05thread:"+thread) || snapshot() != seen[k] {
					t.Errorf("thread %s, step %d: %s", thread, k, reply)
					break
				}
			}
		}
		for _, back := range []struct{ slot, reply string }{{"150", "T00thread:4;"}, {"7", "T00thread:4;"},
			{"", "T05thread:4;replaylog:begin;"}} {
			monitor("run-to " + back.slot)
			if reply := c.ask("bc"); reply != back.reply {
				t.Errorf("back to slot %s: %s", back.slot, reply)
			}
			now, _ := hex.DecodeString(monitor("slot"))
			if want := "slot " + cmp.Or(back.slot, "0") + ","; !strings.HasPrefix(string(now), want) {
				t.Errorf("%s, not %s", now, want)
			}
		}
		if reply := c.ask("D"); reply != "OK" {
			t.Error(reply)
		}
	})
}

// TestDebuggedTraps: gdb hears of a trap before it takes effect, and the report is that without gdb.
func TestDebuggedTraps(t *testing.T) {
	source := filepath.Join(t.TempDir(), "trap.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
static void on_start(sl_nic *nic, state_t *s) {}
static void on_slot(sl_nic *nic, state_t *s) {
    ++s->slots;
    if (s->slots == 3 && sl_self(nic) == 5) *(volatile uint32_t *)0x12345678 = 1;
    if (s->slots == 4 && sl_self(nic) == 6) sl_fail(nic, 17);
    if (s->slots == 5 && sl_self(nic) == 7) __builtin_trap();
    if (s->slots == 6) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	s := debugged(t, source)
	want := plainRun(t, s, "slot")
	var replies []string
	got := debugRun(t, s, "slot", []int{5, 6, 7}, func(at string) {
		c := connect(t, at)
		c.ask("?")
		for reply := ""; !strings.HasPrefix(reply, "W"); replies = append(replies, reply) {
			reply = c.ask("c")
		}
	})
	require.Equal(t, []string{"T0bthread:6;", "T06thread:7;", "T04thread:8;", "W01"}, replies)
	require.Equal(t, want, got)
}

// TestDebugRefused: wrong uses are refused with place and remedy.
func TestDebugRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	elf := debugged(t, router)
	image := filepath.Join(t.TempDir(), "image.wasm")
	require.NoError(t, firmware.Build(context.Background(), firmware.BuildOptions{Source: router, Output: image}))
	wasm := riscv(t, router, "wasm32", "")
	for want, o := range map[string]struct {
		scenario   *starloom.Scenario
		address    string
		processors []int
	}{
		"is WebAssembly, but a debugger follows instructions of RISC-V": {wasm, "127.0.0.1:0", []int{3}},
		"there is no processor 16":                                      {elf, "127.0.0.1:0", []int{3, 16}},
		"no processor is given":                                         {elf, "127.0.0.1:0", nil},
		"0.0.0.0 is not an address of this computer alone":              {elf, "0.0.0.0:0", []int{3}},
		`"1234" is not an address with a port`:                          {elf, "1234", []int{3}},
		"address already in use; choose another port":                   {elf, taken.Addr().String(), []int{3}},
	} {
		_, err := starloom.Debug(context.Background(), o.scenario,
			starloom.DebugOptions{Processors: o.processors, Address: o.address})
		var mistake *starloom.InputError
		require.ErrorAs(t, err, &mistake, want)
		require.Contains(t, err.Error(), want)
	}
}
