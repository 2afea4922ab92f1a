package diff

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/input"
	"starloom/traces/internal/tracetest"
	"starloom/traces/vcd"
)

// diffTexts compares two VCDs that are given as texts.
func diffTexts(t *testing.T, a, b string, o Options) (*Report, error) {
	t.Helper()
	folder := t.TempDir()
	pathA, pathB := filepath.Join(folder, "a.vcd"), filepath.Join(folder, "b.vcd")
	require.NoError(t, os.WriteFile(pathA, []byte(a), 0o666))
	require.NoError(t, os.WriteFile(pathB, []byte(b), 0o666))
	r, err := Files(context.Background(), pathA, pathB, o)
	if err == nil {
		r.A, r.B = "a.vcd", "b.vcd"
	}
	return r, err
}

// every samples once in so many nanoseconds.
func every(ns uint64) vcd.Sampling {
	return vcd.Sampling{Period: vcd.Duration{Count: ns, Unit: vcd.Nanosecond}}
}

func requireEqual(t *testing.T, a, b string, o Options) *Report {
	t.Helper()
	r, err := diffTexts(t, a, b, o)
	require.NoError(t, err)
	require.Nil(t, r.First)
	require.False(t, r.Differs())
	require.NotZero(t, r.Compared)
	require.NotZero(t, r.Instants)
	return r
}

func requireDifferent(t *testing.T, a, b string, o Options, signal, at, valueA, valueB string) *Report {
	t.Helper()
	r, err := diffTexts(t, a, b, o)
	require.NoError(t, err)
	require.True(t, r.Differs())
	require.NotNil(t, r.First)
	require.Equal(t, []string{signal, at, valueA, valueB},
		[]string{r.First.Signal, r.First.At.String(), r.First.A, r.First.B})
	require.NotEmpty(t, r.Waves)
	return r
}

// requireDifferentEnd requires that B goes on after A.
func requireDifferentEnd(t *testing.T, a, b string) *Report {
	t.Helper()
	r, err := diffTexts(t, a, b, Options{})
	require.NoError(t, err)
	require.Nil(t, r.First)
	require.True(t, r.Differs())
	require.Equal(t, "b", r.GoesOn.File)
	return r
}

const (
	smallHeader = "$timescale 1 ns $end $scope module tb $end $var wire 1 ! clk $end $var reg 8 # data [7:0] $end $var real 1 r temp $end $upscope $end $enddefinitions $end\n"
	smallBody   = "#0\n0!\nb0 #\nr1.5 r\n#5\n1!\n#10\n0!\nb101 #\n#15\n1!\n#20\n0!\nb110 #\nr2 r\n#25\n1!\n#30\n"
)

func TestEqualFiles(t *testing.T) {
	r := requireEqual(t, smallHeader+smallBody, smallHeader+smallBody, Options{})
	require.Equal(t, 3, r.Compared)
	require.EqualValues(t, 7, r.Instants)
	require.Equal(t, "0 ns", r.From.String())
	require.Equal(t, "30 ns", r.To.String())
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Equal(t, "EQUAL  a.vcd  b.vcd\n\ncompared    3 signals, from 0 ns to 30 ns, 7 times\n", text.String())
}

func TestShowsTheFirstDifference(t *testing.T) {
	b := strings.Replace(smallBody, "b110 #", "b111 #", 1)
	b = strings.Replace(b, "#25\n1!", "#25\n", 1)
	r := requireDifferent(t, smallHeader+smallBody, smallHeader+b, Options{}, "tb.data", "20 ns", "0x06", "0x07")
	require.Equal(t, 2, r.Differing)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Equal(t, `DIFFERENT  a.vcd  b.vcd

first difference at 20 ns
  tb.data
  A  0x06
  B  0x07

ns           0    5    10   15   20
tb.data (A)  |00       |05       |06
        (B)  |00       |05       |07
tb.clk       _____/~~~~\____/~~~~\____
tb.temp      |1.5                |2
                                 ^

compared    3 signals, from 0 ns to 30 ns, 7 times
differing   2 signals
            tb.data, first at 20 ns: A 0x06, B 0x07
            tb.clk, first at 25 ns: A 1, B 0
`, text.String())
	r, err := diffTexts(t, smallHeader+smallBody, smallHeader+b, Options{First: true})
	require.NoError(t, err)
	require.Equal(t, 1, r.Differing)
	require.Equal(t, "20 ns", r.To.String())
}

// The same values at the same time, with another time scale, another order, and
// glitches within one time.
func TestConvertsTimes(t *testing.T) {
	header := strings.Replace(smallHeader, "1 ns", "10 ps", 1)
	body := "#0\nr1.5 r\nb1111 #\nb0 #\n0!\n#300\n#500\n0!\n1!\n#1000\nb101 #\n0!\n#1500\n1!\n#2000\nr2.0000000000000001 r\nb110 #\n0!\n#2500\n1!\n#3000\n"
	requireEqual(t, smallHeader+smallBody, header+body, Options{})
	requireEqual(t, header+body, smallHeader+smallBody, Options{})
	requireDifferent(t, smallHeader+smallBody, header+strings.Replace(body, "#1000", "#1001", 1), Options{}, "tb.clk", "10 ns", "0", "1")
	requireDifferent(t, header+strings.Replace(body, "#1000", "#1001", 1), smallHeader+smallBody, Options{}, "tb.clk", "10 ns", "1", "0")
}

func TestUnknownBits(t *testing.T) {
	a := tracetest.Header("wire 4 ! v", "real 1 # r", "wire 100 $ w") + "#0\nb1x0z !\nr1 #\nbx $\n#5\n"
	b := tracetest.Header("wire 4 ! v", "real 1 # r", "wire 100 $ w") + "#0\nb1100 !\nb101 $\n#5\n"
	r := requireDifferent(t, a, b, Options{}, "t.v", "0 ns", "0b1x0z", "0xc")
	require.Equal(t, 3, r.Differing)
	requireEqual(t, a, b, Options{Lenient: true})
	requireEqual(t, b, a, Options{Lenient: true})
	requireDifferent(t, a, strings.Replace(b, "b1100", "b0100", 1), Options{Lenient: true}, "t.v", "0 ns", "0b1x0z", "0x4")
	requireEqual(t, a, a, Options{})
}

