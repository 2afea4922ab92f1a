package diff

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
)

func inFST(t *testing.T, text string, options ...string) string {
	path := filepath.Join(t.TempDir(), "a.vcd")
	text = strings.ReplaceAll(text, " $end $", " $end\n$") // vcd2fst reads a declaration from a line
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	tracetest.Run(t, "vcd2fst", append(options, path, path+".fst")...)
	return path + ".fst"
}

// Parts of an FST that fst2vcd omits are read: values before a first time of 0, and all pauses.
func TestLeftOutOfFST(t *testing.T) {
	header := tracetest.Header("wire 1 ! a", "wire 4 # b", "real 64 $ r")
	body := "0!\nb101 #\nr2.5 $\n#0\n#5\n1!\n$dumpoff\nx!\nbx #\n$end\n$dumpon\n1!\nb10 #\nr2.5 $\n$end\n" +
		"#7\n0!\n#9\n$dumpoff\nx!\nbx #\n$end\n#12\n$dumpon\n0!\nb11 #\nr2.5 $\n$end\n#14\n1!\n#20\n"
	vcdFile := filepath.Join(t.TempDir(), "whole.vcd")
	require.NoError(t, os.WriteFile(vcdFile, []byte(header+body), 0o666))
	for name, c := range map[string]struct{ from, to, at string }{
		"the same":                    {},
		"before time 0":               {"0!\nb101 #\nr2.5 $\n", "0!\nb100 #\nr2.5 $\n", "0 ns"},
		"a real before time 0":        {"r2.5 $\n#0", "r2 $\n#0", "0 ns"},
		"nothing before time 0":       {"0!\nb101 #\nr2.5 $\n#0", "#0", "0 ns"},
		"after a pause of no length":  {"#7\n0!", "#7\n1!", "7 ns"},
		"after the second pause":      {"#12\n$dumpon\n0!", "#12\n$dumpon\n1!", "12 ns"},
		"the second pause goes on":    {"#12\n$dumpon\n0!\nb11 #\nr2.5 $\n$end\n#14\n1!", "#14\n$dumpon\n1!\nb11 #\nr2.5 $\n$end", ""},
		"the second pause is missing": {"$dumpoff\nx!\nbx #\n$end\n#12\n$dumpon\n0!\nb11 #\nr2.5 $\n$end", "#12\nb11 #", ""},
	} {
		other := inFST(t, header+strings.Replace(body, c.from, c.to, 1))
		for _, first := range []string{vcdFile, inFST(t, header+body), inFST(t, header+body, "-c")} {
			r, err := Files(context.Background(), first, other, Options{})
			require.NoError(t, err, name)
			require.Equal(t, c.at != "", r.Differs(), name)
			if c.at != "" {
				require.Equal(t, c.at, r.First.At.String(), name)
			}
		}
	}
	packed := inFST(t, header+body, "-c")
	data, err := os.ReadFile(packed)
	require.NoError(t, err)
	for _, length := range []int{12, 40, len(data) - 1} {
		require.NoError(t, os.WriteFile(packed, data[:length], 0o666))
		_, err = Files(context.Background(), packed, vcdFile, Options{})
		require.ErrorContains(t, err, "this FST is incomplete", length)
	}
}

// A file that ends in a pause says nothing about later times; values of the other after a pause are compared with the
// last values of the ended file.
func TestEndsInPauses(t *testing.T) {
	header := tracetest.Header("wire 1 ! a")
	const off, on0, on1 = "$dumpoff\nx!\n$end\n", "$dumpon\n0!\n$end\n", "$dumpon\n1!\n$end\n"
	for _, c := range []struct{ a, b, signal string }{
		{"#0\n0!\n#5\n" + off, "#0\n0!\n#9\n1!\n", ""},
		{"#0\n0!\n#5\n1!\n#6\n0!\n", "#0\n0!\n#3\n" + off + "#9\n" + on0, ""},
		{"#0\n0!\n#5\n1!\n", "#0\n0!\n#3\n" + off + "#9\n" + on1, ""},
		{"#0\n0!\n#5\n1!\n", "#0\n0!\n#3\n" + off + "#9\n" + on0, "t.a"},
		{"#0\n0!\n#5\n1!\n", "#0\n0!\n#3\n" + off + "#9\n" + on1 + "#10\n0!\n", "t.a"},
		{"#0\n0!\n", "#0\n0!\n#3\n" + off + "#9\n" + on1, "t.a"},
	} {
		r, err := diffTexts(t, header+c.a, header+c.b, Options{})
		require.NoError(t, err)
		require.Equal(t, c.signal != "", r.Differs(), "%q", c)
		if c.signal != "" {
			require.Equal(t, c.signal, r.GoesOn.Signal)
		} else {
			require.Equal(t, VerdictNoDifference, r.Verdict)
		}
	}
	_, err := diffTexts(t, header+off+"#0\n1!\n#5\n", header+"#0\n0!\n", Options{})
	require.ErrorContains(t, err, "the files are never dumped at the same time ($dumpoff)")
}

