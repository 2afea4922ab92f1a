package routers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"
	"starloom/nic"
)

const (
	faultyMesh   = "mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4, credit_delay: 1}"
	largeMesh    = "mesh: {k: [4, 17]}, router: {vcs: 2, depth: 4, credit_delay: 1}" // two shards of routers
	bareLoad     = "workload: {traffic: {rate: 0.05, size: [{frames: 1}, {frames: 5}], measure: 400}}\n"
	firmwareLoad = "stop: {slots: 100}\nworkload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"
)

// routerFaults are faults of channels and routers, and what a violation says of each; "" for none.
var routerFaults = []struct{ faults, bare, firmware string }{
	{`{schedule: [{kind: stuck, targets: ["netlist.router[5].output[0]"], slots: {from: %d}}]}`,
		"waits for credits of netlist.router[5].output[0] VC", "waits for credits of netlist.router[5].output[0] VC 0, which were lost"},
	{`{schedule: [{kind: stuck, targets: ["netlist.p[3].out"], slots: {from: %d}}]}`, "is blocked in netlist.p[3]", "is blocked in netlist.p[3]"},
	{`{schedule: [{kind: dead, targets: ["netlist.router[5]"], slots: {from: %d}}]}`,
		"which were lost", "cannot continue: a fault has killed the router"},
	{`{schedule: [{kind: drop, targets: ["netlist.router[*].output[*]"], slots: {from: %d}, probability: 0.02}]}`,
		"faults have dropped", "packets when the run ended"},
	{`{schedule: [{kind: bit_flip, targets: ["netlist.router[*].output[*]"], slots: {from: %d}, probability: 0.02}]}`, "", "packets when the run ended"},
	{`{schedule: [{kind: credit_loss, slots: {from: %d}, probability: 0.001}]}`, "1 is missing", "1 is missing"},
}

// TestRouterFaults: faults of channels and routers do the same on any number of workers, with firmware and without, and
// nothing without them; reports name what stands.
func TestRouterFaults(t *testing.T) {
	for _, x := range routerFaults {
		for load, says := range map[string]string{bareLoad: x.bare, firmwareLoad: x.firmware} {
			if says == "" {
				continue
			}
			from := 100
			if load == firmwareLoad {
				from = 3
			}
			mesh := faultyMesh
			if load == bareLoad {
				mesh = largeMesh
			}
			s := systemtest.RoutedScenario(t, mesh, load+"faults: "+fmt.Sprintf(x.faults, from))
			var first string
			for workers := range 2 {
				report, rows := frameRows(t, s, starloom.MachineOptions{Workers: workers + 1})
				require.Equal(t, starloom.VerdictFail, report.Verdict)
				require.Contains(t, fmt.Sprint(report.Violations), says)
				require.NotZero(t, report.Faults[0].Count, x.faults+load)
				require.Equal(t, starloom.VerdictPass, report.Without.Verdict)
				for _, v := range report.Violations {
					require.Equal(t, "faults", v.Cause)
				}
				var form bytes.Buffer
				require.NoError(t, report.WriteJSON(&form))
				got := fmt.Sprint(rows, form.String())
				if first == "" {
					first = got
				}
				require.True(t, first == got, "%s with %d workers", x.faults, workers+1)
			}
		}
	}
}

// TestRouterCredits checks that the invariant of credits misses exactly the credits lost to faults, and none on a
// dead channel.
func TestRouterCredits(t *testing.T) {
	for _, load := range []string{bareLoad, firmwareLoad} {
		for _, rate := range []string{"0.0003", "0.001", "0.003"} {
			s := systemtest.RoutedScenario(t, faultyMesh, load+"faults: {random: {kind: credit_loss, rate: "+rate+"}}")
			s.Stop.Slots = 3000
			report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
			require.NoError(t, err)
			var missing, total uint64
			channels := map[string]bool{}
			for _, v := range report.Violations {
				if v.Rule == fabric.RuleCredits {
					vc := 0
					_, err := fmt.Sscanf(v.Message, "of the 4 credits of VC %d, %d", &vc, &missing)
					require.NoError(t, err, v.Message)
					total += missing
					channels[fmt.Sprint(v.Path, vc)] = true
				}
			}
			require.NotEmpty(t, channels)
			if len(channels) < 100 && !slices.ContainsFunc(report.Violations, func(v starloom.Violation) bool { return v.Rule == "finishes" }) {
				require.LessOrEqual(t, total, report.Faults[0].Count) // of one found early more may have been lost later
			}
		}
	}
	s := systemtest.RoutedScenario(t, faultyMesh, bareLoad+`faults: {schedule: [{kind: stuck, targets: ["netlist.router[5].output[0]"]},
  {kind: credit_loss, targets: ["netlist.router[5].output[0]"], probability: 0.1}]}`)
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Len(t, report.Violations, 1)
	require.Equal(t, "finishes", report.Violations[0].Rule)

	// Of one channel in an empty network, which the third packet crosses in the next VC: its input VC is that of the
	// first.
	packets := filepath.Join(t.TempDir(), "packets.csv")
	require.NoError(t, os.WriteFile(packets, []byte("source,destination,size,created\n5,6,1,0\n5,6,1,20\n5,6,1,40\n"), 0o644))
	s = systemtest.RoutedScenario(t, faultyMesh, "workload: {traffic: {file: "+packets+`}}
faults: {schedule: [{kind: credit_loss, targets: ["netlist.router[5].output[0]"]}]}`)
	report, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Len(t, report.Violations, 2)
	for vc, missing := range []string{"2 are missing", "1 is missing"} {
		v := report.Violations[vc]
		require.Equal(t, []string{fabric.RuleCredits, "netlist.router[5].output[0]"}, []string{v.Rule, v.Path})
		require.Contains(t, v.Message, fmt.Sprintf("of the 4 credits of VC %d, %s: ", vc, missing))
	}
}

