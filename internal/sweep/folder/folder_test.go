package folder

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/fabric/outcome"
)

func open(t *testing.T) *Folder {
	t.Helper()
	f, err := Open(filepath.Join(t.TempDir(), "deep", "out"))
	require.NoError(t, err)
	return f
}

// record returns a run with these values of a, b ...
func record(seed uint64, values ...any) Record {
	r := Record{Seed: seed, Verdict: outcome.VerdictPass, Values: values, Digest: "d", Report: []byte(`{"seed":1}`)}
	for k := range values {
		r.Figures = append(r.Figures, string(rune('a'+k)))
	}
	return r
}

// seedsOf returns the seeds of a point's runs.
func seedsOf(t *testing.T, f *Folder, key string) (seeds []uint64) {
	t.Helper()
	runs, err := f.Runs(key)
	require.NoError(t, err)
	for i := range runs {
		seeds = append(seeds, runs[i].Seed)
	}
	return seeds
}

// TestRuns checks that runs kept by several processes are returned once and in order.
func TestRuns(t *testing.T) {
	f := open(t)
	require.Nil(t, seedsOf(t, f, "k"))
	require.NoError(t, f.Keep("k", nil))
	require.NoError(t, f.Keep("k", []Record{record(5, 1), record(2, 1)}))
	require.NoError(t, f.Keep("k", []Record{record(2, 1), record(9, 1, 2), record(3, 1)}))
	second, err := Open(f.Path)
	require.NoError(t, err)
	require.NoError(t, second.Keep("other", []Record{record(1, 1)}))
	require.Equal(t, []uint64{2, 3, 5, 9}, seedsOf(t, second, "k"))
	runs, err := f.Runs("k")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, runs[3].Figures)
	require.Equal(t, []any{json.Number("1"), json.Number("2")}, runs[3].Values)
}

// TestBrokenFiles checks that an incomplete or changed file counts as missing.
func TestBrokenFiles(t *testing.T) {
	f := open(t)
	require.NoError(t, f.Keep("k", []Record{record(1, 1.5, "x", nil), record(2, 2, "y", 3)}))
	paths, err := f.files("k", endingRecords)
	require.NoError(t, err)
	require.Len(t, paths, 1)
	whole, err := os.ReadFile(paths[0])
	require.NoError(t, err)
	require.Len(t, seedsOf(t, f, "k"), 2)
	for n := range len(whole) - 1 { // without the last byte, which ends the line, the file is complete
		require.NoError(t, os.WriteFile(paths[0], whole[:n], 0o666))
		require.Empty(t, seedsOf(t, f, "k"), "%d of %d bytes", n, len(whole))
		changed := slices.Clone(whole)
		changed[n] ^= 1
		require.NoError(t, os.WriteFile(paths[0], changed, 0o666))
		require.Empty(t, seedsOf(t, f, "k"), "byte %d", n)
	}
}

// TestMarks checks that a process counts the marks of others, and that End can remove all of them.
func TestMarks(t *testing.T) {
	f := open(t)
	second, err := Open(f.Path)
	require.NoError(t, err)
	require.NoError(t, f.Begin("k"))
	require.NoError(t, f.Begin("k"))
	for _, x := range []struct {
		f      *Folder
		others int
	}{{f, 0}, {second, 1}} {
		n, err := x.f.Begun("k")
		require.NoError(t, err)
		require.Equal(t, x.others, n)
	}
	require.NoError(t, second.Begin("k"))
	require.NoError(t, f.End("k", false))
	require.NoError(t, f.End("k", false))
	n, err := f.Begun("k")
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.NoError(t, f.End("k", true))
	n, err = f.Begun("k")
	require.NoError(t, err)
	require.Zero(t, n)
}

// TestJoin checks that runs of two folders count once, and that broken files are not copied.
func TestJoin(t *testing.T) {
	a, b := open(t), open(t)
	require.NoError(t, a.Keep("k", []Record{record(1, 1), record(2, 1)}))
	require.NoError(t, b.Keep("k", []Record{record(2, 1), record(3, 1)}))
	require.NoError(t, b.Keep("l", []Record{record(7, 1)}))
	require.NoError(t, os.WriteFile(filepath.Join(b.of("l"), "broken"+endingRecords), []byte("{}\n"), 0o666))
	points, files, err := a.Join(b.Path)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{points, files})
	require.Equal(t, []uint64{1, 2, 3}, seedsOf(t, a, "k"))
	require.Equal(t, []uint64{7}, seedsOf(t, a, "l"))
	_, files, err = a.Join(b.Path)
	require.NoError(t, err)
	require.Zero(t, files)
	_, _, err = a.Join(t.TempDir())
	require.ErrorContains(t, err, "this is not a folder of a sweep: no such file or directory; give folders written by")
}