// Nets that share a path are compared in the order of their declarations.
func TestDeclaredTwice(t *testing.T) {
	twice, once := tracetest.Header("wire 1 ! a", "wire 1 # a", "wire 1 ! a"), tracetest.Header("wire 1 ! a")
	const body = "#0\n0!\n1#\n#5\n1!\n0#\n"
	r := requireEqual(t, twice+body, twice+body, Options{})
	require.Equal(t, VerdictEqual, r.Verdict)
	require.Equal(t, 2, r.Compared)
	requireDifferent(t, twice+body, twice+strings.Replace(body, "0#", "1#", 1), Options{}, "t.a", "5 ns", "0", "1")
	r = requireEqual(t, twice+body, once+"#0\n0!\n#5\n1!\n", Options{})
	require.Equal(t, VerdictNoDifference, r.Verdict)
	require.Equal(t, 1, r.OnlyA.Count)
	r = requireEqual(t, once+"#0\n0!\n#5\n1!\n", twice+body, Options{})
	require.Equal(t, 1, r.OnlyB.Count)
}

// A name with a dot is not a path: Icarus writes \u.b, Verilator u.b for an escaped name.
func TestNamesWithDots(t *testing.T) {
	file := func(vars ...string) string {
		return "$timescale 1ns $end\n$scope module t $end\n" + strings.Join(vars, "\n") + "\n$upscope $end\n$enddefinitions $end\n#0\n0!\n1#\n#5\n1!\n0#\n"
	}
	name := func(code, name string) string { return "$var wire 1 " + code + " " + name + " $end" }
	scope := func(code, scope, name string) string {
		return "$scope module " + scope + " $end\n$var wire 1 " + code + " " + name + " $end\n$upscope $end"
	}
	a := file(name("!", `\u.b`), scope("#", "u", "b"))
	require.Equal(t, VerdictEqual, requireEqual(t, a, file(scope("#", "u", "b"), name("!", "u.b")), Options{}).Verdict)
	requireDifferent(t, a, file(scope("!", "u", "b"), name("#", `\u.b`)), Options{}, `t.u\x2eb`, "0 ns", "0", "1")
	requireDifferent(t, a, file(name("#", "u.b"), scope("!", "u", "b")), Options{}, `t.u\x2eb`, "0 ns", "0", "1")
	requireDifferent(t, file(scope("!", `\u.v`, "b"), scope("#", "u", "v.b")), file(scope("#", `u.v`, "b"), scope("!", "u", `\v.b`)), Options{},
		`t.u\x2ev.b`, "0 ns", "0", "1")
	requireDifferent(t, file(name("!", "u.b"), name("#", `u\x2eb`)), file(name("#", "u.b"), name("!", `\u\x2eb`)), Options{}, `t.u\x2eb`, "0 ns", "0", "1")
	require.Equal(t, 1, requireEqual(t, a, a, Options{Only: []string{"t.*"}}).Compared, "* fits the dot of a name")
	r, err := Files(context.Background(), inFST(t, a), inFST(t, file(scope("!", "u", "b"), name("#", `\u.b`))), Options{})
	require.NoError(t, err)
	require.Equal(t, 2, r.Differing)
}

