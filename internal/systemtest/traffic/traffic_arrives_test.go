package traffic

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric"
	"starloom/internal/systemtest"
)

// trafficNetworks are networks of every kind that carry traffic, with a program that does.
var trafficNetworks = map[string]string{
	"crossbar": "fabric: {crossbar: {ports: 5}}\nfirmware: {program: crossbar/traffic}\n",
	"bus":      "fabric: {bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: round_robin}}\nfirmware: {program: bus/traffic}\n",
	"pops":     "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/traffic}\n",
	"ej":       "fabric: {ej: {a: 2, b: 3, dimensions: 2}}\nfirmware: {program: ej/traffic}\n",
	"routers": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 2, depth: 4}, streaming: {tick: 16, flit_bits: 64, eject: fifo}}}\n" +
		"firmware: {program: netlist/traffic}\n",
	"bare": "fabric: {netlist: {mesh: {k: [3, 3]}, router: {vcs: 2, depth: 4}}}\n",
}

// trafficRun runs a network with traffic and rules.
func trafficRun(t *testing.T, network, traffic, rules string) *starloom.Report {
	t.Helper()
	s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\n"+network+"workload: {traffic: {"+traffic+"}}\nrules: {"+rules+"}\n"))
	require.NoError(t, err)
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{})
	require.NoError(t, err)
	return report
}

// imageOn has an image in the place of a network's program.
func imageOn(t *testing.T, network, image string) string {
	head, _, _ := strings.Cut(network, "firmware:")
	return head + "firmware: {image: " + systemtest.Image(t, image) + "}\n"
}

// TestTrafficThatStops checks that measured packets missing at the end of the drain fail the run on every network,
// under any other rules. Overload excuses them only after some arrivals.
func TestTrafficThatStops(t *testing.T) {
	const rules = "exactly_once: true, no_loss: true, in_order: true"
	for name, network := range trafficNetworks {
		if name == "bare" {
			continue
		}
		for _, overload := range []string{"", ", overload: true"} {
			report := trafficRun(t, imageOn(t, network, "takes_traffic"), "rate: 0.05, warm_up: 10, measure: 200, drain: 50"+overload, rules)
			require.Equal(t, []string{starloom.RuleFinishes}, systemtest.Broken(report), name)
			require.Regexp(t, "not arrived 50 (slots|cycles) after the window in which they were created, and no packet "+
				"arrived in the window",
				report.Violations[0].Message, name)
			require.Equal(t, overload != "", strings.HasSuffix(report.Violations[0].Message, "which overload does not excuse"), name)
		}
	}
	link := "fabric: {netlist: {nodes: {\"p[0..1]\": processor}, links: [[\"p[0]:0\", \"p[1]:0\"]]}}\nnic: {payload_bytes: 16, tx_frames: 4, rx_frames: 4}\n" +
		"firmware: {image: " + systemtest.Image(t, "stops_and_waits") + "}\n"
	for _, overload := range []bool{false, true} {
		report := trafficRun(t, link, fmt.Sprintf("rate: 0.05, warm_up: 0, measure: 12000, drain: 1000, overload: %v", overload), "")
		require.Equal(t, overload, report.Verdict == starloom.VerdictPass)
		require.Equal(t, 1, report.Metrics.Get("saturated"))
		if !overload {
			require.Contains(t, report.Violations[0].Message, "1206 of 1210 measured packets have not arrived 1000 slots after the window")
		}
		require.Contains(t, strings.Join(report.Notes, "\n"), "latencies are those of the 4 of 1210 packets that have arrived")
		require.NotNil(t, report.Metrics.Get("latency.p99"))
	}
}

// TestOverload checks that load beyond a network's capacity fails by the same rule with and without firmware, unless
// overload is set; other rules judge losses.
func TestOverload(t *testing.T) {
	for name, network := range trafficNetworks {
		load := "rate: 1, warm_up: 0, measure: 400, drain: 5"
		report := trafficRun(t, network, load, "")
		require.Equal(t, []string{starloom.RuleFinishes}, systemtest.Broken(report), name)
		require.Contains(t, report.Violations[0].Message, " 5 ", name)
		report = trafficRun(t, network, load+", overload: true", "")
		require.Equal(t, starloom.VerdictPass, report.Verdict, name)
		require.Positive(t, report.Metrics.Get("pending"), name)
		require.NotNil(t, report.Metrics.Get("latency.mean"), name)
	}
	aloha := "fabric: {bus: {vertices: 4, buses: [[0, 1, 2, 3]], arbiter: none}}\nfirmware: {program: bus/traffic}\n"
	report := trafficRun(t, aloha, "rate: 0.3, warm_up: 0, measure: 400", "")
	require.Equal(t, starloom.VerdictPass, report.Verdict)
	require.Positive(t, report.Metrics.Get("lost"))
	require.Contains(t, strings.Join(report.Notes, "\n"), "measured packets were lost, and no rule forbids it")
}