// A bit above the 64th, and bits of a vector that starts at its low end.
func TestWideSignals(t *testing.T) {
	a := tracetest.Header("wire 130 ! v") + "#0\nb0 !\n#1\nb1" + strings.Repeat("0", 129) + " !\n#2\n"
	requireEqual(t, a, a, Options{})
	r := requireDifferent(t, a, strings.Replace(a, "b10", "b11", 1), Options{}, "t.v", "1 ns", "0x2"+strings.Repeat("0", 32), "0x3"+strings.Repeat("0", 32))
	require.Contains(t, r.Waves, "t.v (A)  |0000000..0000000 |2000000..0000000\n")

	// Bits on both sides of the border of two words.
	vector := tracetest.Header("wire 130 ! v [129:0]") + "#0\nb101" + strings.Repeat("0", 63) + " !\n#1\n" // bits 65 and 63
	part := tracetest.Header("wire 8 ! p [7:0]") + "#0\nb10100 !\n#1\n"
	rules := []NameRule{{From: "t.v[68:61]", To: "t.p"}}
	requireEqual(t, vector, part, Options{Rules: rules})
	requireDifferent(t, vector, strings.Replace(part, "b10100", "b00100", 1), Options{Rules: rules}, "t.v[68:61]", "0 ns", "0x14", "0x04")
	requireEqual(t, part, vector, Options{Rules: []NameRule{{From: "t.p", To: "t.v[68:61]"}}})
}

func TestFindsNames(t *testing.T) {
	scope := func(names ...string) string {
		text := "$timescale 1ns $end\n"
		for _, name := range names[:len(names)-1] {
			text += "$scope module " + name + " $end\n"
		}
		return text + "$var wire 1 ! " + names[len(names)-1] + " $end $var wire 1 # own $end\n" + strings.Repeat("$upscope $end\n", len(names)-1) + "$enddefinitions $end\n#0\n1!\n0#\n#1\n"
	}
	// Scopes around everything may be missing or be called differently.
	r := requireEqual(t, scope("dut", "a"), scope("TOP", "dut", "a"), Options{})
	require.Equal(t, []string{"", "TOP"}, []string{r.ScopeA, r.ScopeB})
	require.Equal(t, 2, r.Compared)
	requireEqual(t, scope("TOP", "dut", "a"), scope("dut", "a"), Options{})
	requireEqual(t, scope("tb", "dut", "a"), scope("TOP", "dut", "a"), Options{})
	requireEqual(t, scope("tb", "u_dut", "a"), scope("TOP", "dut", "a"), Options{})
	// One of two names is common: the other is said to be alone.
	r = requireEqual(t, scope("dut", "a"), scope("dut", "b"), Options{})
	require.Equal(t, []string{"dut.a"}, r.OnlyA.Names)
	require.Equal(t, []string{"dut.b"}, r.OnlyB.Names)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "only in A   1: dut.a\nonly in B   1: dut.b\n")
	// No name in common.
	_, err := diffTexts(t, scope("dut", "a"), strings.Replace(scope("dut", "b"), "own", "other", 1), Options{})
	require.ErrorContains(t, err, "the files have no signal in common: names have forms such as dut.a and dut.b; give a --map")
	// Left out.
	r = requireEqual(t, scope("dut", "a"), strings.Replace(scope("dut", "a"), "1!", "0!", 1), Options{Ignore: []string{"**.a"}})
	require.Equal(t, 1, r.Compared)
	require.Zero(t, r.OnlyA.Count)
	r = requireEqual(t, scope("dut", "a"), strings.Replace(scope("TOP", "dut", "a"), "1!", "0!", 1), Options{Ignore: []string{"TOP.**.a"}})
	require.Zero(t, r.OnlyA.Count+r.OnlyB.Count, "the pattern fits the name in B")
	r = requireEqual(t, scope("dut", "a"), strings.Replace(scope("TOP", "dut", "a"), "1!", "0!", 1), Options{Only: []string{"TOP.**.own"}})
	require.Equal(t, 1, r.Compared)
	_, err = diffTexts(t, scope("dut", "a"), scope("dut", "a"), Options{Ignore: []string{"**"}})
	require.ErrorContains(t, err, "all common signals are left out; give other patterns to --only and --ignore")
	r = requireEqual(t, scope("dut", "a"), strings.Replace(scope("dut", "a"), "1!", "0!", 1), Options{Only: []string{"dut.o*"}})
	require.Equal(t, 1, r.Compared)
}

