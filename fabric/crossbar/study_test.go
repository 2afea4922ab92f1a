package crossbar

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/crossbar/gossip/gossiptest"
	"starloom/fabric/crossbar/scatter/scattertest"
	"starloom/fabric/studies"
	"starloom/fabric/studytest"
	"starloom/traces/figure"
)

// reference runs gossip by the letter of its specification, in the place of machines.
type reference struct {
	t         *testing.T
	full      bool
	pattern   string
	plan, ran int
	rows      []studies.StudyRow
	files     map[string][]byte

	spoil func(orders gossip.Orders) gossip.Orders // nil: as it should be
	late  float64                                  // units that scattering takes too long
}

func (r *reference) Full() bool               { return r.full }
func (r *reference) Context() context.Context { return r.t.Context() }
func (r *reference) Plan(runs int)            { r.plan += runs }
func (r *reference) Tell(string)              {}
func (r *reference) Add(row studies.StudyRow) { r.rows = append(r.rows, row) }

func (r *reference) Wants(name string) bool {
	match, err := path.Match(r.pattern, name)
	require.NoError(r.t, err)
	return match
}

func (r *reference) Writes(studies.StudyFile) bool { return r.files != nil }

func (r *reference) Plot(name string, f *figure.Figure) error {
	return r.File(studies.StudyPlot, name, f.WriteSVG)
}

func (r *reference) File(kind studies.StudyFile, name string, write func(io.Writer) error) error {
	var out bytes.Buffer
	require.NoError(r.t, write(&out))
	if r.files != nil {
		r.files[name+string(kind)] = out.Bytes()
	}
	return nil
}

func (r *reference) Run(x *studies.Setting) (*studies.Outcome, error) {
	r.ran++
	g := x.Workload.Gossip
	orders := gossip.Orders(g.Given)
	if x.Program == optimalProgram {
		var err error
		orders, err = gossip.Optimal(x.Network.Shape().Processors() - 1)
		require.NoError(r.t, err)
	}
	if r.spoil != nil {
		orders = r.spoil(orders)
	}
	table := gossiptest.Step(gossiptest.Setting{
		Orders: orders, Scheduling: gossiptest.Scheduling(x.Params["scheduling"]), Sessions: g.Sessions, Cap: x.Network.(Network).Cap,
	})
	outcome := &studies.Outcome{Passed: true}
	outcome.Metrics.Add("lambda", table.Columns())
	outcome.Metrics.Add("utilisation", table.Nu())
	if x.Table {
		outcome.Table = table
	}
	return outcome, nil
}

func (r *reference) Sample(x *studies.Setting, runs int, metric string) (*studies.Sample, error) {
	r.ran += runs
	random, n := rand.New(rand.NewPCG(1, 1)), x.Network.Shape().Processors()
	run := func() (float64, []int) {
		coloured := scattertest.Sync(n, random)
		return float64(len(coloured) - 1), coloured
	}
	switch {
	case x.Workload.Gossip != nil:
		require.Equal(r.t, MediumALOHA, x.Network.(Network).Medium)
		orders := gossip.Orders(x.Workload.Gossip.Given)
		if r.spoil != nil {
			orders = r.spoil(orders)
		}
		run = func() (float64, []int) { return float64(gossiptest.Aloha(orders, false, random)), nil }
	case x.Program == asyncProgram:
		order := scattertest.Order(x.Params["order"])
		run = func() (float64, []int) { return scattertest.Async(n, order, random), []int{1, n} }
	}
	s := &studies.Sample{Runs: runs, Counts: map[float64]uint64{}, Lists: map[string]*studies.SampleList{"coloured": {}}}
	sum, squares := 0.0, 0.0
	for range runs {
		value, coloured := run()
		value += r.late
		s.Counts[value]++
		s.Lists["coloured"].Add(coloured)
		sum, squares = sum+value, squares+value*value
	}
	s.Mean = sum / float64(runs)
	s.SD = math.Sqrt(squares/float64(runs) - s.Mean*s.Mean)
	s.SE = s.SD / math.Sqrt(float64(runs))
	return s, nil
}

