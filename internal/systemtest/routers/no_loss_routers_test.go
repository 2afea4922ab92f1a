package routers

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// TestNoLossAtRouters: a frame at routers takes as many slots as it needs, and is lost only where its hardware says so;
// each reason is the true one.
func TestNoLossAtRouters(t *testing.T) {
	const mesh = "mesh: {k: [%s]}, router: {vcs: 2, depth: 4}, streaming: {tick: 16, flit_bits: 64, eject: %s}"
	small, large := fmt.Sprintf(mesh, "2, 2", "fifo"), fmt.Sprintf(mesh, "4, 4", "fifo")
	exchange := "workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\nrules: {no_loss: true, exactly_once: true}\n"
	last := "firmware: {image: " + systemtest.Image(t, "last_slot_send") + "}\nrules: {no_loss: true}\n"
	burst := "firmware: {image: " + systemtest.Image(t,
		"burst") + ", params: {frames: 20}}\nnic: {payload_bytes: 40, tx_frames: 20, rx_frames: 4}\nrules: {no_loss: true}\n"
	for name, c := range map[string]struct {
		netlist, rest string
		lost          string // the first violation, "" for none
		count         int
		note          string
		unfinished    bool
	}{
		"all to all":            {netlist: large, rest: exchange},
		"sent in the last slot": {netlist: small, rest: last},
		// of 3 flits over 2 and 3 routers 14 and 19 cycles: 2 + 5 for each router + 2
		"in 19 cycles": {netlist: small, rest: strings.Replace(last, "no_loss: true", "no_loss: true, latency_max: 19", 1)},
		"traffic": {netlist: large, rest: "workload: {traffic: {rate: 0.05, warm_up: 10 ticks, measure: 100 ticks, drain: 300 ticks}}\nfirmware: {program: netlist/traffic}\nrules: {no_loss: true}\n",
			note: "1 frame was in flight when the run ended: not lost, and not judged by no_loss"},
		"beside stars": {netlist: fmt.Sprintf(clusters, 19), unfinished: true,
			// of the stars, whose frames are addressed to where packets go at last; none of the routers
			rest: "workload: {permutation: [8, 7, 3, 5, 6, 0, 1, 2, 4]}\nfirmware: {image: " + systemtest.Image(t, "bridges") + "}\nrules: {no_loss: true}\n",
			lost: "slot 3 netlist.bus[0]: the frame of processor 3 for processor 5 was lost: no path leads from here to " +
				"processor 5"},
		"the FIFO makes it wait": {netlist: small, rest: burst},
		"the FIFO is full": {netlist: fmt.Sprintf(mesh, "2, 2", "sink"), rest: burst,
			lost: "slot 3 netlist.p[3]: processor 3 lost the frame of processor 1: its RX FIFO was full"},
		"dropped": {netlist: small, rest: last + "faults: {schedule: [{kind: drop, targets: [\"netlist.p[1].in\"]}]}", count: 2,
			lost: "slot 3 netlist.p[1]: processor 1 lost the frame of processor 0: a fault dropped the frame in flight"},
		"flipped": {netlist: small, rest: last + "faults: {schedule: [{kind: bit_flip, targets: [\"netlist.p[1].in\"]}]}", count: 2,
			lost: "slot 3 netlist.p[1]: processor 1 lost the frame of processor 0: a fault flipped a bit of the frame in " +
				"flight; the frame was dropped because of its wrong CRC"},
		"the receiver is dead": {netlist: small, rest: last + "faults: {schedule: [{kind: dead, targets: [\"netlist.p[1]\"], slots: {from: 2}}]}", count: 2,
			lost: "slot 3 netlist.p[1]: processor 1 lost the frame of processor 0: a fault has killed it"},
		"what its NIC has taken goes on": {netlist: small,
			rest: last + "faults: {schedule: [{kind: restart, targets: [\"netlist.p[1]\"], slots: {list: [4]}}]}\nstop: {slots: 9}", unfinished: true},
		"in flight": {netlist: large, rest: strings.Replace(exchange, "exactly_once: true", "", 1) + "stop: {slots: 2}\n", unfinished: true,
			note: "frames were in flight when the run ended: not lost, and not judged by no_loss"},
	} {
		t.Run(name, func(t *testing.T) {
			s := systemtest.RoutedScenario(t, c.netlist, c.rest)
			var first string
			for _, o := range []starloom.MachineOptions{{}, {Workers: 2, BankSize: 1}} {
				report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o})
				require.NoError(t, err)
				lost := systemtest.LossesOf(report, starloom.RuleNoLoss)
				if c.lost == "" && !c.unfinished {
					require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
				}
				if c.lost == "" {
					require.Empty(t, lost)
				} else {
					require.Equal(t, c.lost, lost[0])
				}
				require.NotContains(t, strings.Join(lost, "\n"), ".out: ", "no channel of a NIC loses a frame")
				if c.count > 0 {
					require.Len(t, lost, c.count)
				}
				require.Contains(t, strings.Join(report.Notes, "\n"), c.note)
				if c.note == "" {
					require.NotContains(t, strings.Join(report.Notes, "\n"), "in flight")
				}
				var form bytes.Buffer
				require.NoError(t, report.WriteJSON(&form))
				if first == "" {
					first = form.String()
				}
				require.Equal(t, first, form.String())
			}
		})
	}
}

// TestDeadlineAtRouters: a frame at routers is in time when it is received, not when its last flit has left its sender.
func TestDeadlineAtRouters(t *testing.T) {
	run := func(deadline int) *starloom.Report {
		s := systemtest.RoutedScenario(t, "mesh: {k: [2, 2]}, router: {vcs: 2, depth: 4}, streaming: {tick: 16, flit_bits: 64}",
			fmt.Sprintf("firmware: {image: %s}\nrules: {deadline_slots: %d}\n", systemtest.Image(t, "last_slot_send"), deadline))
		report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
		require.NoError(t, err)
		return report
	}
	require.Equal(t, []string{ // 19 cycles are two slots
		"slot 3 netlist.p[2]: processor 2 queued a frame at netlist.p[2].port[0] in slot 3, and it is still in flight 1 slot later",
		"slot 3 netlist.p[3]: processor 3 queued a frame at netlist.p[3].port[0] in slot 3, and it is still in flight 1 slot later",
	}, systemtest.LossesOf(run(1), starloom.RuleDeadline))
	require.Equal(t, starloom.VerdictPass, run(2).Verdict)
}
