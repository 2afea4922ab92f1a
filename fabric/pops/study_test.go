package pops

import (
	"context"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/studytest"
)

// samples takes the reference figures of the study for what runs have measured.
type samples struct {
	t       *testing.T
	pattern string
	rows    []fabric.StudyRow
}

func (s *samples) Full() bool                   { return false }
func (s *samples) Context() context.Context     { return s.t.Context() }
func (s *samples) Plan(int)                     {}
func (s *samples) Tell(string)                  {}
func (s *samples) Writes(fabric.StudyFile) bool { return false }
func (s *samples) Add(row fabric.StudyRow)      { s.rows = append(s.rows, row) }

func (s *samples) Wants(name string) bool {
	match, err := path.Match(s.pattern, name)
	require.NoError(s.t, err)
	return match
}

func (s *samples) File(fabric.StudyFile, string, func(io.Writer) error) error { return nil }

func (s *samples) Sample(x *fabric.Setting, runs int, _ string) (*fabric.Sample, error) {
	sample := &fabric.Sample{Runs: runs, Mean: 4.19, SE: 0.01, SD: 1}
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

func (s *samples) Run(x *fabric.Setting) (*fabric.Outcome, error) {
	n := *x.Network.(*Network)
	o := &fabric.Outcome{Passed: true, Slots: uint64(OfflineSlots(n))}
	if x.Program == "pops/sort" {
		o.Slots = uint64(SortSlots(n))
	}
	o.Metrics.Add("delivered", n.Processors()-1)
	return o, nil
}

// TestStudyRows: the paper prints tables and theorems, and neither slots of sorting nor the mean of
// Figure 3; it is wrong in one proof, which is quoted.
func TestStudyRows(t *testing.T) {
	s := &samples{t: t, pattern: "*"}
	require.NoError(t, (&study{s}).run())
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

func truth(holds bool) int {
	if holds {
		return 1
	}
	return 0
}
