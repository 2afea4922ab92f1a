package engines

import (
	"bytes"
	"context"
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

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/systemtest"
)

// TestSeedsSameBytes runs both kinds of many runs on one, two and five machines: all
// files are the same. Some of the runs fail.
func TestSeedsSameBytes(t *testing.T) {
	for name, c := range map[string]struct {
		s     *starloom.Scenario
		seeds starloom.Seeds
	}{
		"seeds":        {systemtest.ProgramScenario("pops/random", 3, 2), starloom.Seeds{First: 1, Last: 2100}}, // 1024 runs are a chunk
		"permutations": {all("pops/random", 3, 2), starloom.Seeds{First: 1, Last: 2}},
	} {
		if testing.Short() && name == "seeds" {
			continue
		}
		var want map[string]string
		for _, workers := range []int{1, 2, 5} {
			report, got := systemtest.SeedsFiles(t, c.s, c.seeds,
				starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: workers}})
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
	s := systemtest.ProgramScenario("pops/random", 3, 2) // d > g: some fail
	report, files := systemtest.SeedsFiles(t, s, starloom.Seeds{First: 3, Last: 42}, starloom.RunOptions{})
	rows := systemtest.Table(t, files["csv"])
	require.Len(t, rows, 40)
	var failed []starloom.FailedRun
	slots, sent := []float64{}, []float64{}
	for i, row := range rows {
		one := *s
		one.Seed = uint64(3 + i)
		path := filepath.Join(t.TempDir(), "one.csv")
		alone, err := starloom.Run(t.Context(), &one,
			starloom.RunOptions{Reports: starloom.ReportFiles{CSV: starloom.File(path)}})
		require.NoError(t, err)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, []map[string]string{row}, systemtest.Table(t, string(data)))
		require.Equal(t, alone.Digest, row["digest"])
		require.Equal(t, fmt.Sprint(alone.Slots), row["slots"])
		require.Equal(t, fmt.Sprint(alone.Metrics.Get("lost")), row["lost"])
		require.Equal(t, fmt.Sprint(alone.Frames.Collided), row["frames.collided"])
		require.Equal(t, fmt.Sprint(alone.Frames.Blocked), row["frames.blocked"])
		require.Equal(t, string(alone.Verdict), row["verdict"])
		sent = append(sent, float64(alone.Frames.Sent))
		if alone.Verdict == starloom.VerdictPass {
			require.Empty(t, row["rule"])
			slots = append(slots, float64(alone.Slots))
			continue
		}
		require.Equal(t, alone.Violations[0].Rule, row["rule"])
		alone.Violations[0].Senders = nil // told of one run
		failed = append(failed, starloom.FailedRun{Seed: one.Seed, Rule: row["rule"], First: alone.Violations[0]})
	}
	require.NotEmpty(t, failed)
	require.Equal(t, failed, report.Failed)
	require.EqualValues(t, len(failed), report.FailedTotal)
	require.Equal(t, starloom.VerdictFail, report.Verdict)
	require.Equal(t, systemtest.StatisticOf("slots", slots), *report.Statistics.Get("slots"))
	require.Equal(t, systemtest.StatisticOf("frames.sent", sent), *report.Statistics.Get("frames.sent"))
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

	figures := systemtest.Table(t, files["stats-csv"])
	require.Len(t, figures, len(report.Statistics))
	for i, row := range figures {
		x := report.Statistics[i]
		require.Equal(t, []string{x.Name, fmt.Sprint(x.Runs), outcome.ExactFloat(*x.Mean), outcome.ExactFloat(*x.SD)},
			[]string{row["metric"], row["runs"], row["mean"], row["sd"]})
	}
}

