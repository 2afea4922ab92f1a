package coverage

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/hw"
)

// points are those of Verilator for this module, in its order:
//
//	 5  always @(posedge clk)
//	 6    if (!rst_n) q <= 0;
//	 7    else if (go)
//	 8      q <= q + 1;
//	 9    else begin
//	10      last <= q;
//	11      if (stop) q <= 1;
//	12    end
func points(hier string) []cosim.Point {
	at := func(kind cosim.PointKind, line, column int, comment, lines string) cosim.Point {
		return cosim.Point{Kind: kind, File: "m.v", Line: line, Column: column, Comment: comment, Lines: lines, Hier: hier, Page: "v_" + string(kind) + "/m"}
	}
	return []cosim.Point{
		at(cosim.PointToggle, 2, 10, "q[0]", ""), at(cosim.PointToggle, 2, 10, "q[1]", ""), at(cosim.PointToggle, 2, 10, "q[2]", ""),
		at(cosim.PointToggle, 3, 4, "stop", ""),
		at(cosim.PointBranch, 11, 7, "if", "11"), at(cosim.PointBranch, 11, 8, "else", ""),
		at(cosim.PointBranch, 7, 10, "if", "8"), at(cosim.PointBranch, 7, 11, "else", "10"),
		at(cosim.PointLine, 6, 5, "elsif", "6"), at(cosim.PointLine, 5, 3, "block", "5"), at(cosim.PointUser, 13, 1, "wraps", "13"),
	}
}

// TestLines checks that a line counts its executions, and the line of an if the evaluations of its condition, summed
// over all instances.
func TestLines(t *testing.T) {
	var c Coverage
	c.RTL.Add(points("t.a"), []uint64{5, 2, 0, 0 /* toggles */, 0, 30 /* stop */, 40, 30 /* go */, 10, 80, 0})
	c.RTL.Add(points("t.b"), []uint64{1, 0, 0, 0, 0, 3, 0, 3, 1, 4, 0})
	sources := c.RTL.sources()
	require.Len(t, sources, 1)
	require.Equal(t, map[int]uint64{5: 84, 6: 84, 7: 73, 8: 40, 10: 33, 11: 33}, sources[0].lines)
	s := c.Summary()
	require.Equal(t, Summary{
		Lines: Part{6, 6}, Branches: Part{4, 5}, Toggles: Part{3, 8}, User: Part{0, 2}, Uncovered: []string{},
		Never: []string{"wraps (m.v:13)", "wraps (m.v:13)"},
	}, s)

	var text bytes.Buffer
	require.NoError(t, c.Write(&text, Text))
	for _, line := range []string{
		"lines             6 of 6  100.0 %  of the RTL, all instances of a module together\n",
		"m.v:11:7: never taken: if\n", "m.v:2:10: never changed: q in bits 2 of t.a\n", "m.v:2:10: never changed: q in bits 1-2 of t.b\n",
		"m.v:3:4: never changed: stop of t.a\n", "m.v:13:1: never held: wraps in t.a\n",
	} {
		require.Contains(t, text.String(), line)
	}
	var lcov bytes.Buffer
	require.NoError(t, c.Write(&lcov, LCOV))
	require.Equal(t, "TN:starloom\nSF:m.v\nBRDA:6,0,0,11\nBRDA:7,0,0,40\nBRDA:7,0,1,33\nBRDA:11,0,0,0\nBRDA:11,0,1,33\nBRF:5\nBRH:4\n"+
		"DA:5,84\nDA:6,84\nDA:7,73\nDA:8,40\nDA:10,33\nDA:11,33\nLF:6\nLH:6\nend_of_record\n", lcov.String())

	// Lines that never ran are listed. A condition that was never evaluated is neither taken nor not taken.
	var none Coverage
	none.RTL.Add(points("t"), make([]uint64, 11))
	require.Equal(t, []string{"m.v:5-8", "m.v:10-11"}, none.Summary().Uncovered)
	lcov.Reset()
	require.NoError(t, none.Write(&lcov, LCOV))
	require.Contains(t, lcov.String(), "BRDA:11,0,0,-\n")
}