func TestMapsNames(t *testing.T) {
	a := tracetest.Header("wire 1 ! out", "wire 8 # data [7:0]", "wire 4 $ nib [0:3]", "wire 1 % g[2]", "wire 1 & g[3]") + "#0\n1!\nb10100101 #\nb1100 $\n0%\n1&\n#1\n"
	b := "$timescale 1ns $end $scope module TOP $end $var wire 1 a c_0_7 $end $var wire 4 b high $end $var wire 4 c low $end $var wire 2 d g [3:2] $end " +
		"$var wire 1 e nib[0] $end $var wire 1 f nib[1] $end $var wire 1 g nib [2] $end $var wire 1 h nib [3] $end $upscope $end $enddefinitions $end\n#0\n1a\nb1010 b\nb101 c\nb10 d\n1e\n1f\n0g\n0h\n#1\n"
	rules := []NameRule{
		{From: "t.out", To: "TOP.c_0_7", Place: "m:1"},
		{From: "t.data[7:4]", To: "TOP.high", Place: "m:2"}, {From: "t.data[3:0]", To: "TOP.low", Place: "m:3"},
		{From: "t.g[*]", To: "TOP.g[$1]", Place: "m:4"},
	}
	r := requireEqual(t, a, b, Options{Rules: rules})
	require.Equal(t, 9, r.Compared, "out, data twice, g twice, nib in four bits")
	require.Zero(t, r.OnlyA.Count+r.OnlyB.Count)
	requireDifferent(t, a, strings.Replace(b, "b101 c", "b100 c", 1), Options{Rules: rules}, "t.data[3:0]", "0 ns", "0x5", "0x4")
	requireDifferent(t, a, strings.Replace(b, "0g", "1g", 1), Options{Rules: rules}, "t.nib[2]", "0 ns", "0", "1")
	requireDifferent(t, a, strings.Replace(b, "b10 d", "b11 d", 1), Options{Rules: rules}, "t.g[2]", "0 ns", "0", "1")
	// The other way round.
	back := []NameRule{{From: "TOP.c_0_7", To: "t.out"}, {From: "TOP.high", To: "t.data[7:4]"}, {From: "TOP.low", To: "t.data[3:0]"}, {From: "TOP.**", To: "t.$1"}}
	require.Equal(t, 9, requireEqual(t, b, a, Options{Rules: back}).Compared)

	for _, c := range []struct {
		rule NameRule
		want string
	}{
		{NameRule{From: "t.nothing", To: "TOP.high", Place: "m:1"}, "m:1: "},
		{NameRule{From: "t.data[8:5]", To: "TOP.high", Place: "m:1"}, "has no signal t.data[8:5]; `starloom trace info"},
		{NameRule{From: "t.data", To: "TOP.none", Place: "m:1"}, "has no signal TOP.none; `starloom trace info"},
		{NameRule{From: "t.*", To: "TOP.$2", Place: "m:1"}, `m:1: "TOP.$2" refers to $2, but "t.*" has 1 stars; correct the names`},
		{NameRule{From: "t.g[5..2]", To: "TOP.g[$1]", Place: "m:1"}, "m:1: [5..2] is not a range of indexes"},
		{NameRule{From: "", To: "TOP.g[$1]", Place: "m:1"}, "m:1: the pattern is empty"},
	} {
		_, err := diffTexts(t, a, b, Options{Rules: []NameRule{c.rule}})
		require.ErrorContains(t, err, c.want)
	}
}

// A signal that is declared with other bits is a difference.
func TestShapes(t *testing.T) {
	r, err := diffTexts(t, tracetest.Header("wire 4 ! v", "wire 1 # a")+"#0\nb1 !\n0#\n", tracetest.Header("wire 5 ! v", "wire 1 # a")+"#0\nb1 !\n0#\n", Options{})
	require.NoError(t, err)
	require.True(t, r.Differs())
	require.Nil(t, r.First)
	require.Equal(t, []Mismatch{{"t.v", "t.v", "4 bits", "5 bits"}}, r.Shapes)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "shape       t.v: 4 bits in A, 5 bits in B\n")
}

// sampledBody is a counter; values change right after the edge in A, later in B.
func sampledBody(period, delay, cycles, start int, broken int) string {
	var b strings.Builder
	for n := range cycles {
		t := start + n*period
		write := func(at int, text string) { b.WriteString("#" + itoa(at) + "\n" + text + "\n") }
		value := n
		if n == broken {
			value++
		}
		if delay == 0 {
			write(t, "1!\nb"+inBinary(value)+" #")
		} else {
			write(t, "1!")
			write(t+delay, "b"+inBinary(value)+" #")
		}
		write(t+period/2, "0!")
	}
	return b.String()
}

func TestCycles(t *testing.T) {
	header := tracetest.Header("wire 1 ! clk", "wire 8 # count")
	a := header + "#0\n0!\n" + sampledBody(10, 0, 60, 5, -1)
	b := strings.Replace(header, "1ns", "1ps", 1) + "#0\n0!\n" + sampledBody(8000, 100, 61, 4000, -1)
	clock := vcd.Sampling{Clock: "t.clk"}
	r := requireEqual(t, a, b, Options{A: clock, B: clock, Prefix: true}) // B has one more
	require.EqualValues(t, 60, r.Instants)
	require.Equal(t, "cycle 59", r.To.String())
	require.Equal(t, "cycle 60", r.GoesOn.At.String())
	b = strings.Replace(header, "1ns", "1ps", 1) + "#0\n0!\n" + sampledBody(8000, 100, 60, 4000, -1)
	requireDifferent(t, a, b, Options{}, "t.clk", "4 ns", "0", "1")
	// One name is enough: in B it is what the rules say.
	other := strings.NewReplacer("module t ", "module TOP ", " clk ", " clk_i ").Replace(b)
	requireEqual(t, a, other, Options{A: clock, B: clock, Rules: []NameRule{{From: "t.clk", To: "TOP.clk_i"}, {From: "t.*", To: "TOP.$1"}}})
	broken := strings.Replace(header, "1ns", "1ps", 1) + "#0\n0!\n" + sampledBody(8000, 100, 60, 4000, 33)
	r = requireDifferent(t, a, broken, Options{A: clock, B: clock, Context: 5}, "t.count", "cycle 34", "0x21", "0x22")
	require.Equal(t, `cycle        30  31  32  33  34
t.count (A)  |1d |1e |1f |20 |21
        (B)  |1d |1e |1f |20 |22
t.clk        ____________________
                             ^
`, r.Waves)
	require.Equal(t, "345 ns", r.First.At.TimeA)
	require.Equal(t, "276 ns", r.First.At.TimeB)

	// A starts three cycles later: an offset, or the first edge of a signal.
	withStart := func(text string, at string) string {
		text = strings.Replace(text, "# count $end", "# count $end $var wire 1 s start $end", 1)
		text = strings.Replace(text, "#0\n", "#0\n0s\n", 1)
		return strings.Replace(text, "#"+at+"\n", "#"+at+"\n1s\n", 1)
	}
	late := header + "#0\n0!\n#1\n1!\n#2\n0!\n#3\n1!\n#4\n0!\n#5\n1!\n#6\n0!\n" + sampledBody(10, 0, 60, 15, -1)
	requireDifferent(t, late, b, Options{A: clock, B: clock}, "t.count", "cycle 1", "0bxxxxxxxx", "0x00")
	r = requireEqual(t, late, b, Options{A: clock, B: clock, OffsetCycles: -3})
	require.Equal(t, "cycle 3", r.From.String())
	requireEqual(t, b, late, Options{A: clock, B: clock, OffsetCycles: 3})
	r = requireEqual(t, withStart(late, "65"), withStart(b, "44000"), Options{A: clock, B: clock, Align: "t.start"})
	require.Equal(t, "cycle 3", r.From.String())

	// One file has a clock, the other, like ours, a time stamp per cycle.
	ours := header + "#0\n0!\n"
	for n := range 60 {
		ours += "#" + itoa(n+1) + "\nb" + inBinary(n) + " #\n"
	}
	only := []string{"t.count"}
	requireEqual(t, ours, a, Options{A: every(1), B: clock, Only: only, Prefix: true})
	requireEqual(t, a, ours, Options{B: every(1), A: clock, Only: only, Prefix: true})
	// Periods on both sides.
	period := Options{A: every(10), B: every(8)}
	period.To = Bound{Given: true, Cycle: 59}
	r = requireEqual(t, a, b, period)
	require.EqualValues(t, 60, r.Instants)
	// Falling edges see the values of the same cycle.
	falling := vcd.Sampling{Clock: "t.clk", Falling: true}
	requireEqual(t, a, b, Options{A: falling, B: falling})
	requireDifferent(t, a, broken, Options{A: falling, B: falling}, "t.count", "cycle 33", "0x21", "0x22")
	// Bounds.
	requireEqual(t, a, broken, Options{A: clock, B: clock, To: Bound{Given: true, Cycle: 33}})
	requireEqual(t, a, broken, Options{A: clock, B: clock, From: Bound{Given: true, Cycle: 35}})
}

