package starloom

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/bus"
	"starloom/fabric/ej"
	"starloom/internal/emulator"
)

// lossesOf are the violations of a rule, as slot, path and message.
func lossesOf(report *Report, rule string) (losses []string) {
	for _, v := range report.Violations {
		if v.Rule == rule {
			losses = append(losses, fmt.Sprintf("slot %d %s: %s", v.Slot, v.Path, v.Message))
		}
	}
	return losses
}

// TestLostReadingsFail: no program of sensors passes that has lost a reading.
func TestLostReadingsFail(t *testing.T) {
	overflows := runBoth(t, onOneBus(5, "fixed", map[string]int64{"period": 4, "readings": 30}))
	require.Equal(t, VerdictFail, overflows.Verdict)
	require.Contains(t, overflows.Rules, RuleNoLoss)
	lost := lossesOf(overflows, RuleNoLoss)
	require.Len(t, lost, 26)
	require.Equal(t, "slot 16 bus.nic[5]: processor 5 queued a frame that was lost: its TX FIFO was full", lost[0])
	require.EqualValues(t, 26, overflows.ViolationsTotal)

	text, err := os.ReadFile("examples/bus-faults.yaml")
	require.NoError(t, err)
	paused := `    - {kind: clock_pause, targets: ["bus.nic[3]"]`
	require.Contains(t, string(text), paused)
	s, err := ParseScenario("bus-faults.yaml", []byte(strings.Replace(string(text), paused, "    # "+paused, 1)))
	require.NoError(t, err)
	dark := runBoth(t, s)
	require.Equal(t, VerdictFail, dark.Verdict)
	require.Equal(t, []string{
		"slot 12 bus.bus[0]: the frame of processor 1 for processor 0 was lost: a fault made it dark here",
		"slot 13 bus.bus[0]: the frame of processor 2 for processor 0 was lost: a fault made it dark here",
	}, lossesOf(dark, RuleNoLoss))
	require.EqualValues(t, 2, dark.ViolationsTotal)
	require.Equal(t, CauseFaults, dark.Violations[0].Cause)

	if s, err = LoadScenario("examples/bus-sensors.yaml"); err == nil {
		s.Firmware.Params = map[string]int64{"events": 120, "readings": 60} // the commented line
	}
	require.NoError(t, err)
	events := runBoth(t, s)
	require.Equal(t, VerdictFail, events.Verdict)
	require.Len(t, lossesOf(events, RuleNoLoss), 3)
	require.EqualValues(t, 3, events.Frames.Overflow)
}

