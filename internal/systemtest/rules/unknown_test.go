package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"starloom"
	"starloom/internal/systemtest"

	"github.com/stretchr/testify/require"
)

// crossbarFaults is the example with a limit of slots.
func crossbarFaults(t testing.TB, slots uint32) *starloom.Scenario {
	s, err := starloom.LoadScenario("examples/crossbar-faults.yaml")
	require.NoError(t, err)
	s.Stop.Slots = slots
	return s
}

// TestScatterEndsWithoutTheDead: a run is over when all that live have the item, so that its limit of
// slots does not show in what it measures.
func TestScatterEndsWithoutTheDead(t *testing.T) {
	var statistics []starloom.Statistics
	for _, slots := range []uint32{40, 400, 4000} {
		for _, engine := range []string{starloom.EngineSlot, starloom.EngineCycle} {
			m := systemtest.Machine(t, crossbarFaults(t, slots), starloom.MachineOptions{Engine: engine})
			require.NoError(t, m.Run(t.Context(), nil))
			report := m.Report()
			require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
			require.EqualValues(t, 10, report.Slots)
			require.Equal(t, 10, report.Metrics.Get("completion"))
			require.Equal(t, []int{1, 2, 3, 5, 8, 9, 12, 13, 13, 13, 15}, report.Metrics.Get("coloured"))
		}
		report, err := starloom.RunSeeds(t.Context(), crossbarFaults(t, slots),
			starloom.Seeds{First: 1, Last: 50}, starloom.RunOptions{})
		require.NoError(t, err)
		require.EqualValues(t, 47, report.Statistics.Get("completion").Runs) // in the others a sender waits for the dead one
		statistics = append(statistics, report.Statistics)
	}
	require.Less(t, *statistics[0].Get("completion").Max, 40.0)
	require.Equal(t, statistics[0][:4], statistics[1][:4]) // slots, cycles, steps, completion
	require.Equal(t, statistics[0][:4], statistics[2][:4])
}

// TestScatterOfTheDead: no one completes a scattering whose processors are all dead, and one whose last
// processor without the item dies is complete then.
func TestScatterOfTheDead(t *testing.T) {
	s := systemtest.ScatterScenario(t, "scatter/sync", 8, "faults: {schedule: [{kind: dead, slots: {list: [2]}}]}\n")
	report := systemtest.MachineReport(t, s)
	require.EqualValues(t, 2, report.Slots)
	require.Nil(t, report.Metrics.Get("completion"))

	s = systemtest.ScatterScenario(t, "scatter/sync", 8,
		"faults: {schedule: [{kind: stuck, targets: ['crossbar.output[3].link']}, {kind: dead, targets: ['crossbar.nic[3]'], slots: {list: [30]}}]}\n")
	report = systemtest.MachineReport(t, s)
	require.Equal(t, starloom.VerdictPass, report.Verdict, "%+v", report.Violations)
	require.Equal(t, 30, report.Metrics.Get("completion"))
}

// TestBusGossipEndsWithoutTheDead: a vertex dies when it has told its item; the others end as if it lived,
// and the steps do not depend on the limit.
func TestBusGossipEndsWithoutTheDead(t *testing.T) {
	sound := systemtest.MachineReport(t, systemtest.BusGossipScenario(t, "improved", 12, 4, ""))
	ended := 0
	for vertex := range 12 {
		var steps []any
		for _, slots := range []int{60, 600} {
			s := systemtest.BusGossipScenario(t, "improved", 12, 4, fmt.Sprintf(
				"stop: {slots: %d}\nfaults: {schedule: [{kind: dead, targets: ['bus.nic[%d]'], slots: {list: [%d]}}]}\n", slots, vertex, sound.Slots-1))
			if report := systemtest.MachineReport(t, s); report.Verdict == starloom.VerdictPass {
				steps = append(steps, report.Metrics.Get("steps"))
			}
		}
		if steps != nil {
			require.Equal(t, []any{int(sound.Slots), int(sound.Slots)}, steps)
			ended++
		}
	}
	require.Positive(t, ended)
}

