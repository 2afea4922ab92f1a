package engines

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// endlessSlot is the slot in which the firmware of endlessImage never returns.
const endlessSlot = 5

// endlessScenario runs pops/random with a handler that does not return: processor 6's
// in slot endlessSlot, when others of its bank have run already.
func endlessScenario(t *testing.T, d, g int) *starloom.Scenario { return loopingScenario(t, d, g, "1") }

// loopingScenario is that with a loop while something holds of its turns.
func loopingScenario(t *testing.T, d, g int, while string) *starloom.Scenario {
	text, err := os.ReadFile("firmware/programs/pops/random.c")
	require.NoError(t, err)
	const handler = "static void on_slot(sl_nic *nic, state_t *s) {\n"
	require.Contains(t, string(text), handler)
	source := filepath.Join(t.TempDir(), "endless.c")
	require.NoError(t, os.WriteFile(source, []byte(strings.Replace(string(text), handler,
		handler+"    if (sl_slot(nic) == 5 && sl_self(nic) == 6) for (volatile uint32_t turns = 0; "+while+"; turns++) {}\n", 1)), 0o644))
	image := strings.TrimSuffix(source, ".c") + ".wasm"
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	s := systemtest.Routing(d, g)
	s.Firmware.Program, s.Firmware.Image, s.Rules = "", image, &starloom.Rules{}
	return s
}

