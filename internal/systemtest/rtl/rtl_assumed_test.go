package rtl

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// assumingMap is the tutorial's arbiter with assumptions, whose fourth line is the first of them.
func assumingMap(t *testing.T, assume ...string) string {
	text, err := os.ReadFile("examples/rtl/stream_arbiter.yml")
	require.NoError(t, err)
	source, err := filepath.Abs("examples/rtl/stream_arbiter.sv")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "assuming.yml")
	all := "assume:\n"
	for _, a := range assume {
		all += fmt.Sprintf("  - %q\n", a)
	}
	text = append([]byte(all), bytes.ReplaceAll(text, []byte("stream_arbiter.sv"), []byte(source))...)
	require.NoError(t, os.WriteFile(path, text, 0o666))
	return path
}

// TestRTLAssumptions checks that a machine that breaks an assumption of a pin map reports place, number and first
// cycle, as the inputs of the run do, and that it runs as without assumptions, also repeated or resumed.
func TestRTLAssumptions(t *testing.T) {
	s, err := starloom.LoadScenario("examples/rtl/gossip-4.yaml")
	require.NoError(t, err)
	plain := systemtest.Result(t, s, starloom.MachineOptions{})
	path := assumingMap(t, "$onehot0(request)", "!(request[3] && $past(grant[3]))", "$past(|grant) || 1")
	s.RTL[0].Map = path
	m := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, m.Run(context.Background(), nil))
	report := m.Report()

	// By hand from the inputs of the run: the model's grant is the RTL's, which the digest says.
	recorded, err := starloom.RecordRTL(context.Background(), s)
	require.NoError(t, err)
	defer func() { require.NoError(t, recorded.Close()) }()
	several, places, first, firstAt := 0, 0, 0, ""
	for k, part := range recorded.Parts {
		require.Equal(t, part.Path, report.RTL[k].Path)
		count, begin := 0, 0
		for _, row := range rowsOf(t, part) {
			if request, err := strconv.ParseUint(row["request_i"], 0, 64); err == nil && row["reset"] == "0" && request&(request-1) != 0 {
				if count++; count == 1 {
					begin, err = strconv.Atoi(row["run"])
					require.NoError(t, err)
				}
			}
		}
		assumed := report.RTL[k].Assumed
		require.Len(t, assumed, 3)
		require.Equal(t, "$onehot0(request)", assumed[0].Text)
		require.EqualValues(t, count, assumed[0].Broken, part.Path)
		require.Zero(t, assumed[2].Broken)
		require.Nil(t, assumed[2].First)
		if several += count; count > 0 {
			require.EqualValues(t, begin, *assumed[0].First)
			if places++; places == 1 || begin < first {
				first, firstAt = begin, part.Path
			}
		}
	}
	require.Greater(t, places, 1)
	note := fmt.Sprintf("the machine breaks an assumption of %s:2:5, $onehot0(request), in %d cycles: first at %s in cycle %d; %d components in all. "+
		"From this cycle on, no check covers this RTL", path, several, firstAt, first, places)
	require.Contains(t, report.Notes, note)
	require.Len(t, report.Notes, 2, "the second one is broken, too, the third never")
	var people bytes.Buffer
	require.NoError(t, report.WriteText(&people))
	require.Contains(t, people.String(), "  note: "+note+"\n")

	want := systemtest.ReportText(t, report)
	require.NoError(t, m.Reset(s.Seed))
	require.NoError(t, m.Run(context.Background(), nil))
	require.Equal(t, want, systemtest.ReportText(t, m.Report()), "run again")
	began, resumed := systemtest.Machine(t, s, starloom.MachineOptions{}),
		systemtest.Machine(t, s, starloom.MachineOptions{})
	for range 4 {
		began.Step()
	}
	var state bytes.Buffer
	require.NoError(t, began.Save(&state))
	require.NoError(t, resumed.Restore(&state))
	require.NoError(t, resumed.Run(context.Background(), nil))
	require.Equal(t, want, systemtest.ReportText(t, resumed.Report()), "resumed")

	s.RTL[0].Map = assumingMap(t, "request <= 15")
	calm := systemtest.Machine(t, s, starloom.MachineOptions{})
	require.NoError(t, calm.Run(context.Background(), nil))
	require.Empty(t, calm.Report().Notes)
	require.Contains(t, plain, fmt.Sprintf("%q", calm.Report().Digest))
}

// rowsOf are the inputs of a part of a run, by their names; run is the cycle of the run.
func rowsOf(t *testing.T, part starloom.RTLPartRun) (rows []map[string]string) {
	var text strings.Builder
	require.NoError(t, part.Stimulus.WriteCSV(&text))
	comment, table, _ := strings.Cut(text.String(), "\n")
	var zero int
	_, err := fmt.Sscanf(comment, "# cycle %d here is cycle 0 of the run", &zero)
	require.NoError(t, err)
	all, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	require.NoError(t, err)
	for _, record := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = record[i]
		}
		cycle, err := strconv.Atoi(row["cycle"])
		require.NoError(t, err)
		row["run"] = strconv.Itoa(cycle - zero)
		rows = append(rows, row)
	}
	return rows
}
