package engines

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/firmware"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/runs"
	"starloom/internal/systemtest"
)

// meteredReport runs a scenario whose processors have a clock.
func meteredReport(t *testing.T, program, mode string, cpu starloom.CPU, o starloom.MachineOptions) *starloom.Report {
	s := systemtest.RouterScenario(program, 8, 4)
	s.Firmware.Mode, s.Firmware.CPU = mode, cpu
	s.Stop.Slots = 60
	m := systemtest.Machine(t, s, o)
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}

// TestMeteringChangesNothing: a clock without a budget changes no frame, and everything that a
// handler's cycles say is the same banked and isolated, in all bank sizes, engines and runtimes.
// The same holds with a budget that some handlers overrun.
func TestMeteringChangesNothing(t *testing.T) {
	for _, program := range []string{"pops/random", "pops/random-corrected"} {
		plain := meteredReport(t, program, starloom.ModeBanked, starloom.CPU{}, starloom.MachineOptions{})
		require.Nil(t, plain.Firmware.Cycles)
		for _, cpu := range []starloom.CPU{
			{Model: "unit"}, {Model: "rv32-inorder", ClockRatio: 3}, {Model: "microcoded"},
			{Model: "unit", BudgetCycles: 330}, {Model: starloom.ModelCustom, Cost: map[string]int64{"load": 7, "memory_byte": 2}, BudgetCycles: 600},
		} {
			one := meteredReport(t, program, starloom.ModeBanked, cpu, starloom.MachineOptions{})
			if cpu.BudgetCycles == 0 {
				require.Equal(t, plain.Digest, one.Digest)
				require.Equal(t, plain.Violations, one.Violations)
				require.Nil(t, one.Firmware.Overruns)
			} else {
				require.Contains(t, one.Rules, starloom.RuleMeetsBudget)
			}
			want := systemtest.ReportBytes(t, one)
			for name, other := range map[string]*starloom.Report{
				"isolated":    meteredReport(t, program, starloom.ModeIsolated, cpu, starloom.MachineOptions{}),
				"small banks": meteredReport(t, program, starloom.ModeBanked, cpu, starloom.MachineOptions{BankSize: 5, Workers: 2}),
				"interpreter": meteredReport(t, program, starloom.ModeBanked, cpu, starloom.MachineOptions{Runtime: "interpreter"}),
				"parked":      meteredReport(t, program, starloom.ModeBanked, cpu, systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true})),
				"cycle":       meteredReport(t, program, starloom.ModeBanked, cpu, starloom.MachineOptions{Engine: starloom.EngineCycle}),
			} {
				other.Engine, other.Firmware.BytesPerProcessor, other.Firmware.Mode, other.Firmware.Trusted = one.Engine, 0,
					one.Firmware.Mode, one.Firmware.Trusted
				require.Equal(t, want, systemtest.ReportBytes(t, other), "%s %+v %s", program, cpu, name)
			}
		}
	}
}

// TestOverrunMissesTheSlot: what a handler that takes too long has written to its NIC is
// dropped, its state stays, and it is called again in the next slot.
func TestOverrunMissesTheSlot(t *testing.T) {
	never := meteredReport(t, "pops/random", starloom.ModeBanked, starloom.CPU{Model: "unit", BudgetCycles: 1}, starloom.MachineOptions{})
	require.Zero(t, never.Frames.Sent)
	require.Equal(t, never.Firmware.Cycles.Calls, *never.Firmware.Overruns)
	require.Equal(t, uint64(32*61), *never.Firmware.Overruns, "all of 32 processors, in every slot")
	require.Equal(t, starloom.VerdictFail, never.Verdict)
	require.Equal(t, starloom.RuleMeetsBudget, never.Violations[0].Rule)

	always := meteredReport(t, "pops/random", starloom.ModeBanked, starloom.CPU{Model: "unit"}, starloom.MachineOptions{})
	budget := int(always.Firmware.Cycles.Max)
	met := meteredReport(t, "pops/random", starloom.ModeBanked, starloom.CPU{Model: "unit", BudgetCycles: budget}, starloom.MachineOptions{})
	require.Equal(t, always.Digest, met.Digest)
	require.Zero(t, *met.Firmware.Overruns)
	require.Equal(t, always.ViolationsTotal, met.ViolationsTotal)
	missed := meteredReport(t, "pops/random", starloom.ModeBanked, starloom.CPU{Model: "unit", BudgetCycles: budget - 1}, starloom.MachineOptions{})
	require.Positive(t, *missed.Firmware.Overruns)
	first := missed.Violations[slices.IndexFunc(missed.Violations,
		func(v starloom.Violation) bool { return v.Rule == starloom.RuleMeetsBudget })]
	require.Equal(t, always.Firmware.Cycles.Worst.Slot, first.Slot, "up to the first overrun, both runs are the same")
	require.Equal(t, always.Firmware.Cycles.Worst.Path, first.Path)
}

