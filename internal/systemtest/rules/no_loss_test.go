package rules

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/bus"
	"starloom/fabric/ej"
	"starloom/internal/emulator"
	"starloom/internal/inside"
	"starloom/internal/systemtest"
)

// TestLostReadingsFail: no program of sensors passes that has lost a reading.
func TestLostReadingsFail(t *testing.T) {
	overflows := systemtest.RunBoth(t, systemtest.OnOneBus(5, "fixed", map[string]int64{"period": 4, "readings": 30}))
	require.Equal(t, starloom.VerdictFail, overflows.Verdict)
	require.Contains(t, overflows.Rules, starloom.RuleNoLoss)
	lost := systemtest.LossesOf(overflows, starloom.RuleNoLoss)
	require.Len(t, lost, 26)
	require.Equal(t, "slot 16 bus.nic[5]: processor 5 queued a frame that was lost: its TX FIFO was full", lost[0])
	require.EqualValues(t, 26, overflows.ViolationsTotal)

	text, err := os.ReadFile("examples/bus-faults.yaml")
	require.NoError(t, err)
	paused := `    - {kind: clock_pause, targets: ["bus.nic[3]"]`
	require.Contains(t, string(text), paused)
	s, err := starloom.ParseScenario("bus-faults.yaml", []byte(strings.Replace(string(text), paused, "    # "+paused, 1)))
	require.NoError(t, err)
	dark := systemtest.RunBoth(t, s)
	require.Equal(t, starloom.VerdictFail, dark.Verdict)
	require.Equal(t, []string{
		"slot 12 bus.bus[0]: the frame of processor 1 for processor 0 was lost: a fault made it dark here",
		"slot 13 bus.bus[0]: the frame of processor 2 for processor 0 was lost: a fault made it dark here",
	}, systemtest.LossesOf(dark, starloom.RuleNoLoss))
	require.EqualValues(t, 2, dark.ViolationsTotal)
	require.Equal(t, starloom.CauseFaults, dark.Violations[0].Cause)

	if s, err = starloom.LoadScenario("examples/bus-sensors.yaml"); err == nil {
		s.Firmware.Params = map[string]int64{"events": 120, "readings": 60} // the commented line
	}
	require.NoError(t, err)
	events := systemtest.RunBoth(t, s)
	require.Equal(t, starloom.VerdictFail, events.Verdict)
	require.Len(t, systemtest.LossesOf(events, starloom.RuleNoLoss), 3)
	require.EqualValues(t, 3, events.Frames.Overflow)
}

