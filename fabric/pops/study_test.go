package pops

import (
	"context"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/studies"
	"starloom/fabric/studytest"
	"starloom/traces/figure"
)

// samples uses the reference figures of the study as measurements.
type samples struct {
	t       *testing.T
	pattern string
	rows    []studies.StudyRow
	files   map[string]string
}

func (s *samples) Full() bool                    { return false }
func (s *samples) Context() context.Context      { return s.t.Context() }
func (s *samples) Plan(int)                      {}
func (s *samples) Tell(string)                   {}
func (s *samples) Writes(studies.StudyFile) bool { return false }
func (s *samples) Add(row studies.StudyRow)      { s.rows = append(s.rows, row) }

func (s *samples) Wants(name string) bool {
	match, err := path.Match(s.pattern, name)
	require.NoError(s.t, err)
	return match
}

func (s *samples) Plot(name string, f *figure.Figure) error {
	return s.File(studies.StudyPlot, name, f.WriteSVG)
}

func (s *samples) File(kind studies.StudyFile, name string, write func(io.Writer) error) error {
	var text strings.Builder
	err := write(&text)
	s.files[name+string(kind)] = text.String()
	return err
}

func (s *samples) Sample(x *studies.Setting, runs int, _ string) (*studies.Sample, error) {
	sample := &studies.Sample{Runs: runs, Mean: 4.19, SE: 0.01, SD: 1}
	for _, row := range tables {
		n, random := x.Network.(*Network), x.Workload.Permutation.Kind == fabric.PermutationRandom
		if x.Program == randomProgram && random && row.groupSize == n.GroupSize && row.groups == n.Groups {
			sample.Mean, sample.SD, sample.Median = row.mean, row.sd, float64(row.median)
		}
	}
	for _, row := range correctedTable {
		if n := x.Network.(*Network); x.Program != randomProgram && row.groupSize == n.GroupSize && row.groups == n.Groups {
			sample.Mean, sample.SD = row.mean, row.sd
		}
	}
	return sample, nil
}

func (s *samples) Run(x *studies.Setting) (*studies.Outcome, error) {
	n := *x.Network.(*Network)
	o := &studies.Outcome{Passed: true, Slots: uint64(OfflineSlots(n))}
	if x.Program == "pops/sort" {
		o.Slots = uint64(SortSlots(n))
	}
	o.Metrics.Add("delivered", n.Processors()-1)
	return o, nil
}

// TestStudyRows: published values exist for tables and theorems, but not for slots of sorting or
// the mean of Figure 3; one proof is contradicted and quoted.
func TestStudyRows(t *testing.T) {
	s := &samples{t: t, pattern: "*", files: map[string]string{}}
	require.NoError(t, (&study{Runs: s}).run())
	require.Equal(t, []string{"pops-corrected.svg", "pops-iterations.svg", "pops-slots-1.svg", "pops-slots-16.svg", "pops-slots-4.svg"},
		slices.Sorted(maps.Keys(s.files)))
	studytest.Rows(t, s.rows, "corrected", "figure 3", "adversary")
	studytest.Explained(t, &Network{}, "pops", s.rows)
	printed, contradicted := 0, 0
	for _, row := range s.rows {
		require.True(t, row.OK, "%+v", row)
		printed += truth(row.Published != nil)
		contradicted += truth(row.Contradicted)
		require.Equal(t, strings.HasPrefix(row.Quantity, "table I") || strings.HasPrefix(row.Case, "offline"), row.Published != nil, "%+v", row)
	}
	require.Positive(t, printed)
	require.Equal(t, 1, contradicted)
}

// TestStudyPlots: the figures have the numbers of the tables; means that hang on a few runs are not among them.
func TestStudyPlots(t *testing.T) {
	var all []measured
	for i := range tables {
		row := &tables[i]
		all = append(all, measured{row, row.mean, row.sd / 100, row.name() == "d=16g n=64", float64(row.sorting)})
	}
	f := iterationsPlot(all)
	require.Contains(t, f.Note, "Not drawn")
	points := 0
	for _, c := range f.Curves[:3] {
		points += len(c.Points)
	}
	require.Equal(t, len(tables)-1, points)
	require.Len(t, f.Curves[3].Points, len(tables))
	require.Equal(t, figure.Point{X: 16, Y: 4.43}, f.Curves[3].Points[1])
	slots := slotsPlot(all, 4)
	for _, c := range slots.Curves {
		require.Len(t, c.Points, 11)
	}
	at := slots.Curves[0].Points[0]
	require.Equal(t, 16.0, at.X)
	require.InDelta(t, 5*14.0838, at.Y, 1e-9)
	require.InDelta(t, 5*1.959963984540054*4.4205/100, at.High-at.Y, 1e-9)
	require.Equal(t, []float64{118, 80, 71.4},
		[]float64{slots.Curves[1].Points[0].Y, slots.Curves[2].Points[0].Y, slots.Curves[3].Points[0].Y})
	corrected := correctedPlot(all, []measured{{row: &tableRow{groupSize: 8, groups: 2}, mean: 15.9, se: 0.1}})
	require.Equal(t, "d = 4g, corrected", corrected.Curves[0].Name)
	require.Equal(t, corrected.Curves[0].Of, corrected.Curves[1].Of, "one colour")
	require.Len(t, corrected.Curves, 2, "the other ratios have no sizes with the corrected rule")
}

func truth(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
