package plot_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/internal/plot"
	"starloom/traces/figure"
	"starloom/traces/input"
)

const results = `load,arbiter,runs,failed,saturated.mean,saturated.sd,saturated.low,saturated.high,latency.mean,latency.sd,latency.low,latency.high
0.1,fixed,20,0,0,0,0,0,1.5,0.1,1.4,1.6
0.2,fixed,20,0,0,0,0,0,2,0.1,1.9,2.1
0.3,fixed,20,0,1,0,1,1,,,,
0.1,matrix,20,0,0,0,0,0,1.25,,,
0.2,matrix,20,0,0,0,0,0,1.75,,,
0.3,matrix,20,0,0,0,0,0,3,,,
`

const runs = `load,arbiter,seed,verdict,latency.mean
0.1,fixed,1,pass,1.5
0.1,fixed,2,pass,1.5
0.1,fixed,3,pass,2.5
0.1,fixed,4,pass,3.5
0.2,fixed,1,pass,9
`

// folder holds the tables of a sweep.
func folder(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"results.csv": results, "runs.csv": runs, "published.csv": "x,y\n0.1,1.4\n0.2,1.8\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func read(t *testing.T, dir, table string) *plot.Table {
	read, err := plot.Read(dir, table)
	require.NoError(t, err)
	return read
}

// TestLines: a figure of a sweep has its interval as a band, each value of the other axes is a curve, and rows
// without a value are left out and counted.
func TestLines(t *testing.T) {
	dir := folder(t)
	f, note, err := plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "load", Y: "latency", LogY: figure.Log10, Published: filepath.Join(dir, "published.csv")})
	require.NoError(t, err)
	require.Equal(t, "left out: 1 row of 6, without a drawable latency", note)
	require.Equal(t, []figure.Curve{
		{Name: "arbiter fixed", Style: figure.Marked, Points: []figure.Point{{X: 0.1, Y: 1.5, Low: 1.4, High: 1.6}, {X: 0.2, Y: 2, Low: 1.9, High: 2.1}}},
		{Name: "arbiter matrix", Style: figure.Marked, Points: []figure.Point{{X: 0.1, Y: 1.25}, {X: 0.2, Y: 1.75}, {X: 0.3, Y: 3}}},
		{Name: "published", Style: figure.Published, Points: []figure.Point{{X: 0.1, Y: 1.4}, {X: 0.2, Y: 1.8}}},
	}, f.Curves)
	require.Equal(t, figure.Axis{Label: "latency", Scale: figure.Log10}, f.Y)
	mean, _, err := plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "load", Y: "latency.mean", LogY: figure.Log10})
	require.NoError(t, err)
	require.Equal(t, f.Curves[:2], mean.Curves, "its mean is the figure, with its band")
	f, _, err = plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "arbiter", Y: "latency", Where: []string{"load=0.2"}, Title: "T"})
	require.NoError(t, err)
	require.Equal(t, "T", f.Title)
	require.Equal(t, []string{"fixed", "matrix"}, f.X.Names)
	require.Equal(t, "latency", f.Curves[0].Name, "the load does not vary")
}

func TestHeat(t *testing.T) {
	f, note, err := plot.Draw(read(t, folder(t), "results.csv"), plot.Options{X: "load", Y: "arbiter", Z: "saturated"})
	require.NoError(t, err)
	require.Empty(t, note)
	require.Equal(t, [][]float64{{0, 0, 1}, {0, 0, 0}}, f.Cells.Values)
	require.Equal(t, []string{"0.1", "0.2", "0.3"}, f.X.Names)
}

func TestHistogram(t *testing.T) {
	f, _, err := plot.Draw(read(t, folder(t), "runs.csv"), plot.Options{Histogram: "latency.mean", Where: []string{"load=0.1"}})
	require.NoError(t, err)
	require.Equal(t, []figure.Point{{X: 2, Y: 2}, {X: 3, Y: 2}}, f.Curves[0].Points, "two bins, 1.5 to 2.5 and 2.5 to 3.5")
	require.Equal(t, "latency.mean in 4 runs", f.Title)
}