// TestLossesSayWhere loses frames in every way, and says in which slot, where and why.
func TestLossesSayWhere(t *testing.T) {
	sensors := func(arbiter, faults string) *Scenario {
		s := onOneBus(3, arbiter, map[string]int64{"period": 4, "readings": 3})
		s.Rules = &Rules{NoLoss: true}
		if faults != "" {
			s.Faults = faultScenario(t, faultFabrics["sensors"], "schedule: ["+faults+"]").Faults
		}
		return s
	}
	drops := func(how int64) *Scenario {
		s := imageScenario(t, "drops")
		s.Rules, s.NIC.RXFrames, s.Firmware.Params = &Rules{NoLoss: true}, 1, map[string]int64{"how": how}
		return s
	}
	for name, c := range map[string]struct {
		s    *Scenario
		lost []string
	}{
		"met": {sensors("none", ""), []string{
			"slot 0 bus.bus[0]: the frame of processor 1 for processor 0 was lost: it met another frame here",
			"slot 0 bus.bus[0]: the frame of processor 2 for processor 0 was lost: it met another frame here",
			"slot 0 bus.bus[0]: the frame of processor 3 for processor 0 was lost: it met another frame here"}},
		"dropped": {sensors("fixed", `{kind: drop, targets: ["bus.bus[0]"], slots: {list: [1]}}`),
			[]string{"slot 1 bus.bus[0]: the frame of processor 2 for processor 0 was lost: a fault made it dark here"}},
		"flipped": {sensors("fixed", `{kind: bit_flip, targets: ["bus.bus[0]"], slots: {list: [5]}}`),
			[]string{"slot 5 bus.bus[0]: the frame of processor 2 for processor 0 was lost: here a fault flipped its bit 87, of the destination: its CRC was wrong, so it was dropped"}},
		"receiver killed": {sensors("fixed", `{kind: dead, targets: ["bus.nic[0]"], slots: {from: 10}}`),
			[]string{"slot 10 bus.bus[0]: the frame of processor 3 for processor 0 was lost: a fault has killed processor 0"}},
		"sender killed": {sensors("fixed", `{kind: dead, targets: ["bus.nic[3]"], slots: {from: 5}}`),
			[]string{"slot 5 bus.nic[3]: processor 3 lost 1 frame in its TX FIFO: a fault has killed it"}},
		"sender restarted": {sensors("tdma", `{kind: restart, targets: ["bus.nic[3]"], slots: {list: [1]}}`),
			[]string{"slot 1 bus.nic[3]: processor 3 lost 1 frame in its TX FIFO: a fault has restarted it"}},
		"smaller TX FIFO": {func() *Scenario {
			s := sensors("fixed", `{kind: buffers, targets: ["bus.nic[3]"], tx_frames: 1}`)
			s.Firmware.Params = map[string]int64{"period": 1, "readings": 2}
			return s
		}(), []string{"slot 1 bus.nic[3]: processor 3 queued a frame that was lost: its TX FIFO was full, which a fault has made smaller"}},
		"not on the bus": {func() *Scenario {
			s := sensors("fixed", "")
			s.Fabric.Bus.Buses, s.Firmware.Params = [][]int{{1, 2, 3}, {0, 2}}, map[string]int64{"period": 9, "readings": 1}
			return s
		}(), []string{
			"slot 0 bus.bus[0]: the frame of processor 1 for processor 0 was lost: this does not lead to processor 0",
			"slot 1 bus.bus[0]: the frame of processor 2 for processor 0 was lost: this does not lead to processor 0",
			"slot 2 bus.bus[0]: the frame of processor 3 for processor 0 was lost: this does not lead to processor 0"}},
		"no one listens":            {drops(0), []string{"slot 1 pops.group[1].coupler[2]: the frame of processor 1 for processor 2 was lost: processor 2 did not listen here"}},
		"full RX FIFO":              {drops(1), []string{"slot 1 pops.group[2].nic[0]: processor 2 lost the frame of processor 1: its RX FIFO was full"}},
		"sent to another":           {drops(2), []string{"slot 1 pops.group[1].coupler[3]: the frame of processor 1 for processor 2 was lost: this does not lead to processor 2"}},
		"for anybody":               {drops(3), nil},
		"for anybody, at all ports": {drops(4), nil},
		"a smaller RX FIFO": {func() *Scenario {
			s := drops(1)
			s.NIC.RXFrames = 2
			s.Faults = faultScenario(t, faultFabrics["pops"], `schedule: [{kind: buffers, targets: ["*.group[2].nic[0]"], rx_frames: 1}]`).Faults
			return s
		}(), []string{"slot 1 pops.group[2].nic[0]: processor 2 lost the frame of processor 1: its RX FIFO was full, which a fault has made smaller"}},
	} {
		t.Run(name, func(t *testing.T) {
			report := runBoth(t, c.s)
			got := lossesOf(report, RuleNoLoss)
			require.GreaterOrEqual(t, len(got), len(c.lost), "%q", got)
			if len(c.lost) == 0 {
				require.Empty(t, got)
			}
			require.Equal(t, c.lost, got[:len(c.lost)])
			for _, v := range report.Violations {
				require.Contains(t, []string{RuleNoLoss, RuleFinishes}, v.Rule)
			}
			c.s.Rules = &Rules{} // what is not asked for is not found
			for _, v := range runBoth(t, c.s).Violations {
				require.Equal(t, RuleFinishes, v.Rule)
			}
		})
	}
}

// TestNoLossElsewhere: programs that lose nothing keep the rule on every network, in many shards and
// banks, and those that lose frames break it.
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
		s, err := ParseScenario("s.yaml", []byte("starloom: 1\n"+text+"rules: {no_loss: true}\n"))
		require.NoError(t, err, text)
		report := runBoth(t, s)
		require.Equal(t, lossy, violationsOf(report, RuleNoLoss) > 0, "%s%q", text, lossesOf(report, RuleNoLoss))
		if !lossy {
			require.Equal(t, VerdictPass, report.Verdict, "%+v", report.Violations)
		}
	}
}