// TestLossesSayWhere loses frames in every way, and says in which slot, where and why.
func TestLossesSayWhere(t *testing.T) {
	sensors := func(arbiter, faults string) *starloom.Scenario {
		s := systemtest.OnOneBus(3, arbiter, map[string]int64{"period": 4, "readings": 3})
		s.Rules = &starloom.Rules{NoLoss: true}
		if faults != "" {
			s.Faults = systemtest.FaultScenario(t, systemtest.FaultFabrics["sensors"], "schedule: ["+faults+"]").Faults
		}
		return s
	}
	drops := func(how int64) *starloom.Scenario {
		s := systemtest.ImageScenario(t, "drops")
		s.Rules, s.NIC.RXFrames, s.Firmware.Params = &starloom.Rules{NoLoss: true}, 1, map[string]int64{"how": how}
		return s
	}
	for name, c := range map[string]struct {
		s    *starloom.Scenario
		lost []string
	}{
		"met": {sensors("none", ""), []string{
			"slot 0 bus.bus[0]: the frame of processor 1 for processor 0 was lost: it met another frame here",
			"slot 0 bus.bus[0]: the frame of processor 2 for processor 0 was lost: it met another frame here",
			"slot 0 bus.bus[0]: the frame of processor 3 for processor 0 was lost: it met another frame here"}},
		"dropped": {sensors("fixed", `{kind: drop, targets: ["bus.bus[0]"], slots: {list: [1]}}`),
			[]string{"slot 1 bus.bus[0]: the frame of processor 2 for processor 0 was lost: a fault made it dark here"}},
		"missed": {sensors("fixed", `{kind: miss, targets: ["bus.nic[0]"], slots: {list: [1]}}`),
			[]string{"slot 1 bus.bus[0]: the frame of processor 2 for processor 0 was lost: " +
				"by a fault processor 0 missed it here"}},
		"flipped": {sensors("fixed", `{kind: bit_flip, targets: ["bus.bus[0]"], slots: {list: [5]}}`),
			[]string{"slot 5 bus.bus[0]: the frame of processor 2 for processor 0 was lost: here a fault flipped its bit 87, of the destination: its CRC was wrong, so it was dropped"}},
		"receiver killed": {sensors("fixed", `{kind: dead, targets: ["bus.nic[0]"], slots: {from: 10}}`),
			[]string{"slot 10 bus.bus[0]: the frame of processor 3 for processor 0 was lost: a fault has killed processor 0"}},
		"sender killed": {sensors("fixed", `{kind: dead, targets: ["bus.nic[3]"], slots: {from: 5}}`),
			[]string{"slot 5 bus.nic[3]: processor 3 lost 1 frame in its TX FIFO: a fault has killed it"}},
		"sender restarted": {sensors("tdma", `{kind: restart, targets: ["bus.nic[3]"], slots: {list: [1]}}`),
			[]string{"slot 1 bus.nic[3]: processor 3 lost 1 frame in its TX FIFO: a fault has restarted it"}},
		"smaller TX FIFO": {func() *starloom.Scenario {
			s := sensors("fixed", `{kind: buffers, targets: ["bus.nic[3]"], tx_frames: 1}`)
			s.Firmware.Params = map[string]int64{"period": 1, "readings": 2}
			return s
		}(), []string{"slot 1 bus.nic[3]: processor 3 queued a frame that was lost: its TX FIFO was full, which a fault has made smaller"}},
		"not on the bus": {func() *starloom.Scenario {
			s := sensors("fixed", "")
			s.Fabric.Bus.Buses, s.Firmware.Params = [][]int{{1, 2, 3}, {0, 2}}, map[string]int64{"period": 9, "readings": 1}
			return s
		}(), []string{
			"slot 0 bus.bus[0]: the frame of processor 1 for processor 0 was lost: no path leads from here to processor 0",
			"slot 1 bus.bus[0]: the frame of processor 2 for processor 0 was lost: no path leads from here to processor 0",
			"slot 2 bus.bus[0]: the frame of processor 3 for processor 0 was lost: no path leads from here to processor 0"}},
		"no one listens":            {drops(0), []string{"slot 1 pops.group[1].coupler[2]: the frame of processor 1 for processor 2 was lost: processor 2 did not listen here"}},
		"full RX FIFO":              {drops(1), []string{"slot 1 pops.group[2].nic[0]: processor 2 lost the frame of processor 1: its RX FIFO was full"}},
		"sent to another":           {drops(2), []string{"slot 1 pops.group[1].coupler[3]: the frame of processor 1 for processor 2 was lost: no path leads from here to processor 2"}},
		"for anybody":               {drops(3), nil},
		"for anybody, at all ports": {drops(4), nil},
		"a smaller RX FIFO": {func() *starloom.Scenario {
			s := drops(1)
			s.NIC.RXFrames = 2
			s.Faults = systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"], `schedule: [{kind: buffers, targets: ["*.group[2].nic[0]"], rx_frames: 1}]`).Faults
			return s
		}(), []string{"slot 1 pops.group[2].nic[0]: processor 2 lost the frame of processor 1: its RX FIFO was full, which a fault has made smaller"}},
	} {
		t.Run(name, func(t *testing.T) {
			report := systemtest.RunBoth(t, c.s)
			got := systemtest.LossesOf(report, starloom.RuleNoLoss)
			require.GreaterOrEqual(t, len(got), len(c.lost), "%q", got)
			if len(c.lost) == 0 {
				require.Empty(t, got)
			}
			require.Equal(t, c.lost, got[:len(c.lost)])
			for _, v := range report.Violations {
				require.Contains(t, []string{starloom.RuleNoLoss, starloom.RuleFinishes}, v.Rule)
			}
			c.s.Rules = &starloom.Rules{} // rules not asked for are not checked
			for _, v := range systemtest.RunBoth(t, c.s).Violations {
				require.Equal(t, starloom.RuleFinishes, v.Rule)
			}
		})
	}
}

// TestNoLossElsewhere checks the rule on every network, in many shards and banks: programs without losses keep it,
// programs that lose frames break it.
func TestNoLossElsewhere(t *testing.T) {
	for text, lossy := range map[string]bool{
		"fabric: {pops: {groups: 4, group_size: 2}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 3}}\n": false,
		"fabric: {pops: {groups: 4, group_size: 8}}\nfirmware: {program: pops/random-corrected}\n":                                true, // collisions are part of it
		"fabric: {crossbar: {ports: 6}}\nfirmware: {program: gossip/fsa}\nworkload: {gossip: {orders: pipelined}}\n":              false,
		"fabric: {crossbar: {ports: 8}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {}}\n":                            false,
		"fabric: {crossbar: {ports: 8}}\nfirmware: {program: scatter/sync}\nworkload: {scatter: {}}\nnic: {rx_frames: 1}\n":       true,
		"fabric: {ej: {a: 1, b: 2, dimensions: 2}}\nfirmware: {program: ej/improved}\nworkload: {one_to_all: {}}\n":               false,
		"fabric: {ej: {a: 1, b: 2, dimensions: 1}}\nfirmware: {program: ej/all-to-all-c2}\nworkload: {all_to_all: {}}\n":          false,
		"fabric: {bus: {vertices: 20, length: 4}}\nfirmware: {program: bus/two-phase}\n":                                          false,
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"rules: {no_loss: true}\n"))
		require.NoError(t, err, text)
		report := systemtest.RunBoth(t, s)
		require.Equal(t, lossy, systemtest.ViolationsOf(report, starloom.RuleNoLoss) > 0, "%s%q", text, systemtest.LossesOf(report, starloom.RuleNoLoss))
		if !lossy {
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
		}
	}
}