// TestMerge checks that merged coverage of single runs equals the coverage of all runs.
func TestMerge(t *testing.T) {
	counts := [][]uint64{{1, 0, 2, 0, 4, 5, 6, 0, 8, 9, 1}, {0, 3, 0, 0, 0, 1, 2, 3, 0, 7, 0},
		{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}}
	cells := func(value *uint8) []hw.Cell {
		return []hw.Cell{{Probe: hw.NewProbe("r", 3, []uint8{0}, 0), Limit: 5}, cellOf(value)}
	}
	var all, merged Coverage
	value := uint8(0)
	all.Model = NewModel("m", cells(&value))
	for i, c := range counts {
		all.RTL.Add(points("t"), c)
		one := Coverage{Model: NewModel("m", cells(&value))}
		one.RTL.Add(points("t"), c)
		value = uint8(3 * i)
		all.Model.See()
		one.Model.See()
		merged.Merge(&one)
	}
	for _, form := range []Form{Text, JSON, LCOV, Verilator} {
		var a, b bytes.Buffer
		require.NoError(t, all.Write(&a, form))
		require.NoError(t, merged.Write(&b, form))
		require.Equal(t, a.String(), b.String())
	}
	require.Equal(t, 3, merged.Model.States())
	require.Contains(t, textOf(t, &merged), "model m.r: never 1-5\nmodel m.x: never 1-2, 4-5, 7\n")
}

func cellOf(value *uint8) hw.Cell { return hw.Cell{Probe: hw.ProbeOf("x", 3, value), Limit: 7} }

func textOf(t *testing.T, c *Coverage) string {
	var b strings.Builder
	require.NoError(t, c.Write(&b, Text))
	return b.String()
}

// TestLargeRegisters checks that each bit of a register with many values must be 0 and 1.
func TestLargeRegisters(t *testing.T) {
	value := uint64(0)
	c := Coverage{Model: NewModel("m", []hw.Cell{{Probe: hw.ProbeOf("wide", 40, &value), Limit: 1<<40 - 1}})}
	for _, value = range []uint64{0, 0xFF, 0x100} {
		c.Model.See()
	}
	require.Equal(t, Part{49, 80}, c.Summary().Values)
	require.Contains(t, textOf(t, &c), "model m.wide: never 1 in bits 9-39\n")
}

// TestJSON checks that the JSON form is complete and that lists are never null.
func TestJSON(t *testing.T) {
	var empty, some bytes.Buffer
	require.NoError(t, new(Coverage).Write(&empty, JSON))
	require.NotContains(t, empty.String(), "null")
	var c Coverage
	c.RTL.Add(points("t"), []uint64{1, 0, 2, 0, 4, 5, 6, 0, 8, 9, 1})
	require.NoError(t, c.Write(&some, JSON))
	var read struct {
		Points []Count
		Lines  []struct{ Line, Count int }
	}
	require.NoError(t, json.Unmarshal(some.Bytes(), &read))
	require.Len(t, read.Points, 11)
	require.Len(t, read.Lines, 6)
}

// TestToolsRead checks that verilator_coverage and lcov read the files and find the same counts.
func TestToolsRead(t *testing.T) {
	var c Coverage
	c.RTL.Add(points("t.a"), []uint64{5, 2, 0, 0, 0, 30, 40, 30, 10, 80, 0})
	dir := t.TempDir()
	write := func(name string, form Form) string {
		var b bytes.Buffer
		require.NoError(t, c.Write(&b, form))
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
		return path
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "m.v"), []byte(strings.Repeat("// line\n", 14)), 0o600))
	run := func(name string, args ...string) string {
		command := exec.Command(name, args...)
		command.Dir = dir
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	dat, other := write("a.dat", Verilator), write("b.dat", Verilator)
	run("verilator_coverage", "--write", "both.dat", dat, other)
	both, err := os.ReadFile(filepath.Join(dir, "both.dat"))
	require.NoError(t, err)
	require.Equal(t, 11, strings.Count(string(both), "\nC '"))
	require.Contains(t, string(both), "v_branch/m\x01o\x02if\x01S\x028\x01h\x02t.a' 80\n") // twice 40
	total := "Total coverage ("
	if cosimtest.Since(t, "verilator", 5, 48) {
		total = "% ( 7/11)"
	}
	require.Contains(t, run("verilator_coverage", "--annotate", "annotated", dat), total)
	info := write("a.info", LCOV)
	require.Regexp(t, `lines\.+: 100\.0% \(6 of 6 lines\)`, run("genhtml", "--branch-coverage", "-o", "html", info))
	branches := "lcov_branch_coverage=1"
	if cosimtest.Since(t, "genhtml", 2) {
		branches = "branch_coverage=1"
	}
	require.Regexp(t, `branches\.+: 80\.0% \(4 of 5 branches\)`, run("lcov", "--rc", branches, "--summary", info))
}

