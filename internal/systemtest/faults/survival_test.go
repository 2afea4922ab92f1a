package faults

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/internal/systemtest"
)

// TestSurvivalRates checks that the point of each rate equals a scenario with this rate alone, in every form, on any
// workers.
func TestSurvivalRates(t *testing.T) {
	const pops = "fabric: {pops: {groups: 4, group_size: 4}}\nfirmware: {program: pops/random-corrected}\nstop: {slots: 100}"
	seeds := starloom.Seeds{First: 3, Last: 42}
	rates := systemtest.FaultScenario(t, pops, "random: {kind: bit_flip, rates: [0, 0.004, 0.03]}")
	var before *starloom.SeedsReport
	var rows, table, picture, text, out bytes.Buffer
	for _, workers := range []int{1, 2} {
		rows, table, picture = bytes.Buffer{}, bytes.Buffer{}, bytes.Buffer{}
		report, err := starloom.RunSeeds(t.Context(), rates, seeds, starloom.RunOptions{
			MachineOptions: starloom.MachineOptions{Workers: workers},
			Reports:        starloom.ReportFiles{CSV: starloom.Writer(&rows)},
			Survival:       starloom.TableFiles{CSV: starloom.Writer(&table), SVG: starloom.Writer(&picture)},
		})
		require.NoError(t, err)
		report.Files = nil
		if before != nil {
			require.Equal(t, before, report)
		}
		before = report
	}
	require.EqualValues(t, 3*40, before.Runs)
	require.EqualValues(t, 3*40, before.RunsTotal)
	require.Len(t, before.Survival, 3)
	records, err := csv.NewReader(&rows).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 1+3*40)
	curve, err := csv.NewReader(&table).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"rate", "runs", "survived", "fraction", "low", "high"}, curve[0])
	failed := uint64(0)
	for i, rate := range []string{"0", "0.004", "0.03"} {
		one, err := starloom.RunSeeds(t.Context(), systemtest.FaultScenario(t, pops, "random: {kind: bit_flip, rate: "+rate+"}"), seeds, starloom.RunOptions{})
		require.NoError(t, err)
		p := before.Survival[i]
		require.EqualValues(t, 40, p.Runs)
		require.Equal(t, 40-one.FailedTotal, p.Survived)
		require.Equal(t, rate, curve[1+i][0])
		require.Equal(t, *one.Statistics.Get("fault[0].bit_flip").Mean, *before.Statistics.Get("rate[" + rate + "].faults").Mean)
		require.Equal(t, one.Statistics.Get("slots").Mean, before.Statistics.Get("rate["+rate+"].slots").Mean)
		require.Equal(t, p.Fraction, *before.Statistics.Get("rate[" + rate + "].survived").Mean)
		for k, f := range one.Failed {
			got := before.Failed[int(failed)+k]
			require.Equal(t, f.Seed, got.Seed)
			require.Equal(t, rate, outcome.ExactFloat(*got.Rate))
		}
		for _, row := range records[1+40*i:][:40] {
			require.Equal(t, rate, row[1])
		}
		last := one.Survival[len(one.Survival)-1]
		require.Equal(t, p.Survived, last.Survived, "the curve over slots ends at the same fraction")
		require.Equal(t, p.High, last.High)
		require.EqualValues(t, 40, one.Survival[0].Survived)
		failed += one.FailedTotal
	}
	require.Equal(t, failed, before.FailedTotal)
	require.EqualValues(t, 40, before.Survival[0].Survived)
	require.Less(t, before.Survival[2].Survived, before.Survival[1].Survived)
	require.Contains(t, picture.String(), "40 runs for each rate")
	require.Contains(t, strings.Join(before.Notes, "\n"), "a single run shows which violations also occur without faults")
	require.NoError(t, before.WriteText(&text))
	require.Contains(t, text.String(), " --set faults.random.rates=null --set faults.random.rate=0.03: ")
	require.Contains(t, text.String(), "\n0.004  40    ")
	require.NoError(t, before.WriteJSON(&out))
	require.NoError(t, json.Unmarshal(out.Bytes(), &struct{}{}))
	require.Contains(t, out.String(), `"survival": [`)
}

// TestSurvivalErrors checks that scenarios without a curve, and rates impossible in one run, are refused and that
// nothing is written.
func TestSurvivalErrors(t *testing.T) {
	const pops = "fabric: {pops: {groups: 2, group_size: 2}}\nfirmware: {program: pops/random}"
	rates := systemtest.FaultScenario(t, pops, "random: {kind: drop, rates: [0.5]}")
	_, err := starloom.NewMachine(t.Context(), rates, starloom.MachineOptions{})
	require.EqualError(t, err, "faulty.yaml:5:31: one run has one rate; write rate: 0.5, or run many seeds with --seeds")
	var out bytes.Buffer
	_, err = starloom.Run(t.Context(), rates,
		starloom.RunOptions{Survival: starloom.TableFiles{CSV: starloom.Writer(&out)}})
	require.EqualError(t, err, "--survival: a survival curve needs many runs; give --seeds, for example --seeds 1..100")
	_, err = starloom.RunSeeds(t.Context(), rates, starloom.Seeds{First: 1, Last: 2},
		starloom.RunOptions{Reports: starloom.ReportFiles{JUnit: starloom.Writer(&out)}})
	require.ErrorContains(t, err, "--junit: ")
	rates.Faults = nil
	_, err = starloom.RunSeeds(t.Context(), rates, starloom.Seeds{First: 1, Last: 2},
		starloom.RunOptions{Survival: starloom.TableFiles{SVG: starloom.Writer(&out)}})
	require.ErrorContains(t, err, "--survival: the scenario has no faults")
	_, err = starloom.ParseScenario("faulty.yaml", []byte("starloom: 1\n"+pops+"\nfaults: {random: {kind: drop, rates: ["+strings.Repeat("0,", 64)+"1]}}\n"))
	require.ErrorContains(t, err, "there are 65 rates; give at most 64")
	require.Zero(t, out.Len())

	// Runs that are interrupted are a shorter curve, and say so.
	ctx, cancel := context.WithCancel(t.Context())
	rates = systemtest.FaultScenario(t, pops, "random: {kind: drop, rates: [0, 0.5]}")
	report, err := starloom.RunSeeds(ctx, rates, starloom.Seeds{First: 1, Last: 5},
		starloom.RunOptions{MachineOptions: starloom.MachineOptions{Workers: 1}, Progress: func(p starloom.Progress) {
			if p.Runs == 5 {
				cancel()
			}
		}})
	require.NoError(t, err)
	require.True(t, report.Interrupted())
	require.EqualValues(t, 10, report.RunsTotal)
	require.Len(t, report.Survival, 1)
	require.EqualValues(t, 5, report.Survival[0].Runs)
}