// Vectors are compared by position; other indices of the same positions are named. No range is [n-1:0].
func TestRanges(t *testing.T) {
	const body = "#0\nb1 !\n#5\nb1001 !\n"
	vector := func(declared string) string { return tracetest.Header("wire 4 ! a "+declared) + body }
	bits := tracetest.Header("wire 1 ! a[0]", "wire 1 # a[1]", "wire 1 $ a[2]", "wire 1 % a[3]") + "#0\n0!\n0#\n0$\n1%\n#5\n1!\n"
	files := []string{vector(""), vector("[3:0]"), vector("[0:3]"), bits, vector("[7:4]")}
	sameAs := []int{0, 0, 1, 1, 2} // files that are equal
	for i, a := range files {
		for j, b := range files {
			r, err := diffTexts(t, a, b, Options{})
			if i+j == 3+4 && i != j {
				require.ErrorContains(t, err, "the files have no signal in common")
				continue
			}
			require.NoError(t, err)
			require.Equal(t, sameAs[i] == sameAs[j], r.Verdict == VerdictEqual, "%d and %d: %v", i, j, r)
		}
	}
	r := requireEqual(t, files[1], files[2], Options{})
	require.Equal(t, VerdictNoDifference, r.Verdict)
	require.Equal(t, []string{"indices of 1 signal with another range in B, compared by position: t.a [3:0], in B [0:3]"}, r.Skipped)
	requireDifferent(t, files[0], bits, Options{}, "t.a[0]", "0 ns", "1", "0")
	first := filepath.Join(t.TempDir(), "a.vcd")
	require.NoError(t, os.WriteFile(first, []byte(files[1]), 0o666))
	r, err := Files(context.Background(), first, inFST(t, files[2]), Options{})
	require.NoError(t, err)
	require.Equal(t, VerdictNoDifference, r.Verdict)
	one := func(v string) string { return tracetest.Header(v) + "#0\n1!\n" }
	require.Equal(t, VerdictEqual, requireEqual(t, one("wire 1 ! a [3]"), one(`wire 1 ! \a[3]`), Options{}).Verdict)
	require.Equal(t, VerdictNoDifference, requireEqual(t, one("wire 1 ! a [3:3]"), one("wire 1 ! a"), Options{}).Verdict)
	two := func(b string) string { return tracetest.Header("wire 4 ! a [3:0]", "wire 4 ! b "+b) + body }
	require.Equal(t, VerdictNoDifference, requireEqual(t, two("[3:0]"), two("[0:3]"), Options{}).Verdict, "another name of the net")
}

// Bits of a vector that were not compared are listed, for either file.
func TestBitsLeftOut(t *testing.T) {
	a, b := tracetest.Header("wire 8 ! a [7:0]")+"#0\nb11110101 !\n#5\nb1 !\n", tracetest.Header("wire 4 ! b [3:0]")+"#0\nb101 !\n#5\nb1 !\n"
	for _, c := range []struct {
		a, b, skipped string
		rules         []NameRule
	}{
		{a, b, "in A alone: 4 bits of t.a", []NameRule{{From: "t.a[3:0]", To: "t.b"}}},
		{b, a, "in B alone: 4 bits of t.a", []NameRule{{From: "t.b", To: "t.a[3:0]"}}},
		{a, b, "in A alone: 6 bits of t.a", []NameRule{{From: "t.a[1:0]", To: "t.b[1:0]"}, {From: "t.a[0]", To: "t.b[0]"}}},
		{tracetest.Header("wire 1 ! a[0]") + "#0\n1!\n#5\n", a, "in B alone: 7 bits of t.a", nil},
	} {
		r := requireEqual(t, c.a, c.b, Options{Rules: c.rules})
		require.Equal(t, VerdictNoDifference, r.Verdict)
		require.Equal(t, c.skipped, r.Skipped[0])
	}
	all := []NameRule{{From: "t.a[7:4]", To: "t.b[7:4]"}, {From: "t.a[3:0]", To: "t.b[3:0]"}}
	require.Equal(t, VerdictEqual, requireEqual(t, a, strings.Replace(a, " a ", " b ", 1), Options{Rules: all}).Verdict)
}

// A signal without a value in either file is not compared.
func TestSignalsWithoutValue(t *testing.T) {
	header := tracetest.Header("wire 1 ! a", "wire 1 # b", "event 1 $ e")
	for _, c := range []struct {
		a, b     string
		verdict  string
		compared int
	}{
		{"#0\n0!\n0#\n#5\n1!\n", "#0\n0!\n0#\n#5\n1!\n", VerdictEqual, 3},
		{"#0\n0!\n#5\n1!\n", "#0\n0!\n#5\n1!\n", VerdictNoDifference, 2},
		{"#0\n0!\nx#\n#5\n1!\n", "#0\n0!\n#5\n1!\n", VerdictEqual, 3},
	} {
		for _, fst := range []bool{false, true} {
			first, second := filepath.Join(t.TempDir(), "a.vcd"), inFST(t, header+c.b)
			require.NoError(t, os.WriteFile(first, []byte(header+c.a), 0o666))
			if !fst {
				second = filepath.Join(filepath.Dir(second), "a.vcd")
			}
			r, err := Files(context.Background(), first, second, Options{})
			require.NoError(t, err)
			require.Equal(t, c.verdict, r.Verdict)
			require.Equal(t, c.compared, r.Compared)
			require.Equal(t, c.compared < 3, slices.Contains(r.Skipped, "1 signal without a value in A or B: t.b"))
		}
	}
	early := "1!\n#5\n0!\n"
	_, err := Files(context.Background(), inFST(t, header+early), inFST(t, header+early), Options{Only: []string{"t.b"}})
	require.ErrorContains(t, err, "neither file has a value of a compared signal")
}

