package engines

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// TestReplay replays processors of every kind of network, in both engines and modes: alone,
// with the same from their NICs, their handlers do the same.
func TestReplay(t *testing.T) {
	paths, err := filepath.Glob("examples/*.yaml")
	require.NoError(t, err)
	kinds := map[string]bool{}
	for i, path := range paths {
		s, err := starloom.LoadScenario(path)
		require.NoError(t, err)
		if s.Processors() > 300 || s.Workload.Permutation.Kind == starloom.PermutationAll || inside.Decided(s).Rates != nil {
			continue
		}
		kinds[inside.Decided(s).Network.Kind()] = true
		if i%2 == 0 {
			s.Firmware.Mode = starloom.ModeIsolated
		}
		var text bytes.Buffer
		o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: []string{starloom.EngineSlot,
			starloom.EngineCycle}[i%2]}}
		want, err := starloom.Run(context.Background(), s, o)
		require.NoError(t, err, path)
		o.Replay.Output, o.Replay.Processor = starloom.Writer(&text), s.Processors()/2
		got, err := starloom.Run(context.Background(), s, o)
		require.NoError(t, err, path)
		require.Equal(t, systemtest.ReportText(t, want), systemtest.ReportText(t, got), path)
		require.Contains(t, text.String(), "\nstart:", path)
		require.True(t, strings.HasSuffix(text.String(), "\nequal to the whole run\n"), "%s: %s", path, text.String())
	}
	require.GreaterOrEqual(t, len(kinds), 3, kinds)
}

// TestReplayRestored checks that a replay from a saved state equals the replay of the whole run in the same slots: in
// banks, in instances of their own, in both engines, with faults.
func TestReplayRestored(t *testing.T) {
	for i, path := range []string{"gossip-orders", "pops-4x4-faults", "voting", "bus-sensors"} {
		for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
			s, err := starloom.LoadScenario(filepath.Join("examples", path+".yaml"))
			require.NoError(t, err)
			s.Firmware.Mode = mode
			if s.Faults != nil {
				s.Faults.Schedule = append(s.Faults.Schedule, starloom.Fault{Kind: "restart", Targets: []string{"pops.group[2].nic[1]"},
					Slots: &starloom.FaultSlots{List: []uint32{12, 14}}})
			}
			state := filepath.Join(t.TempDir(), "state")
			o := starloom.RunOptions{MachineOptions: starloom.MachineOptions{Engine: []string{starloom.EngineSlot,
				starloom.EngineCycle}[i%2]}, Replay: starloom.ReplayOptions{Processor: min(9, s.Processors()-1)}}
			replayed := func(o starloom.RunOptions) (string, string) {
				var text bytes.Buffer
				o.Replay.Output = starloom.Writer(&text)
				report, err := starloom.Run(context.Background(), s, o)
				require.NoError(t, err, path)
				require.True(t, strings.HasSuffix(text.String(), "\nequal to the whole run\n"), "%s: %s", path, text.String())
				return systemtest.ReportText(t, report), text.String()
			}
			wantReport, want := replayed(o)
			stop := o
			stop.State.Save, stop.BreakOn = state, starloom.Break{Slot: 2}
			if path == "pops-4x4-faults" {
				stop.BreakOn.Slot = 13
				require.Contains(t, want, "\nslot 12, restarted: ->")
			}
			_, before := replayed(stop)
			o.State.Restore = state
			gotReport, got := replayed(o)
			require.Equal(t, wantReport, gotReport, path)
			calls := func(text string) []string { return strings.Split(text, "\n")[1:] }
			require.Contains(t, got, fmt.Sprintf(" slots from slot %d on\n", stop.BreakOn.Slot))
			require.Equal(t, calls(want), append(calls(strings.TrimSuffix(before, "equal to the whole run\n"))[:len(calls(before))-2], calls(got)...), path)
		}
	}
}

// TestReplayParked checks that a parked processor is replayed like a processor with a bank, from the start and from a
// saved state, in any block, including a block of a single processor.
func TestReplayParked(t *testing.T) {
	for _, c := range []struct{ dimensions, bank, processor int }{{3, 0, 2500}, {3, 2049, 2048}, {2, 3, 5}} {
		s := systemtest.EjScenario(t, 3, 4, c.dimensions, "ej/improved", "workload: {one_to_all: {source: 5}}\n")
		replayed := func(o starloom.RunOptions, parks bool) string {
			var text bytes.Buffer
			o.Replay.Output, o.Replay.Processor, inside.Options(&o.MachineOptions).Parks, o.BankSize = starloom.Writer(&text),
				c.processor, parks, c.bank
			report, err := starloom.Run(t.Context(), s, o)
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
			require.Equal(t, parks, report.Firmware.BytesPerProcessor > 0)
			return text.String()
		}
		want := replayed(starloom.RunOptions{}, false)
		require.True(t, strings.HasSuffix(want, "\nequal to the whole run\n"), want)
		require.Equal(t, want, replayed(starloom.RunOptions{}, true))
		for slot := uint32(1); slot < uint32(strings.Count(want, "\nslot")); slot++ {
			o := starloom.RunOptions{State: starloom.StateFiles{Save: filepath.Join(t.TempDir(), "state")}, BreakOn: starloom.Break{Slot: slot}}
			o.MachineOptions = systemtest.With(starloom.MachineOptions{BankSize: c.bank}, emulator.Options{Parks: true})
			_, err := starloom.Run(t.Context(), s, o)
			require.NoError(t, err)
			parked := replayed(starloom.RunOptions{State: starloom.StateFiles{Restore: o.State.Save}}, true)
			replayed(o, false)
			require.Equal(t, replayed(starloom.RunOptions{State: starloom.StateFiles{Restore: o.State.Save}}, false), parked)
			require.Contains(t, parked, fmt.Sprintf(" slots from slot %d on\n", slot))
			_, calls, _ := strings.Cut(parked, "\n")
			require.Contains(t, want, calls)
		}
	}
}