func TestShiftedTimes(t *testing.T) {
	later := smallHeader + "#0\n0!\nb0 #\nr1.5 r\n#107\n1!\n#112\n0!\nb101 #\n#117\n1!\n#122\n0!\nb110 #\nr2 r\n#127\n1!\n#132\n"
	a := smallHeader + smallBody
	requireDifferent(t, a, later, Options{}, "tb.clk", "5 ns", "1", "0")
	requireEqual(t, a, later, Options{Offset: vcd.Duration{Count: 102, Unit: vcd.Nanosecond}})
	requireEqual(t, later, a, Options{Offset: vcd.Duration{Count: 102000, Unit: -12}, OffsetBack: true})
	requireEqual(t, a, later, Options{Align: "tb.clk"})
	requireEqual(t, later, a, Options{Align: "tb.clk"})
	requireEqual(t, a, later,
		Options{To: Bound{Given: true, Timed: true, Time: vcd.Duration{Count: 4, Unit: vcd.Nanosecond}}})
}

// While one file is not dumped nothing is compared; afterwards everything is.
func TestDumpOff(t *testing.T) {
	b := smallHeader + strings.Replace(smallBody, "#10\n0!\nb101 #\n", "#10\n$dumpoff\nx!\nbx #\n$end\n", 1)
	b = strings.Replace(b, "#20\n", "#20\n$dumpon\n", 1)
	requireEqual(t, smallHeader+smallBody, b, Options{})
	// One file says nothing until it goes on; the other changes meanwhile.
	b = smallHeader + smallBody[:strings.Index(smallBody, "#10")] + "#7\n$dumpoff\nx!\nbx #\n$end\n#25\n$dumpon\n1!\nb110 #\nr2 r\n$end\n#30\n"
	requireEqual(t, smallHeader+smallBody, b, Options{})
	requireEqual(t, b, smallHeader+smallBody, Options{})
	requireEqual(t, b, smallHeader+smallBody, Options{A: every(5), B: every(5)})
	late := strings.Replace(smallHeader+smallBody, "#15\n1!\n", "#15\n$dumpoff\n$end\n#16\n$dumpon\n1!\nb100 #\n$end\n", 1)
	requireDifferent(t, smallHeader+smallBody, late, Options{}, "tb.data", "16 ns", "0x05", "0x04")
	_, err := diffTexts(t, smallHeader+smallBody, late, Options{A: vcd.Sampling{Clock: "tb.clk"}, B: vcd.Sampling{Clock: "tb.clk"}})
	require.ErrorContains(t, err, "$dumpoff at #15: the clock's cycles cannot be counted from this time on; sample "+
		"with a period")
}

// A file that ends early is compared as far as it goes, and that is said.
func TestShorterFiles(t *testing.T) {
	short := smallHeader + smallBody[:strings.Index(smallBody, "#20")] + "#2"
	r := requireEqual(t, smallHeader+smallBody, short, Options{})
	require.True(t, r.EndedB)
	require.False(t, r.EndedA)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "skipped     B ends here, A goes on\nskipped     the last line of b.vcd, which is incomplete\n")
}

