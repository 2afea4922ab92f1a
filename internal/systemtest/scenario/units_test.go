package scenario

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"starloom"

	"github.com/stretchr/testify/require"
)

// unitNetworks are one of each kind: slots, routers without firmware, and with it.
var unitNetworks = map[string]string{
	"crossbar": "fabric: {crossbar: {ports: 4}}\nfirmware: {program: crossbar/traffic}\n",
	"bus":      "fabric: {bus: {vertices: 4, length: 4, buses: [[0, 1, 2, 3]], arbiter: round_robin}}\nfirmware: {program: bus/traffic}\n",
	"mesh":     "fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}\n",
	"firmware": "fabric: {netlist: {mesh: {k: [2, 2]}, router: {}}}\nfirmware: {program: netlist/traffic}\n",
}

// measuredBy runs packets of a file, and returns the ids of the measured packets, the report and their latencies.
func measuredBy(t *testing.T, network, packets, windows string) (ids []int, report *starloom.Report, latencies []int) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.csv"), []byte(packets), 0o666))
	path, out := filepath.Join(dir, "s.yaml"), filepath.Join(dir, "out.csv")
	require.NoError(t, os.WriteFile(path, []byte("starloom: 1\n"+unitNetworks[network]+"workload: {traffic: {file: p.csv"+windows+"}}\n"), 0o666))
	s, err := starloom.LoadScenario(path)
	require.NoError(t, err)
	report, err = starloom.Run(t.Context(), s, starloom.RunOptions{Packets: starloom.File(out)})
	require.NoError(t, err)
	data, err := os.ReadFile(out)
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		if row[8] == "1" {
			created, err := strconv.Atoi(row[4])
			require.NoError(t, err)
			received, err := strconv.Atoi(row[6])
			require.NoError(t, err, "packet %s has arrived", row[0])
			ids, latencies = append(ids, created), append(latencies, received-created)
		}
	}
	slices.Sort(ids)
	return ids, report, latencies
}

// TestOneFileOnEveryNetwork checks that windows in cycles measure the same packets of a file for any length of slot
// or tick, and that latency counts cycles from creation to reception, as in the file of packets.
func TestOneFileOnEveryNetwork(t *testing.T) {
	packets := "source,destination,size,created\n"
	for i := range 80 {
		packets += fmt.Sprintf("%d,%d,1,%d\n", i%4, (i+1+i/4%3)%4, 13*i)
	}
	var want []int

	for i := range 80 {
		created := 13 * i

		if created >= 100 && created < 700 {
			want = append(want, created)
		}
	}
	for network := range unitNetworks {
		ids, report, latencies := measuredBy(t, network, packets, ", warm_up: 100 cycles, measure: 600 cycles")
		require.Equal(t, want, ids, network)
		m := report.Metrics
		sum := 0
		for _, cycles := range latencies {
			sum += cycles
		}
		require.InDelta(t, float64(sum)/float64(len(latencies)), m.Get("latency.mean"), 1e-9, network)
		require.EqualValues(t, slices.Max(latencies), m.Get("latency.max"), network)
		require.Equal(t, m.Get("latency.p99"), m.Get("latency_cycles.p99"), network)
		require.Equal(t, network == "crossbar" || network == "bus", m.Get("latency_slots.mean") != nil, network)
		require.Equal(t, "600 cycles after 100 cycles", m.Get("window"), network)
		require.LessOrEqual(t, m.Get("network_latency.mean"), m.Get("latency.mean"), network)
	}
}

// TestWindowUnits: what a bare number counts in, what the report says of it, and units that a network does not have.
func TestWindowUnits(t *testing.T) {
	const load = "rate: 0.02, warm_up: %s, measure: %s, drain: 4000"
	for _, c := range []struct{ network, warmUp, measure, says string }{
		{"crossbar", "10", "200", "200 slots after 10 slots (1400 cycles after 70)"},
		{"crossbar", "70 cycles", "200 slots", "200 slots after 70 cycles (1400 cycles after 70)"},
		{"mesh", "10", "200", "200 cycles after 10 cycles"},
		{"firmware", "10", "200 ticks", "200 ticks after 10 cycles"},
		{"firmware", "10", "2000", "2000 cycles after 10 cycles"},
		{"crossbar", "10", "200 ticks", "!workload.traffic.measure is 200 ticks, but only firmware at routers has ticks; write 200 slots"},
		{"mesh", "10 slots", "200", "!workload.traffic.warm_up is 10 slots, but routers without firmware have no slots; write 10 cycles"},
		{"crossbar", "1 cycle", "3 cycles", "!measure is 3 cycles, but no slot of 7 cycles begins in this window; give at least 7 cycles"},
		{"mesh", "5 ns", "200", `!workload.traffic.warm_up is "5 ns", but models measure time in cycles; convert it to cycles or slots`},
	} {
		s, err := starloom.ParseScenario("s.yaml", []byte("starloom: 1\n"+unitNetworks[c.network]+"workload: {traffic: {"+fmt.Sprintf(load, c.warmUp, c.measure)+"}}\n"))
		var report *starloom.Report
		if err == nil {
			report, err = starloom.Run(t.Context(), s, starloom.RunOptions{})
		}
		if refused, ok := strings.CutPrefix(c.says, "!"); ok {
			require.ErrorContains(t, err, refused, c)
			continue
		}
		require.NoError(t, err, c)
		require.True(t, strings.HasPrefix(report.Metrics.Get("window").(string), c.says), "%v: %v", c, report.Metrics.Get("window"))
	}
}