// TestMeteringIsSaved: a run that is saved and restored in its middle reports what one in one go
// reports.
func TestMeteringIsSaved(t *testing.T) {
	s := systemtest.RouterScenario("pops/random", 8, 4)
	s.Firmware.CPU = starloom.CPU{Model: "rv32-inorder", BudgetCycles: 480}
	s.Stop.Slots = 60
	whole := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, whole.Run(context.Background(), nil))
	half, rest := systemtest.Machine(t, s, starloom.MachineOptions{}), systemtest.Machine(t, s, starloom.MachineOptions{})
	for range 7 {
		require.NoError(t, half.Step())
	}
	var state bytes.Buffer
	require.NoError(t, half.Save(&state))
	require.NoError(t, rest.Restore(&state))
	require.NoError(t, rest.Run(context.Background(), nil))
	require.Equal(t, systemtest.ReportBytes(t, whole.Report()), systemtest.ReportBytes(t, rest.Report()))
	require.NoError(t, whole.Reset(s.Seed))
	require.NoError(t, whole.Run(context.Background(), nil))
	require.Equal(t, systemtest.ReportBytes(t, rest.Report()), systemtest.ReportBytes(t, whole.Report()))
}

// TestSlowestProcessors holds the longest call of each processor to what its calls cost when they are
// repeated alone.
func TestSlowestProcessors(t *testing.T) {
	s := systemtest.RouterScenario("pops/random", 8, 4)
	s.Firmware.CPU = starloom.CPU{Model: "rv32-inorder", ClockRatio: 3}
	for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineSlot, BankSize: 5, Workers: 2},
		{Engine: starloom.EngineCycle}} {
		var cycles *starloom.HandlerCycles
		for _, p := range []int{0, 6, 31} {
			inside.Options(&o).Replay = p + 1
			m := systemtest.Machine(t, s, o)
			require.NoError(t, m.Run(context.Background(), nil))
			cycles = m.Report().Firmware.Cycles
			var longest uint64
			_, differs, err := inside.Machine(m).Replay.Again(func(c *emulator.ReplayCall) error {
				if c.Handler == emulator.CallSlot {
					longest = max(longest, inside.Machine(m).Meter.Cycles(c.Cost))
				}
				return nil
			})
			require.NoError(t, err)
			require.Empty(t, differs)
			require.Positive(t, longest)
			require.Equal(t, longest, cycles.MaxPerProcessor[p])
		}
		require.Len(t, cycles.MaxPerProcessor, 32)
		require.Equal(t, slices.Max(cycles.MaxPerProcessor), cycles.Max)
		require.Equal(t, cycles.Max, cycles.MaxPerProcessor[cycles.Worst.Processor])
		require.Equal(t, cycles.Max, cycles.Slowest[0].Max)
		require.Len(t, cycles.Slowest, outcome.SlowestMax)
		require.True(t,
			slices.IsSortedFunc(cycles.Slowest, func(a, b starloom.ProcessorCycles) int { return cmp.Compare(b.Max, a.Max) }))
	}
}

