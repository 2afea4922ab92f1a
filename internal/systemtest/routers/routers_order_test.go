package routers

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"
)

// overtaken counts, by the rows of --packets, the packets that arrived after a later packet of the same pair, and
// returns the arrival of the first of them.
func overtaken(t *testing.T, rows [][]string) (count uint64, path string, cycle uint64) {
	number := func(text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 32)
		require.NoError(t, err)
		return n
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return row[6] == "" })
	slices.SortStableFunc(rows, func(a, b []string) int { return cmp.Compare(number(a[6]), number(b[6])) })
	for i, row := range rows {
		if slices.ContainsFunc(rows[:i], func(before []string) bool {
			return before[1] == row[1] && before[2] == row[2] &&
				(number(before[4]) > number(row[4]) || before[4] == row[4] && number(before[0]) > number(row[0]))
		}) {
			if count++; count == 1 {
				path, cycle = "netlist.p["+row[2]+"]", number(row[6])
			}
		}
	}
	return count, path, cycle
}

// TestRoutersInOrder: virtual channels overtake one another, and the rule in_order finds exactly the packets that
// --packets shows to have come late, with firmware and without, on any number of workers; with one virtual channel
// there are none, and the rule is refused.
func TestRoutersInOrder(t *testing.T) {
	firmware := "stop: {slots: 100000}\nnic: {payload_bytes: 40, tx_frames: 255, rx_frames: 255}\nfirmware: {image: " + systemtest.Image(t, "burst") + "}\n"
	for load, says := range map[string]string{
		"workload: {traffic: {rate: 0.12, size: [{frames: 1}, {frames: 5}], measure: 1000}}\n": "packet %d (%d to %d, created in cycle %d) arrived in cycle %d, after packet %d (",
		firmware: "frame %d (%d to %d, queued in cycle %d) arrived in cycle %d, after frame %d (",
	} {
		for _, vcs := range []int{2, 4} {
			mesh := fmt.Sprintf("mesh: {k: [4, 4]}, router: {vcs: %d, depth: 4}", vcs)
			plain, err := starloom.Run(t.Context(), systemtest.RoutedScenario(t, mesh, load+"rules: {}"), starloom.RunOptions{})
			require.NoError(t, err)
			require.Equal(t, starloom.VerdictPass, plain.Verdict)
			for workers := range 2 {
				report, rows := frameRows(t, systemtest.RoutedScenario(t, mesh, load+"rules: {in_order: true}"), starloom.MachineOptions{Workers: workers + 1})
				count, path, cycle := overtaken(t, rows)
				require.NotZero(t, count)
				require.Equal(t, count, report.ViolationsTotal)
				require.Equal(t, plain.Digest, report.Digest)
				require.Contains(t, report.Rules, fabric.RuleInOrder)
				v := report.Violations[0]
				require.Equal(t, []any{fabric.RuleInOrder, path, cycle}, []any{v.Rule, v.Path, v.Cycle})
				var late, source, destination, created, received, early uint64
				_, text, _ := strings.Cut(v.Message, ": ")
				_, err := fmt.Sscanf(text, says, &late, &source, &destination, &created, &received, &early)
				require.NoError(t, err, v.Message)
				require.Equal(t, cycle, received)
			}
		}
	}
}

// TestRoutersInOrderSaved checks that arrivals before a saved state count after it is restored.
func TestRoutersInOrderSaved(t *testing.T) {
	s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 4}", "stop: {slots: 100000}\nrules: {in_order: true}\n"+
		"nic: {payload_bytes: 40, tx_frames: 255, rx_frames: 255}\nfirmware: {image: "+systemtest.Image(t, "burst")+", params: {frames: 40}}")
	m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	defer m.Close()
	other, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{})
	require.NoError(t, err)
	defer other.Close()
	for !m.Ended() {
		var state bytes.Buffer
		require.NoError(t, m.Save(&state))
		require.NoError(t, other.Restore(&state))
		require.NoError(t, m.Step())
		require.NoError(t, other.Step())
		require.Equal(t, m.Report(), other.Report())
	}
	require.NotZero(t, m.Report().ViolationsTotal)
}

// TestRoutersLatencyMax: a limit that the slowest frames just keep to passes; with one cycle less each of them is
// found, in the cycle in which it came, at the processor that it came to, with both values.
func TestRoutersLatencyMax(t *testing.T) {
	run := func(rules string) (*starloom.Report, [][]string) {
		return frameRows(t, systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {}",
			"workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}\n"+rules), starloom.MachineOptions{})
	}
	_, rows := run("")
	latency := func(row []string) int {
		created, err := strconv.Atoi(row[4])
		require.NoError(t, err)
		received, err := strconv.Atoi(row[6])
		require.NoError(t, err)
		return received - created
	}
	most := latency(slices.MaxFunc(rows, func(a, b []string) int { return cmp.Compare(latency(a), latency(b)) }))
	report, _ := run(fmt.Sprintf("rules: {latency_max: %d}", most))
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Contains(t, report.Rules, fabric.RuleLatency)
	report, _ = run(fmt.Sprintf("rules: {latency_max: %d}", most-1))
	var want, got []string
	for _, row := range rows {
		if latency(row) == most {
			want = append(want, fmt.Sprintf("netlist.p[%s] in cycle %s: processor %s: a frame from processor %s arrived %d "+
				"cycles after it was queued in cycle %s; at most %d are allowed",
				row[2], row[6], row[2], row[1], most, row[4], most-1))
		}
	}
	for _, v := range report.Violations {
		require.Equal(t, fabric.RuleLatency, v.Rule)
		got = append(got, fmt.Sprintf("%s in cycle %d: %s", v.Path, v.Cycle, v.Message))
	}
	require.ElementsMatch(t, want, got)
}

// TestRoutersRulesRefused: a rule that cannot be checked is refused.
func TestRoutersRulesRefused(t *testing.T) {
	_, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {netlist: {"+faultyMesh+"}}\n"+bareLoad+"rules: {no_creation: true}\n"))
	require.ErrorContains(t, err, "s.yaml:4:22: without firmware, routers carry bare packets, for which the rule "+
		"no_creation is not checked")
	s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\nfabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}\nrules: {in_order: true}\n"))
	require.NoError(t, err)
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.ErrorContains(t, err, "the rule in_order applies to packets of traffic, and to processors at routers")
}
