package traffic

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/contend"
	"starloom/firmware"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

func tapsOf(report *starloom.Report) bus.TapsWaiting {
	return report.Metrics.Get("taps").(bus.TapsWaiting)
}

// TestReadingsWaitFromQueueing: how long a reading waits begins when firmware queues it, not when it
// heads the FIFO.
func TestReadingsWaitFromQueueing(t *testing.T) {
	for _, c := range []struct {
		sensors      int
		arbiter      string
		readings     int64
		queue, grant int
		text, json   string
	}{
		{sensors: 2, arbiter: "round_robin", readings: 2, queue: 2, grant: 1,
			text: "bus.bus[0].tap[1] vertex 2: 2 frames, queue wait 2 slots at most (mean 1.5), grant wait 1 (mean 1), queue depth 2\n",
			json: `{"tap":"bus.bus[0].tap[1]","vertex":2,"frames":2,"blocked":2,"queue_wait_slots_max":2,"queue_wait_slots_mean":1.5,"grant_wait_slots_max":1,"grant_wait_slots_mean":1,"queue_depth_max":2,"waiting":0,"waiting_slots_max":0}`},
		{sensors: 4, arbiter: "tdma", readings: 5, queue: 19, grant: 4,
			text: "bus.bus[0].tap[3] vertex 4: 5 frames, queue wait 19 slots at most (mean 11), grant wait 4 (mean 3.8), queue depth 4\n",
			json: `{"tap":"bus.bus[0].tap[3]","vertex":4,"frames":5,"blocked":19,"queue_wait_slots_max":19,"queue_wait_slots_mean":11,"grant_wait_slots_max":4,"grant_wait_slots_mean":3.8,"queue_depth_max":4,"waiting":0,"waiting_slots_max":0}`},
	} {
		report := systemtest.RunBoth(t, systemtest.OnOneBus(c.sensors, c.arbiter, map[string]int64{"period": 1, "readings": c.readings}))
		require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		require.Equal(t, c.queue, report.Metrics.Get("queue_wait_slots_max"))
		require.Equal(t, c.grant, report.Metrics.Get("grant_wait_slots_max"))
		var text strings.Builder
		require.NoError(t, report.WriteText(&text))
		require.Contains(t, text.String(), c.text)
		data, err := json.Marshal(tapsOf(report)[c.sensors-1])
		require.NoError(t, err)
		require.JSONEq(t, c.json, string(data))
	}
}

// TestStarvingTapsAreNamed: frames that wait when the run ends have waited until then.
func TestStarvingTapsAreNamed(t *testing.T) {
	s := systemtest.OnOneBus(3, "fixed", map[string]int64{"period": 1, "readings": 1000})
	s.Stop.Slots = 500
	report := systemtest.RunBoth(t, s)
	taps := tapsOf(report)
	require.Len(t, taps, 3)
	require.EqualValues(t, 500, taps[0].Frames)
	require.Zero(t, taps[0].Waiting)
	for _, tap := range taps[1:] {
		require.Zero(t, tap.Frames)
		require.EqualValues(t, 500, tap.QueueWaitSlotsMax)
		require.EqualValues(t, 500, tap.GrantWaitSlotsMax)
		require.EqualValues(t, 500, tap.WaitingSlotsMax)
		require.EqualValues(t, 4, tap.Waiting)
		require.Nil(t, tap.QueueWaitSlotsMean)
	}
	require.Equal(t, 500, report.Metrics.Get("queue_wait_slots_max"))
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Contains(t, text.String(), "bus.bus[0].tap[2] vertex 3: 0 frames, queue wait 500 slots at most (mean -), grant wait 500 (mean -), queue depth 4, starves: 4 frames for up to 500 slots\n")

	s.Firmware.Params["period"], s.Stop.Slots = 3, 500 // all are served, and the last readings wait
	s.Fabric.Bus.Arbiter = "tdma"
	report = systemtest.RunBoth(t, s)
	text.Reset()
	require.NoError(t, report.WriteText(&text))
	require.NotContains(t, text.String(), "starves")
	require.Contains(t, text.String(), ", still waiting: ")
}

// TestNobodyWaits: where nothing was queued, how long it has waited is not known.
func TestNobodyWaits(t *testing.T) {
	report := systemtest.RunBoth(t, systemtest.OnOneBus(2, "fixed", map[string]int64{"period": 1, "readings": 0}))
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	require.Contains(t, text.String(), "\nqueue_wait_slots_max  -\ngrant_wait_slots_max  -\nframes ")
	require.Empty(t, tapsOf(report))
}