// TestInterruptInHandler interrupts a handler that never returns. A garbage collection
// gets its turn while it runs (without a tick none would, and no signal either); the
// run ends soon, and its report is that of the last whole slot, as if the handlers of
// the next had not begun. Then the machine can be reset and used.
func TestInterruptInHandler(t *testing.T) {
	endless := endlessScenario(t, 4, 4)
	wholeSlots := func(m *starloom.Machine) {
		for range endlessSlot - 1 {
			m.Step()
		}
		inside.Machine(m).Cross()
		inside.Machine(m).Stop.Store(true) // no handler of the boundary that never ends
		inside.Machine(m).Boundary(false)
	}
	for _, o := range []starloom.MachineOptions{
		{Engine: starloom.EngineSlot}, {Engine: starloom.EngineCycle}, {Engine: starloom.EngineSlot,
			Runtime: "interpreter"}, {Engine: starloom.EngineSlot, Workers: 2, BankSize: 4},
	} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			endless.Firmware.Mode, endless.Faults, endless.Firmware.CPU, inside.Options(&o).Replay = mode, nil, starloom.CPU{}, 0
			if mode == starloom.ModeIsolated || o.BankSize > 0 { // some handlers of this boundary come to their end
				endless.Firmware.CPU, inside.Options(&o).Replay = starloom.CPU{Model: "unit", BudgetCycles: 330, TrapCycles: firmware.LimitMax}, 3
			}
			if mode == starloom.ModeIsolated || o.Engine == starloom.EngineCycle { // those of this boundary are taken back, too
				endless.Faults = systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"], `schedule: [{kind: dead, targets: ["*.group[0].nic[1]"], slots: {list: [2, 5]}}, {kind: dead, targets: ["*.group[0].nic[2]"], slots: {list: [5]}},
    {kind: restart, targets: ["*.group[0].nic[1]"], slots: {list: [5]}}, {kind: clock_pause, targets: ["*.group[0].nic[3]"], slots: {from: 4}}, {kind: drop, probability: 0.3}]`).Faults
			}
			whole := systemtest.Machine(t, endless, o)
			wholeSlots(whole)
			want := whole.Report()

			ctx, cancel := context.WithCancel(t.Context())
			m := systemtest.Machine(t, endless, o)
			var slots atomic.Int32
			ended := make(chan error, 1)
			go func() {
				ended <- m.Run(ctx, func() error { slots.Add(1); return nil })
			}()
			require.Eventually(t, func() bool { return slots.Load() == endlessSlot }, 10*time.Second, time.Millisecond)
			time.Sleep(10 * time.Millisecond)
			collected := make(chan bool)
			go func() { runtime.GC(); close(collected) }()
			for _, done := range []func() bool{
				func() bool { <-collected; return true },
				func() bool { cancel(); return <-ended == nil },
			} {
				start := time.Now()
				require.True(t, done())
				require.Less(t, time.Since(start), 2*time.Second)
			}
			r := m.Report()
			require.True(t, r.Interrupted())
			require.Equal(t, starloom.Violation{Rule: starloom.RuleInterrupted, Cycle: r.Cycles, Slot: endlessSlot, Path: "pops",
				Message: "the run was interrupted"}, r.Violations[len(r.Violations)-1])
			require.Equal(t, want.Violations, r.Violations)
			require.Equal(t, want.ViolationsTotal, r.ViolationsTotal)
			require.Equal(t, want.Firmware, r.Firmware)
			if inside.Options(&o).Replay == 0 {
				require.Len(t, r.Violations, 1)
				require.Positive(t, r.Frames.Delivered)
			} else {
				require.Positive(t, *r.Firmware.Overruns)
				require.Equal(t, r.ViolationsTotal, *r.Firmware.Overruns+1)
				require.Equal(t, len(inside.Machine(whole).Replay.Calls), len(inside.Machine(m).Replay.Calls))
			}
			require.Equal(t, want.Slots, r.Slots)
			require.Equal(t, want.Cycles, r.Cycles)
			require.Equal(t, want.Frames, r.Frames)
			require.Equal(t, want.Faults, r.Faults)
			require.Equal(t, want.Notes, r.Notes)
			require.Equal(t, want.Metrics, r.Metrics)
			require.Equal(t, want.Digest, r.Digest)
			require.ErrorContains(t, m.Save(nil), "the run was interrupted")

			require.NoError(t, m.Reset(endless.Seed))
			wholeSlots(m)
			require.Equal(t, systemtest.ReportText(t, want), systemtest.ReportText(t, m.Report()))
		}
	}
}

// TestInterruptAllPermutations interrupts workers whose first run never ends.
func TestInterruptAllPermutations(t *testing.T) {
	s := endlessScenario(t, 1, 7)
	s.Workload.Permutation.Kind = starloom.PermutationAll
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	r, err := starloom.Run(ctx, s, starloom.RunOptions{})
	require.NoError(t, err)
	require.True(t, r.Interrupted())
	require.Equal(t, 0, r.Metrics.Get("permutations"))
}

// TestInterruptedSlotIsForgotten interrupts runs in the last moment of a boundary, when all handlers have
// run and all frames are sent: the report and the run-table are those of a run that was interrupted
// before the first handler.
func TestInterruptedSlotIsForgotten(t *testing.T) {
	paths, err := filepath.Glob("examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, err := starloom.LoadScenario(path)
			require.NoError(t, err)
			if s.Workload.Permutation.Kind == starloom.PermutationAll || inside.Decided(s).Rates != nil {
				t.Skip("many runs")
			}
			limit := s.Stop.Slots
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				o := starloom.MachineOptions{Engine: engine, Workers: 2, BankSize: 5, RunTable: true}
				s.Stop.Slots = limit
				early, late := systemtest.Machine(t, s, o), systemtest.Machine(t, s, o)
				for slots := 1; slots < 40; slots += 3 {
					for _, m := range []*starloom.Machine{early, late} {
						inside.Machine(m).Stop.Store(false)
						require.NoError(t, m.Reset(s.Seed))
						for range slots {
							require.NoError(t, m.Step())
						}
						if m.Ended() {
							return
						}
						inside.Machine(m).Cross()
						if m == late {
							inside.Machine(m).TurnShards()
							inside.Machine(m).Stop.Store(true)
							inside.Machine(m).DropBoundary()
						} else {
							inside.Machine(m).Stop.Store(true)
							inside.Machine(m).Boundary(false)
						}
					}
					require.Equal(t, systemtest.ReportText(t, early.Report()), systemtest.ReportText(t, late.Report()), "%s, slot %d", engine, early.Slots())
					if s.Faults == nil {
						s.Stop.Slots = early.Slots()
						whole := systemtest.Machine(t, s, o)
						require.NoError(t, whole.Run(t.Context(), nil))
						require.Equal(t, whole.Report().Frames, early.Report().Frames)
					}
					require.Equal(t, runTableText(t, early), runTableText(t, late), "%s, slot %d", engine, early.Slots())
				}
			}
		})
	}
}

func runTableText(t *testing.T, m *starloom.Machine) string {
	table := m.RunTable()
	if table == nil {
		return ""
	}
	var text strings.Builder
	require.NoError(t, table.WriteCSV(&text))
	return text.String()
}

// TestInterruptedRepetition: a run that is repeated to find out more, and is interrupted then, was
// interrupted: the exit status says so.
func TestInterruptedRepetition(t *testing.T) {
	lossy := systemtest.Routing(7, 3) // loses packets
	lossy.Seed = 8
	all := systemtest.Routing(3, 2)
	all.Workload.Permutation.Kind = starloom.PermutationAll
	slow := loopingScenario(t, 4, 4, "turns < 1000")
	slow.Firmware.CPU = starloom.CPU{Model: "unit", BudgetCycles: 2000}
	for name, c := range map[string]struct {
		s *starloom.Scenario
		o starloom.RunOptions
	}{
		"losses": {lossy, starloom.RunOptions{}}, "all": {all,
			starloom.RunOptions{}}, "faults": {systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"],
			"random: {kind: dead, rate: 0.1}"), starloom.RunOptions{}}, "profile": {slow, starloom.RunOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			repeated := false
			c.o.Progress = func(p starloom.Progress) {
				if p.Repeated || p.Runs > 0 && p.Runs == p.RunsTotal {
					repeated = true
					cancel()
				}
			}
			r, err := starloom.Run(ctx, c.s, c.o)
			require.NoError(t, err)
			require.True(t, repeated)
			require.True(t, r.Interrupted())
		})
	}
}
