package starloom

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// meteredReport runs a scenario whose processors have a clock.
func meteredReport(t *testing.T, program, mode string, cpu CPU, o MachineOptions) *Report {
	s := routerScenario(program, 8, 4)
	s.Firmware.Mode, s.Firmware.CPU = mode, cpu
	s.Stop.Slots = 60
	m := machine(t, s, o)
	require.NoError(t, m.Run(context.Background(), nil))
	return m.Report()
}

// TestMeteringChangesNothing: a clock without a budget changes no frame, and everything that a
// handler's cycles say is the same banked and isolated, in all bank sizes, engines and runtimes.
// The same holds with a budget that some handlers overrun.
func TestMeteringChangesNothing(t *testing.T) {
	for _, program := range []string{"pops/random", "pops/random-corrected"} {
		plain := meteredReport(t, program, ModeBanked, CPU{}, MachineOptions{})
		require.Nil(t, plain.Firmware.Cycles)
		for _, cpu := range []CPU{
			{Model: "unit"}, {Model: "rv32-inorder", ClockRatio: 3}, {Model: "microcoded"},
			{Model: "unit", BudgetCycles: 330}, {Model: ModelCustom, Cost: map[string]int64{"load": 7, "memory_byte": 2}, BudgetCycles: 600},
		} {
			one := meteredReport(t, program, ModeBanked, cpu, MachineOptions{})
			if cpu.BudgetCycles == 0 {
				require.Equal(t, plain.Digest, one.Digest)
				require.Equal(t, plain.Violations, one.Violations)
				require.Nil(t, one.Firmware.Overruns)
			} else {
				require.Contains(t, one.Rules, RuleMeetsBudget)
			}
			want := reportBytes(t, one)
			for name, other := range map[string]*Report{
				"isolated":    meteredReport(t, program, ModeIsolated, cpu, MachineOptions{}),
				"small banks": meteredReport(t, program, ModeBanked, cpu, MachineOptions{BankSize: 5, Workers: 2}),
				"interpreter": meteredReport(t, program, ModeBanked, cpu, MachineOptions{Runtime: "interpreter"}),
				"parked":      meteredReport(t, program, ModeBanked, cpu, MachineOptions{parks: true}),
				"cycle":       meteredReport(t, program, ModeBanked, cpu, MachineOptions{Engine: EngineCycle}),
			} {
				other.Engine, other.Firmware.BytesPerProcessor, other.Firmware.Mode, other.Firmware.Trusted = one.Engine, 0, one.Firmware.Mode, one.Firmware.Trusted
				require.Equal(t, want, reportBytes(t, other), "%s %+v %s", program, cpu, name)
			}
		}
	}
}

func reportBytes(t *testing.T, r *Report) string {
	data, err := json.Marshal(r)
	require.NoError(t, err)
	return string(data)
}

// TestOverrunMissesTheSlot: what a handler that takes too long has written to its NIC is
// dropped, its state stays, and it is called again in the next slot.
func TestOverrunMissesTheSlot(t *testing.T) {
	never := meteredReport(t, "pops/random", ModeBanked, CPU{Model: "unit", BudgetCycles: 1}, MachineOptions{})
	require.Zero(t, never.Frames.Sent)
	require.Equal(t, never.Firmware.Cycles.Calls, *never.Firmware.Overruns)
	require.Equal(t, uint64(32*61), *never.Firmware.Overruns, "all of 32 processors, in every slot")
	require.Equal(t, VerdictFail, never.Verdict)
	require.Equal(t, RuleMeetsBudget, never.Violations[0].Rule)

	always := meteredReport(t, "pops/random", ModeBanked, CPU{Model: "unit"}, MachineOptions{})
	budget := int(always.Firmware.Cycles.Max)
	met := meteredReport(t, "pops/random", ModeBanked, CPU{Model: "unit", BudgetCycles: budget}, MachineOptions{})
	require.Equal(t, always.Digest, met.Digest)
	require.Zero(t, *met.Firmware.Overruns)
	require.Equal(t, always.ViolationsTotal, met.ViolationsTotal)
	missed := meteredReport(t, "pops/random", ModeBanked, CPU{Model: "unit", BudgetCycles: budget - 1}, MachineOptions{})
	require.Positive(t, *missed.Firmware.Overruns)
	first := missed.Violations[slices.IndexFunc(missed.Violations, func(v Violation) bool { return v.Rule == RuleMeetsBudget })]
	require.Equal(t, always.Firmware.Cycles.Worst.Slot, first.Slot, "up to the first overrun, both runs are the same")
	require.Equal(t, always.Firmware.Cycles.Worst.Path, first.Path)
}