// The end of a file is the last change of a signal that is compared: what the other has
// after it is a difference, a time without a change is none.
func TestFilesThatEndEarly(t *testing.T) {
	a := smallHeader + smallBody
	clock, period := vcd.Sampling{Clock: "tb.clk"}, every(5)
	to := Bound{Given: true, Timed: true, Time: vcd.Duration{Count: 30, Unit: vcd.Nanosecond}}
	more := "#35\n0!\n#40\n1!\nb111 #\n#45\n0!\n#50\n1!\nb1 #\n#55\n0!\n#60\n"
	for _, c := range []struct {
		name, rest string
		o          Options
		want       string // of the longer file, empty: no difference
	}{
		{"a change", more, Options{}, "tb.clk changes at 35 ns"},
		{"another signal", more, Options{Only: []string{"**.data"}}, "tb.data changes at 40 ns"},
		{"--to within both", more, Options{To: to}, ""},
		{"--prefix", more, Options{Prefix: true}, ""},
		{"a time", "#40\n", Options{}, ""},
		{"two times", "#40\n#50\n", Options{}, ""},
		{"a late change", "#40\n#50\nr3 r\n", Options{}, "tb.temp changes at 50 ns"},
		{"the same values", "#40\n1!\nb110 #\nr2 r\n", Options{}, ""},
		{"a signal that is left out", "#40\nb111 #\n#50\n", Options{Ignore: []string{"**.data"}}, ""},
		{"an edge", more, Options{A: clock, B: clock}, "tb.clk changes in cycle 3"},
		{"no edge", "#40\nb111 #\n", Options{A: clock, B: clock}, ""},
		{"data by the clock", more, Options{A: clock, B: clock, Only: []string{"**.data"}}, "tb.data changes in cycle 4"},
		{"edges alone", "#35\n0!\n#40\n1!\n#45\n0!\n#50\n1!\n", Options{A: clock, B: clock, Only: []string{"**.data"}}, ""},
		{"a period", more, Options{A: period, B: period}, "tb.clk changes in cycle 7"},
		{"a period of times", "#50\n", Options{A: period, B: period}, ""},
		{"x", "#40\nbx #\n", Options{Lenient: true}, "tb.data changes at 40 ns"},
	} {
		for _, swap := range []bool{false, true} {
			short, long, names := a, a+c.rest, [2]string{"A", "B"}
			if swap {
				short, long, names = long, short, [2]string{"B", "A"}
			}
			r, err := diffTexts(t, short, long, c.o)
			require.NoError(t, err)
			var text strings.Builder
			require.NoError(t, r.WriteText(&text))
			require.Equal(t, c.want != "", r.Differs(), "%s: %s", c.name, text.String())
			require.Equal(t, c.want != "" || c.o.Prefix, r.GoesOn != nil, c.name)
			if c.want != "" {
				require.True(t, strings.HasPrefix(text.String(), "DIFFERENT  a.vcd  b.vcd\n\ncompared "), text.String())
				require.Contains(t, text.String(), fmt.Sprintf("ended       %s %s; %s continues: %s (--prefix allows this)\n", names[0], r.To.when(), names[1], c.want), c.name)
			} else if len(c.o.Only)+len(c.o.Ignore) == 0 && !c.o.Prefix && !c.o.A.Sampled() && !c.o.To.Given {
				require.Equal(t, VerdictEqual, r.Verdict, c.name)
			}
		}
	}
}

// Reals are compared exactly unless a tolerance is given, and it is said where it was
// needed.
func TestReals(t *testing.T) {
	a := smallHeader + smallBody
	near := strings.Replace(a, "r1.5 ", "r1.5000000000000002 ", 1)
	r := requireDifferent(t, a, near, Options{}, "tb.temp", "0 ns", "1.5", "1.5000000000000002")
	require.Equal(t, 1, r.Differing)
	r = requireEqual(t, a, near, Options{RealTolerance: 1e-15})
	require.Equal(t, VerdictNoDifference, r.Verdict)
	require.EqualValues(t, 1, r.RealsWithin)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Contains(t, text.String(), "skipped     1 real is within --real-tolerance 1e-15 of the other file's\n")
	requireDifferent(t, a, near, Options{RealTolerance: 1e-17}, "tb.temp", "0 ns", "1.5", "1.5000000000000002")
	require.Equal(t, VerdictEqual, requireEqual(t, a, a, Options{RealTolerance: 1e-3}).Verdict, "the tolerance was not needed")
	requireEqual(t, a, strings.Replace(a, "r1.5 ", "r15e-1 ", 1), Options{})
}

// Events are compared: whether they are triggered at a time, or in a cycle.
func TestEvents(t *testing.T) {
	header := tracetest.Header("event 1 ! e", "event 1 # f", "wire 1 $ c")
	body := "#0\n$dumpvars\n1!\n1#\n0$\n$end\n#5\n1!\n1$\n#10\n1!\n0$\n#15\n1#\n1$\n#20\n0$\n"
	r := requireEqual(t, header+body, header+body, Options{})
	require.Equal(t, VerdictEqual, r.Verdict)
	require.Equal(t, 3, r.Compared)
	missing := strings.Replace(body, "#10\n1!\n", "#10\n", 1)
	r = requireDifferent(t, header+body, header+missing, Options{}, "t.e", "10 ns", "triggered", "not triggered")
	require.Contains(t, r.Waves, "t.e (A)")
	late := strings.Replace(body, "#15\n1#\n1$\n", "#15\n1$\n#16\n1#\n", 1)
	requireDifferent(t, header+body, header+late, Options{}, "t.f", "15 ns", "triggered", "not triggered")
	requireDifferent(t, header+late, header+body, Options{}, "t.f", "15 ns", "not triggered", "triggered")
	clock := vcd.Sampling{Clock: "t.c"}
	requireDifferent(t, header+body, header+strings.Replace(missing, "1!\n1$\n", "1$\n", 1), Options{A: clock, B: clock}, "t.e", "cycle 1", "triggered", "not triggered")
	requireEqual(t, header+body, header+late, Options{Ignore: []string{"**.f"}, A: clock, B: clock})

	r = requireDifferentEnd(t, header+body, header+body+"#25\n1!\n")
	require.Equal(t, "t.e", r.GoesOn.Signal)

	// Files of events alone, and an event that is a wire in the other file.
	events := tracetest.Header("event 1 ! e")
	requireEqual(t, events+"#0\n#5\n1!\n", events+"#0\n#5\n1!\n", Options{})
	requireDifferent(t, events+"#0\n#5\n1!\n", events+"#0\n#5\n", Options{}, "t.e", "5 ns", "triggered", "not triggered")
	r, err := diffTexts(t, events+"#0\n#5\n1!\n", tracetest.Header("wire 1 ! e")+"#0\n#5\n1!\n", Options{})
	require.NoError(t, err)
	require.True(t, r.Differs())
	require.Equal(t, "event", r.Shapes[0].A)
}