// TestStartHasNoBudget checks that the report states beside the cost of start handlers that they have no budget.
func TestStartHasNoBudget(t *testing.T) {
	for _, budget := range []int{0, 1000} {
		s := systemtest.Routing(2, 2)
		s.Firmware.CPU = starloom.CPU{Model: "unit", BudgetCycles: budget}
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, report.WriteText(&text))
		require.Contains(t, text.String(), "start: mean ")
		require.Equal(t, budget > 0, strings.Contains(text.String(), " 4 calls; it has no budget\n"), text.String())
	}
}

// TestRestartsCost: the start handlers of restarted processors cost what they cost alone, the same
// banked and isolated, in all bank sizes and engines, and with handlers that are watched.
func TestRestartsCost(t *testing.T) {
	s := systemtest.FaultScenario(t, "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random, cpu: {model: rv32-inorder, budget_cycles: 300}}\nstop: {slots: 12}",
		`schedule: [{kind: restart, targets: ["*.group[1].nic[2]"], slots: {list: [3, 5]}}, {kind: restart, slots: {list: [7]}}]`)
	reports := map[string]bool{}
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		for _, o := range []starloom.MachineOptions{
			systemtest.With(starloom.MachineOptions{Engine: starloom.EngineSlot}, emulator.Options{Replay: 7}),
			{Engine: starloom.EngineCycle},
			{Engine: starloom.EngineSlot, Workers: 2, BankSize: 4},
			systemtest.With(starloom.MachineOptions{Engine: starloom.EngineSlot}, emulator.Options{HandlersWatched: true}),
		} {
			s.Firmware.Mode = mode
			m := systemtest.Machine(t, s, o)
			require.NoError(t, m.Run(context.Background(), nil))
			r := m.Report()
			require.EqualValues(t, 16+2+16, r.Firmware.StartCycles.Calls)
			r.Engine, r.Firmware.Mode, r.Firmware.Trusted = "", "", false
			reports[systemtest.ReportBytes(t, r)] = true
			if inside.Machine(m).Replay == nil {
				continue
			}
			var starts []uint32
			_, differs, err := inside.Machine(m).Replay.Again(func(c *emulator.ReplayCall) error {
				if c.Handler != emulator.CallSlot {
					starts = append(starts, c.Cost)
				}
				return nil
			})
			require.NoError(t, err)
			require.Empty(t, differs)
			require.Len(t, starts, 1+2+1)
			require.EqualValues(t, slices.Max(starts), r.Firmware.StartCycles.Max)
		}
	}
	require.Len(t, reports, 1)
}