// TestUnfinishedFiles checks that incomplete files of ended processes are removed, and others stay.
func TestUnfinishedFiles(t *testing.T) {
	f := open(t)
	names := map[string]bool{".x.jsonl." + f.host + ".999999999.ABC.tmp": false, ".x.jsonl." + f.host + ".1.ABC.tmp": true,
		".x.jsonl.elsewhere.999999999.ABC.tmp": true, ".x.jsonl." + f.host + ".999999998.ABC.tmp": true}
	old := time.Now().Add(-time.Hour)
	for name := range names {
		path := filepath.Join(f.Path, name)
		require.NoError(t, os.WriteFile(path, nil, 0o666))
		if name != ".x.jsonl."+f.host+".999999998.ABC.tmp" { // the excluded file is young
			require.NoError(t, os.Chtimes(path, old, old))
		}
	}
	_, err := Open(f.Path)
	require.NoError(t, err)
	for name, stays := range names {
		_, err := os.Stat(filepath.Join(f.Path, name))
		require.Equal(t, stays, err == nil, name)
	}
}

// TestUnwritable checks that a folder that cannot be created or written is refused with a remedy.
func TestUnwritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o666))
	_, err := Open(filepath.Join(path, "out"))
	require.ErrorContains(t, err, "--out: ")
	require.ErrorContains(t, err, "not a directory; give a folder that can be written")
}

// TestTables checks that tables have the columns of all points, numbers as numbers, and a row for a point without
// runs.
func TestTables(t *testing.T) {
	f := open(t)
	one, two, failed := record(1, json.Number("1"), "1 2"), record(2, json.Number("4"), "3"), record(3, 2.5, 0.1)
	failed.Verdict, failed.Rule, failed.Violations = outcome.VerdictFail, "finishes", 2
	one.Figures, two.Figures, failed.Figures = []string{"slots", "list"}, []string{"slots", "list"}, []string{"slots", "x"}
	require.NoError(t, f.Keep("k", []Record{one, two}))
	require.NoError(t, f.Keep("k", []Record{failed}))
	// For one degree of freedom, Student's t is 12.7062 (any table). The standard error of 1 and 4 is 1.5.
	entries := []Entry{{[]string{"0.10", "a,b"}, "k"}, {[]string{"true", "c"}, "none"}}
	require.NoError(t, f.Write(&Tables{Axes: []string{"load", "word"}, Entries: entries, Wanted: func(int, *Record) bool { return true }}))
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(f.Path, name))
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, `load,word,runs,failed,slots.mean,slots.sd,slots.low,slots.high,x.mean,x.sd,x.low,x.high
0.10,"a,b",3,1,2.5,2.1213203435596424,-16.55930711,21.55930711,0.1,,,
true,c,0,0,,,,,,,,
`, read(ResultsCSV))
	require.Equal(t, `load,word,seed,verdict,rule,violations,slots,x,list,digest
0.10,"a,b",1,pass,,0,1,,1 2,d
0.10,"a,b",2,pass,,0,4,,3,d
0.10,"a,b",3,fail,finishes,2,2.5,0.1,,d
`, read(RunsCSV))
	require.Equal(t, `{"point":{"load":0.10,"word":"a,b"},"report":{"seed":1}}
{"point":{"load":0.10,"word":"a,b"},"report":{"seed":1}}
{"point":{"load":0.10,"word":"a,b"},"report":{"seed":1}}
`, read(ReportsJSONL))
	require.NotPanics(t, func() { _ = f.whole(filepath.Join(f.Path, "no", "folder"), func(io.Writer) error { return nil }) })
}

// TestLargePoints checks that points too long to read ahead keep their place.
func TestLargePoints(t *testing.T) {
	f := open(t)
	var entries []Entry
	for i := range 2*ahead + 1 {
		r := record(uint64(i), i)
		if i%3 == 1 {
			r.Report = []byte(`"` + strings.Repeat("x", longBytes/4) + `"`)
		}
		key := strconv.Itoa(i)
		entries = append(entries, Entry{[]string{key}, key})
		copies := []Record{r}
		for k := range 4 {
			if i%3 == 1 {
				copies = append(copies, record(uint64(100*k+100), k))
				copies[k].Report = r.Report
			}
		}
		require.NoError(t, f.Keep(key, copies))
	}
	require.NoError(t, f.Write(&Tables{Axes: []string{"i"}, Entries: entries, Wanted: func(int, *Record) bool { return true }}))
	data, err := os.ReadFile(filepath.Join(f.Path, ResultsCSV))
	require.NoError(t, err)
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		require.True(t, strings.HasPrefix(line, strconv.Itoa(i)+","), line)
	}
	info, err := os.Stat(filepath.Join(f.Path, ReportsJSONL))
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(3*longBytes))
}
