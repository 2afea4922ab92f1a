package crossbar

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/crossbar/gossip"
	"starloom/fabric/crossbar/gossip/gossiptest"
)

// reference runs gossip by the letter of its specification, in the place of machines.
type reference struct {
	t         *testing.T
	full      bool
	pattern   string
	plan, ran int
	rows      []fabric.StudyRow
	files     map[string][]byte

	spoil func(orders gossip.Orders) gossip.Orders // nil: as it should be
}

func (r *reference) Full() bool               { return r.full }
func (r *reference) Context() context.Context { return r.t.Context() }
func (r *reference) Plan(runs int)            { r.plan += runs }
func (r *reference) Tell(string)              {}
func (r *reference) Add(row fabric.StudyRow)  { r.rows = append(r.rows, row) }

func (r *reference) Wants(name string) bool {
	match, err := path.Match(r.pattern, name)
	require.NoError(r.t, err)
	return match
}

func (r *reference) Writes(fabric.StudyFile) bool { return r.files != nil }

func (r *reference) File(kind fabric.StudyFile, name string, write func(io.Writer) error) error {
	var out bytes.Buffer
	require.NoError(r.t, write(&out))
	if r.files != nil {
		r.files[name+string(kind)] = out.Bytes()
	}
	return nil
}

func (r *reference) Run(x *fabric.Setting) (*fabric.Outcome, error) {
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
	outcome := &fabric.Outcome{Passed: true}
	outcome.Metrics.Add("lambda", table.Columns())
	outcome.Metrics.Add("utilisation", table.Nu())
	if x.Table {
		outcome.Table = table
	}
	return outcome, nil
}

func (r *reference) Sample(x *fabric.Setting, runs int, metric string) (*fabric.Sample, error) {
	require.Equal(r.t, MediumALOHA, x.Network.(Network).Medium)
	require.Equal(r.t, "lambda", metric)
	r.ran += runs
	orders := gossip.Orders(x.Workload.Gossip.Given)
	if r.spoil != nil {
		orders = r.spoil(orders)
	}
	random, sum, squares := rand.New(rand.NewPCG(1, 1)), 0.0, 0.0
	for range runs {
		length := float64(gossiptest.Aloha(orders, false, random))
		sum, squares = sum+length, squares+length*length
	}
	mean := sum / float64(runs)
	sd := math.Sqrt(squares/float64(runs) - mean*mean)
	return &fabric.Sample{Runs: runs, Mean: mean, SD: sd, SE: sd / math.Sqrt(float64(runs))}, nil
}

// TestGossipStudy: runs by the letter of the specification are right in every row, and as many
// as were planned.
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
		require.True(t, slices.ContainsFunc(r.rows, func(row fabric.StudyRow) bool { return !row.OK }), name)
	}
	r := &reference{t: t, pattern: "search", spoil: func(orders gossip.Orders) gossip.Orders { return gossip.Worst(orders.N()) }}
	require.ErrorContains(t, gossipStudy().Run(r), "orders found for 4 processors takes 12 steps, not 7")
	require.Empty(t, r.files)
}

// TestScatterStudy: the law is right in every row; five published figures are low.
func TestScatterStudy(t *testing.T) {
	r := &reference{t: t, full: true, pattern: "*", files: map[string][]byte{}}
	require.NoError(t, scatterStudy().Run(r))
	published, low, field := 0, 0, 0
	for _, row := range r.rows {
		require.True(t, row.OK, "%+v", row)
		switch {
		case row.Case == "table 1":
			published++
			if strings.Contains(row.Note, "low by") {
				low++
				require.Contains(t, row.Quantity, ",128)")
			}
		case row.Case == "mean field":
			field++
		}
	}
	require.Equal(t, [3]int{82, 5, 132}, [3]int{published, low, field})
	require.Len(t, r.files, 3)
}

// TestDiffering counts cells that differ, and those that only one table has.
func TestDiffering(t *testing.T) {
	table := [][]string{{"S1", "-"}, {"R0", "~"}}
	require.Equal(t, 0, differing(table, table))
	require.Equal(t, 1, differing(table, [][]string{{"S1", "-"}, {"R0", "-"}}))
	require.Equal(t, 3, differing(table, [][]string{{"S1"}}))
	require.Equal(t, 4, differing(nil, table))
}
