package faults

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/systemtest"
)

// TestAllMissIsDrop: if every receiver of a medium misses a slot, the run is that of a drop.
func TestAllMissIsDrop(t *testing.T) {
	for name, machine := range systemtest.FaultFabrics {
		t.Run(name, func(t *testing.T) {
			for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
				var reports [2]*starloom.Report
				for i, kind := range []string{"drop", "miss"} {
					s := systemtest.FaultScenario(t, machine, fmt.Sprintf("schedule: [{kind: %s, slots: {every: 3}}]", kind))
					_, reports[i] = faultRun(t, s, starloom.MachineOptions{Engine: engine})
				}
				drop, miss := reports[0], reports[1]
				require.Positive(t, miss.Faults[0].Count)
				require.Equal(t, drop.Faults[0].Count, miss.Faults[0].Count)
				require.Equal(t, drop.Digest, miss.Digest)
				require.Equal(t, drop.Frames, miss.Frames)
				require.Equal(t, drop.Metrics, miss.Metrics)
			}
		})
	}
}

// TestOneMisses: a receiver by its path misses one frame that the others of its bus hear.
func TestOneMisses(t *testing.T) {
	const bus = "fabric: {bus: {vertices: 6, buses: [[0, 1, 2, 3, 4, 5]], arbiter: fixed}}\n" +
		"firmware: {program: bus/sensors, params: {period: 4, spread: 0, readings: 3}}\nstop: {slots: 60}"
	run := func(machine, faults string) *starloom.Report {
		s := systemtest.FaultScenario(t, machine, "schedule: ["+faults+"]")
		want, report := faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineSlot})
		got, _ := faultRun(t, s, starloom.MachineOptions{Engine: starloom.EngineCycle})
		require.Equal(t, want, got)
		return report
	}
	all := run(bus, `{kind: miss, targets: ["bus.bus[0]"]}`)
	require.Zero(t, all.Frames.Delivered)
	require.Equal(t, all.Frames.Sent, all.Frames.Faulted)
	first := all.Faults[0].First
	require.Equal(t, "bus.nic[0]", first.Path, "the sink alone listens")

	one := run(bus, fmt.Sprintf(`{kind: miss, targets: ["%s"], slots: {list: [%d]}}`, first.Path, first.Slot))
	require.EqualValues(t, 1, one.Faults[0].Count)
	require.Equal(t, first, one.Faults[0].First)
	require.EqualValues(t, 1, one.Frames.Faulted)
	require.Equal(t, one.Frames.Sent-1, one.Frames.Delivered)

	other := run(bus, `{kind: miss, targets: ["bus.nic[1..5]"]}`)
	require.Zero(t, other.Faults[0].Count, "a receiver that does not listen misses nothing")
	require.Equal(t, starloom.VerdictPass, other.Verdict)

	// Two of four listeners of a coupler miss each frame: the others hear it, so no frame is lost on its medium.
	some := run(systemtest.FaultFabrics["pops"], `{kind: miss, targets: ["pops.group[*].nic[0..1]"]}`)
	require.Positive(t, some.Faults[0].Count)
	require.Positive(t, some.Frames.Delivered)

	// All ports at once: a receiver is a port.
	port := run(systemtest.FaultFabrics["ej"], `{kind: miss, targets: ["ej.node[4].dim[1].port[+1]"]}`)
	require.Positive(t, port.Faults[0].Count)
	require.Equal(t, "ej.node[4].dim[1].port[+1]", port.Faults[0].First.Path)
}

// TestMissDraws: receivers of one medium miss independently, with the given probability.
func TestMissDraws(t *testing.T) {
	const bus = "fabric: {bus: {vertices: 9, length: 9}}\nfirmware: {program: bus/naive}\nstop: {slots: 60}"
	run := func(faults string) *starloom.Report {
		_, report := faultRun(t, systemtest.FaultScenario(t, bus, faults), starloom.MachineOptions{})
		return report
	}
	sure, half := run("schedule: [{kind: miss}]"), run("random: {kind: miss, rate: 0.5}")
	require.Zero(t, sure.Frames.Delivered)
	require.Positive(t, half.Frames.Delivered)
	require.Positive(t, half.Faults[0].Count)
	require.Less(t, half.Frames.Faulted, half.Frames.Sent, "seldom do all miss a frame")
}

// TestMissTargets: a miss names media and receivers; a path of neither is refused with paths that work.
func TestMissTargets(t *testing.T) {
	for _, c := range []struct{ machine, faults, says string }{
		{"pops", "schedule: [{kind: miss, targets: ['bus.nic[0]']}]",
			`"bus.nic[0]" is the path of no coupler or receiver; paths are pops.group[0].coupler[0] to pops.group[3].nic[3]`},
		{"ej", "schedule: [{kind: miss, targets: ['ej.node[0].nic[0]']}]",
			`"ej.node[0].nic[0]" is the path of no link or receiver; paths are ej.node[0].dim[1].link[+1].out to `},
	} {
		s := systemtest.FaultScenario(t, systemtest.FaultFabrics[c.machine], c.faults)
		_, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.ErrorContains(t, err, c.says)
	}
	s := systemtest.FaultScenario(t, systemtest.FaultFabrics["pops"], "schedule: ["+
		"{kind: miss, targets: ['pops.group[0].coupler[0..1]', 'pops.group[1].nic[*]']}, "+
		"{kind: miss, targets: ['pops.group[0].**.fibre']}]")
	plan, err := s.Explain(t.Context())
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, plan.WriteText(&text))
	require.Contains(t, text.String(), "miss: 6 of 32 couplers and receivers, in every slot")
	require.Contains(t, text.String(), "miss: 4 of 16 couplers, in every slot")
}
