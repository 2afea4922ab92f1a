package routers

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/systemtest"
)

const westFirst = "{if: dx < 0, take: [{to: west}]}, {take: [{to: productive}]}"

// overMid has all that rules may do: a choice by load, a drawn router on the way, picks, and priorities.
const overMid = "classes: {first: 2, second: 1, last: 1}, mid: node, rules: [" +
	"{if: came == source, choose: {by: load, times: hops, bias: 1, ties: draw}, take: [{to: dor, class: second}, {to: dor, class: first, toward: mid}]}, " +
	"{if: class == first, take: [{to: dor, class: first, toward: mid}]}, {if: class == first, take: [{to: west, class: second, if: dx < 0}, " +
	"{to: productive, class: second, if: dx >= 0, pick: random}]}, {take: [{to: dor, class: second, priority: 1}, {to: dor, class: last}]}]"

// TestRulesPick: packets with picks, choices and drawn routers are the same on one worker and on two, through one word
// of virtual channels, several, and the stages; some take longer ways. Firmware sends over drawn routers, too.
func TestRulesPick(t *testing.T) {
	for name, router := range map[string]string{"narrow": "vcs: 4, vc_allocator: separable_input_first",
		"wide": "vcs: 20", "stages": "vcs: 4, input_speedup: 2"} {
		rules := strings.Replace(overMid, "last: 1", map[bool]string{true: "last: 17", false: "last: 1"}[name == "wide"], 1)
		report, rows := ruledRun(t, router, rules, "", starloom.MachineOptions{})
		longer, hops := 0, slices.Index(rows[0], "hops")
		for _, row := range rows[1:] {
			if n, err := strconv.Atoi(row[hops]); err == nil && n > 7 {
				longer++
			}
		}
		require.Positive(t, longer, name)
		again, same := ruledRun(t, router, rules, "", starloom.MachineOptions{Workers: 2})
		require.Equal(t, report.Digest, again.Digest, name)
		require.Equal(t, rows, same, name)
	}
	s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 4}, streaming: {}, routes: {"+overMid+"}",
		"workload: {all_to_all: {}}\nfirmware: {program: netlist/exchange}")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	s = systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 4}, routes: {"+overMid+"}",
		"workload: {traffic: {rate: 0.1, measure: 10}}\nrtl: [{replace: 'netlist.router[*]'}]")
	_, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.ErrorContains(t, err, "rtl: rules of routes pick, prefer or draw")
}

// ruledRun runs bare packets on a mesh of 4 by 4 with rules, and returns the report and the packets.
func ruledRun(t *testing.T, router, routes, rest string, o starloom.MachineOptions) (*starloom.Report, [][]string) {
	t.Helper()
	s := systemtest.RoutedScenario(t, "mesh: {k: [4, 4]}, router: {"+router+"}, routes: {"+routes+"}",
		"workload: {traffic: {warm_up: 0, rate: 0.1, size: [{frames: 1}, {frames: 5}], measure: 300}}\n"+rest)
	var log bytes.Buffer
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{MachineOptions: o, Packets: starloom.Writer(&log)})
	require.NoError(t, err)
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	rows, err := csv.NewReader(&log).ReadAll()
	require.NoError(t, err)
	return report, rows
}

// TestRulesLoads: with rules, the loads of channels are those of all hops of all packets; no packet takes more hops
// than its distance, and some packets between two processors take different ways. The way through one word of virtual
// channels, through several words and through the stages carries the same packets on one worker and on two.
func TestRulesLoads(t *testing.T) {
	for name, router := range map[string]string{
		"narrow": "vcs: 2", "wide": "vcs: 14", "stages": "vcs: 2, input_speedup: 2"} {
		report, rows := ruledRun(t, router, "rules: ["+westFirst+"]", "", starloom.MachineOptions{})
		at := func(key string) int { return slices.Index(rows[0], key) }
		crossed := 0
		for _, row := range rows[1:] {
			number := func(key string) int {
				n, err := strconv.Atoi(row[at(key)])
				require.NoError(t, err, key)
				return n
			}
			from, to := number("source"), number("destination")
			distance := max(from%4-to%4, to%4-from%4) + max(from/4-to/4, to/4-from/4)
			require.Equal(t, distance+1, number("hops"))
			crossed += number("size") * distance
		}
		require.InDelta(t, crossed, 48*report.Metrics.Get("load.mean").(float64)*float64(report.Cycles), 1e-6, name)
		again, same := ruledRun(t, router, "rules: ["+westFirst+"]", "", starloom.MachineOptions{Workers: 2})
		require.Equal(t, report.Digest, again.Digest, name)
		require.Equal(t, rows, same, name)
	}
}

// TestRulesLikeDimensionOrder: rules with one candidate are the same run as the word.
func TestRulesLikeDimensionOrder(t *testing.T) {
	for _, router := range []string{"vcs: 2", "vcs: 14"} {
		_, rows := ruledRun(t, router, "rules: [{take: [{to: dor}]}]", "", starloom.MachineOptions{})
		s := systemtest.RoutedScenario(t, "mesh: {k: [4, 4]}, router: {"+router+"}",
			"workload: {traffic: {warm_up: 0, rate: 0.1, size: [{frames: 1}, {frames: 5}], measure: 300}}")
		var log bytes.Buffer
		_, err := starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.Writer(&log)})
		require.NoError(t, err)
		lines := make([]string, len(rows))
		for i, row := range rows {
			lines[i] = strings.Join(row, ",")
		}
		require.Equal(t, strings.TrimSpace(log.String()), strings.Join(lines, "\n"), router)
	}
	var want [][]string
	for i, routes := range []string{"dor", "{rules: [{take: [{to: dor}]}]}"} { // two classes of traffic
		s := systemtest.RoutedScenario(t, "mesh: {k: [3, 3]}, router: {vcs: 4, classes: 2}, streaming: {ports: 2}, routes: "+
			routes, "workload: {all_to_all: {}}\nfirmware: {program: netlist/request-reply}")
		_, rows := frameRows(t, s, starloom.MachineOptions{})
		if i == 0 {
			want = rows
		}
		require.Equal(t, want, rows)
	}
}

// TestLongRulesAmongRTL: Verilog routers carry the same packets by rules, also with classes of virtual channels.
func TestLongRulesAmongRTL(t *testing.T) {
	adaptive := "classes: {escape: 1, free: 1}, rules: [{if: class == escape, take: [{to: dor, class: escape}]}, " +
		"{take: [{to: productive, class: free}, {to: dor, class: escape}]}]"
	for i, routes := range []string{"rules: [" + westFirst + "]", adaptive} {
		router := fmt.Sprintf("vcs: 2, wait_for_tail_credit: %v", i == 1)
		model, want := ruledRun(t, router, routes, "", starloom.MachineOptions{})
		report, rows := ruledRun(t, router, routes, "rtl: [{replace: 'netlist.router[*]'}]", starloom.MachineOptions{})
		require.Len(t, report.RTL, 16)
		require.Equal(t, model.Digest, report.Digest)
		require.Equal(t, model.Metrics.Get("load.max"), report.Metrics.Get("load.max"))
		require.Equal(t, want, rows)
	}
}