// TestDiffNamesWhatItSkips: files are called equal only if everything in them was
// compared.
func TestNamesWhatItSkips(t *testing.T) {
	a := smallHeader + smallBody
	at := func(ns uint64) Bound {
		return Bound{Given: true, Timed: true, Time: vcd.Duration{Count: ns, Unit: vcd.Nanosecond}}
	}
	clock, period := vcd.Sampling{Clock: "tb.clk"}, every(100)
	more := strings.Replace(smallHeader, "$upscope", "$var wire 1 x own $end $upscope", 1) + smallBody
	for _, c := range []struct {
		name, a, b string
		o          Options
		verdict    string
		damaged    bool
		text       string
	}{
		{"nothing", a, a, Options{}, VerdictEqual, false, "EQUAL  a.vcd  b.vcd\n\ncompared    3 signals, from 0 ns to 30 ns, 7 times\n"},
		{"a last line", a + "0!\n", a + "0!", Options{}, VerdictNoDifference, true, "25 ns, 6 times\nskipped     the last line of b.vcd, which is incomplete; nothing from 30 ns on was compared\n"},
		{"a last line after a difference", a + "0!\n#40\n1!\n", strings.Replace(a, "b110", "b111", 1) + "#40\n1!", Options{}, VerdictDifferent, true, "nothing from 40 ns on was compared\n"},
		{"a last line of one file, another time in the other", a + "#40\n1!\n", a + "#35\n0!\n#40\n0!", Options{}, VerdictDifferent, true, "tb.clk, first at 35 ns: A 1, B 0\n"},
		{"both last lines", a + "1!", a + "0!", Options{}, VerdictNoDifference, true, "NO DIFFERENCE in the compared values  a.vcd  b.vcd\n"},
		{"a last time", a + "#40", a, Options{}, VerdictNoDifference, true, "skipped     the last line of a.vcd"},
		{"a longer file", a, a + "#40\n0!\n", Options{Prefix: true}, VerdictNoDifference, false, "skipped     B from 40 ns on, after the end of A (--prefix)\n"},
		{"after --to", a, a + "#40\n0!\n", Options{To: Bound{Given: true, Timed: true, Time: vcd.Duration{Count: 30, Unit: vcd.Nanosecond}}}, VerdictNoDifference, false, "skipped     times after --to 30 ns\n"},
		{"nothing by --to", a, a, Options{To: at(30)}, VerdictEqual, false, "EQUAL"},
		{"before --from", a, strings.Replace(a, "r1.5", "r1.25", 1), Options{From: at(20)}, VerdictNoDifference, false, "3 times\nskipped     times before --from 20 ns\n"},
		{"all but one", a, a, Options{Only: []string{"tb.clk"}}, VerdictNoDifference, false, "compared    1 signal, from 0 ns to 30 ns, 7 times\nskipped     left out by --only: 2 signals\n"},
		{"x", a, strings.Replace(a, "b110", "b1x0", 1), Options{Lenient: true}, VerdictNoDifference, false, "skipped     x or z matched anything: 1 value\n"},
		{"no x", a, a, Options{Lenient: true}, VerdictEqual, false, "EQUAL"},
		{"after the last edge", a, a + "b1 #\n", Options{A: clock, B: clock}, VerdictNoDifference, false, "from cycle 0 to cycle 2, 3 cycles\nskipped     between clock edges nothing is compared\nskipped     after the last edge of the clock, from 25 ns\n"},
		{"a period", a, a, Options{A: period, B: period}, VerdictNoDifference, false, "1 cycle\nskipped     within a period only the values at its end are compared\n"},
		{"a signal", a, more, Options{}, VerdictNoDifference, false, "only in B   1: tb.own\n"},
		{"a signal that was left out", a, more, Options{Ignore: []string{"**.own"}}, VerdictNoDifference, false, "skipped     left out by --ignore: 1 signal\n"},
		{"a late beginning", a, smallHeader + smallBody[strings.Index(smallBody, "#10"):], Options{Ignore: []string{"**.temp"}}, VerdictNoDifference, false, "skipped     2 times before both files have begun\n"},
		{"a pause", a, strings.Replace(a, "#15\n1!\n", "#15\n$dumpoff\n$end\n#16\n$dumpon\n1!\n$end\n", 1), Options{}, VerdictNoDifference, false, "skipped     1 time in which one file is not dumped ($dumpoff)\n"},
		{"a real for a wire", a, a + "r1.5 !\n", Options{}, VerdictNoDifference, true, "skipped     1 value in b.vcd of a different kind than the signal\n"},
		{"a text for a real", a + "sidle r\n", a, Options{}, VerdictNoDifference, true, "skipped     1 value in a.vcd"},
		{"reals", a, strings.Replace(a, "r1.5 ", "r1.5000000000001 ", 1), Options{RealTolerance: 1e-12}, VerdictNoDifference, false, "NO DIFFERENCE in the compared values, reals within 1e-12  a.vcd  b.vcd\n"},
		{"bits for a real", a + "b1 r\n1r\n", a, Options{}, VerdictNoDifference, true, "skipped     2 values in a.vcd"},
	} {
		r, err := diffTexts(t, c.a, c.b, c.o)
		require.NoError(t, err, c.name)
		var text strings.Builder
		require.NoError(t, r.WriteText(&text))
		require.Equal(t, c.verdict, r.Verdict, "%s: %s", c.name, text.String())
		require.Equal(t, c.damaged, r.Damaged(), c.name)
		require.Contains(t, text.String(), c.text, c.name)
	}
}