// TestMeteringIsSaved: a run that is saved and restored in its middle reports what one in one go
// reports.
func TestMeteringIsSaved(t *testing.T) {
	s := routerScenario("pops/random", 8, 4)
	s.Firmware.CPU = CPU{Model: "rv32-inorder", BudgetCycles: 480}
	s.Stop.Slots = 60
	whole := machine(t, s, MachineOptions{})
	require.NoError(t, whole.Run(context.Background(), nil))
	half, rest := machine(t, s, MachineOptions{}), machine(t, s, MachineOptions{})
	for range 7 {
		require.NoError(t, half.Step())
	}
	var state bytes.Buffer
	require.NoError(t, half.Save(&state))
	require.NoError(t, rest.Restore(&state))
	require.NoError(t, rest.Run(context.Background(), nil))
	require.Equal(t, reportBytes(t, whole.Report()), reportBytes(t, rest.Report()))
	require.NoError(t, whole.Reset(s.Seed))
	require.NoError(t, whole.Run(context.Background(), nil))
	require.Equal(t, reportBytes(t, rest.Report()), reportBytes(t, whole.Report()))
}

// TestSpread: percentiles are exact where a range is a number, and close above.
func TestSpread(t *testing.T) {
	for _, cycles := range []uint64{0, 1, 4095, 4096, 4097, 8191, 8192, 123456, 1<<32 - 1} {
		top := bucketTop(bucketOf(cycles))
		require.GreaterOrEqual(t, top, cycles)
		require.LessOrEqual(t, top-cycles, cycles/2048)
		require.Equal(t, bucketOf(cycles)+1, bucketOf(top+1))
	}
	var d, other spread
	for k := range 100 {
		d.add(uint64(k+1), k, 3)
	}
	other.add(100, 5, 3)
	other.add(100, 4, 4)
	d.merge(&other)
	r := d.report(routerScenario("pops/random", 16, 16).network().Names())
	require.Equal(t, HandlerCycles{
		Calls: 102, Max: 100, Mean: 5250.0 / 102, P50: 51, P90: 92, P99: 100, P100: 100,
		Worst:     &WorstCall{Processor: 5, Path: "pops.group[0].nic[5]", Slot: 3},
		Histogram: []CyclesBin{{1, 1}, {3, 2}, {7, 4}, {15, 8}, {31, 16}, {63, 32}, {127, 39}},
	}, *r)
}

// TestSlowestProcessors holds the longest call of each processor to what its calls cost when they are
// repeated alone.
func TestSlowestProcessors(t *testing.T) {
	s := routerScenario("pops/random", 8, 4)
	s.Firmware.CPU = CPU{Model: "rv32-inorder", ClockRatio: 3}
	for _, o := range []MachineOptions{{Engine: EngineSlot, BankSize: 5, Workers: 2}, {Engine: EngineCycle}} {
		var cycles *HandlerCycles
		for _, p := range []int{0, 6, 31} {
			o.replay = p + 1
			m := machine(t, s, o)
			require.NoError(t, m.Run(context.Background(), nil))
			cycles = m.Report().Firmware.Cycles
			var longest uint64
			_, differs, err := m.replay.again(func(c *replayCall) error {
				if c.handler == callSlot {
					longest = max(longest, m.meter.cycles(c.cost))
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
		require.Len(t, cycles.Slowest, slowestMax)
		require.True(t, slices.IsSortedFunc(cycles.Slowest, func(a, b ProcessorCycles) int { return cmp.Compare(b.Max, a.Max) }))
	}
}

// TestStartHasNoBudget: the report says so where it says what start handlers cost.
func TestStartHasNoBudget(t *testing.T) {
	for _, budget := range []int{0, 1000} {
		s := routing(2, 2)
		s.Firmware.CPU = CPU{Model: "unit", BudgetCycles: budget}
		report, err := Run(t.Context(), s, RunOptions{})
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
	s := faultScenario(t, "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random, cpu: {model: rv32-inorder, budget_cycles: 300}}\nstop: {slots: 12}",
		`schedule: [{kind: restart, targets: ["*.group[1].nic[2]"], slots: {list: [3, 5]}}, {kind: restart, slots: {list: [7]}}]`)
	reports := map[string]bool{}
	for _, mode := range []string{ModeBanked, ModeIsolated} {
		for _, o := range []MachineOptions{{Engine: EngineSlot, replay: 7}, {Engine: EngineCycle}, {Engine: EngineSlot, Workers: 2, BankSize: 4}, {Engine: EngineSlot, handlersWatched: true}} {
			s.Firmware.Mode = mode
			m := machine(t, s, o)
			require.NoError(t, m.Run(context.Background(), nil))
			r := m.Report()
			require.EqualValues(t, 16+2+16, r.Firmware.StartCycles.Calls)
			r.Engine, r.Firmware.Mode, r.Firmware.Trusted = "", "", false
			reports[reportBytes(t, r)] = true
			if m.replay == nil {
				continue
			}
			var starts []uint32
			_, differs, err := m.replay.again(func(c *replayCall) error {
				if c.handler != callSlot {
					starts = append(starts, c.cost)
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
