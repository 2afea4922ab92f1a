package engines

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/pops"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// riscv builds a source for a target and returns a scenario of POPS(4,4) that runs it, on a core unless it is "".
func riscv(t *testing.T, source, target, core string) *starloom.Scenario {
	image := filepath.Join(t.TempDir(), "image")
	require.NoError(t, firmware.Build(context.Background(),
		firmware.BuildOptions{Source: source, Output: image, Target: target}))
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 4, GroupSize: 4}
	s.Firmware.Image = image
	s.Firmware.CPU.Model = core
	s.Stop.Slots = 2000
	return s
}

const router = "examples/languages/c/router.c"

// TestRISCVDelivers: a controller compiled for RISC-V delivers what the same source as WebAssembly delivers, in both
// engines, banked and isolated, compiled and interpreted, with the same cycles of the core.
func TestRISCVDelivers(t *testing.T) {
	m := systemtest.Machine(t, riscv(t, router, "wasm32", ""), starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	want := m.Report()
	require.Equal(t, "pass", string(want.Verdict))
	for _, target := range []string{"rv32i", "rv32im", "rv32imc"} {
		s := riscv(t, router, target, "ibex")
		s.Firmware.CPU.BudgetCycles = 20_000
		first := ""
		for n, o := range []starloom.MachineOptions{{}, {}, {}, {}} {
			s.Firmware.Mode = []string{"banked", "banked", "banked", "isolated"}[n]
			o.Engine = []string{"slot", "cycle", "slot", "slot"}[n]
			o.Runtime = []string{"", "", "interpreter", ""}[n]
			m := systemtest.Machine(t, s, o)
			require.NoError(t, m.Run(context.Background(), nil))
			r := m.Report()
			require.Equal(t, want.Digest, r.Digest, target)
			require.Equal(t, want.Frames, r.Frames, target)
			require.Equal(t, "ibex", r.Firmware.CPU)
			text := systemtest.ReportText(t, r)
			if first == "" {
				first = text
			}
			require.Equal(t, first, text, "%s, way %d", target, n)
		}
	}
}

// TestRISCVTraps: a store outside the memory removes the processor, with the calls of the program; the others go on.
func TestRISCVTraps(t *testing.T) {
	source := filepath.Join(t.TempDir(), "trap.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
__attribute__((noinline)) static void wild(volatile uint32_t *at) {
    *at = 1;
}
static void (*const volatile call)(volatile uint32_t *) = wild;
static void on_start(sl_nic *nic, state_t *s) {}
static void on_slot(sl_nic *nic, state_t *s) {
    if (++s->slots == 3 && sl_self(nic) == 5) call((uint32_t *)0x12345678);
    if (s->slots == 6) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	m := systemtest.Machine(t, riscv(t, source, "rv32imc", "picorv32"), starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	r := m.Report()
	require.Len(t, r.Violations, 1)
	require.Regexp(t, `^ {4}in wild at trap.c:4\n {10}0x8\w+  addi a1, zero, 1\n`+
		` {8}> 0x8\w+  sw a1, 0\(a0\)\n {10}0x8\w+  jalr zero, 0\(ra\)\n    in main at trap.c:\d+\n$`,
		r.Violations[0].Details(3))
	require.Contains(t, r.Violations[0].Message, "stores are to RAM and the NIC's window, never to text or constants")
	require.Contains(t, r.Violations[0].Message, "wild at trap.c:4")
	require.EqualValues(t, 5, r.Slots)
}

// TestRISCVStacks: the report has the deepest stack of each processor, and a processor with a deeper one than allowed
// traps with function and line: in both engines, banked, isolated, saved and restored, and in the interpreter.
func TestRISCVStacks(t *testing.T) {
	source := filepath.Join(t.TempDir(), "deep.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t slots; } state_t;
__attribute__((noinline)) static uint32_t down(volatile uint32_t *levels) {
    volatile uint32_t own[4] = {*levels};
    return own[0] ? own[0]--, down(own) + own[1] : 0;
}
static void on_start(sl_nic *nic, state_t *s) {}
static void on_slot(sl_nic *nic, state_t *s) {
    volatile uint32_t levels = sl_self(nic) % 8;
    if (++s->slots == 3) down(&levels);
    if (s->slots == 6) sl_done(nic);
}
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	s := riscv(t, source, "rv32imc", "ibex")
	s.Firmware.CPU.BudgetCycles = 300
	stacks := everyWay(t, s).Firmware.Stack
	require.Len(t, stacks.MaxPerProcessor, 16)
	step := stacks.MaxPerProcessor[1] - stacks.MaxPerProcessor[0]
	require.NotZero(t, step)
	for p, bytes := range stacks.MaxPerProcessor {
		require.Equal(t, stacks.MaxPerProcessor[0]+step*uint32(p%8), bytes)
	}
	require.EqualValues(t, stacks.MaxPerProcessor[7], stacks.Max)
	require.Equal(t, "pops.group[1].nic[3]", stacks.Path)
	s.Firmware.CPU.Stack = int(stacks.MaxPerProcessor[5])
	r := everyWay(t, s)
	require.EqualValues(t, 4, r.ViolationsTotal, "processors 6, 7, 14 and 15")
	require.EqualValues(t, stacks.MaxPerProcessor[6], r.Firmware.Stack.Max)
	require.Equal(t, "pops.group[1].nic[2]", r.Firmware.Stack.Path)
	require.Contains(t, r.Violations[0].Message, "the stack stays within the bytes of firmware.cpu.stack")
	require.Contains(t, r.Violations[0].Message, "down at deep.c:3")
	require.EqualValues(t, 2, r.Violations[0].Slot)
}

// everyWay returns the report of a run, which is the same in all ways of execution.
func everyWay(t *testing.T, s *starloom.Scenario) *starloom.Report {
	want := ""
	var r *starloom.Report
	for _, engine := range []string{"slot", "cycle"} {
		for _, mode := range []string{"isolated", "banked"} {
			s.Firmware.Mode = mode
			m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
			other := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
			for range 3 {
				require.NoError(t, m.Step())
			}
			var saved bytes.Buffer
			require.NoError(t, m.Save(&saved))
			require.NoError(t, other.Restore(&saved))
			require.NoError(t, other.Run(context.Background(), nil))
			r = other.Report()
			text := withoutBacktraces(t, r)
			if want == "" {
				want = text
			}
			require.Equal(t, want, text, "%s, %s", engine, mode)
		}
		require.Equal(t, want, debugRun(t, s, engine, []int{3, 6}, func(address string) {
			client := connect(t, address)
			for reply := ""; !strings.HasPrefix(reply, "W"); {
				reply = client.ask("c")
			}
		}))
	}
	return r
}

// TestRISCVRefused: images and models that do not fit together are refused.
func TestRISCVRefused(t *testing.T) {
	for want, s := range map[string]*starloom.Scenario{
		"choose a model of instructions, ibex, picorv32":   riscv(t, router, "rv32im", "rv32-inorder"),
		"choose a model of unit, rv32-inorder, microcoded": riscv(t, router, "wasm32", "ibex"),
		"the timing of the core ibex was not measured":     riscv(t, router, "rv32im", "ibex"),
		"costs of WebAssembly instructions with the core":  riscv(t, router, "rv32im", "picorv32"),
		"the model unit has no core with parameters":       riscv(t, router, "wasm32", "unit"),
		"the model unit has no stack pointer":              riscv(t, router, "wasm32", "unit"),
		"the model unit has no memory with wait":           riscv(t, router, "wasm32", "unit"),
		"it counts instructions":                           riscv(t, router, "rv32im", "instructions"),
	} {
		s.Firmware.CPU.Stack = map[bool]int{true: 64}[strings.HasSuffix(want, "pointer")]
		s.Firmware.CPU.DataWait = map[bool]int{true: 2}[strings.HasSuffix(want, "wait") || strings.HasPrefix(want, "it")]
		switch {
		case strings.Contains(want, "measured"), strings.Contains(want, "parameters"):
			s.Firmware.CPU.Core = map[string]int64{"WritebackStage": 1}
		case strings.Contains(want, "costs of"):
			s.Firmware.CPU.Cost = map[string]int64{"load": 2}
		}
		_, err := starloom.NewMachine(context.Background(), s, starloom.MachineOptions{})
		require.ErrorContains(t, err, want)
	}
}

// TestRISCVReturns: a run that was saved and restored in another machine equals the whole run, banked and isolated; a
// processor alone acts as in the run.
func TestRISCVReturns(t *testing.T) {
	s := riscv(t, router, "rv32imc", "ibex")
	for _, mode := range []string{"banked", "isolated"} {
		s.Firmware.Mode = mode
		whole := systemtest.Machine(t, s, starloom.MachineOptions{})
		require.NoError(t, whole.Run(context.Background(), nil))
		first := systemtest.Machine(t, s, starloom.MachineOptions{})
		second := systemtest.Machine(t, s, starloom.MachineOptions{})
		for range 20 {
			require.NoError(t, first.Step())
		}
		var saved, alone bytes.Buffer
		require.NoError(t, first.Save(&saved))
		require.NoError(t, second.Restore(&saved))
		require.NoError(t, second.Run(context.Background(), nil))
		require.Equal(t, systemtest.ReportText(t, whole.Report()), systemtest.ReportText(t, second.Report()), mode)
		_, err := starloom.Run(context.Background(), s,
			starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&alone), Processor: 3}})
		require.NoError(t, err)
		require.Contains(t, alone.String(), "equal to the whole run", mode)
	}
}

// TestRISCVResumes: a processor whose compute window ends goes on in the next slot, with the same report in both
// engines, banked, isolated, saved and restored, under a debugger, and alone.
func TestRISCVResumes(t *testing.T) {
	s := riscv(t, router, "rv32imc", "ibex")
	s.Firmware.CPU.BudgetCycles, s.Stop.Slots = 60, 400
	ctx := context.Background()
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(ctx, nil))
	want := m.Report()
	require.NotZero(t, *want.Firmware.Overruns)
	require.Greater(t, want.Firmware.Cycles.Max, uint64(120), "handlers take several slots")
	require.Contains(t, want.Violations[0].Message,
		"has not ended its handler within the 60 cycles of the compute window: the handler goes on in the next slot")
	text := systemtest.ReportText(t, want)
	for n, engine := range []string{"cycle", "slot", "slot", "slot"} {
		s.Firmware.Mode = []string{"banked", "isolated", "banked", "banked"}[n]
		o := starloom.MachineOptions{Engine: engine, Runtime: []string{"", "", "interpreter", ""}[n]}
		m := systemtest.Machine(t, s, o)
		if n == 3 {
			first := systemtest.Machine(t, s, o)
			for range 30 {
				require.NoError(t, first.Step())
			}
			var saved bytes.Buffer
			require.NoError(t, first.Save(&saved))
			require.NoError(t, m.Restore(&saved))
		}
		require.NoError(t, m.Run(ctx, nil))
		require.Equal(t, text, systemtest.ReportText(t, m.Report()), "way %d", n)
	}
	require.Equal(t, plainRun(t, s, "slot"), debugRun(t, s, "slot", []int{3, 7}, func(address string) {
		connect(t, address).ask("c")
	}))
	var alone bytes.Buffer
	_, err := starloom.Run(ctx, s, starloom.RunOptions{Profile: starloom.Writer(&bytes.Buffer{}),
		Replay: starloom.ReplayOptions{Output: starloom.Writer(&alone), Processor: 3}})
	require.NoError(t, err)
	require.Contains(t, alone.String(), "equal to the whole run")
	require.Contains(t, alone.String(), "goes on in the next slot")
}

// TestRISCVRestarts: with overrun: restart a handler that misses its slot is called again.
func TestRISCVRestarts(t *testing.T) {
	s := riscv(t, router, "rv32imc", "ibex")
	s.Firmware.CPU.BudgetCycles, s.Firmware.CPU.Overrun, s.Stop.Slots = 60, starloom.OverrunRestart, 50
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	require.Contains(t, m.Report().Violations[0].Message, "it missed the slot")
	require.Zero(t, m.Report().Frames.Sent)
}

// TestRISCVFaults: restarts, pauses and deaths of interrupted processors have the same effect in both engines, banked
// and isolated.
func TestRISCVFaults(t *testing.T) {
	s := riscv(t, router, "rv32imc", "ibex")
	s.Firmware.CPU.BudgetCycles, s.Stop.Slots = 60, 200
	some := 0.3
	s.Faults = &starloom.Faults{Schedule: []starloom.Fault{{Kind: "restart", Probability: &some,
		Slots: &starloom.FaultSlots{From: 2, To: 30, Every: 3}}, {Kind: "clock_pause", Probability: &some},
		{Kind: "dead", Targets: []string{"pops.group[2].nic[*]"}, Slots: &starloom.FaultSlots{List: []uint32{20}}}}}
	first := ""
	for n, engine := range []string{"slot", "cycle", "slot"} {
		s.Firmware.Mode = []string{"banked", "banked", "isolated"}[n]
		m := systemtest.Machine(t, s, starloom.MachineOptions{Engine: engine})
		require.NoError(t, m.Run(context.Background(), nil))
		text := systemtest.ReportText(t, m.Report())
		if first == "" {
			first = text
			require.NotZero(t, *m.Report().Firmware.Overruns)
		}
		require.Equal(t, first, text, "way %d", n)
	}
}

// TestRISCVExplored: all runs with a lost frame and a restart have the same verdict with a program for RISC-V and with
// the image of the same source, which has fewer states, without registers and stack. A check finds no difference.
func TestRISCVExplored(t *testing.T) {
	var want *starloom.ExploreReport
	for n, target := range []string{"wasm32", "rv32imc", "rv32imc"} {
		s := riscv(t, router, target, []string{"", "", "ibex"}[n])
		s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 1}
		s.Stop.Slots = 20
		if n == 2 {
			s.Firmware.CPU.BudgetCycles = 400
		}
		r, err := starloom.Explore(t.Context(), s, starloom.ExploreOptions{})
		require.NoError(t, err)
		if n == 0 {
			want = r
		}
		require.Greater(t, r.Counts.States, 10)
		require.Equal(t, want.Verdict, r.Verdict, target)
		require.GreaterOrEqual(t, r.Counts.States, want.Counts.States, target)
		check, err := starloom.CheckFirmware(t.Context(), s, starloom.FirmwareCheckOptions{Fuzz: 300})
		require.NoError(t, err)
		require.Nil(t, check.Difference, target)
	}
}