// TestDeadlines: of a workload every packet, of other firmware every frame.
func TestDeadlines(t *testing.T) {
	s := onOneBus(2, "round_robin", map[string]int64{"period": 1, "readings": 2})
	s.Rules = &Rules{DeadlineSlots: 2}
	late := runBoth(t, s)
	require.Equal(t, VerdictFail, late.Verdict)
	require.Equal(t, []string{"slot 2 bus.nic[2]: processor 2 queued a frame at bus.bus[0].tap[1] in slot 1, and it still waits 2 slots later"}, lossesOf(late, RuleDeadline))
	require.Equal(t, uint64(2*7+6), late.Violations[0].Cycle, "the last one of slot 2")
	s.Rules.DeadlineSlots++
	require.Equal(t, VerdictPass, runBoth(t, s).Verdict)

	parse := func(text string) *Scenario {
		s, err := ParseScenario("s.yaml", []byte("starloom: 1\n"+text))
		require.NoError(t, err)
		return s
	}
	packets := parse("fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/one-to-all}\nworkload: {one_to_all: {source: 1}}\nrules: {exactly_once: true, deadline_slots: 1}\n")
	require.Equal(t, VerdictPass, runBoth(t, packets).Verdict)
	image := imageScenario(t, "drops")
	image.Rules, image.Firmware.Params = &Rules{ExactlyOnce: true, DeadlineSlots: 1}, map[string]int64{"how": 0}
	report := runBoth(t, image)
	require.Equal(t, []string{"slot 0 pops.group[2].nic[0]: processor 2 has not received the packet of processor 1 after 1 slot: it never came"}, lossesOf(report, RuleDeadline))

	broadcast := func(deadline uint32) *Report {
		s := DefaultScenario()
		s.Fabric.EJ = &ej.Network{A: 2, B: 3, Dimensions: 1}
		s.Firmware.Program, s.Workload.OneToAll = "ej/improved", &OneToAll{}
		s.Rules = &Rules{ExactlyOnce: true, DeadlineSlots: deadline}
		return runBoth(t, s)
	}
	receivers := broadcast(100).Metrics.Get("receivers").([]int)
	require.Greater(t, len(receivers), 1)
	for step := range receivers {
		left := 0
		for _, later := range receivers[step+1:] {
			left += later
		}
		require.EqualValues(t, left, violationsOf(broadcast(uint32(step+1)), RuleDeadline), "%v", receivers)
	}

	ends := DefaultScenario()
	ends.Fabric.Bus, ends.Firmware.Program, ends.Rules = &bus.Network{Vertices: 10, Length: 3}, "bus/two-phase", &Rules{DeadlineSlots: 9}
	_, err := NewMachine(t.Context(), ends, MachineOptions{})
	require.EqualError(t, err, "rules.deadline_slots: deadline_slots is for frames, and this run ends when all has arrived: by when, finish_by says; write finish_by: 9 slots in its place")
}

// TestFollowedFramesAreNotParked: where a rule asks for every frame no processor is parked, and nothing
// else changes.
func TestFollowedFramesAreNotParked(t *testing.T) {
	s := DefaultScenario()
	s.Fabric.EJ = &ej.Network{A: 1, B: 2, Dimensions: 4}
	s.Firmware.Program, s.Workload.OneToAll = "ej/improved", &OneToAll{}
	parked := machine(t, s, MachineOptions{more: emulator.Options{Parks: true}})
	require.NotNil(t, parked.own.Parking)
	require.NoError(t, parked.Run(t.Context(), nil))
	s.Rules = &Rules{NoLoss: true}
	m := machine(t, s, MachineOptions{more: emulator.Options{Parks: true}})
	require.Nil(t, m.own.Parking)
	require.NoError(t, m.Run(t.Context(), nil))
	require.Equal(t, VerdictPass, m.Report().Verdict)
	require.Equal(t, parked.Report().Digest, m.Report().Digest)
}
