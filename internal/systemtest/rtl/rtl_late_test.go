package rtl

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/cosim"
	"starloom/internal/systemtest"
)

// TestLongLateLight: RTL that is k cycles later than its model gives the same run as the
// model when a slot has k+1 guard cycles. With fewer, its light in the last guard cycle
// is late: the run goes on and fails, with the first link and cycle.
func TestLongLateLight(t *testing.T) {
	const light = "assign {rail1_o, rail0_o} = light_o;"
	const oneLate = "reg [BITS-1:0] late_q; always @(posedge clock) late_q <= reset ? {BITS{1'b0}} : light_o; assign {rail1_o, rail0_o} = late_q;"
	const twoLate = "reg [BITS-1:0] late_q, later_q; always @(posedge clock) {later_q, late_q} <= reset ? {2*BITS{1'b0}} : {late_q, light_o}; assign {rail1_o, rail0_o} = later_q;"
	const asserts, silent = "`ifndef SYNTHESIS", "`ifdef SYNTHESIS" // others' RTL does not know late inputs
	const load = "wait_q <= COMPUTE_CYCLES[15:0];"
	for name, c := range map[string]struct {
		twin, replace string
		changes       []string // old and new text
		late          int
		path          string // of the first late link
	}{
		"link":        {"link", "pops.group[2].coupler[1].fibre", []string{light, oneLate}, 1, "pops.group[2].coupler[1].fibre"},
		"two cycles":  {"link", "pops.group[2].coupler[1].fibre", []string{light, twoLate}, 2, "pops.group[2].coupler[1].fibre"},
		"transmitter": {"serialiser", "pops.group[*].nic[*].tx", []string{load, "wait_q <= COMPUTE_CYCLES[15:0] + 16'd1;", asserts, silent}, 1, ""},
		"datapath":    {"pops_slot", "pops", []string{".DELAY_CYCLES(PROPAGATION_CYCLES)", ".DELAY_CYCLES(PROPAGATION_CYCLES + 1)", asserts, silent}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for guard := 1; guard <= c.late+1; guard++ {
				s := systemtest.Routing(3, 3)
				s.Link.GuardCycles = guard
				s.Stop.Slots = 20
				s.NIC.PayloadBytes = 8 // the frames are as long as can be
				rtl := starloom.RTL{Replace: c.replace, PinMap: rewired(t, s, c.twin, cosim.BackendIcarus, c.changes...)}
				if guard > c.late {
					requireSameRuns(t, s, 1, rtl)
					continue
				}
				m := systemtest.Machine(t, systemtest.WithRTL(s, rtl), starloom.MachineOptions{})
				require.NoError(t, m.Run(context.Background(), nil))
				r := m.Report()
				require.Equal(t, starloom.VerdictFail, r.Verdict)
				v := r.Violations[0]
				require.Equal(t, starloom.RuleLateLight, v.Rule, v.Message)
				require.Equal(t, m.Timing().BoundaryCycle(uint32(v.Slot)), v.Cycle)
				require.Contains(t, v.Path, c.path)
				require.Contains(t, v.Path, ".fibre")
				require.Contains(t, v.Message, "is late, or drives light permanently")
				require.Contains(t, v.Message, "later than its model")
				require.Greater(t, r.Slots, v.Slot+1, "late light ends nothing")
				require.Greater(t, r.ViolationsTotal, uint64(1))
			}
		})
	}
}