// TestSeedsOfListsAndFractions: statistics of fractions and of entries of lists are those of the rows in the
// table of runs.
func TestSeedsOfListsAndFractions(t *testing.T) {
	s, err := starloom.LoadScenario("examples/gossip.yaml", starloom.Assignment{Key: "workload.gossip.orders", Value: "shared-random"})
	require.NoError(t, err)
	report, files := systemtest.SeedsFiles(t, s, starloom.Seeds{First: 1, Last: 12}, starloom.RunOptions{})
	values := map[string][]float64{}
	for _, row := range systemtest.Table(t, files["csv"]) {
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
	for _, row := range systemtest.Table(t, files["stats-csv"]) {
		if strings.ContainsAny(row["metric"], "[") || row["metric"] == "mu" || row["metric"] == "epsilon" {
			stated++
			require.Equal(t, systemtest.StatisticOf(row["metric"], values[row["metric"]]), *report.Statistics.Get(row["metric"]))
		}
	}
	require.Len(t, values, stated)
}

// TestSeedsReportForms holds the forms still, on the last seeds that there are.
func TestSeedsReportForms(t *testing.T) {
	s := all("pops/random", 2, 1) // d > g: some fail
	s.Name, s.Stop.Slots = "seeds", 40
	report, files := systemtest.SeedsFiles(t, s,
		starloom.Seeds{First: math.MaxUint64 - 15, Last: math.MaxUint64}, starloom.RunOptions{})
	for kind, ending := range map[string]string{"json": ".json", "junit": ".xml", "csv": ".csv", "stats-csv": "-stats.csv", "text": ".txt"} {
		text := strings.ReplaceAll(files[kind], report.Firmware.SHA256, "SHA256") // of an image that may be built again
		text = strings.ReplaceAll(text, outcome.Version(), "VERSION")
		systemtest.Golden(t, "testdata/report/seeds"+ending, strings.ReplaceAll(text, report.Firmware.SHA256[:12], "SHA256"))
	}
}

// TestSeedsInterrupted interrupts a batch: the report is that of the runs so far, and
// the table has their rows.
func TestSeedsInterrupted(t *testing.T) {
	s := systemtest.ProgramScenario("pops/random", 16, 16) // 32 runs are a chunk
	for _, stop := range []uint64{0, 5} {
		ctx, cancel := context.WithCancel(t.Context())
		if stop == 0 {
			cancel()
		}
		path := filepath.Join(t.TempDir(), "runs.csv")
		report, err := starloom.RunSeeds(ctx, s, starloom.Seeds{First: 1, Last: 1000},
			starloom.RunOptions{Reports: starloom.ReportFiles{CSV: starloom.File(path)},
				MachineOptions: starloom.MachineOptions{Workers: 2},
				Progress: func(p starloom.Progress) {
					require.EqualValues(t, 1000, p.RunsTotal)
					if p.Runs == stop {
						cancel()
					}
				}})
		cancel()
		require.NoError(t, err)
		require.Equal(t, starloom.VerdictFail, report.Verdict)
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
		require.Len(t, systemtest.Table(t, string(data)), int(report.Runs))
		again, err := starloom.RunSeeds(t.Context(), s, starloom.Seeds{First: 1, Last: report.Runs}, starloom.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, again.Statistics, report.Statistics)
		require.Equal(t, again.Digest, report.Digest)
	}
}

func TestParseSeeds(t *testing.T) {
	for text, want := range map[string]starloom.Seeds{
		"1..100": {First: 1, Last: 100}, "7..7": {First: 7, Last: 7}, "0..18446744073709551615": {First: 0, Last: math.MaxUint64},
	} {
		got, err := starloom.ParseSeeds(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	got, err := starloom.ParseSeeds("20")
	require.NoError(t, err)
	require.Equal(t, starloom.Seeds{First: 1, Last: 20}, got)
	for text, want := range map[string]string{
		"0":                       `--seeds: "0" is not a range of seeds; write the first and the last seed`,
		"9..3":                    "--seeds: the range 9..3 is empty; write 3..9",
		"1-5":                     `--seeds: "1-5" is not a range of seeds; write the first and the last seed, for example 1..100, or their number`,
		"1...5":                   `--seeds: "1...5" is not a range of seeds; `,
		"..":                      `--seeds: ".." is not a range of seeds; `,
		"":                        `--seeds: "" is not a range of seeds; `,
		"-1..5":                   `--seeds: "-1..5" is not a range of seeds; `,
		"1..1e3":                  `--seeds: "1..1e3" is not a range of seeds; `,
		"0..2^64":                 `--seeds: "0..2^64" is not a range of seeds; `,
		"1..99999999999999999999": `--seeds: "1..99999999999999999999" is not a range of seeds; `,
	} {
		_, err := starloom.ParseSeeds(text)
		require.ErrorAs(t, err, new(*starloom.InputError), text)
		require.Contains(t, err.Error(), want)
	}
}

// TestSeedsAreRefused checks that senseless requests are refused before any run.
func TestSeedsAreRefused(t *testing.T) {
	for want, c := range map[string]struct {
		s     *starloom.Scenario
		seeds starloom.Seeds
		o     starloom.RunOptions
	}{
		"--vcd: a waveform shows one run, and --seeds asks for many; run one of them alone with --seed N": {systemtest.Routing(2,
			2), starloom.Seeds{First: 1, Last: 2}, starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File("x")}}},
		"--pcapng: a packet capture shows one run": {systemtest.Routing(2,
			2), starloom.Seeds{First: 1, Last: 2}, starloom.RunOptions{Record: starloom.RecordOptions{PCAPNG: starloom.File("x")}}},
		"--log: a log shows one run": {systemtest.Routing(2,
			2), starloom.Seeds{First: 1, Last: 2}, starloom.RunOptions{Record: starloom.RecordOptions{Log: starloom.File("x")}}},
		"--junit: a JUnit file has a test case for each seed, but 1..10001 are too": {systemtest.Routing(2,
			2), starloom.Seeds{First: 1, Last: 10001}, starloom.RunOptions{Reports: starloom.ReportFiles{JUnit: starloom.File("x")}}},
		"--seeds: 0..18446744073709551615 are more than 1000000000 runs; give at most 1000000000 seeds at a time": {systemtest.Routing(2,
			2), starloom.Seeds{First: 0, Last: math.MaxUint64}, starloom.RunOptions{}},
		"--seeds: 1..18446744073709551615 are more than 1000000000 runs; give at most 41666666 seeds at a time": {all("pops/offline",
			2, 2), starloom.Seeds{First: 1, Last: math.MaxUint64}, starloom.RunOptions{}},
		"--seeds: 1..1000000001 are more than 1000000000 runs; give at most 1000000000 seeds at a time": {systemtest.Routing(2,
			2), starloom.Seeds{First: 1, Last: 1_000_000_001}, starloom.RunOptions{}},
		"--seeds: 0..99999999999 are more than 1000000000 runs; give at most 500000000 seeds at a time": {systemtest.FaultScenario(t, "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}", "random: {kind: drop, rates: [0, 0.5]}"), starloom.Seeds{First: 0, Last: 99_999_999_999}, starloom.RunOptions{}},
		"workload.permutation: all permutations of 16 processors are too many; use ": {all("pops/offline",
			4, 4), starloom.Seeds{First: 1, Last: 2}, starloom.RunOptions{}},
	} {
		_, err := starloom.RunSeeds(t.Context(), c.s, c.seeds, c.o)
		require.ErrorAs(t, err, new(*starloom.InputError), want)
		require.Contains(t, err.Error(), want)
	}
	_, err := starloom.Run(t.Context(), all("pops/offline", 2, 2), starloom.RunOptions{Record: starloom.RecordOptions{VCD: starloom.File("x")}})
	require.ErrorContains(t, err, "--vcd: a waveform shows one run, and permutation: all makes many; run one of them alone with --permutation K")
	k := uint64(24)
	require.ErrorContains(t, all("pops/offline", 2, 2).Override(t.Context(), starloom.Overrides{Permutation: &k}),
		"--permutation: there is no permutation 24; allowed: 0 to 23")
	require.ErrorContains(t, all("pops/offline", 4, 4).Override(t.Context(), starloom.Overrides{Permutation: &k}),
		"all permutations of 16 processors are too many")
	require.ErrorContains(t, systemtest.Routing(2, 2).Override(t.Context(), starloom.Overrides{Permutation: &k}),
		"--permutation: the scenario does not run all permutations, so they have no numbers; ")
}
