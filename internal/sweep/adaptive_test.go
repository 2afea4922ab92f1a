package sweep_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/internal/sweep"
	"starloom/internal/sweep/folder"
)

// budgets is a sweep over the limit of slots.
const budgets = `
scenario: {starloom: 1, fabric: {crossbar: {ports: 4}}, firmware: {program: scatter/sync}, workload: {scatter: {origin: 0}}}
axes:
  n: {key: fabric.crossbar.ports, values: [2, 8, 16]}
  limit: {key: stop.slots, range: [1, 24, 1]}
  frames: {key: nic.rx_frames, values: [1, 4]}
where: n > 2 || frames == 4
seeds: 1..12
`

// TestAdaptive checks that bisection finds the limits of a complete sweep with few points.
func TestAdaptive(t *testing.T) {
	path := fileOf(t, budgets)
	whole, report := run(t, path, sweep.Options{})
	require.Equal(t, 24*5, report.Extent.Points)
	type line struct{ n, frames string }
	passes, fails := map[line]string{}, map[line]string{}
	for _, row := range rows(t, tables(t, whole)[folder.ResultsCSV]) {
		switch x := (line{row["n"], row["frames"]}); {
		case row["failed"] != "0":
			fails[x] = row["limit"]
		case passes[x] == "":
			passes[x] = row["limit"]
		}
	}
	out, report := run(t, path, sweep.Options{Adaptive: "limit"})
	require.Less(t, report.Extent.Points, 5*7, "two ends and five halves of 24, for each line")
	data, err := os.ReadFile(filepath.Join(out, folder.LimitsCSV))
	require.NoError(t, err)
	limits := rows(t, string(data))
	require.Len(t, limits, 5)
	for _, row := range limits {
		x := line{row["n"], row["frames"]}
		require.Equal(t, passes[x], row["limit.passes"], x)
		require.Equal(t, fails[x], row["limit.fails"], x)
	}
	require.Equal(t, []string{"1", ""}, []string{limits[0]["limit.passes"], limits[0]["limit.fails"]}, "two processors are done after one slot")

	all := rows(t, tables(t, whole)[folder.ResultsCSV])
	for _, row := range rows(t, tables(t, out)[folder.ResultsCSV]) {
		require.True(t, slices.ContainsFunc(all, func(same map[string]string) bool {
			return same["slots.mean"] == row["slots.mean"] && same["limit"] == row["limit"]
		}))
	}
	_, again := run(t, path, sweep.Options{Adaptive: "limit", Out: out})
	require.Equal(t, again.Extent.Runs, again.Runs)
	require.Equal(t, report.Limits, again.Limits)
}

// TestAdaptiveSaturation checks that without failed runs the limit is where most runs are saturated.
func TestAdaptiveSaturation(t *testing.T) {
	path := fileOf(t, `
scenario:
  starloom: 1
  fabric: {crossbar: {ports: 4, arbiter: round_robin}}
  firmware: {program: crossbar/traffic}
  workload: {traffic: {rate: 0.1}}
axes:
  ports: {key: fabric.crossbar.ports, values: [1, 4]}
  load: {key: workload.traffic.rate, range: [0.05, 1, 0.005]}
seeds: 1..3
`)
	_, report := run(t, path, sweep.Options{Adaptive: "load"})
	require.Empty(t, report.Unfinished)
	require.Zero(t, report.Failed)
	limit := report.Limits.Rows[1]
	require.Equal(t, sweep.Limit{Others: []string{"1"}, Passes: "1"}, report.Limits.Rows[0], "one port is never saturated")
	// A saturated crossbar of four ports carries 0.6553 (Karol, Hluchyj and Morgan 1987, table I).
	passes, err := strconv.ParseFloat(limit.Passes, 64)
	require.NoError(t, err)
	require.InEpsilon(t, 0.6553, passes, 0.02)
}

// TestAdaptiveRefused checks that an axis that does not exist or varies with others is refused.
func TestAdaptiveRefused(t *testing.T) {
	together := strings.Replace(budgets, "where: n > 2 || frames == 4", "  m: {key: seed, values: [1, 2, 3]}\nzip: [[n, m]]", 1)
	for axis, want := range map[string]string{
		"limits": `--adaptive: there is no axis "limits"; did you mean limit?`,
		"n":      "the axis n is zipped with other axes; bisect an axis that is not zipped",
	} {
		_, err := starloom.Sweep(context.Background(), fileOf(t, together), sweep.Options{Adaptive: axis, Out: t.TempDir()})
		require.ErrorContains(t, err, want)
	}
}