// TestManyRunsMeasure checks that handler figures of many runs are the sums over the single runs, for any number of
// workers.
func TestManyRunsMeasure(t *testing.T) {
	parsed := func(text string) *starloom.Scenario {
		s, err := starloom.ParseScenario("many.yaml", []byte("starloom: 1\n"+text+"\nstop: {slots: 8}\n"))
		require.NoError(t, err)
		return s
	}
	for name, c := range map[string]struct {
		s     *starloom.Scenario
		seeds starloom.Seeds
		rates []float64
	}{
		"seeds": {parsed("fabric: {pops: {groups: 32, group_size: 32}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 380}}"), starloom.Seeds{First: 3, Last: 22}, nil}, // 8 runs are a chunk
		"rates": {parsed("fabric: {pops: {groups: 32, group_size: 32}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 122, clock_ratio: 3}}\n" +
			"faults: {random: {kind: bit_flip, rates: [0.5, 0.9]}}"), starloom.Seeds{First: 3, Last: 13}, []float64{0.5, 0.9}},
		"permutations": {parsed("fabric: {pops: {groups: 2, group_size: 3}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 420}}\nworkload: {permutation: all}"), starloom.Seeds{First: 5, Last: 6}, nil}, // 1024 runs are a chunk
	} {
		// All runs one by one.
		var want starloom.FirmwareReport
		var calls, starts, overruns uint64
		var sum float64
		permuted := inside.Decided(c.s).Permutations
		for _, rate := range append(c.rates[:len(c.rates):len(c.rates)], -1)[:max(len(c.rates), 1)] {
			s := c.s
			if rate >= 0 {
				one, faults, random := *s, *s.Faults, *s.Faults.Random
				random.Rate, random.Rates = &rate, nil
				faults.Random, one.Faults = &random, &faults
				s = &one
			}
			b := batchOf(t, s, c.seeds, starloom.MachineOptions{})
			require.NoError(t, b.Each(t.Context(), func(r *runs.BatchRun, _ uint64) error {
				f := r.Report.Firmware
				calls, starts, overruns, sum = calls+f.Cycles.Calls, starts+f.StartCycles.Calls, overruns+*f.Overruns,
					sum+f.Cycles.Mean*float64(f.Cycles.Calls)
				if want.Cycles == nil || f.Cycles.Max > want.Cycles.Max {
					w := *f.Cycles.Worst
					w.Seed = &r.Seed
					if permuted > 0 {
						w.Permutation = &r.Permutation
					}
					if rate >= 0 {
						w.Rate = &rate
					}
					each := f.Cycles.MaxPerProcessor
					if want.Cycles != nil {
						each = want.Cycles.MaxPerProcessor
					}
					want.Cycles = &starloom.HandlerCycles{Max: f.Cycles.Max, Worst: &w, MaxPerProcessor: each}
				}
				for p, cycles := range f.Cycles.MaxPerProcessor {
					want.Cycles.MaxPerProcessor[p] = max(want.Cycles.MaxPerProcessor[p], cycles)
				}
				return nil
			}))
		}
		require.Positive(t, overruns, name)
		require.Less(t, overruns, calls/2, name)

		texts := map[string]bool{}
		for _, workers := range []int{1, 3} {
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: workers}}
			r, err := starloom.RunSeeds(t.Context(), c.s, c.seeds, o)
			require.NoError(t, err)
			f := &r.Firmware
			require.Equal(t, overruns, *f.Overruns, name)
			require.Equal(t, calls, f.Cycles.Calls, name)
			require.Equal(t, starts, f.StartCycles.Calls, name)
			require.InEpsilon(t, sum, f.Cycles.Mean*float64(calls), 1e-9, name)
			require.Equal(t, want.Cycles.Max, f.Cycles.Max, name)
			require.Equal(t, want.Cycles.Worst, f.Cycles.Worst, name)
			require.Equal(t, c.seeds.First, *f.StartCycles.Worst.Seed, name)
			require.Equal(t, want.Cycles.MaxPerProcessor, f.Cycles.MaxPerProcessor, name)
			var text, json bytes.Buffer
			require.NoError(t, r.WriteText(&text))
			require.NoError(t, r.WriteJSON(&json))
			require.Contains(t, text.String(), f.Cycles.Worst.Text())
			require.Contains(t, f.Cycles.Worst.Text(), "slot "+strconv.FormatUint(f.Cycles.Worst.Slot, 10)+", --seed ")
			texts[text.String()+json.String()] = true
		}
		require.Len(t, texts, 1, name)
	}

	s := parsed("fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random, cpu: {model: unit, budget_cycles: 150}}\nworkload: {permutation: all}")
	r, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 24*4*9, *r.Firmware.Overruns, "each of 4 processors in every slot of 24 runs")
	require.Equal(t, *r.Firmware.Overruns, r.Firmware.Cycles.Calls)
	require.EqualValues(t, 0, *r.Firmware.Cycles.Worst.Permutation)
}

// straightLine has no loop in its slot handler, and asserts nothing of its start handler.
const straightLine = `#include "starloom.h"
typedef struct { volatile uint32_t x; } state_t;
static void on_start(sl_nic *nic, state_t *s) { (void)nic; s->x = 0; }
#define FIVE s->x++; s->x++; s->x++; s->x++; s->x++;
static void on_slot(sl_nic *nic, state_t *s) { (void)nic; FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE }
STARLOOM_FIRMWARE(state_t, on_start, on_slot)
`