// TestRefused: every refusal names the place, the reason and what to do.
func TestRefused(t *testing.T) {
	dir := folder(t)
	for want, o := range map[string]plot.Options{
		`no columns are named; give --x and --y, or --histogram; axes are load, arbiter; figures are saturated, latency`:     {},
		`--x: ` + dir + `/results.csv has no column "lod"; did you mean "load"? there are load, arbiter, saturated, latency`: {X: "lod", Y: "latency"},
		`--by: ` + dir + `/results.csv has no column "x"`:                                                                    {X: "load", Y: "latency", By: []string{"x"}},
		`results.csv:5: latency has several values for load 0.1; name the column in which they differ: --by`:                 {X: "load", Y: "latency", By: []string{}},
		`results.csv:2: arbiter is "fixed"; name a column of numbers`:                                                        {X: "load", Y: "arbiter"},
		`--where arbiter: this is not of the form COLUMN=VALUE; write --where COLUMN=VALUE`:                                  {Where: []string{"arbiter"}},
		`--where arbiter=fxed: no row has arbiter=fxed; did you mean fixed?`:                                                 {Where: []string{"arbiter=fxed"}},
		`published.csv:1: there are no columns`:                                                                              {X: "load", Y: "latency", Published: filepath.Join(dir, "runs.csv")},
		`there are several values for load 0.1 and runs 20; choose one: --where`:                                             {X: "load", Y: "runs", Z: "latency"},
		`--histogram: ` + dir + `/results.csv has runs of several points: load varies; choose one: --where`:                  {Histogram: "latency"},
		`no row has a value for latency that can be drawn; name another column; axes are load, arbiter; `:                    {X: "load", Y: "latency", Where: []string{"saturated.mean=1"}},
	} {
		_, _, err := plot.Draw(read(t, dir, "results.csv"), o)
		if o.Published != "" {
			want = `runs.csv:1: there are no columns x and y; begin the file with the line x,y`
		}
		require.ErrorContains(t, err, want)
	}
	for text, want := range map[string]string{
		"":                 "the table has no rows",
		"a,b\n":            "the table has no rows",
		"a,a\n1,2\n":       `two columns are called "a"`,
		"a,b\n1,2,3\n":     "x.csv:2:1: the row has 3 fields, but the header row has 2",
		"a,b\n\"1,2\n3,4,": "x.csv:3:",
	} {
		path := filepath.Join(dir, "x.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, err := plot.Read(path, "")
		require.ErrorContains(t, err, want)
	}
	_, err := plot.Read(filepath.Join(dir, "none"), "results.csv")
	require.ErrorContains(t, err, "none")
}

// TestHidden: of curves with the same values one is seen, and the note names the other.
func TestHidden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(path, []byte("x,y,of\n1,2,a\n2,3,a\n1,2,b\n2,3,b\n1,2,c\n2,4,c\n"), 0o644))
	table, err := plot.Read(path, "")
	require.NoError(t, err)
	_, note, err := plot.Draw(table, plot.Options{X: "x", Y: "y", By: []string{"of"}})
	require.NoError(t, err)
	require.Equal(t, "of a has the same values as of b, which is drawn over it", note)
	_, note, err = plot.Draw(table, plot.Options{X: "x", Y: "y", By: []string{"of"}, Where: []string{"x=2"}})
	require.NoError(t, err)
	require.Contains(t, note, "of b")
	_, note, err = plot.Draw(table, plot.Options{X: "x", Y: "y", Where: []string{"of=c"}})
	require.NoError(t, err)
	require.Empty(t, note)
}

// TestUnits: axes of figures have their units, those of sweeps and figures without any have none.
func TestUnits(t *testing.T) {
	dir := folder(t)
	unit := func(name string) string {
		return map[string]string{"latency": "slots", "latency.mean": "slots", "load": "frames"}[name]
	}
	f, _, err := plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "load", Y: "latency", Unit: unit})
	require.NoError(t, err)
	require.Equal(t, "latency (slots)", f.Y.Label)
	require.Equal(t, "load", f.X.Label, "an axis of the sweep is a key of the scenario")
	f, _, err = plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "latency.mean", Y: "failed", Unit: unit})
	require.NoError(t, err)
	require.Equal(t, "latency.mean (slots)", f.X.Label)
	require.Equal(t, "failed", f.Y.Label)
	f, _, err = plot.Draw(read(t, dir, "runs.csv"), plot.Options{Histogram: "latency.mean", Where: []string{"load=0.1"}, Unit: unit})
	require.NoError(t, err)
	require.Equal(t, "latency.mean (slots)", f.X.Label)
}