// TestRISCVShifts: compilers call the runtime for shifts of 64 bits; it shifts as their own instructions do.
func TestRISCVShifts(t *testing.T) {
	m := systemtest.Machine(t, riscv(t, "firmware/testdata/shifts.c", "rv32imc", ""), starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	require.Equal(t, "pass", string(m.Report().Verdict))
}

// TestRISCVRecursion: functions that may recurse are those of the program.
func TestRISCVRecursion(t *testing.T) {
	source := filepath.Join(t.TempDir(), "recursive.c")
	require.NoError(t, os.WriteFile(source, []byte(`#include "starloom.h"
typedef struct { uint32_t n; } state_t;
__attribute__((noinline)) static uint32_t count(uint32_t n) { return n < 2 ? n : count(n - 1) + count(n - 2); }
static uint32_t (*volatile chosen)(uint32_t) = count;
static void on_start(sl_nic *nic, state_t *s) { s->n = 0; }
static void on_slot(sl_nic *nic, state_t *s) { s->n += chosen(5); sl_done(nic); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`), 0o644))
	m := systemtest.Machine(t, riscv(t, source, "rv32imc", ""), starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	notes := strings.Join(m.Report().Notes, "\n")
	require.Contains(t, notes, "functions that may call themselves")
	require.Contains(t, notes, "count")
	require.NotContains(t, notes, "runtime.")
}

// floats checks the operators of C with double and float on pairs of bits: sum, difference, product, quotient, smaller
// and equal, and the conversions of a.
const floats = `#include "starloom.h"
typedef struct {
    uint64_t a, b, of[4];
    uint32_t x, y, to[4], less, integer;
    uint64_t whole, fromwhole;
    uint32_t wide, narrow;
} row_t;
static const row_t rows[] = {
%s};
typedef struct { uint32_t unused; } state_t;
static int same(double got, uint64_t want) {
    union { double d; uint64_t bits; } g = {got};
    return g.bits == want || g.bits << 1 > 0xFFE0000000000000 && want << 1 > 0xFFE0000000000000;
}
static int alike(float got, uint32_t want) {
    union { float f; uint32_t bits; } g = {got};
    return g.bits == want || g.bits << 1 > 0xFF000000 && want << 1 > 0xFF000000;
}
static void on_start(sl_nic *nic, state_t *s) {
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        const volatile row_t *r = &rows[k];
        union { uint64_t bits; double d; } a = {r->a}, b = {r->b};
        union { uint32_t bits; float f; } x = {r->x}, y = {r->y};
        sl_assert(nic, same(a.d + b.d, r->of[0]));
        sl_assert(nic, same(a.d - b.d, r->of[1]));
        sl_assert(nic, same(a.d * b.d, r->of[2]));
        sl_assert(nic, same(a.d / b.d, r->of[3]));
        sl_assert(nic, alike(x.f + y.f, r->to[0]));
        sl_assert(nic, alike(x.f - y.f, r->to[1]));
        sl_assert(nic, alike(x.f * y.f, r->to[2]));
        sl_assert(nic, alike(x.f / y.f, r->to[3]));
        sl_assert(nic, r->less == ((a.d < b.d) | (a.d == b.d) << 1 | (a.d >= b.d) << 2 |
                                   (x.f <= y.f) << 3 | (x.f != y.f) << 4));
        if (a.d > -2e9 && a.d < 2e9) sl_assert(nic, (int32_t)a.d == (int32_t)r->integer);
        if (a.d > -9e18 && a.d < 9e18) sl_assert(nic, (int64_t)a.d == (int64_t)r->whole);
        sl_assert(nic, same((double)(int64_t)r->a, r->fromwhole));
        sl_assert(nic, alike((float)(int64_t)r->a, r->wide));
        sl_assert(nic, alike((float)a.d, r->narrow));
    }
}
static void on_slot(sl_nic *nic, state_t *s) { sl_done(nic); }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// TestRISCVFloats: the runtime's floating-point arithmetic gives the bits of this machine's.
func TestRISCVFloats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	special := []uint64{0, 1, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0x3FF << 52, 1<<52 - 1, 1 << 52,
		0x7FEFFFFFFFFFFFFF, 0x380FFFFFE0000000}
	draw := func() uint64 {
		switch bits := random.Uint64(); random.IntN(5) {
		case 0:
			return special[random.IntN(len(special))]
		case 1:
			return bits>>12 | uint64(1023+random.IntN(90)-45)<<52 | bits<<63
		case 2: // about the smallest floats
			return bits>>12 | uint64(897+random.IntN(40)-30)<<52 | bits<<63
		case 3:
			return bits & (1<<63 | (1<<52-1)>>random.IntN(50)) // subnormal
		default:
			return bits
		}
	}
	one := func(is bool, bit int) uint32 {
		if is {
			return 1 << bit
		}
		return 0
	}
	var rows strings.Builder
	for k := range 400 {
		a, b := math.Float64frombits(draw()), math.Float64frombits(draw())
		if k%10 == 0 {
			b = -a
		}
		x, y := float32(a), float32(b)
		if k%3 == 0 {
			x, y = math.Float32frombits(random.Uint32()), math.Float32frombits(random.Uint32()&0x80FFFFFF)
		}
		bits, short := math.Float64bits, math.Float32bits
		less := one(a < b, 0) | one(a == b, 1) | one(a >= b, 2) | one(x <= y, 3) | one(x != y, 4)
		fmt.Fprintf(&rows, "{%#xu, %#xu, {%#xu, %#xu, %#xu, %#xu}, ", bits(a), bits(b), bits(a+b), bits(a-b), bits(a*b), bits(a/b))
		fmt.Fprintf(&rows, "%#xu, %#xu, {%#xu, %#xu, %#xu, %#xu}, ", short(x), short(y), short(x+y), short(x-y), short(x*y), short(x/y))
		whole := int64(bits(a))
		fmt.Fprintf(&rows, "%d, %#xu, %#xu, %#xu, %#xu, %#xu},\n", less, uint32(int32(a)), uint64(int64(a)), bits(float64(whole)),
			short(float32(whole)), short(float32(a)))
	}
	source := filepath.Join(t.TempDir(), "floats.c")
	require.NoError(t, os.WriteFile(source, fmt.Appendf(nil, floats, rows.String()), 0o644))
	for _, target := range []string{"rv32i", "rv32imc"} {
		m := systemtest.Machine(t, riscv(t, source, target, ""), starloom.MachineOptions{})
		require.NoError(t, m.Run(context.Background(), nil))
		require.Equal(t, "pass", string(m.Report().Verdict), "%s: %v", target, m.Report().Violations)
	}
}
