package starloom

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/outcome"
)

// seedsFiles runs many seeds with all files and returns the files, and the text.
func seedsFiles(t *testing.T, s *Scenario, seeds Seeds, o RunOptions) (*SeedsReport, map[string]string) {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	o.JSON, o.JUnit, o.CSV, o.StatsCSV = File(in("json")), File(in("junit")), File(in("csv")), File(in("stats-csv"))
	report, err := RunSeeds(t.Context(), s, seeds, o)
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range report.Files {
		data, err := os.ReadFile(f.Path)
		require.NoError(t, err)
		files[f.Kind] = string(data)
	}
	require.Len(t, files, 4)
	report.Files = nil
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	files["text"] = text.String()
	return report, files
}

// table reads a CSV into one map for each row.
func table(t *testing.T, text string) (rows []map[string]string) {
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

// TestSeedsSameBytes runs both kinds of many runs on one, two and five machines: all
// files are the same. Some of the runs fail.
func TestSeedsSameBytes(t *testing.T) {
	for name, c := range map[string]struct {
		s     *Scenario
		seeds Seeds
	}{
		"seeds":        {programScenario("pops/random", 3, 2), Seeds{1, 2100}}, // 1024 runs are a chunk
		"permutations": {all("pops/random", 3, 2), Seeds{1, 2}},
	} {
		if testing.Short() && name == "seeds" {
			continue
		}
		var want map[string]string
		for _, workers := range []int{1, 2, 5} {
			report, got := seedsFiles(t, c.s, c.seeds, RunOptions{MachineOptions: MachineOptions{Workers: workers}})
			require.Positive(t, report.FailedTotal, name)
			require.Less(t, report.FailedTotal, report.Runs, name)
			if want == nil {
				want = got
			}
			require.Equal(t, want, got, name)
		}
	}
}

// TestSeedsAreTheirRuns compares every row with the run of that seed alone, and the
// report with the rows.
func TestSeedsAreTheirRuns(t *testing.T) {
	s := programScenario("pops/random", 3, 2) // d > g: some fail
	report, files := seedsFiles(t, s, Seeds{3, 42}, RunOptions{})
	rows := table(t, files["csv"])
	require.Len(t, rows, 40)
	var failed []FailedRun
	slots, sent := []float64{}, []float64{}
	for i, row := range rows {
		one := *s
		one.Seed = uint64(3 + i)
		path := filepath.Join(t.TempDir(), "one.csv")
		alone, err := Run(t.Context(), &one, RunOptions{CSV: File(path)})
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, []map[string]string{row}, table(t, string(data)))
		require.Equal(t, alone.Digest, row["digest"])
		require.Equal(t, fmt.Sprint(alone.Slots), row["slots"])
		require.Equal(t, fmt.Sprint(alone.Metrics.Get("lost")), row["lost"])
		require.Equal(t, fmt.Sprint(alone.Frames.Collided), row["frames.collided"])
		require.Equal(t, fmt.Sprint(alone.Frames.Blocked), row["frames.blocked"])
		require.Equal(t, string(alone.Verdict), row["verdict"])
		sent = append(sent, float64(alone.Frames.Sent))
		if alone.Verdict == VerdictPass {
			require.Empty(t, row["rule"])
			slots = append(slots, float64(alone.Slots))
			continue
		}
		require.Equal(t, alone.Violations[0].Rule, row["rule"])
		alone.Violations[0].Senders = nil // told of one run
		failed = append(failed, FailedRun{Seed: one.Seed, Rule: row["rule"], First: alone.Violations[0]})
	}
	require.NotEmpty(t, failed)
	require.Equal(t, failed, report.Failed)
	require.EqualValues(t, len(failed), report.FailedTotal)
	require.Equal(t, VerdictFail, report.Verdict)
	require.Equal(t, statisticOf("slots", slots), *report.Statistics.Get("slots"))
	require.Equal(t, statisticOf("frames.sent", sent), *report.Statistics.Get("frames.sent"))
	require.Equal(t, slices.Max(slots), float64(report.MostSlots.Slots))
	require.Contains(t, files["text"], fmt.Sprintf("\n  --seed %d: %s: cycle ", failed[0].Seed, failed[0].Rule))

	// The JSON form, as scripts read it.
	var got struct {
		Schema     int
		Seeds      []uint64
		Runs       int
		Statistics map[string]struct {
			Mean, SD, SE, Min, Median, Max *float64
			Histogram                      []struct{ Value, Count float64 }
		}
		Failed []struct {
			Seed        uint64
			Permutation *uint64
			Rule        string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(files["json"]), &got))
	require.Equal(t, []uint64{3, 42}, got.Seeds)
	require.Equal(t, 40, got.Runs)
	require.Len(t, got.Failed, len(failed))
	require.Nil(t, got.Failed[0].Permutation)
	require.Len(t, got.Statistics["lost"].Histogram, len(report.Statistics.Get("lost").Histogram))
	require.InEpsilon(t, *got.Statistics["slots"].SD, math.Sqrt(float64(len(slots)))**got.Statistics["slots"].SE, 1e-12)

	var suites struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(files["junit"]), &suites))
	require.Equal(t, []int{40, len(failed)}, []int{suites.Suite.Tests, suites.Suite.Failures})
	require.Equal(t, "seed 3", suites.Suite.Cases[0].Name)
	for i, c := range suites.Suite.Cases {
		require.Equal(t, rows[i]["verdict"] == "fail", c.Failure != nil, c.Name)
	}

	figures := table(t, files["stats-csv"])
	require.Len(t, figures, len(report.Statistics))
	for i, row := range figures {
		x := report.Statistics[i]
		require.Equal(t, []string{x.Name, fmt.Sprint(x.Runs), outcome.ExactFloat(*x.Mean), outcome.ExactFloat(*x.SD)}, []string{row["metric"], row["runs"], row["mean"], row["sd"]})
	}
}

