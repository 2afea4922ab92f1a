package systemtest

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
)

// SeedsFiles runs many seeds with all output files. It returns the report, the files and the text.
func SeedsFiles(t *testing.T, s *starloom.Scenario, seeds starloom.Seeds,
	o starloom.RunOptions) (*starloom.SeedsReport, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	o.Reports.JSON, o.Reports.JUnit, o.Reports.CSV, o.Reports.StatsCSV = starloom.File(in("json")), starloom.File(in("junit")), starloom.File(in("csv")), starloom.File(in("stats-csv"))
	report, err := starloom.RunSeeds(t.Context(), s, seeds, o)
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range report.Files {
		data, err := os.ReadFile(f.Path)
		require.NoError(t, err)
		files[f.Kind] = WithoutTimes(string(data))
	}
	require.Len(t, files, 4)
	report.Files = nil
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	files["text"] = text.String()
	return report, files
}

// Table reads a CSV file into one map per row.
func Table(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader([]byte(text))).ReadAll()
	require.NoError(t, err)
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		require.Len(t, row, len(records[0]), "names are different")
		rows = append(rows, row)
	}
	return rows
}

// StatisticOf summarises values as a report does.
func StatisticOf(name string, values []float64) starloom.Statistic {
	h := outcome.Histogram{}
	for _, v := range values {
		h.Add(v)
	}
	return h.Statistic(name)
}
