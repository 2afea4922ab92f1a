package netlist

import (
	"context"
	"io"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/fabric"
	"starloom/fabric/studies"
	"starloom/fabric/studytest"
	"starloom/traces/figure"
)

// studyRows takes the rows of a study that asks for no machine.
type studyRows struct {
	studies.Runs
	t       *testing.T
	pattern string
	rows    []studies.StudyRow
	files   []string
}

func (r *studyRows) Full() bool                    { return false }
func (r *studyRows) Context() context.Context      { return r.t.Context() }
func (r *studyRows) Tell(string)                   {}
func (r *studyRows) Add(row studies.StudyRow)      { r.rows = append(r.rows, row) }
func (r *studyRows) Writes(studies.StudyFile) bool { return true }

func (r *studyRows) Wants(name string) bool {
	match, err := path.Match(r.pattern, name)
	require.NoError(r.t, err)
	return match
}

func (r *studyRows) Plot(name string, f *figure.Figure) error {
	return r.File(studies.StudyPlot, name, f.WriteSVG)
}

func (r *studyRows) File(kind studies.StudyFile, name string, write func(io.Writer) error) error {
	r.files = append(r.files, name+string(kind))
	return write(io.Discard)
}

// rowsOf returns the rows of some cases. All rows hold.
func rowsOf(t *testing.T, pattern string) *studyRows {
	r := &studyRows{t: t, pattern: pattern}
	require.NoError(t, routersStudy().Run(r))
	for _, row := range r.rows {
		require.True(t, row.OK, "%+v", row)
	}
	return r
}

// TestRoutersWithoutLoad: packets of every pair have the latency of their route.
func TestRoutersWithoutLoad(t *testing.T) {
	r := rowsOf(t, "zero load *")
	studytest.Rows(t, r.rows, "zero load")
	require.Len(t, r.rows, 8)
}

// TestLongRouterStudy: all rows hold, and curves are drawn.
func TestLongRouterStudy(t *testing.T) {
	r := rowsOf(t, "*")
	studytest.Rows(t, r.rows, "zero load", "capacity", "latency")
	require.Equal(t, []string{"routers-latency.svg"}, r.files)
}

// TestRouterBounds compares bounds with manual calculations. In a 4x4 mesh with uniform traffic
// half of all packets cross the middle, in each row those of 4 of 16 processors over one channel;
// with bit complement those of both processors in half a row do, and with one hotspot all packets
// share its channel.
func TestRouterBounds(t *testing.T) {
	s := &routerStudy{Runs: &studyRows{t: t}}
	all, err := s.networks()
	require.NoError(t, err)
	for _, c := range []struct {
		network int
		pattern string
		bound   float64
	}{
		{0, fabric.PatternUniform, 1}, {0, fabric.PatternBitComplement, 0.5}, {0, fabric.PatternHotspot, 1.0 / 16},
		{1, fabric.PatternUniform, 1}, {2, fabric.PatternTranspose, 1}, {2, fabric.PatternHotspot, 1.0 / 16},
	} {
		bound, err := s.bound(all[c.network], c.pattern)
		require.NoError(t, err)
		require.Equal(t, c.bound, bound, "%s %s", all[c.network].name, c.pattern)
	}
	for _, n := range all {
		require.Contains(t, n.routers.Shown, "deadlock-free", n.name)
	}
}