// byDefinition is bus/sensors on one bus without firmware, NICs and engines: what each tap has seen.
type byDefinition struct {
	frames, lost, queueSum, grantSum uint64
	queueMax, grantMax, depth        uint32
	waiting                          []uint32 // slots in which what still waits was queued
}

func defineWaits(s *starloom.Scenario, slots uint32) []byDefinition {
	period, spread, readings := s.Firmware.Params["period"], s.Firmware.Params["spread"], s.Firmware.Params["readings"]
	n := s.Fabric.Bus.Vertices - 1
	taps, made, next, heads := make([]byDefinition, n), make([]int64, n), make([]int64, n), make([]uint32, n)
	turn := 0
	for slot := range slots {
		for i := range taps {
			tap := &taps[i]
			if made[i] < readings && int64(slot) == next[i] {
				made[i]++
				next[i] += period + spread*int64(i)
				if len(tap.waiting) == s.NIC.TXFrames {
					tap.lost++
					continue
				}
				if tap.waiting = append(tap.waiting, slot); len(tap.waiting) == 1 {
					heads[i] = slot
				}
				tap.depth = max(tap.depth, uint32(len(tap.waiting)))
			}
		}
		served := -1
		for k := range n + 1 {
			at := k
			if s.Fabric.Bus.Arbiter == "round_robin" {
				at = (turn + k) % (n + 1)
			}
			if at < n && len(taps[at].waiting) > 0 && (s.Fabric.Bus.Arbiter != "tdma" || int(slot)%(n+1) == at) {
				served = at
				break
			}
		}
		if served < 0 {
			continue
		}
		turn = served + 1
		tap := &taps[served]
		queued, asked := slot-tap.waiting[0], slot-heads[served]
		tap.frames++
		tap.queueSum, tap.grantSum = tap.queueSum+uint64(queued), tap.grantSum+uint64(asked)
		tap.queueMax, tap.grantMax = max(tap.queueMax, queued), max(tap.grantMax, asked)
		tap.waiting, heads[served] = tap.waiting[1:], slot+1
	}
	for i := range taps {
		if tap := &taps[i]; len(tap.waiting) > 0 {
			tap.queueMax, tap.grantMax = max(tap.queueMax, slots-tap.waiting[0]), max(tap.grantMax, slots-heads[i])
		}
	}
	return taps
}

// TestWaitsAgainstDefinition compares all figures of all taps with sensors by definition, and the rules
// no_loss and deadline_slots with what they must find there.
func TestWaitsAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 2))
	still, lossy := 0, 0
	for k := range 60 {
		s := systemtest.OnOneBus(1+random.IntN(6), []string{"fixed", "round_robin", "tdma"}[k%3],
			map[string]int64{"period": 1 + random.Int64N(8), "spread": random.Int64N(3), "readings": 1 + random.Int64N(30)})
		s.NIC.TXFrames, s.Stop.Slots = 1+random.IntN(5), uint32(20+random.IntN(200))
		o := starloom.MachineOptions{Engine: []string{starloom.EngineSlot, starloom.EngineCycle}[k/3%2]}
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o})
		require.NoError(t, err)
		want, lost, seen := defineWaits(s, uint32(report.Slots)), uint64(0), tapsOf(report)
		longest := uint32(0)
		for i, tap := range want {
			lost += tap.lost
			got := seen[i]
			require.Equal(t, []any{tap.frames, tap.queueMax, tap.grantMax, tap.depth, uint64(len(tap.waiting))},
				[]any{got.Frames, got.QueueWaitSlotsMax, got.GrantWaitSlotsMax, got.QueueDepthMax, got.Waiting}, "%d: %+v", k, s.Firmware.Params)
			if tap.frames > 0 {
				require.Equal(t, float64(tap.queueSum)/float64(tap.frames), *got.QueueWaitSlotsMean)
				require.Equal(t, float64(tap.grantSum)/float64(tap.frames), *got.GrantWaitSlotsMean)
			}
			if len(tap.waiting) > 0 {
				still++
			}
			longest = max(longest, tap.queueMax)
		}
		require.Equal(t, lost, systemtest.ViolationsOf(report, starloom.RuleNoLoss))
		if lost > 0 {
			lossy++
		}
		// A frame that waits for so long is received one slot later.
		s.Rules = &starloom.Rules{DeadlineSlots: longest + 1}
		report, err = starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o})
		require.NoError(t, err)
		require.Zero(t, systemtest.ViolationsOf(report, starloom.RuleDeadline))
		if s.Rules.DeadlineSlots--; longest == 0 {
			continue
		}
		report, err = starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o})
		require.NoError(t, err)
		require.Positive(t, systemtest.ViolationsOf(report, starloom.RuleDeadline), "%d: %d", k, longest)
	}
	require.Greater(t, still, 5)
	require.Greater(t, lossy, 5)
}