func exclusions(t *testing.T, text string) (*Exclusions, error) {
	path := filepath.Join(t.TempDir(), "exclude.yml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return ReadExclusions(path)
}

// TestExclusions leaves out lines, branches, cover properties and toggles, and reports covered exclusions.
func TestExclusions(t *testing.T) {
	var c Coverage
	c.RTL.Add(points("t.a"), []uint64{5, 2, 0, 0, 0, 30, 40, 30, 10, 80, 0})
	c.RTL.Add(points("t.b"), []uint64{1, 0, 0, 0, 0, 3, 0, 3, 1, 4, 0})
	whole := c.Summary()
	x, err := exclusions(t, `
- {file: m.v, lines: [6-7, 13], reason: tests only}
- {signals: "t.*.q[1]", reason: small counts}
`)
	require.NoError(t, err)
	c.Exclude(x)
	require.NoError(t, c.CheckExclusions())
	s := c.Summary()
	require.Equal(t, Part{4, 4}, s.Lines, "without 6 and 7")
	require.Equal(t, Part{whole.Branches.Covered - 3, whole.Branches.Of - 3}, s.Branches, "without two of line 7 and the elsif of line 6")
	require.Equal(t, Part{2, 6}, s.Toggles, "without t.a.q[1], which is covered, and t.b.q[1]")
	require.Equal(t, Part{}, s.User)
	require.Equal(t, []Excluded{
		{What: "m.v:6-7,13", Reason: "tests only", Points: 7, Covered: 5, place: s.Excluded[0].place},
		{What: "t.*.q[1]", Reason: "small counts", Points: 2, Covered: 1, place: s.Excluded[1].place},
	}, s.Excluded)
	var text, lcov bytes.Buffer
	require.NoError(t, c.Write(&text, Text))
	require.Contains(t, text.String(), "excluded: m.v:6-7,13: 7 points, 5 of them covered: tests only\n")
	require.NoError(t, c.Write(&lcov, LCOV))
	require.NotContains(t, lcov.String(), "DA:7,")
	var both Coverage
	both.Merge(&c)
	require.Equal(t, s, both.Summary(), "a merge keeps exclusions")

	for _, c := range []struct{ text, wants string }{
		{"- {file: m.v, lines: [6]}", "exclude.yml:1:3: an exclusion without a reason"},
		{"- {file: m.v, reason: ' '}", "an exclusion without a reason"},
		{"- {reason: why}", "an exclusion names a file or signals"},
		{"- {file: m.v, signals: q, reason: why}", "an exclusion names a file or signals"},
		{"- {signals: q, lines: [6], reason: why}", "lines without a file"},
		{"- {signals: 'a[', reason: why}", "signals \"a[\""},
		{"- {file: m.v, lines: [7-6], reason: why}", "[0].lines is the text \"7-6\""},
		{"- {file: m.v, line: 6, reason: why}", "line"},
	} {
		_, err := exclusions(t, c.text)
		require.ErrorContains(t, err, c.wants)
	}
	for _, text := range []string{"- {file: v, lines: [6], reason: why}", "- {file: m.v, lines: [40], reason: why}", "- {signals: 't.c.*', reason: why}"} {
		x, err := exclusions(t, text)
		require.NoError(t, err)
		c.Exclude(x)
		require.ErrorContains(t, c.CheckExclusions(), "matches no line, branch, cover property or toggle", text)
	}
}