// TestGossipStudy: runs of the literal specification agree in every row, and their number is as
// planned.
func TestGossipStudy(t *testing.T) {
	r := &reference{t: t, pattern: "*", files: map[string][]byte{}}
	require.NoError(t, gossipStudy().Run(r))
	require.Equal(t, r.plan, r.ran)
	cases := map[string]bool{}
	for _, row := range r.rows {
		require.True(t, row.OK, "%+v", row)
		cases[row.Case] = true
	}
	require.Len(t, cases, 17)
	studytest.Rows(t, r.rows, "sessions", "cap", "aloha", "optimal", "search")
	studytest.Explained(t, &Network{}, "gossip", r.rows)
	// Table 6 is about completions of processors, which come every two steps; Section 1 is about sessions.
	for quantity, figures := range map[string][3]float64{"completions of a processor per step": {0.5, 0, 0.5}, "steps for each whole session, N = 4": {2, 10, 10}} {
		row := r.rows[slices.IndexFunc(r.rows, func(row studies.StudyRow) bool { return row.Quantity == quantity })]
		require.Equal(t, [2]float64{figures[0], figures[2]}, [2]float64{*row.Published, row.Measured}, quantity)
		require.Equal(t, figures[1] > 0, row.Contradicted && *row.Reference == figures[1], quantity)
	}
	for name := range cases {
		known := slices.ContainsFunc(gossipStudy().Cases, func(c string) bool { return strings.HasPrefix(name, c) })
		require.True(t, known, name)
	}
	for _, name := range []string{"gossip-lambda.svg", "gossip-mu.svg", "gossip-epsilon.svg"} {
		for _, curve := range []string{"identity", "pipelined", "Algorithm 2 on identity", "optimal"} {
			require.Contains(t, string(r.files[name]), curve, name)
		}
	}
	for N := 2; N <= searchQuick; N++ {
		name := fmt.Sprintf("orders-%d.csv", N)
		orders, err := gossip.Parse(name, r.files[name], N)
		require.NoError(t, err)
		require.Equal(t, gossip.LowerBound(N), gossiptest.Length(gossiptest.Setting{Orders: orders}))
	}
}

// TestGossipStudyFails: when processors send in another order, every case of runs has rows
// that are not right.
func TestGossipStudyFails(t *testing.T) {
	for _, name := range []string{
		"table 1", "table 2", "table 3", "table 4", "table 5", "table 6", "table 7", "table 8", "table 9",
		"lengths", "metrics", "sessions", "cap", "aloha", "optimal", "claims",
	} {
		r := &reference{t: t, pattern: name, spoil: func(orders gossip.Orders) gossip.Orders {
			spoilt := make(gossip.Orders, len(orders))
			for i, row := range orders {
				spoilt[i] = slices.Clone(row)
				slices.Reverse(spoilt[i])
			}
			return spoilt
		}}
		require.NoError(t, gossipStudy().Run(r))
		require.True(t, slices.ContainsFunc(r.rows, func(row studies.StudyRow) bool { return !row.OK }), name)
	}
	r := &reference{t: t, pattern: "search", spoil: func(orders gossip.Orders) gossip.Orders { return gossip.Worst(orders.N()) }}
	require.ErrorContains(t, gossipStudy().Run(r), "orders found for 4 processors takes 12 steps, not 7")
	require.Empty(t, r.files)
}

// TestScatterStudy: the law and runs by the letter of the specification are right in every row;
// five published figures are low.
func TestScatterStudy(t *testing.T) {
	r := &reference{t: t, pattern: "*", files: map[string][]byte{}}
	require.NoError(t, scatterStudy().Run(r))
	require.Equal(t, r.plan, r.ran)
	r.full, r.pattern = true, "mean field"
	require.NoError(t, scatterStudy().Run(r))
	rows := map[string]int{}
	for _, row := range r.rows {
		require.True(t, row.OK, "%+v", row)
		rows[row.Case]++
		if strings.Contains(row.Note, "low by") {
			rows["low"]++
			require.Contains(t, row.Quantity, ",128)")
		}
	}
	require.Equal(t, 82, rows["table 1"])
	studytest.Rows(t, r.rows, "exact law", "completion", "distribution", "runs", "mean field")
	studytest.Explained(t, &Network{}, "scatter", r.rows)
	require.Equal(t, 5, rows["low"])
	require.Equal(t, 36+132, rows["mean field"], "of --quick and of --full")
	require.Equal(t, []string{"scatter-coloured-1024.svg", "scatter-coloured-128.svg", "scatter-done.svg"}, slices.Sorted(maps.Keys(r.files)))
	require.Contains(t, string(r.files["scatter-done.svg"]), "n = 128, 2000 runs")

	for _, name := range []string{"distribution", "runs n=128", "runs n=1024"} {
		late := &reference{t: t, pattern: name, late: 1}
		require.NoError(t, scatterStudy().Run(late))
		for _, row := range late.rows {
			require.True(t, !row.OK || strings.HasPrefix(row.Quantity, "done by"), "%+v", row)
		}
	}
}

// TestSampleList: the last entry of a list replaces the missing entries up to the length of longer
// lists.
func TestSampleList(t *testing.T) {
	var list studies.SampleList
	for _, run := range [][]int{{1, 2}, {1, 2, 4, 5}, {1}, {1, 3, 5}} {
		list.Add(run)
	}
	means, se := list.Means()
	require.Equal(t, []float64{1, 2, 3, 13. / 4}, means)
	for i, deviation := range []float64{0, math.Sqrt(2. / 3), math.Sqrt(10. / 3), math.Sqrt(12.75 / 3)} {
		require.InDelta(t, deviation/2, se[i], 1e-12)
	}
}
