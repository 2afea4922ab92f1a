package outcome

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStatistic(t *testing.T) {
	of := func(values ...float64) *Statistic {
		h := Histogram{}
		for _, v := range values {
			h.Add(v)
		}
		s := h.Statistic("x")
		return &s
	}
	requireStatistic(t, []float64{1, 1, 2, 4}, of(4, 1, 2, 1))
	requireStatistic(t, []float64{0.25, 1, 1e9, 1e9 + 1, 7}, of(7, 1e9, 1e9+1, 0.25, 1))
	require.Equal(t, 1.5, *of(4, 1, 2, 1).Median)

	// A run has a mean, and no deviation; no run has nothing.
	one, err := json.Marshal(of(3))
	require.NoError(t, err)
	require.JSONEq(t, `{"runs":1,"mean":3,"sd":null,"se":null,"min":3,"median":3,"max":3,"histogram":[{"value":3,"count":1}]}`, string(one))
	none, err := json.Marshal(of())
	require.NoError(t, err)
	require.JSONEq(t, `{"runs":0,"mean":null,"sd":null,"se":null,"min":null,"median":null,"max":null,"histogram":[]}`, string(none))

	require.Equal(t, "-", of().draw())
	require.Equal(t, "█", of(3, 3).draw())
	require.Equal(t, "▄█▁", of(1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 9).draw())
	require.Equal(t, "████████▄▄▄▄▄▄▄▄", of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8).draw())
	many := Histogram{}
	for v := range 32 {
		many[float64(v)] = 2
	}
	many[99] = 4
	s := many.Statistic("x")
	require.Len(t, []rune(s.draw()), sparkBins)
	require.Contains(t, s.draw(), " ", "a bin without runs")
}

// TestStatisticsText checks that a list is shortened to its first entries and their number, and that other values are
// shown whole.
func TestStatisticsText(t *testing.T) {
	one := func(name string) Statistic { return Histogram{7: 1}.Statistic(name) }
	all := Statistics{one("slots")}
	for k := range 40 {
		all = append(all, one(fmt.Sprintf("known[%d]", k)))
	}
	for k := range 40 {
		all = append(all, one(fmt.Sprintf("rate[%d].slots", k)))
	}
	for k := range 33 {
		all = append(all, one(fmt.Sprintf("last[%d]", k)))
	}
	var b strings.Builder
	require.NoError(t, all.writeText(&b))
	require.Contains(t, b.String(), "\nknown[31] ")
	require.NotContains(t, b.String(), "known[32]")
	require.Regexp(t, `(?m)^known\[\.\.\.\] +and 8 more; --stats-csv has all$`, b.String())
	require.Contains(t, b.String(), "\nrate[39].slots ")
	require.Regexp(t, `last\[\.\.\.\] +and 1 more; --stats-csv has all\n$`, b.String())
	b.Reset()
	require.NoError(t, all.WriteCSV(&b))
	require.Contains(t, b.String(), "\nknown[39],1,7,,,7,7,7,7:1\n")
}

// requireStatistic compares with the definitions, on all values.
func requireStatistic(t *testing.T, values []float64, got *Statistic) {
	t.Helper()
	n := float64(len(values))
	slices.Sort(values)
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	sd := math.Sqrt(squares / (n - 1))
	require.EqualValues(t, len(values), got.Runs)
	for _, c := range []struct{ want, got float64 }{
		{sum / n, *got.Mean}, {sd, *got.SD}, {sd / math.Sqrt(n), *got.SE}, {values[0], *got.Min},
		{values[len(values)-1], *got.Max},
		{(values[len(values)/2] + values[(len(values)-1)/2]) / 2, *got.Median},
	} {
		require.InDelta(t, c.want, c.got, 1e-12*math.Max(1, c.want), got.Name)
	}
	count := uint64(0)
	for _, bin := range got.Histogram {
		count += bin.Count
	}
	require.EqualValues(t, len(values), count)
}