// TestReplayTells: what came and what the handler did, failures included.
func TestReplayTells(t *testing.T) {
	s := systemtest.ImageScenario(t, "asserts")
	s.Rules = &starloom.Rules{}
	var text bytes.Buffer
	report, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&text), Processor: 2}})
	require.NoError(t, err)
	require.Len(t, report.Violations, 2)
	require.Contains(t, text.String(), "start: -> logged \"processor 2 of 4:")
	require.Contains(t, text.String(), "\nslot 1: -> assertion `s->turns < 2 && \"too many\"` failed at asserts.c:18\nequal to the whole run\n")
}

// TestReplayMisses: what a handler took, and that nothing came of it.
func TestReplayMisses(t *testing.T) {
	s := systemtest.Routing(2, 2)
	s.Firmware.CPU = starloom.CPU{Model: "rv32-inorder", BudgetCycles: 200}
	s.Stop.Slots = 10
	var text bytes.Buffer
	report, err := starloom.Run(context.Background(), s,
		starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&text), Processor: 0}})
	require.NoError(t, err)
	require.NotRegexp(t, `reached its NIC[^\n]`, text.String(), "it is about all of the line")
	missed := strings.Count(text.String(), "; missed the slot: none of these actions reached its NIC\n")
	require.NotZero(t, missed)
	require.Contains(t, text.String(), "\nequal to the whole run\n")
	for _, v := range report.Violations {
		if v.Path == "pops.group[0].nic[0]" && v.Rule == starloom.RuleMeetsBudget {
			var cycles int
			_, err := fmt.Sscanf(v.Message, "processor 0 needed %d cycles", &cycles)
			require.NoError(t, err)
			require.Regexp(t, fmt.Sprintf(`\nslot %d: .* %d cycles; missed the slot`, v.Slot, cycles), text.String())
			missed--
		}
	}
	require.Zero(t, missed)
}

// TestReplayDiffers: firmware that keeps something in a static variable does something else
// alone, and only banked.
func TestReplayDiffers(t *testing.T) {
	for _, mode := range []string{starloom.ModeBanked, starloom.ModeIsolated} {
		s := systemtest.ImageScenario(t, "shares")
		s.Firmware.Mode, s.Rules = mode, &starloom.Rules{}
		var text bytes.Buffer
		report, err := starloom.Run(context.Background(), s,
			starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&text), Processor: 1}})
		require.NoError(t, err)
		if mode == starloom.ModeIsolated {
			require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
			require.Contains(t, text.String(), "slot 2: -> sends data to 0 on port 0, tag 0x0, 4 bytes 03")
			continue
		}
		require.Equal(t, starloom.VerdictFail, report.Verdict)
		require.EqualValues(t, 1, report.ViolationsTotal)
		require.Equal(t, starloom.RuleReplay, report.Violations[0].Rule)
		require.EqualValues(t, 2, report.Violations[0].Slot)
		require.Contains(t, report.Violations[0].Message, "processor 1: alone, with the same inputs, the handler acts "+
			"differently (TX FIFO)")
	}
}

// TestReplayRefused: nothing is replayed of processors that are not there.
func TestReplayRefused(t *testing.T) {
	var text bytes.Buffer
	for _, c := range []struct {
		o    starloom.RunOptions
		want string
	}{
		{starloom.RunOptions{Replay: starloom.ReplayOptions{Processor: 16}}, "allowed: 0 to 15"},
		{starloom.RunOptions{Replay: starloom.ReplayOptions{Processor: -1}}, "allowed: 0 to 15"},
	} {
		c.o.Replay.Output = starloom.Writer(&text)
		_, err := starloom.Run(context.Background(), systemtest.Routing(4, 4), c.o)
		var refused *starloom.InputError
		require.ErrorAs(t, err, &refused)
		require.ErrorContains(t, err, c.want)
	}
	_, err := starloom.RunSeeds(context.Background(), systemtest.Routing(4, 4), starloom.Seeds{First: 1, Last: 2},
		starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&text)}})
	require.ErrorContains(t, err, "--replay")
}

// TestReplayLeft: a frame that a handler has left in the RX FIFO was not received by the firmware, and the replay does
// not say so.
func TestReplayLeft(t *testing.T) {
	var text bytes.Buffer
	report, err := starloom.Run(context.Background(), systemtest.FrozenScenario(t, "own-deaf"), starloom.RunOptions{Replay: starloom.ReplayOptions{Output: starloom.Writer(&text)}})
	require.NoError(t, err)
	require.Contains(t, text.String(), " left in the RX FIFO, from ")
	require.NotContains(t, text.String(), " received from ")
	require.Contains(t, strings.Join(report.Notes, "\n"), "frames were never taken from the RX FIFO by firmware (pops.group[0].nic[0]: 4, ")
	require.Contains(t, strings.Join(report.Notes, "\n"), "nothing checks the workload; `rules: {exactly_once: true}` does")
	s := systemtest.FrozenScenario(t, "own-deaf")
	s.Rules = &starloom.Rules{ExactlyOnce: true}
	report, err = starloom.Run(context.Background(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.NotContains(t, strings.Join(report.Notes, "\n"), "nothing checks the workload")
}