// Contents that the values at each time do not show are listed, so that such files are never EQUAL: changes while
// dumping is off, replaced values, digits beyond a double, NaN or an empty text without a value in the other file.
func TestUnseen(t *testing.T) {
	header := tracetest.Header("wire 1 ! a", "real 64 $ r", "string 1 % s")
	const start, off = "#0\n0!\nr1 $\nstext %\n", "#5\n$dumpoff\nx!\n$end\n#6\n1!\n#7\n0!\n#9\n$dumpon\n0!\n$end\n#12\n1!\n"
	for name, c := range map[string]struct{ a, b, skipped string }{
		"paused":         {start + off, start + strings.Replace(off, "#6\n1!\n#7\n0!\n", "", 1), "in A: 2 changes between $dumpoff and $dumpon"},
		"paused in both": {start + off, start + strings.Replace(off, "#6\n1!\n#7", "#7\n1!\n", 1), "in both: 2 changes between $dumpoff and $dumpon"},
		"pauses alone":   {start + "#5\n$dumpoff\nx!\n$end\n#9\n$dumpon\n0!\n$end\n", start + "#5\n$dumpoff\nx!\n$end\n#9\n$dumpon\n0!\n$end\n", ""},
		"glitch":         {start + "#5\n1!\n0!\n#6\n1!\n", start + "#6\n1!\n", "in A: 1 value replaced at the same time"},
		"glitches":       {start + "#5\n1!\n0!\n#5\n1!\n#6\n0!\n", start + "#5\n1!\n#6\n0!\n", "in A: 2 values replaced at the same time"},
		"the same twice": {start + "#5\n1!\n1!\n", start + "#5\n1!\n", ""},
		"initial":        {"$dumpvars\nx!\nr0 $\ns0 %\n$end\n" + start, start, ""},
		"initial at 0":   {"#0\n$dumpvars\nx!\nr0 $\ns0 %\n$end\n" + start[3:], start, ""},
		"before time 0":  {"1!\n" + start, start, ""},
		"digits":         {start + "#5\nr0.12345678901234567890 $\n", start + "#5\nr0.12345678901234568123 $\n", "in both: 1 real with more digits than a double holds"},
		"too small":      {start + "#5\nr1e-400 $\n", start + "#5\nr0 $\n", "in A: 1 real with more digits than a double holds"},
		"a double":       {start + "#5\nr0.1000000000000000055511151231257827 $\n", start + "#5\nr0.1 $\n", ""},
		"16 digits":      {start + "#5\nr9007199254740992 $\n#6\nr4.9406564584124654e-324 $\n", start + "#5\nr9.007199254740992e15 $\n#6\nr5e-324 $\n", ""},
		"no real":        {"#0\n0!\nrnan $\nstext %\n#5\nr1 $\n", "#0\n0!\nstext %\n#5\nr1 $\n", "1 signal with NaN or an empty text where the other file has no value: t.r"},
		"no text":        {"#0\n0!\nr1 $\ns %\n#5\nstext %\n", "#0\n0!\nr1 $\n#5\nstext %\n", "1 signal with NaN or an empty text where the other file has no value: t.s"},
	} {
		r := requireEqual(t, header+c.a, header+c.b, Options{})
		if c.skipped == "" {
			require.Equal(t, VerdictEqual, r.Verdict, "%s: %v", name, r.Skipped)
			continue
		}
		require.Equal(t, []string{c.skipped}, r.Skipped, name)
		require.Equal(t, VerdictNoDifference, r.Verdict, name)
	}
	r := requireEqual(t, header+start+"#5\nr1e-400 $\nr3 $\n", header+start+"#5\nr2 $\n", Options{Only: []string{"t.a"}})
	require.Equal(t, []string{"left out by --only: 2 signals"}, r.Skipped, "of what is not compared nothing is said")
}