// TestLimitsOfPackets: on every network a limit that the slowest measured packet just keeps passes, and with one less
// the run fails; of packets that never come, too.
func TestLimitsOfPackets(t *testing.T) {
	const load = "rate: 0.1, warm_up: 20, measure: 300, drain: 400"
	for name, network := range trafficNetworks {
		plain := trafficRun(t, network, load, "")
		require.Equal(t, starloom.VerdictPass, plain.Verdict, name)
		figure := func(names ...string) int {
			for _, name := range names {
				if most, ok := plain.Metrics.Get(name).(uint64); ok {
					return int(most)
				}
			}
			t.Fatal(name)
			return 0
		}
		deadline := figure("latency_slots.max", "latency.max")
		if name == "routers" { // in ticks
			deadline = (deadline + 15) / 16
		}
		for rule, most := range map[string]int{fabric.RuleLatency: figure("latency.max"), starloom.RuleDeadline: deadline} {
			report := trafficRun(t, network, load, fmt.Sprintf("%s: %d", rule, most))
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%s %s", name, rule)
			require.Contains(t, report.Rules, rule, name)
			require.Regexp(t, "^[0-9]+ [a-z]+: [1-9][0-9]* measured packets judged, from creation", report.Aside.Known.Limits[rule])
			report = trafficRun(t, network, load, fmt.Sprintf("%s: %d", rule, most-1))
			require.Equal(t, []string{rule}, systemtest.Broken(report), name)
			require.Contains(t, report.Violations[0].Message, fmt.Sprintf("after it was created; at most %d are "+
				"allowed", most-1), name)
			require.Equal(t, plain.Digest, report.Digest)
		}
		report := trafficRun(t, network, "rate: 1, warm_up: 0, measure: 400, drain: 0, overload: true", "latency_max: 4000000, deadline_slots: 10")
		require.Equal(t, []string{starloom.RuleDeadline}, systemtest.Broken(report), name)
		report = trafficRun(t, network, "rate: 1, warm_up: 0, measure: 400, drain: 0, overload: true", "latency_max: 100")
		require.Equal(t, []string{fabric.RuleLatency}, systemtest.Broken(report), name)
	}
}

// TestOrderOfPackets checks that in_order finds exactly the packets out of order in the file of packets, and that
// arrivals before a saved state count after it is restored.
func TestOrderOfPackets(t *testing.T) {
	for _, name := range []string{"crossbar", "bus", "pops", "ej"} {
		report := trafficRun(t, trafficNetworks[name], "rate: 0.1, warm_up: 0, measure: 200, drain: 200", "in_order: true")
		require.Equal(t, starloom.VerdictPass, report.Verdict, name)
		require.Contains(t, report.Rules, fabric.RuleInOrder)
	}
	s, err := starloom.ParseScenario("traffic.yaml", []byte("starloom: 1\n"+imageOn(t, trafficNetworks["crossbar"], "swaps_traffic")+
		"nic: {payload_bytes: 16}\nworkload: {traffic: {rate: 0.2, pattern: neighbour, warm_up: 0, measure: 100, drain: 200}}\nrules: {in_order: true}\n"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "packets.csv")
	report, err := starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.File(path)})
	require.NoError(t, err)
	require.Equal(t, []string{fabric.RuleInOrder}, systemtest.Broken(report))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var rows [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		rows = append(rows, strings.Split(line, ","))
	}
	count := uint64(0)
	for i, row := range rows { // in order of arrival
		for _, before := range rows[:i] {
			if row[6] != "" && before[1] == row[1] && len(before[4]) >= len(row[4]) && (len(before[4]) > len(row[4]) || before[4] > row[4]) {
				count++
				break
			}
		}
	}
	require.Positive(t, count)
	require.Equal(t, count, report.ViolationsTotal)

	m, other := systemtest.Machine(t, s, starloom.MachineOptions{}), systemtest.Machine(t, s, starloom.MachineOptions{})
	for !m.Ended() {
		var state bytes.Buffer
		require.NoError(t, m.Save(&state))
		require.NoError(t, other.Restore(&state))
		require.NoError(t, m.Step())
		require.NoError(t, other.Step())
		require.Equal(t, m.Report(), other.Report())
	}
	require.Equal(t, cmp.Or(report.ViolationsTotal, 1), m.Report().ViolationsTotal)
}

// TestWindowNotes: a warm-up shorter than a packet's way, a packet longer than the window and rows outside it are said.
func TestWindowNotes(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "outside.csv")
	require.NoError(t, os.WriteFile(file, []byte("source,destination,size,created\n0,1,1,50000\n1,2,1,60000\n"), 0o600))
	mesh := "fabric: {netlist: {mesh: {k: [4, 4]}, router: {vcs: 2, depth: 4}}}\n"
	for says, x := range map[string][2]string{
		"the warm-up of 0 cycles is shorter than the mean latency of a packet (315.8 cycles)": {mesh, "rate: 0.001, size: 200, warm_up: 0, measure: 300"},
		"a packet of 200 is longer than the measured window, cycles 50 to 199":                {mesh, "rate: 0.001, size: 200, warm_up: 50, measure: 150"},
		"2 of 2 rows of " + file + " are outside the measured window, cycles 70 to 769 (2 after it), and are not measured": {
			trafficNetworks["crossbar"], "file: " + file + ", warm_up: 10, measure: 100, drain: 10"},
		"too few packets to tell, 0 in the second half of the measured window": {trafficNetworks["crossbar"],
			"file: " + file + ", warm_up: 10, measure: 100, drain: 10"},
		"the warm-up of 5 slots is too short for a steady state": {"fabric: {crossbar: {ports: 64, arbiter: round_robin}}\nfirmware: {program: crossbar/traffic}\n", "rate: 0.54, warm_up: 5, measure: 200"},
	} {
		require.Contains(t, strings.Join(trafficRun(t, x[0], x[1], "").Notes, "\n"), says)
	}
	for name, network := range trafficNetworks {
		report := trafficRun(t, network, "rate: 0.1, measure: 20000 cycles", "")
		require.Equal(t, 0, report.Metrics.Get("saturated"), name)
		require.NotContains(t, strings.Join(report.Notes, "\n"), "window", name)
	}
}
