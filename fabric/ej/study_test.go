package ej

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/bits"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric/ej/eisenstein"
	"starloom/fabric/ej/eisenstein/eisensteintest"
	"starloom/fabric/studies"
	"starloom/fabric/studytest"
	"starloom/traces/figure"
)

// reference follows messages by the letter of the specification, in the place of machines.
type reference struct {
	t         *testing.T
	pattern   string
	plan, ran int
	rows      []studies.StudyRow
	files     map[string][]byte

	lose bool // lose the frames of step 4, in the direction +1 after step 1, and a step
}

func (r *reference) Full() bool                    { return false }
func (r *reference) Context() context.Context      { return r.t.Context() }
func (r *reference) Plan(runs int)                 { r.plan += runs }
func (r *reference) Tell(string)                   {}
func (r *reference) Add(row studies.StudyRow)      { r.rows = append(r.rows, row) }
func (r *reference) Writes(studies.StudyFile) bool { return true }
func (r *reference) Wants(name string) bool {
	match, err := path.Match(r.pattern, name)
	require.NoError(r.t, err)
	return match
}

func (r *reference) Plot(name string, f *figure.Figure) error {
	return r.File(studies.StudyPlot, name, f.WriteSVG)
}

func (r *reference) File(kind studies.StudyFile, name string, write func(io.Writer) error) error {
	var out bytes.Buffer
	require.NoError(r.t, write(&out))
	r.files[name+string(kind)] = out.Bytes()
	return nil
}

func (r *reference) Sample(*studies.Setting, int, string) (*studies.Sample, error) {
	r.t.Fatal("broadcasts are the same for every seed")
	return nil, nil
}

// algorithmOf returns the algorithm of a program.
func algorithmOf(x *studies.Setting) eisenstein.Algorithm {
	return map[string]eisenstein.Algorithm{
		previousProgram: eisenstein.Previous, improvedProgram: eisenstein.Improved, misprintedProgram: eisenstein.Misprinted,
		generalProgram:  eisenstein.General,
		allToAllProgram: eisenstein.Phased + eisenstein.Algorithm(x.Params["reading"]), allToAllC1Program: eisenstein.Repaired, allToAllC2Program: eisenstein.Oriented,
	}[x.Program]
}

func (r *reference) Run(x *studies.Setting) (*studies.Outcome, error) {
	r.ran++
	t := x.Network.(Network).torus()
	from, to := make([]uint64, t.Nodes()), make([]uint64, t.Nodes()) // a bit per step
	received := make([]int, t.Nodes())
	received[0] = 1
	steps := 0
	var loads [64][]int
	var table *eisenstein.Table
	if x.Table {
		table = eisenstein.NewTable(t, 0, 1)
	}
	t.Follow(algorithmOf(x), 0, func(h eisenstein.Hop) {
		if r.lose && (h.Direction == 0 && h.Step > 1 || h.Step == 4) {
			return
		}
		from[h.From] |= 1 << h.Step
		to[h.To] |= 1 << h.Step
		received[h.To]++
		steps = max(steps, h.Step)
		if loads[h.Step] == nil {
			loads[h.Step] = make([]int, x.Network.Shape().Ports)
		}
		loads[h.Step][(h.Dim-1)*directions+h.Direction]++
		if table != nil {
			table.Add(0, h.Step, h.From, h.To)
		}
	})
	senders, receivers, packets := make([]int, steps), make([]int, steps), make([]int, steps)
	missing, duplicates := 0, 0
	for node := range received {
		for mask := from[node]; mask != 0; mask &= mask - 1 {
			senders[bits.TrailingZeros64(mask)-1]++
		}
		for mask := to[node]; mask != 0; mask &= mask - 1 {
			receivers[bits.TrailingZeros64(mask)-1]++
		}
		missing += max(0, 1-received[node])
		duplicates += max(0, received[node]-1)
	}
	passed := missing == 0 && duplicates == 0
	if x.Workload.AllToAll != nil {
		missing, duplicates = missing*t.Nodes(), duplicates*t.Nodes()
		for i := range packets {
			packets[i] = slices.Max(append(loads[i+1], 0))
		}
		if x.Network.(Network).PacketsPerLink == 1 {
			if steps, _ = eisensteintest.OneByOne(t, x.Params["rotate"] == 1); r.lose {
				steps--
			}
		}
	}
	outcome := &studies.Outcome{Passed: passed || r.lose}
	if table != nil {
		outcome.Table = table
	}
	for name, value := range map[string]any{
		"steps": steps, "senders": senders, "receivers": receivers, "missing": missing, "duplicates": duplicates, "packets_per_link_max": packets,
	} {
		outcome.Metrics.Add(name, value)
	}
	return outcome, nil
}

// TestBroadcastStudy: message counts of the literal specification agree in every row, and the
// number of runs is as planned.
func TestBroadcastStudy(t *testing.T) {
	r := &reference{t: t, pattern: "*", files: map[string][]byte{}}
	require.NoError(t, broadcastStudy().Run(r))
	require.Equal(t, r.plan, r.ran)
	cases := map[string]int{}
	for _, row := range r.rows {
		require.True(t, row.OK, "%+v", row)
		cases[row.Case]++
		if row.Contradicted {
			cases["contradicted"]++
		}
	}
	for _, name := range broadcastStudy().Cases {
		require.Positive(t, cases[name], name)
	}
	require.Equal(t, 1+5+8+9, cases["contradicted"])
	studytest.Rows(t, r.rows, "mean steps", "every alpha", "counters", "one packet")
	studytest.Explained(t, &Network{}, "ej", r.rows)
	for _, row := range r.rows { // Section 6 is about EJ_{3+4rho} alone, in one dimension wrong; Section 7 is about all
		switch {
		case strings.HasPrefix(row.Quantity, "senders saved, %, EJ_{3+4rho}^(1)"):
			require.Contains(t, row.Note, `all dimensions" (Section 6): `)
			require.Contains(t, row.Note, "Table 3 has the ratio 1")
		case strings.HasPrefix(row.Quantity, "senders saved, %, EJ_{3+4rho}^(3)"):
			require.False(t, row.Contradicted)
		case strings.HasPrefix(row.Quantity, "senders saved"):
			require.Contains(t, row.Note, `"the proposed algorithm achieves 2.7% less in total number of senders than the previous algorithm" (Section 7): `)
		}
	}
	require.Equal(t, []string{
		"ej-active.svg", "ej-free.svg", "ej-mean-active.svg", "ej-mean-receivers.svg", "ej-mean-senders.svg",
		"ej-plane-misprinted.svg", "ej-plane-oriented.svg", "ej-plane.svg", "ej-receivers.svg", "ej-senders-by-dimensions.svg", "ej-senders.svg",
	}, slices.Sorted(maps.Keys(r.files)))
	require.Equal(t, 2*37, strings.Count(string(r.files["ej-plane.svg"]), "<circle"), "discs and rings of nodes")
	require.Contains(t, string(r.files["ej-plane-misprinted.svg"]), "not reached")
}

// TestBroadcastStudyFails: when packets are lost, every case of runs has
// rows that are not right.
func TestBroadcastStudyFails(t *testing.T) {
	for _, name := range []string{
		"table 1", "table 2", "table 3", "example", "mean steps", "twelve steps", "plane", "every alpha", "misprint", "all-to-all", "one packet", "claims",
	} {
		r := &reference{t: t, pattern: name, files: map[string][]byte{}, lose: true}
		require.NoError(t, broadcastStudy().Run(r))
		require.True(t, slices.ContainsFunc(r.rows, func(row studies.StudyRow) bool { return !row.OK }), name)
	}
}