// A file that has no newline at its end does not differ from one that has: what its last
// time holds is not known. Compared with itself, the line is named once.
func TestFilesWithoutTheirLastNewline(t *testing.T) {
	a := smallHeader + smallBody + "0!\n#35\n1!\n"
	cut := strings.TrimSuffix(a, "\n")
	clock, period := vcd.Sampling{Clock: "tb.clk"}, every(5)
	for _, o := range []Options{{}, {A: clock, B: clock}, {A: period, B: period}} {
		r := requireEqual(t, a, cut, o)
		require.Equal(t, VerdictNoDifference, r.Verdict)
		require.Equal(t, "35 ns", r.TruncatedFromB)
	}
	path := filepath.Join(t.TempDir(), "a.vcd")
	require.NoError(t, os.WriteFile(path, []byte(cut), 0o666))
	r, err := Files(context.Background(), path, path, Options{})
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Equal(t, 1, strings.Count(text.String(), "skipped     the last line"), text.String())
	_, err = diffTexts(t, smallHeader+"#0\n0!\n", smallHeader+"#0\n0!", Options{})
	require.ErrorContains(t, err, "b.vcd: its last line is incomplete")
}

// Where nothing is compared nothing is equal: no value in either file, none of a compared signal, nothing but x in one.
func TestNothingCompared(t *testing.T) {
	a, other := tracetest.Header("wire 1 ! a", "wire 1 # b"), Options{Only: []string{"t.b"}}
	const none = "a.vcd: there are no values in it"
	const neither = "neither file has a value of a compared signal; compare files of runs that reached their first values"
	for _, c := range []struct {
		a, b string
		o    Options
		want string
	}{
		{smallHeader, smallHeader, Options{}, none},
		{smallHeader, smallHeader, Options{Prefix: true}, none},
		{smallHeader + smallBody, smallHeader, Options{}, "b.vcd: there are no values in it"},
		{a + "#0\n#5\n", a + "#0\n#5\n", Options{}, neither},
		{a + "#0\n1!\n#5\n0!\n", a + "#0\n0!\n#5\n1!\n", other, neither},
		{a + "#0\n1#\n#5\n", a + "#0\nx#\n#5\n", Options{Only: []string{"t.b"}, Lenient: true}, "one of the files has x or z"},
		{tracetest.Header("event 1 ! e") + "#0\n#5\n$dumpall\n1!\n$end\n", tracetest.Header("event 1 ! e") + "#5\n", Options{}, "an event that may have been triggered"},
		{tracetest.Header(), tracetest.Header("wire 1 ! a"), Options{}, "a.vcd: it declares no signals"},
	} {
		_, err := diffTexts(t, c.a, c.b, c.o)
		require.ErrorContains(t, err, c.want)
		var bad *input.Error
		require.ErrorAs(t, err, &bad)
	}
}

// TestSmallFiles: values before the first time count from time 0, in all file formats.
func TestSmallFiles(t *testing.T) {
	folder := t.TempDir()
	in := func(name string, fst bool) string {
		path := filepath.Join("testdata", name)
		if fst {
			tracetest.Run(t, "vcd2fst", path, filepath.Join(folder, name+".fst"))
			path = filepath.Join(folder, name+".fst")
		}
		return path
	}
	for _, kinds := range [][2]bool{{false, false}, {true, true}, {false, true}, {true, false}} {
		r, err := Files(context.Background(), in("nozero.vcd", kinds[0]), in("nozero2.vcd", kinds[1]), Options{})
		require.NoError(t, err)
		require.Equal(t, &Difference{Signal: "tb.q", SignalB: "tb.q", At: r.First.At, A: "0x0", B: "0x7"}, r.First)
		require.Equal(t, "0 ns", r.First.At.String())
		require.EqualValues(t, 3, r.Instants)
		r, err = Files(context.Background(), in("nozero.vcd", kinds[0]), in("nozero.vcd", kinds[1]), Options{})
		require.NoError(t, err)
		require.Equal(t, VerdictEqual, r.Verdict)
	}
	_, err := Files(context.Background(), in("no_values.vcd", false), in("no_values2.vcd", false), Options{})
	require.ErrorContains(t, err, "there are no values in it")
}

// TestFirstEdge: a clock that is low before the first time rises at it.
func TestFirstEdge(t *testing.T) {
	header, clock := tracetest.Header("wire 1 ! clk", "wire 4 # q"), vcd.Sampling{Clock: "t.clk"}
	body := "$dumpvars\n0!\nb0 #\n$end\n#5\n1!\n#10\n0!\nb1 #\n#15\n1!\n#20\n0!\n"
	r := requireDifferent(t, header+body, header+strings.Replace(body, "b0 #", "b10 #", 1), Options{A: clock, B: clock}, "t.q", "cycle 0", "0x0", "0x2")
	require.Equal(t, "5 ns", r.First.At.TimeA)
	require.EqualValues(t, 2, requireEqual(t, header+body, header+body, Options{A: clock, B: clock}).Instants)
}

// TestRealParameters: a parameter declared as bits with a real value is a real, also in an FST, which contains its
// bytes.
func TestRealParameters(t *testing.T) {
	header := tracetest.Header("parameter 64 ! P", "parameter 64 $ Q", "parameter 32 % N", "wire 4 # q")
	text := strings.ReplaceAll(header, "$end ", "$end\n") + // which vcd2fst needs
		"#0\n$dumpvars\nr3.25 !\nb101 $\nb11 %\nb0 #\n$end\n#5\nb1010 #\n"
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		tracetest.Run(t, "vcd2fst", path, path+".fst")
		return path
	}
	a, b := write("a.vcd", text), write("b.vcd", strings.Replace(text, "r3.25", "r-1e-7", 1))
	for _, pair := range [][2]string{{a, a}, {a, a + ".fst"}, {a + ".fst", a + ".fst"}, {a, b}, {a, b + ".fst"}, {a + ".fst", b + ".fst"}} {
		r, err := Files(context.Background(), pair[0], pair[1], Options{})
		require.NoError(t, err)
		require.Empty(t, r.Shapes)
		require.Zero(t, r.UnreadA+r.UnreadB)
		require.Equal(t, 4, r.Compared)
		if strings.HasPrefix(pair[1], a) {
			require.False(t, r.Differs())
			continue
		}
		require.Equal(t, []string{"t.P", "3.25", "-1e-07"}, []string{r.First.Signal, r.First.A, r.First.B})
	}
	// Bits and a real have different kinds.
	r, err := diffTexts(t, text, strings.Replace(text, "r3.25", "b11", 1), Options{})
	require.NoError(t, err)
	require.Equal(t, []Mismatch{{"t.P", "t.P", "real", "64 bits"}}, r.Shapes)
}