// TestSeedsOfListsAndFractions: statistics of fractions and of entries of lists are those of the rows in the
// table of runs.
func TestSeedsOfListsAndFractions(t *testing.T) {
	s, err := LoadScenario("examples/gossip.yaml", Assignment{Key: "workload.gossip.orders", Value: "shared-random"})
	require.NoError(t, err)
	report, files := seedsFiles(t, s, Seeds{1, 12}, RunOptions{})
	values := map[string][]float64{}
	for _, row := range table(t, files["csv"]) {
		for _, name := range []string{"mu", "epsilon"} {
			var a, b float64
			_, err := fmt.Sscanf(row[name], "%g/%g", &a, &b)
			require.NoError(t, err)
			values[name] = append(values[name], a/b)
		}
		for k, word := range strings.Fields(row["utilisation"]) {
			value, err := strconv.ParseFloat(word, 64)
			require.NoError(t, err)
			name := fmt.Sprintf("utilisation[%d]", k)
			values[name] = append(values[name], value)
		}
	}
	require.Greater(t, len(values["utilisation[50]"]), len(values["utilisation[66]"]), "lists of different lengths")
	stated := 0
	for _, row := range table(t, files["stats-csv"]) {
		if strings.ContainsAny(row["metric"], "[") || row["metric"] == "mu" || row["metric"] == "epsilon" {
			stated++
			require.Equal(t, statisticOf(row["metric"], values[row["metric"]]), *report.Statistics.Get(row["metric"]))
		}
	}
	require.Len(t, values, stated)
}

// TestSeedsReportForms holds the forms still, on the last seeds that there are.
func TestSeedsReportForms(t *testing.T) {
	s := all("pops/random", 2, 1) // d > g: some fail
	s.Name, s.Stop.Slots = "seeds", 40
	report, files := seedsFiles(t, s, Seeds{math.MaxUint64 - 15, math.MaxUint64}, RunOptions{})
	for kind, ending := range map[string]string{"json": ".json", "junit": ".xml", "csv": ".csv", "stats-csv": "-stats.csv", "text": ".txt"} {
		text := strings.ReplaceAll(files[kind], report.Firmware.SHA256, "SHA256") // of an image that may be built again
		golden(t, "testdata/report/seeds"+ending, strings.ReplaceAll(text, report.Firmware.SHA256[:12], "SHA256"))
	}
}

