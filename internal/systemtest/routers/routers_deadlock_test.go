package routers

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"
)

// requestReply are requests and replies through FIFOs of so many frames, and routers.
func requestReply(t *testing.T, frames, vcs, depth int) *starloom.Scenario {
	return systemtest.RoutedScenario(t, fmt.Sprintf("mesh: {k: [4, 4]}, router: {vcs: %d, depth: %d}", vcs, depth),
		fmt.Sprintf("nic: {tx_frames: %d, rx_frames: %d}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}", frames, frames))
}

// TestRequestReply: replies that wait in line after requests make processors wait for one another, in a network whose
// routes are free of deadlocks. Each run either ends with all replies or breaks the rule deadlock, which names NICs of
// the ring; none goes on to its limit.
func TestRequestReply(t *testing.T) {
	knots := 0
	for _, frames := range []int{1, 2, 4, 16} {
		for _, vcs := range []int{1, 2} {
			for _, depth := range []int{1, 2, 4} {
				s := requestReply(t, frames, vcs, depth)
				report, rows := frameRows(t, s, starloom.MachineOptions{Workers: 1})
				other, otherRows := frameRows(t, s, starloom.MachineOptions{Workers: 2})
				require.Equal(t, report, other)
				require.Equal(t, rows, otherRows)
				if report.Verdict == starloom.VerdictPass {
					require.Len(t, rows, 2*16*15)
					continue
				}
				knots++
				require.Less(t, frames, 4)
				v := report.Violations[0]
				require.Equal(t, fabric.RuleDeadlock, v.Rule)
				require.Regexp(t, `^netlist\.router\[\d+\]\.output\[\d\]$`, v.Path)
				require.Less(t, v.Cycle, uint64(4096-16*64), "before the calls that count as waiting")
				require.Regexp(t, `a ring of \d+ channels? between routers and \d+ NICs?, in a knot of \d+ virtual channels, without movement since cycle \d+`, v.Message)
				require.Regexp(t, `frame \d+ \((\d+) to \d+, queued in cycle \d+\) is in the TX FIFO of netlist\.p\[\d+\] and waits for a place at its router, where the frames before it wait for router .* `+
					`waits for a place in the RX FIFO of netlist\.p\[\d+\], whose firmware`, fmt.Sprint(v.Waits))
			}
		}
	}
	require.Greater(t, knots, 3)
}

// TestRequestReplySaved: a run that ends in a deadlock is the same run if it is saved and restored, also at its end.
func TestRequestReplySaved(t *testing.T) {
	s := requestReply(t, 1, 1, 1)
	build := func() *starloom.Machine {
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		return m
	}
	m, other := build(), build()
	var states [][]byte
	save := func() {
		var state bytes.Buffer
		require.NoError(t, m.Save(&state))
		states = append(states, state.Bytes())
	}
	for i := 0; !m.Ended(); i++ {
		if i%32 == 0 {
			save()
		}
		require.NoError(t, m.Step())
	}
	save()
	want := m.Report()
	require.Equal(t, fabric.RuleDeadlock, want.Violations[0].Rule)
	for i, state := range states {
		require.NoError(t, other.Restore(bytes.NewReader(state)), i)
		for !other.Ended() {
			require.NoError(t, other.Step())
		}
		require.Equal(t, want, other.Report(), i)
	}
}

// TestFirmwareKnots: frames that wait for one another in channels are found with firmware, too; frames that wait for
// firmware that takes none for a while, and queues none, are in no knot.
func TestFirmwareKnots(t *testing.T) {
	ring := `nodes: {"r[0..8]": {kind: router, ports: [east, west, local]}, "p[0..8]": processor},
    links: [{endpoints: ["r[0..7]:east", "r[1..8]:west"]}, {endpoints: ["r[8]:east", "r[0]:west"]}, {endpoints: ["p[0..8]", "r[0..8]:local"]}],
    routes: shortest, router: {vcs: 1, depth: 1}`
	s := systemtest.RoutedScenario(t, ring, "nic: {payload_bytes: 40, tx_frames: 255, rx_frames: 255}\nrules: {}\nstop: {slots: 100000}\nfirmware: {image: "+systemtest.Image(t, "burst")+"}")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, fabric.RuleDeadlock, report.Violations[0].Rule, report.Violations)
	require.NotContains(t, report.Violations[0].Message, "NIC")
	require.Less(t, report.Cycles, uint64(20000))
	s = systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 1, depth: 1}",
		"nic: {tx_frames: 2, rx_frames: 1}\nrules: {}\nstop: {slots: 100000}\nfirmware: {image: "+systemtest.Image(t, "starves")+"}")
	report, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict, report.Violations)
	require.Greater(t, report.Slots, uint64(600))
	require.EqualValues(t, 8*40, report.Frames.Delivered)
}