// TestWhatIsTakenForTheSame: what a value or a time is made of, or an event may be, keeps the verdict from being equal.
func TestWhatIsTakenForTheSame(t *testing.T) {
	wire, event := tracetest.Header("wire 2 ! a"), tracetest.Header("wire 1 ! a", "event 1 # e")
	for _, c := range []struct{ a, b, text string }{
		{wire + "#0\nbU1 !\n#5\n", wire + "#0\nbX1 !\n#5\n", "skipped     in A: nine-valued states: U, W and - are read as x, L as 0, H as 1\n"},
		{tracetest.Header("wire 1 ! a") + "#0\nH!\n", tracetest.Header("wire 1 ! a") + "#0\n1!\n", "skipped     in A: nine-valued states"},
		{event + "#0\n1!\n#5\n$dumpall\n1#\n$end\n", event + "#0\n1!\n#5\n", "skipped     events that may have been triggered"},
		{"$timezero 5 $end\n" + wire + "#0\nb1 !\n", wire + "#0\nb1 !\n", "skipped     in A: the $timezero is not added to times\n"},
		{strings.Replace(wire, "$timescale 1ns $end ", "", 1) + "#0\nb1 !\n", wire + "#0\nb1 !\n", "skipped     in A: no $timescale, 1 ns is assumed\n"},
	} {
		r := requireEqual(t, c.a, c.b, Options{})
		var text strings.Builder
		require.NoError(t, r.WriteText(&text))
		require.Equal(t, VerdictNoDifference, r.Verdict, text.String())
		require.Contains(t, text.String(), c.text)
	}
	real := tracetest.Header("real 1 ! r")
	requireDifferent(t, real+"#0\nr0 !\n#5\n", real+"#0\nr-0 !\n#5\n", Options{}, "t.r", "0 ns", "0", "-0")
}

func TestRefuses(t *testing.T) {
	a := smallHeader + smallBody
	clock, ns := vcd.Sampling{Clock: "tb.clk"}, every(1)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{A: clock}, "sampling: one file is sampled and the other is not"},
		{Options{A: vcd.Sampling{Clock: "tb.clk", Period: vcd.Duration{Count: 1, Unit: vcd.Nanosecond}}, B: clock}, "a file has both a clock and a period"},
		{Options{A: clock, B: vcd.Sampling{Clock: "tb.none"}}, "b.vcd: the clock tb.none is not in the file; `starloom trace info"},
		{Options{A: clock, B: vcd.Sampling{Clock: "tb.data"}}, "b.vcd: the clock tb.data has 8 bits; give a signal of one bit"},
		{Options{OffsetCycles: 1}, "--offset-cycles: cycles are not known; give a clock or a period"},
		{Options{A: ns, B: ns, Offset: vcd.Duration{Count: 1, Unit: vcd.Nanosecond}}, "--offset: cycles are compared, not times; give --offset-cycles"},
		{Options{Align: "tb.none"}, "--align: tb.none is not among the compared signals"},
		{Options{Align: "tb.data"}, "--align: tb.data is not a one-bit signal"},
		{Options{From: Bound{Given: true, Cycle: 3}}, "--from: 3 is a cycle, but times are compared; give a time with its unit, such as 10ns, or a clock"},
		{Options{A: ns, B: ns, To: Bound{Given: true, Timed: true}}, "is a time, but cycles are compared; give the number of a cycle, such as 10, without a unit"},
		{Options{Only: []string{"a..*["}}, "all common signals are left out"},
		{Options{Ignore: []string{""}}, "--ignore: the pattern is empty"},
		{Options{From: Bound{Given: true, Timed: true, Time: vcd.Duration{Count: 1, Unit: 0}}}, "the files have no time in common; check the offset and the bounds"},
		{Options{Offset: vcd.Duration{Count: 1, Unit: 0}}, "the files have no time in common"},
	} {
		_, err := diffTexts(t, a, a, c.o)
		require.ErrorContains(t, err, c.want)
		var bad *input.Error
		require.ErrorAs(t, err, &bad)
	}
	_, err := diffTexts(t, tracetest.Header("wire 1 ! a")+"#0\n0!\n#5\n", tracetest.Header("wire 1 ! a")+"#0\n0!\n#5\n", Options{Align: "t.a"})
	require.ErrorContains(t, err, "--align: t.a never goes from 0 to 1 in ")
	_, err = diffTexts(t, tracetest.Header("wire 1 ! a")+"#0\n0!\n", strings.Replace(tracetest.Header("wire 1 ! a"), "1ns", "100 s", 1)+"#99999999999\n0!\n", Options{})
	require.ErrorContains(t, err, "time #99999999999 is too late to be compared")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Files(ctx, filepath.Join("..", "vcd", "testdata", "icarus.vcd"), filepath.Join("..", "vcd", "testdata", "icarus.vcd"), Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// The order of the changes within a time, the names in the report and its bytes
// are the same in every run.
func TestRealFiles(t *testing.T) {
	path := filepath.Join("..", "vcd", "testdata", "icarus.vcd")
	r, err := Files(context.Background(), path, path, Options{})
	require.NoError(t, err)
	require.False(t, r.Differs())
	require.Equal(t, 16, r.Compared, "an event is among them")
	require.Equal(t, VerdictEqual, r.Verdict)
}

func itoa(n int) string { return strconv.Itoa(n) }

func inBinary(n int) string { return strconv.FormatInt(int64(n), 2) }