// TestRouterStatuses: firmware that is called in every cycle sees in its registers each frame that comes, also if it is
// damaged or does not fit, each that has left and each cycle in which none could; a report counts as many.
func TestRouterStatuses(t *testing.T) {
	s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {depth: 2}, streaming: {tick: 1, eject: sink, flit_bits: 64}",
		"nic: {payload_bytes: 40, tx_frames: 255, rx_frames: 1}\nrules: {}\nstop: {slots: 10000}\nfirmware: {image: "+systemtest.Image(t, "statuses")+
			"}\nfaults: {schedule: [{kind: bit_flip, probability: 0.002}]}")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	rows, _ := report.Metrics.Get("results").([][3]uint64)
	said := map[uint64]uint64{}
	for _, row := range rows {
		said[row[1]] += row[2]
	}
	f := report.Frames
	require.Equal(t, map[uint64]uint64{
		uint64(nic.StatusOK): f.Delivered, uint64(nic.StatusCRC): f.CRC, uint64(nic.StatusOverflow): f.Overflow,
		8 + uint64(nic.TxSent): f.Sent, 8 + uint64(nic.TxBlocked): f.Blocked,
	}, said)
	require.EqualValues(t, 9*60, f.Sent)
	require.Equal(t, f.Sent, f.Delivered+f.CRC+f.Overflow)
	require.LessOrEqual(t, f.CRC, report.Faults[0].Count)
	for status, count := range said {
		require.NotZero(t, count, status)
	}
}

// TestRouterFaultsSaved: a run with faults is the same if it is saved and restored at any tick.
func TestRouterFaultsSaved(t *testing.T) {
	s := systemtest.RoutedScenario(t, faultyMesh+", streaming: {tick: 7}", firmwareLoad+`faults: {schedule: [
  {kind: bit_flip, probability: 0.02}, {kind: drop, probability: 0.02}, {kind: credit_loss, probability: 0.01},
  {kind: dead, targets: ["netlist.router[6]"], slots: {from: 7}}, {kind: stuck, targets: ["netlist.router[9].output[1]"], slots: {from: 4}}]}`)
	s.Stop.Slots = 30
	for _, f := range savedAtEveryTick(t, s).Faults {
		require.NotZero(t, f.Count, f.Kind)
	}
}

// TestRouterFaultsRefused: what means nothing is refused, with a remedy.
func TestRouterFaultsRefused(t *testing.T) {
	for _, x := range []struct{ load, fault, says string }{
		{bareLoad, "kind: bit_flip", "have no bits to flip; write kind: drop"},
		{bareLoad, "kind: miss", "a channel of routers has one receiver, so a miss is a drop; write kind: drop"},
		{firmwareLoad, "kind: miss", "a channel of routers has one receiver, so a miss is a drop; write kind: drop"},
		{bareLoad, "kind: dead", "write kind: dead with routers as targets, such as netlist.router[0]"},
		{bareLoad, "kind: buffers, rx_frames: 1", "cannot fail"},
		{bareLoad, "kind: stuck, slots: {from: 3, to: 4}", "write only slots: {from: N}"},
		{firmwareLoad, `kind: dead, targets: ["netlist.router[3]"], slots: {list: [4]}`, "write only slots: {from: N}"},
		{firmwareLoad, `kind: dead, targets: ["netlist.router[3]"], probability: 0.5`, "delete the key, and give the slot"},
		{firmwareLoad, `kind: dead, targets: ["netlist.router[16]"]`, "is the path of no processor or router; paths are netlist.p[0] to netlist.router[15]"},
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {"+faultyMesh+"}}\n"+x.load+"faults: {schedule: [{"+x.fault+"}]}\n"))
		if err == nil {
			_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
		}
		require.ErrorContains(t, err, x.says)
		require.True(t, strings.HasPrefix(err.Error(), "s.yaml:"), err)
	}
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nfaults: {random: {kind: credit_loss, rate: 0.1}}\n"))
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.ErrorContains(t, err, "credit_loss needs routers")
}

// TestRouterLatencyAtEnd: a frame that is on its way when the run ends breaks latency_max, too.
func TestRouterLatencyAtEnd(t *testing.T) {
	s := systemtest.RoutedScenario(t, faultyMesh, firmwareLoad+`faults: {schedule: [{kind: stuck, targets: ["netlist.router[5].output[0]"]}]}
rules: {latency_max: 1000}`)
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(report.Violations, func(v starloom.Violation) bool {
		return v.Rule == fabric.RuleLatency && strings.Contains(v.Message, "had not arrived")
	}))
}