// TestDeadlines: of a workload every packet, of other firmware every frame.
func TestDeadlines(t *testing.T) {
	s := systemtest.OnOneBus(2, "round_robin", map[string]int64{"period": 1, "readings": 2})
	s.Rules = &starloom.Rules{DeadlineSlots: 2}
	late := systemtest.RunBoth(t, s)
	require.Equal(t, starloom.VerdictFail, late.Verdict)
	require.Equal(t, []string{"slot 2 bus.nic[2]: processor 2 queued a frame at bus.bus[0].tap[1] in slot 1, and it still waits 2 slots later"}, systemtest.LossesOf(late, starloom.RuleDeadline))
	require.Equal(t, uint64(2*7+6), late.Violations[0].Cycle, "the last one of slot 2")
	s.Rules.DeadlineSlots++
	require.Equal(t, starloom.VerdictPass, systemtest.RunBoth(t, s).Verdict)

	parse := func(text string) *starloom.Scenario {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+text))
		require.NoError(t, err)
		return s
	}
	packets := parse("fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 1}}\nrules: {exactly_once: true, deadline_slots: 1}\n")
	require.Equal(t, starloom.VerdictPass, systemtest.RunBoth(t, packets).Verdict)
	image := systemtest.ImageScenario(t, "drops")
	image.Rules, image.Firmware.Params = &starloom.Rules{ExactlyOnce: true, DeadlineSlots: 1}, map[string]int64{"how": 0}
	report := systemtest.RunBoth(t, image)
	require.Equal(t, []string{"slot 0 pops.group[2].nic[0]: processor 2 has not received the packet of processor 1 after 1 slot: it never came"}, systemtest.LossesOf(report, starloom.RuleDeadline))

	broadcast := func(deadline uint32) *starloom.Report {
		s := starloom.DefaultScenario()
		s.Fabric.EJ = &ej.Network{A: 2, B: 3, Dimensions: 1}
		s.Firmware.Program, s.Workload.OneToAll = "ej/improved", &starloom.OneToAll{}
		s.Rules = &starloom.Rules{ExactlyOnce: true, DeadlineSlots: deadline}
		return systemtest.RunBoth(t, s)
	}
	receivers := broadcast(100).Metrics.Get("receivers").([]int)
	require.Greater(t, len(receivers), 1)
	for step := range receivers {
		left := 0
		for _, later := range receivers[step+1:] {
			left += later
		}
		require.EqualValues(t, left, systemtest.ViolationsOf(broadcast(uint32(step+1)), starloom.RuleDeadline), "%v", receivers)
	}

	ends := starloom.DefaultScenario()
	ends.Fabric.Bus, ends.Firmware.Program, ends.Rules = &bus.Network{Vertices: 10, Length: 3}, "bus/two-phase", &starloom.Rules{DeadlineSlots: 9}
	_, err := starloom.NewMachine(t.Context(), ends, starloom.MachineOptions{})
	require.EqualError(t, err, "rules.deadline_slots: deadline_slots applies to frames, but this run ends when all "+
		"items have arrived; finish_by limits its time; write finish_by: 9 slots in its place")
}

// TestFollowedFramesAreNotParked: where a rule asks for every frame no processor is parked, and nothing
// else changes.
func TestFollowedFramesAreNotParked(t *testing.T) {
	s := starloom.DefaultScenario()
	s.Fabric.EJ = &ej.Network{A: 1, B: 2, Dimensions: 4}
	s.Firmware.Program, s.Workload.OneToAll = "ej/improved", &starloom.OneToAll{}
	parked := systemtest.Machine(t, s, systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true}))
	require.NotNil(t, inside.Machine(parked).Parking)
	require.NoError(t, parked.Run(t.Context(), nil))
	s.Rules = &starloom.Rules{NoLoss: true}
	m := systemtest.Machine(t, s, systemtest.With(starloom.MachineOptions{}, emulator.Options{Parks: true}))
	require.Nil(t, inside.Machine(m).Parking)
	require.NoError(t, m.Run(t.Context(), nil))
	require.Equal(t, starloom.VerdictPass, m.Report().Verdict)
	require.Equal(t, parked.Report().Digest, m.Report().Digest)
}