// TestWithdrawnFramesDoNotWait: the places in a FIFO do not tell frames apart.
func TestWithdrawnFramesDoNotWait(t *testing.T) {
	s := busImage(t, "withdraws", bus.Network{Vertices: 3, Buses: [][]int{{1, 2, 0}}, ArbiterKeys: contend.ArbiterKeys{Arbiter: "fixed"}})
	s.Rules = &starloom.Rules{NoLoss: true}
	tap := tapsOf(systemtest.RunBoth(t, s))[1]
	mean := func(x float64) *float64 { return &x }
	// B: queued in slot 0, asks from slot 4 on, sent in slot 10. C: queued in slot 4, sent in slot 11.
	require.Equal(t, bus.TapWaiting{Tap: "bus.bus[0].tap[1]", Vertex: 2, Frames: 2, Blocked: 10, QueueWaitSlotsMax: 10, QueueWaitSlotsMean: mean(8.5),
		GrantWaitSlotsMax: 6, GrantWaitSlotsMean: mean(3), QueueDepthMax: 2}, tap)
}

// TestWaitsSurviveRestore: saved in any slot and restored, a run reports the same.
func TestWaitsSurviveRestore(t *testing.T) {
	for _, arbiter := range []string{"none", "tdma", "round_robin"} {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			s := systemtest.OnOneBus(4, arbiter, map[string]int64{"period": 2, "spread": 1, "readings": 8})
			s.Rules = &starloom.Rules{NoLoss: true, DeadlineSlots: 6}
			s.Faults = systemtest.FaultScenario(t, systemtest.FaultFabrics["sensors"], `schedule: [{kind: restart, targets: ["bus.nic[2]"], slots: {list: [9]}}]`).Faults
			o := starloom.MachineOptions{Engine: engine}
			whole := systemtest.Machine(t, s, o)
			require.NoError(t, whole.Run(t.Context(), nil))
			want := systemtest.ReportText(t, whole.Report())
			saved := systemtest.Machine(t, s, o)
			for slot := range 14 {
				var state bytes.Buffer
				require.NoError(t, saved.Save(&state))
				m := systemtest.Machine(t, s, o)
				require.NoError(t, m.Restore(&state))
				require.NoError(t, m.Run(t.Context(), nil))
				require.Equal(t, want, systemtest.ReportText(t, m.Report()), "%s, %s, slot %d", arbiter, engine, slot)
				require.NoError(t, m.Reset(s.Seed))
				require.NoError(t, m.Run(t.Context(), nil))
				require.Equal(t, want, systemtest.ReportText(t, m.Report()))
				require.NoError(t, saved.Step())
			}
		}
	}
}

// TestInterruptedWaits: what an interrupted boundary has queued and sent does not count.
func TestInterruptedWaits(t *testing.T) {
	text, err := os.ReadFile("firmware/programs/bus/sensors.c")
	require.NoError(t, err)
	const handler = "static void on_slot(sl_nic *nic, state_t *s) {\n"
	require.Contains(t, string(text), handler)
	source := filepath.Join(t.TempDir(), "endless.c")
	require.NoError(t, os.WriteFile(source, []byte(strings.Replace(string(text), handler,
		handler+"    if (sl_slot(nic) == 9 && sl_self(nic) == 3) for (volatile uint32_t turns = 0;; turns++) {}\n", 1)), 0o644))
	image := strings.TrimSuffix(source, ".c") + ".wasm"
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: source, Output: image}))
	for _, arbiter := range []string{"none", "tdma"} {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			s := systemtest.OnOneBus(4, arbiter, map[string]int64{"period": 3, "readings": 8})
			s.Firmware.Program, s.Firmware.Image, s.Firmware.Mode, s.Rules = "", image, starloom.ModeIsolated, &starloom.Rules{NoLoss: true, DeadlineSlots: 2}
			o := starloom.MachineOptions{Engine: engine}
			whole := systemtest.Machine(t, s, o)
			for range 8 {
				require.NoError(t, whole.Step())
			}
			inside.Machine(whole).Cross()
			inside.Machine(whole).Stop.Store(true)
			inside.Machine(whole).Boundary(false)

			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			m := systemtest.Machine(t, s, o)
			require.NoError(t, m.Run(ctx, nil))
			cancel()
			require.EqualValues(t, 9, m.Slots())
			require.Equal(t, systemtest.ReportText(t, whole.Report()), systemtest.ReportText(t, m.Report()),
				fmt.Sprint(arbiter, engine))
		}
	}
}