// TestUnknownFigures: what a run does not know of itself is null in JSON, a dash in the text, an empty
// cell in CSV, and not in the statistics; never a number.
func TestUnknownFigures(t *testing.T) {
	silent := starloom.Gossip{Faulty: []int{0}, Fault: "silent"}
	voting, hopfield, gossip := systemtest.VotingScenario(3, 0, silent), systemtest.GossipScenario(4, 0,
		starloom.Gossip{Sessions: 3}), systemtest.GossipScenario(4, 0, starloom.Gossip{})
	hopfield.Firmware.Program, hopfield.NIC.PayloadBytes = "gossip/hopfield", 16
	for _, c := range []struct {
		scenario *starloom.Scenario
		slots    uint32
		unknown  []string
		known    map[string]any
	}{
		{crossbarFaults(t, 9), 9, []string{"completion"}, nil},
		{systemtest.ScatterScenario(t, "scatter/async", 16, ""), 20, []string{"completion"}, nil},
		{gossip, 4, []string{"lambda", "mu", "epsilon"}, map[string]any{"utilisation": []int{2, 2, 4, 4}}},
		{voting, 20, []string{"lambda", "mu", "epsilon", "agreed", "wrong_voters"}, nil},
		{hopfield, 5, []string{"lambda", "mu", "epsilon"}, map[string]any{"recalls": 0, "recalled": 0, "wrong_bits": []int{}}},
		{hopfield, 20, []string{"lambda", "mu", "epsilon"}, map[string]any{"recalls": 1, "recalled": 0, "wrong_bits": []int{}}},
		{systemtest.ProgramScenario("pops/random", 8, 8), 4, []string{"lost"}, nil},
		{systemtest.ImageScenario(t, "deaf"), 4, []string{"lost", "packets_per_processor_max"}, nil},
	} {
		c.scenario.Stop.Slots = c.slots
		dir := t.TempDir()
		text, rows := filepath.Join(dir, "report.json"), filepath.Join(dir, "runs.csv")
		report, err := starloom.Run(t.Context(), c.scenario,
			starloom.RunOptions{Reports: starloom.ReportFiles{JSON: starloom.File(text), CSV: starloom.File(rows)}})
		require.NoError(t, err)
		require.EqualValues(t, c.slots, report.Slots)
		var unknown []string
		for _, m := range report.Metrics {
			if m.Value == nil {
				unknown = append(unknown, m.Name)
			}
		}
		require.ElementsMatch(t, c.unknown, unknown, c.scenario.Name)
		for name, value := range c.known {
			require.Equal(t, value, report.Metrics.Get(name), name)
		}
		requireUnknown(t, report, unknown, text, rows)

		many, err := starloom.RunSeeds(t.Context(), c.scenario, starloom.Seeds{First: 1, Last: 3}, starloom.RunOptions{})
		require.NoError(t, err)
		for _, name := range unknown {
			if statistic := many.Statistics.Get(name); statistic != nil {
				require.Less(t, statistic.Runs, many.Runs, name)
			}
		}
	}
}

// requireUnknown looks for figures in the forms of a report.
func requireUnknown(t *testing.T, report *starloom.Report, unknown []string, jsonPath, csvPath string) {
	var text strings.Builder
	require.NoError(t, report.WriteText(&text))
	data, err := os.ReadFile(jsonPath)
	require.NoError(t, err)
	var object struct{ Metrics map[string]any }
	require.NoError(t, json.Unmarshal(data, &object))
	rows, err := os.ReadFile(csvPath)
	require.NoError(t, err)
	names, cells, _ := strings.Cut(string(rows), "\n")
	for _, name := range unknown {
		value, has := object.Metrics[name]
		require.True(t, has && value == nil, name)
		require.Regexp(t, `(?m)^`+name+` +-$`, text.String())
		place := slices.Index(strings.Split(names, ","), name)
		require.Empty(t, strings.Split(cells, ",")[place], name)
	}
}