// TestTrapCyclesAreExact: a handler traps when it costs one more than trap_cycles, and not when it
// costs just that, with loops and without, in every way to run it.
func TestTrapCyclesAreExact(t *testing.T) {
	source := filepath.Join(t.TempDir(), "straight.c")
	require.NoError(t, os.WriteFile(source, []byte(straightLine), 0o644))
	image := strings.TrimSuffix(source, ".c") + ".wasm"
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	for _, program := range []string{"pops/random", ""} {
		for _, ratio := range []int{1, 3} {
			var trapped []string
			var worst *starloom.HandlerCycles
			run := func(trap uint64, mode string, o starloom.MachineOptions) *starloom.Report {
				s := systemtest.Routing(4, 4)
				s.Firmware.Mode, s.Firmware.CPU, s.Stop.Slots = mode, starloom.CPU{Model: "rv32-inorder", ClockRatio: ratio, TrapCycles: trap}, 30
				if program == "" {
					s.Firmware.Program, s.Firmware.Image, s.Rules = "", image, &starloom.Rules{}
				}
				m := systemtest.Machine(t, s, o)
				require.NoError(t, m.Run(context.Background(), nil))
				return m.Report()
			}
			free := run(0, starloom.ModeBanked, starloom.MachineOptions{})
			worst = free.Firmware.Cycles
			require.Greater(t, worst.Max, free.Firmware.StartCycles.Max)
			for name, way := range map[string]struct {
				mode string
				o    starloom.MachineOptions
			}{
				"banked": {starloom.ModeBanked, starloom.MachineOptions{}}, "isolated": {starloom.ModeIsolated,
					starloom.MachineOptions{}}, "cycle": {starloom.ModeBanked, starloom.MachineOptions{Engine: starloom.EngineCycle}},
				"interpreter": {starloom.ModeBanked, starloom.MachineOptions{Runtime: "interpreter", BankSize: 3,
					Workers: 2}}, "parked": {starloom.ModeBanked, systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true})},
			} {
				exact := run(worst.Max, way.mode, way.o)
				require.Zero(t, exact.Firmware.Traps, name)
				require.Equal(t, free.Digest, exact.Digest, name)
				short := run(worst.Max-1, way.mode, way.o)
				require.NotZero(t, short.Firmware.Traps, name)
				first := short.Violations[slices.IndexFunc(short.Violations,
					func(v starloom.Violation) bool { return v.Rule == starloom.RuleTrap })]
				require.Equal(t, worst.Worst.Slot, first.Slot, name)
				require.Equal(t, worst.Worst.Path, first.Path, name)
				require.Contains(t, first.Message, "it cost more than trap_cycles, the equivalent of "+strconv.FormatUint((worst.Max-1)*uint64(ratio), 10)+" in the cost table")
				require.NotContains(t, first.Message, "unknown function")
				trapped = append(trapped, first.Message+short.Digest)
			}
			require.Len(t, slices.Compact(trapped), 1)
		}
	}
}

// TestBudgetWithoutModelSaysSo: beside the verdict, since nothing is checked.
func TestBudgetWithoutModelSaysSo(t *testing.T) {
	for _, c := range []struct {
		cpu  starloom.CPU
		said bool
	}{{starloom.CPU{BudgetCycles: 100}, true}, {starloom.CPU{}, false}, {starloom.CPU{Model: "unit", BudgetCycles: 1000}, false}} {
		s := systemtest.Routing(2, 2)
		s.Firmware.CPU = c.cpu
		one, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		many, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: 2}, starloom.RunOptions{})
		require.NoError(t, err)
		for _, r := range []interface{ WriteText(io.Writer) error }{one, many} {
			var text bytes.Buffer
			require.NoError(t, r.WriteText(&text))
			require.Equal(t, c.said, strings.Contains(text.String(),
				"  note: budget_cycles reserves time at the start of every slot, and no handler is held to it"), text.String())
		}
	}
}
