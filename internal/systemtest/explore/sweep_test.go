package explore

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/explore"
)

// scatterSweep explores scatter on 2 to 4 processors, with one and two drops.
const scatterSweep = `scenario: {starloom: 1, fabric: {crossbar: {ports: 2}}, firmware: {program: scatter/sync},
  workload: {scatter: {origin: 0}}, stop: {slots: 100}}
axes:
  processors: {key: fabric.crossbar.ports, values: [2, 3, 4]}
  drops: {key: explore.faults.drop, values: [1, 2]}
`

func sweepFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sw.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Every point has the verdict and the counts of an exploration of its own, for any number of workers.
func TestSweep(t *testing.T) {
	path := sweepFile(t, scatterSweep)
	var first []byte
	for workers := 1; workers <= 3; workers += 2 {
		r, err := starloom.ExploreSweep(t.Context(), path, starloom.ExploreSweepOptions{
			ExploreOptions: starloom.ExploreOptions{Workers: workers}})
		require.NoError(t, err)
		require.Len(t, r.Points, 6)
		for i := range r.Points {
			p := &r.Points[i]
			once := explored(t, strings.Replace(scatter4, "ports: 4", "ports: "+p.Labels[0], 1), "{drop: "+p.Labels[1]+"}",
				explore.Options{})
			assert.Equal(t, once.Counts, p.Report.Counts, p.Labels)
			assert.Equal(t, once.Verdict, p.Report.Verdict, p.Labels)
		}
		var text bytes.Buffer
		require.NoError(t, r.WriteJSON(&text))
		if first == nil {
			first = text.Bytes()
		}
		assert.Equal(t, string(first), text.String())
		verdict, _ := r.Worst()
		assert.Equal(t, outcome.Holds, verdict)
	}
}

// The tables have a row for each point; a folder gives the same again, and keeps the tables.
func TestSweepTables(t *testing.T) {
	path, out := sweepFile(t, scatterSweep), filepath.Join(t.TempDir(), "out")
	o := starloom.ExploreSweepOptions{ExploreOptions: starloom.ExploreOptions{Out: out, UntilFails: true},
		Set: []starloom.Assignment{{Key: "stop.slots", Value: "12"}}}
	var tables [2]string
	for i := range tables {
		r, err := starloom.ExploreSweep(t.Context(), path, o)
		require.NoError(t, err)
		var text bytes.Buffer
		require.NoError(t, r.WriteCSV(&text))
		tables[i] = text.String()
		verdict, _ := r.Worst()
		assert.Equal(t, outcome.Fails, verdict)
		require.NoError(t, r.WriteText(&text))
		assert.Contains(t, text.String(), "6 points, 6 FAILS")
		assert.NotContains(t, text.String(), "starloom run", "no command runs a scenario within a sweep")
	}
	assert.Equal(t, tables[0], tables[1])
	kept, err := os.ReadFile(filepath.Join(out, "results.csv"))
	require.NoError(t, err)
	assert.Equal(t, tables[0], string(kept))
	rows, err := csv.NewReader(strings.NewReader(tables[0])).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 7)
	assert.Equal(t, []string{"processors", "drops", "seed", "verdict", "holds_for"}, rows[0][:5])
	assert.True(t, strings.HasPrefix(rows[1][4], "drop "), rows[1])
	lines, err := os.ReadFile(filepath.Join(out, "reports.jsonl"))
	require.NoError(t, err)
	require.Equal(t, 6, bytes.Count(lines, []byte("\n")))
	var point outcome.ExploredPoint
	require.NoError(t, json.Unmarshal(bytes.SplitN(lines, []byte("\n"), 2)[0], &point))
	assert.Equal(t, []string{"2", "1"}, point.Labels)
}

// A point that cannot be built is refused before the first exploration, with its place.
func TestSweepRefused(t *testing.T) {
	path := sweepFile(t, strings.Replace(scatterSweep, "[2, 3, 4]", "[2, 3, 0]", 1))
	_, err := starloom.ExploreSweep(t.Context(), path, starloom.ExploreSweepOptions{})
	var refused *starloom.InputError
	require.ErrorAs(t, err, &refused)
	assert.Contains(t, err.Error(), "sw.yaml:4")
	many := sweepFile(t, scatterSweep+"seeds: 2\n")
	r, err := starloom.ExploreSweep(t.Context(), many, starloom.ExploreSweepOptions{})
	require.NoError(t, err)
	require.Len(t, r.Points, 12)
	assert.EqualValues(t, 1, r.Points[0].Report.Seed)
	assert.EqualValues(t, 2, r.Points[1].Report.Seed)
}
