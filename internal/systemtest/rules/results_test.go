package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom"
	"starloom/fabric/outcome"
	"starloom/fabric/pops"
	"starloom/firmware"
	"starloom/internal/systemtest"
)

// TestResults: results of an image are in the report of any network, however the machine is cut;
// one more than a processor may give in a slot is a trap.
func TestResults(t *testing.T) {
	image := filepath.Join(t.TempDir(), "results.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/results.c", Output: image}))
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 3, GroupSize: 1}
	s.Firmware.Image = image
	var digests []string
	for _, o := range []starloom.MachineOptions{{Engine: starloom.EngineSlot},
		{Engine: starloom.EngineCycle, BankSize: 1, Workers: 2}} {
		m, err := starloom.NewMachine(t.Context(), s, o)
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		const high = 1 << 63
		require.Equal(t, [][3]uint64{
			{0, 0, high}, {0, 1, high}, {0, 2, high}, {0, 7, 2},
			{1, 0, high | 1}, {1, 1, high | 1}, {1, 2, high | 1}, {1, 7, 1021},
			{2, 0, high | 2}, {2, 1, high | 2}, {2, 2, high | 2}, {2, 7, 2},
		}, report.Metrics.Get("results"))
		require.Len(t, report.Violations, 1)
		require.Equal(t, starloom.RuleTrap, report.Violations[0].Rule)
		require.Contains(t, report.Violations[0].Message, "more than 1024 results of one processor in one slot")
		digests = append(digests, report.Digest)
	}
	require.Equal(t, digests[0], digests[1])
}

// TestNamedResults: results with names are in every form of the report, with statistics over processors,
// which follow from the rows; many seeds have statistics of those.
func TestNamedResults(t *testing.T) {
	image := filepath.Join(t.TempDir(), "named.wasm")
	require.NoError(t, firmware.Build(t.Context(), firmware.BuildOptions{Source: "testdata/firmware/named.c", Output: image}))
	info, err := firmware.Inspect(t.Context(), image)
	require.NoError(t, err)
	require.Equal(t, []string{"draw", "minus", "never"}, info.Results)
	s := starloom.DefaultScenario()
	s.Fabric.POPS = &pops.Network{Groups: 2, GroupSize: 3}
	s.Firmware.Image, s.Rules = image, &starloom.Rules{}

	means := map[string][]float64{}
	for seed := uint64(1); seed <= 5; seed++ {
		s.Seed = seed
		var text, data bytes.Buffer
		m, err := starloom.NewMachine(t.Context(), s, starloom.MachineOptions{BankSize: 3, Workers: 2})
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Run(t.Context(), nil))
		report := m.Report()
		require.NoError(t, report.WriteText(&text))
		require.NoError(t, report.WriteJSON(&data))
		var form struct {
			Metrics  map[string]any
			Firmware struct{ Results []string }
		}
		require.NoError(t, json.Unmarshal(data.Bytes(), &form))
		require.Equal(t, info.Results, form.Firmware.Results)
		words, shown := map[float64][]float64{}, []string{}
		for _, row := range form.Metrics["results"].([]any) {
			x := row.([]any)
			processor, word, value := x[0].(float64), x[1].(float64), x[2].(float64)
			name := fmt.Sprint(word)
			if word < 3 {
				if name = info.Results[int(word)]; word == 1 {
					value = -processor // minus as an unsigned word
				}
				words[word] = append(words[word], value)
			} else {
				require.Equal(t, 0x1p63, value)
			}
			shown = append(shown, fmt.Sprintf("%v.%s=%.0f", processor, name, value))
		}
		require.Regexp(t, "\nresults +"+regexp.QuoteMeta(strings.Join(shown, " "))+"\n", text.String())
		require.Len(t, words[0], 5)
		for word, name := range info.Results[:2] {
			want := systemtest.StatisticOf(name, words[float64(word)])
			for _, part := range []struct {
				name  string
				value float64
			}{{"processors", float64(want.Runs)}, {"mean", *want.Mean}, {"sd", *want.SD}, {"min", *want.Min}, {"median", *want.Median}, {"max", *want.Max}} {
				require.Equal(t, part.value, form.Metrics["results."+name+"."+part.name], part.name)
			}
			means[name] = append(means[name], *want.Mean)
		}
		require.Equal(t, -3.0, form.Metrics["results.minus.median"])
		require.Equal(t, 0.0, form.Metrics["results.never.processors"])
		require.Contains(t, form.Metrics, "results.never.mean")
		require.Nil(t, form.Metrics["results.never.mean"])
	}

	report, files := systemtest.SeedsFiles(t, s, starloom.Seeds{First: 1, Last: 5}, starloom.RunOptions{})
	require.Equal(t, systemtest.StatisticOf("results.draw.mean", means["draw"]), *report.Statistics.Get("results.draw.mean"))
	require.Equal(t, systemtest.StatisticOf("results.minus.mean", means["minus"]), *report.Statistics.Get("results.minus.mean"))
	require.Nil(t, report.Statistics.Get("results.never.mean"))
	for k, row := range systemtest.Table(t, files["csv"]) {
		require.Equal(t, outcome.ExactFloat(means["draw"][k]), row["results.draw.mean"])
		require.Empty(t, row["results.never.max"])
	}
	require.Contains(t, files["stats-csv"], "\nresults.minus.max,5,-1,0,0,-1,-1,-1,-1:5\n")
}