// TestArrivedOnly: points of latencies of the packets that had arrived, and no others, are named, and intervals that a
// logarithmic axis cannot show are counted.
func TestArrivedOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(path, []byte("load,runs,failed,saturated.mean,pending.mean,pending.low,pending.high,"+
		"latency.mean,latency.sd,latency.low,latency.high\n0.1,8,0,0,0,0,0,3,1,2,4\n0.2,8,0,0.75,12.5,4,20,222,90,-88,533\n"), 0o644))
	table, err := plot.Read(path, "")
	require.NoError(t, err)
	few := "some points cover only the packets that arrived, the quicker ones; not yet arrived, per run: 12.5 of latency at load 0.2"
	_, note, err := plot.Draw(table, plot.Options{X: "load", Y: "latency"})
	require.NoError(t, err)
	require.Equal(t, few, note)
	_, note, err = plot.Draw(table, plot.Options{X: "load", Y: "latency", LogY: figure.Log10})
	require.NoError(t, err)
	require.Equal(t, few+"; the interval of 1 point extends to 0, which a logarithmic axis cannot show", note)
	_, note, err = plot.Draw(table, plot.Options{X: "load", Y: "pending"})
	require.NoError(t, err)
	require.Empty(t, note)
}

// TestMixedUnits checks that figures in several units within a table are refused for all plots, and that rows of one
// unit have it as label.
func TestMixedUnits(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.csv")
	require.NoError(t, os.WriteFile(path, []byte("network,load,runs,failed,accepted.mean,accepted.sd,accepted.low,accepted.high,accepted.unit,latency.mean,latency.sd,latency.low,latency.high\n"+
		"crossbar,0.1,1,0,0.1,,,,packets per processor and slot,9,,,\nmesh,0.1,1,0,0.11,,,,flits per node and cycle,8,,,\n"+
		"crossbar,0.2,1,0,0.2,,,,packets per processor and slot,12,,,\nmesh,0.2,1,0,,,,,flits per node and cycle,9,,,\n"), 0o644))
	declared := func(name string) string {
		return map[string]string{"latency": "cycles", "accepted": "packets per processor and slot"}[name]
	}
	for _, o := range []plot.Options{{X: "load", Y: "accepted"}, {X: "load", Y: "accepted.mean"}, {X: "accepted", Y: "latency"}, {X: "load", Y: "network", Z: "accepted"}} {
		o.Unit = declared
		_, _, err := plot.Draw(read(t, dir, "results.csv"), o)
		require.ErrorContains(t, err, "is in packets per processor and slot in line 2 of results.csv, and in flits per node and cycle in line 3; "+
			"draw the rows of one unit: --where network=crossbar, or --where network=mesh", o)
		var bad *input.Error
		require.ErrorAs(t, err, &bad)
	}
	f, _, err := plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "load", Y: "accepted", Where: []string{"network=mesh"}, Unit: declared})
	require.NoError(t, err)
	require.Equal(t, "accepted (flits per node and cycle)", f.Y.Label, "not as it is declared for other networks")
	f, _, err = plot.Draw(read(t, dir, "results.csv"), plot.Options{X: "load", Y: "latency", Unit: declared})
	require.NoError(t, err)
	require.Equal(t, "latency (cycles)", f.Y.Label)
}

// TestSaturated: points of latencies at which most runs are saturated are drawn apart, from the last point before them.
func TestSaturated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(path, []byte("load,runs,failed,saturated.mean,saturated.low,saturated.high,latency.mean,latency.sd,latency.low,latency.high\n"+
		"0.1,8,0,0,0,0,3,1,2,4\n0.3,8,0,1,1,1,500,1,499,501\n0.2,8,0,0.25,0,1,9,1,8,10\n"), 0o644))
	table, err := plot.Read(path, "")
	require.NoError(t, err)
	f, _, err := plot.Draw(table, plot.Options{X: "load", Y: "latency", XLabel: "X", YLabel: "Y", Width: 340})
	require.NoError(t, err)
	require.Equal(t, []figure.Curve{
		{Name: "latency", Style: figure.Marked, Points: []figure.Point{{X: 0.1, Y: 3, Low: 2, High: 4}, {X: 0.2, Y: 9, Low: 8, High: 10}}},
		{Name: "latency, saturated", Of: "latency", Style: figure.Beyond, Unlisted: true,
			Points: []figure.Point{{X: 0.2, Y: 9, Low: 8, High: 10}, {X: 0.3, Y: 500, Low: 499, High: 501}}},
	}, f.Curves)
	require.Equal(t, "Means with intervals of 95%. Hollow markers: saturated.", f.Note)
	require.Equal(t, []any{"X", "Y", 340.0}, []any{f.X.Label, f.Y.Label, f.Width})
	require.True(t, table.Wide("latency"))
	require.False(t, table.Wide("saturated"))
	f, _, err = plot.Draw(table, plot.Options{X: "load", Y: "saturated"})
	require.NoError(t, err)
	require.Len(t, f.Curves, 1)
}