// TestSeedsInterrupted interrupts a batch: the report is that of the runs so far, and
// the table has their rows.
func TestSeedsInterrupted(t *testing.T) {
	s := programScenario("pops/random", 16, 16) // 32 runs are a chunk
	for _, stop := range []uint64{0, 5} {
		ctx, cancel := context.WithCancel(t.Context())
		if stop == 0 {
			cancel()
		}
		path := filepath.Join(t.TempDir(), "runs.csv")
		report, err := RunSeeds(ctx, s, Seeds{1, 1000}, RunOptions{CSV: File(path), MachineOptions: MachineOptions{Workers: 2}, Progress: func(p Progress) {
			require.EqualValues(t, 1000, p.RunsTotal)
			if p.Runs == stop {
				cancel()
			}
		}})
		cancel()
		require.NoError(t, err)
		require.Equal(t, VerdictFail, report.Verdict)
		require.True(t, report.Interrupted())
		require.GreaterOrEqual(t, report.Runs, stop)
		require.Less(t, report.Runs, uint64(1000))
		require.EqualValues(t, 1000, report.RunsTotal)
		var text, junit bytes.Buffer
		require.NoError(t, report.WriteText(&text))
		require.Contains(t, text.String(), fmt.Sprintf("\n  interrupted after %d of 1000 runs\n", report.Runs))
		require.NoError(t, report.WriteJUnit(&junit))
		require.Contains(t, junit.String(), `name="interrupted"`)
		if stop == 0 {
			continue
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Len(t, table(t, string(data)), int(report.Runs))
		again, err := RunSeeds(t.Context(), s, Seeds{1, report.Runs}, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, again.Statistics, report.Statistics)
		require.Equal(t, again.Digest, report.Digest)
	}
}

func TestParseSeeds(t *testing.T) {
	for text, want := range map[string]Seeds{
		"1..100": {1, 100}, "7..7": {7, 7}, "0..18446744073709551615": {0, math.MaxUint64},
	} {
		got, err := ParseSeeds(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	for text, want := range map[string]string{
		"7":                       `--seeds: "7" is one seed; write --seed 7, or a range such as 1..100`,
		"9..3":                    "--seeds: the range 9..3 is empty; write 3..9",
		"1-5":                     `--seeds: "1-5" is not a range of seeds; write the first and the last seed, for example 1..100`,
		"1...5":                   `--seeds: "1...5" is not a range of seeds; `,
		"..":                      `--seeds: ".." is not a range of seeds; `,
		"":                        `--seeds: "" is not a range of seeds; `,
		"-1..5":                   `--seeds: "-1..5" is not a range of seeds; `,
		"1..1e3":                  `--seeds: "1..1e3" is not a range of seeds; `,
		"0..2^64":                 `--seeds: "0..2^64" is not a range of seeds; `,
		"1..99999999999999999999": `--seeds: "1..99999999999999999999" is not a range of seeds; `,
	} {
		_, err := ParseSeeds(text)
		require.ErrorAs(t, err, new(*InputError), text)
		require.Contains(t, err.Error(), want)
	}
}

// TestSeedsAreRefused: what is asked for and makes no sense, before anything has run.
func TestSeedsAreRefused(t *testing.T) {
	for want, c := range map[string]struct {
		s     *Scenario
		seeds Seeds
		o     RunOptions
	}{
		"--vcd: a waveform shows one run, and --seeds asks for many; run one of them alone with --seed N":         {routing(2, 2), Seeds{1, 2}, RunOptions{VCD: File("x")}},
		"--pcapng: a packet capture shows one run":                                                                {routing(2, 2), Seeds{1, 2}, RunOptions{PCAPNG: File("x")}},
		"--log: a log shows one run":                                                                              {routing(2, 2), Seeds{1, 2}, RunOptions{Log: File("x")}},
		"--junit: a JUnit file has a test case for each seed, and 1..10001 are too":                               {routing(2, 2), Seeds{1, 10001}, RunOptions{JUnit: File("x")}},
		"--seeds: 0..18446744073709551615 are more than 1000000000 runs; give at most 1000000000 seeds at a time": {routing(2, 2), Seeds{0, math.MaxUint64}, RunOptions{}},
		"--seeds: 1..18446744073709551615 are more than 1000000000 runs; give at most 41666666 seeds at a time":   {all("pops/offline", 2, 2), Seeds{1, math.MaxUint64}, RunOptions{}},
		"--seeds: 1..1000000001 are more than 1000000000 runs; give at most 1000000000 seeds at a time":           {routing(2, 2), Seeds{1, 1_000_000_001}, RunOptions{}},
		"--seeds: 0..99999999999 are more than 1000000000 runs; give at most 500000000 seeds at a time":           {faultScenario(t, "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}", "random: {kind: drop, rates: [0, 0.5]}"), Seeds{0, 99_999_999_999}, RunOptions{}},
		"workload.permutation: all permutations of 16 processors are too many; take ":                             {all("pops/offline", 4, 4), Seeds{1, 2}, RunOptions{}},
	} {
		_, err := RunSeeds(t.Context(), c.s, c.seeds, c.o)
		require.ErrorAs(t, err, new(*InputError), want)
		require.Contains(t, err.Error(), want)
	}
	_, err := Run(t.Context(), all("pops/offline", 2, 2), RunOptions{VCD: File("x")})
	require.ErrorContains(t, err, "--vcd: a waveform shows one run, and permutation: all is many; run one of them alone with --permutation K")
	k := uint64(24)
	require.ErrorContains(t, all("pops/offline", 2, 2).Override(t.Context(), Overrides{Permutation: &k}), "--permutation: there is no permutation 24; allowed are 0 to 23")
	require.ErrorContains(t, all("pops/offline", 4, 4).Override(t.Context(), Overrides{Permutation: &k}), "all permutations of 16 processors are too many")
	require.ErrorContains(t, routing(2, 2).Override(t.Context(), Overrides{Permutation: &k}), "--permutation: the scenario does not run all permutations, so none of them has a number; ")
}

func statisticOf(name string, values []float64) Statistic {
	h := outcome.Histogram{}
	for _, v := range values {
		h.Add(v)
	}
	return h.Statistic(name)
}
