package diff

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/traces/internal/tracetest"
	"starloom/traces/vcd"
)

func sources(t *testing.T, names ...string) (paths []string) {
	for _, name := range names {
		path, err := filepath.Abs(filepath.Join("testdata", "rtl", name))
		require.NoError(t, err)
		paths = append(paths, path)
	}
	return paths
}

var full = flag.Bool("full", false, "run the long tests")

// simulated is Verilator 5.006's waveform of the arbiter: testdata/rtl/verilator.vcd, and with -full that of a
// simulator compiled now.
func simulated(t *testing.T, dir string) []byte {
	path := sources(t, "verilator.vcd")[0]
	if *full {
		tracetest.RunIn(t, dir, "verilator", append([]string{
			"--cc", "--exe", "--build", "-j", "2", "--trace", "-Wno-fatal", "--top-module", "dut", "-MAKEFLAGS", "CXX=clang++ OPT_FAST=-O0 OPT_GLOBAL=-O0", "-o", "sim",
		}, sources(t, "dut.v", "top.cpp")...)...)
		tracetest.RunIn(t, dir, filepath.Join(dir, "obj_dir", "sim"))
		path = filepath.Join(dir, "verilator.vcd")
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return text
}

// TestRealSimulators runs the same arbiter with the same inputs in Icarus and Verilator: their waveforms are equal
// with mapped names, and one changed bit is found.
func TestRealSimulators(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	verilog := sources(t, "tb.v", "dut.v")
	tracetest.RunIn(t, dir, "iverilog", append([]string{"-g2005", "-o", "tb.vvp"}, verilog...)...)
	tracetest.RunIn(t, dir, "vvp", "tb.vvp")
	require.NoError(t, os.Rename(file("icarus.vcd"), file("pause.vcd")))
	tracetest.RunIn(t, dir, "vvp", "tb.vvp", "+whole")
	data := simulated(t, dir)
	icarus, verilator := file("icarus.vcd"), file("verilator.vcd")
	require.NoError(t, os.WriteFile(verilator, data, 0o666))
	rules := []NameRule{{From: "tb.u_dut.**", To: "TOP.dut.$1", Place: "names"}}
	// Icarus starts with x, and runs combinational blocks first when an input changes.
	fromEdge := Bound{Given: true, Timed: true, Time: vcd.Duration{Count: 5, Unit: vcd.Nanosecond}}
	compare := func(a, b string, o Options) *Report {
		t.Helper()
		o.Rules, o.Ignore = rules, []string{"tb.*", "**.WIDTH"}
		o.Prefix = true // the one runs 18 ns longer
		if a == verilator {
			o.Rules = []NameRule{{From: "TOP.dut.**", To: "tb.u_dut.$1", Place: "names"}}
		}
		r, err := Files(context.Background(), a, b, o)
		require.NoError(t, err)
		return r
	}
	equal := func(a, b string, o Options) {
		t.Helper()
		r := compare(a, b, o)
		require.Nil(t, r.First)
		require.False(t, r.Differs())
		require.Equal(t, 11, r.Compared, "all signals of the arbiter")
		require.Greater(t, r.Instants, uint64(90))
	}
	equal(icarus, verilator, Options{From: fromEdge})
	equal(verilator, icarus, Options{From: fromEdge})
	equal(file("pause.vcd"), verilator, Options{From: fromEdge})
	equal(icarus, verilator, Options{
		A: vcd.Sampling{Clock: "tb.clk"}, B: vcd.Sampling{Clock: "TOP.clk_i"}, From: Bound{Given: true, Cycle: 1},
	})
	pause, err := Files(context.Background(), icarus, file("pause.vcd"), Options{})
	require.NoError(t, err)
	require.False(t, pause.Differs(), "%+v", pause.First)
	require.True(t, compare(icarus, verilator, Options{}).Differs(), "x is not a value of Verilator's")

	// One bit of a value in the middle.
	code := regexp.MustCompile(`\$var wire +8 (\S+) count_q`).FindSubmatch(data)
	require.NotNil(t, code)
	change := regexp.MustCompile(`(?s)(\n#505000\n.*?\nb[01]{6})([01])([01] ` + regexp.QuoteMeta(string(code[1])) + `\n)`)
	require.Len(t, change.FindAll(data, -1), 1)
	planted := change.ReplaceAllFunc(data, func(match []byte) []byte {
		parts := change.FindSubmatch(match)
		return append(append(append([]byte{}, parts[1]...), parts[2][0]^1), parts[3]...)
	})
	require.NoError(t, os.WriteFile(file("planted.vcd"), planted, 0o666))
	r := compare(icarus, file("planted.vcd"), Options{From: fromEdge})
	require.NotNil(t, r.First)
	require.Equal(t, 1, r.Differing)
	require.Equal(t, "tb.u_dut.count_q", r.First.Signal)
	require.Equal(t, "TOP.dut.count_q", r.First.SignalB)
	require.Equal(t, "505 ns", r.First.At.String())
	r = compare(icarus, file("planted.vcd"), Options{
		A: vcd.Sampling{Clock: "tb.clk"}, B: vcd.Sampling{Clock: "TOP.clk_i"}, From: Bound{Given: true, Cycle: 1},
	})
	require.Equal(t, "cycle 51", r.First.At.String(), "the edge after the one at 505 ns sees it")
	require.Contains(t, r.Waves, "tb.u_dut.count_q (A)")

	// GTKWave's converters keep everything.
	stdout, _ := tracetest.Run(t, "vcd2fst", icarus, file("icarus.fst"))
	require.NotContains(t, stdout, "rror")
	read, err := Files(context.Background(), icarus, file("icarus.fst"), Options{})
	require.NoError(t, err)
	require.Equal(t, VerdictNoDifference, read.Verdict, "%+v", read.First)
	require.Equal(t, []string{"events that may have been triggered ($dumpall, $dumpon, the beginning of an FST): 1 time", "in both: reals are read with 16 digits, as fst2vcd writes them"}, read.Skipped)
	// So does the FST that Icarus writes itself, whole or with a pause.
	for vcdFile, plus := range map[string]string{icarus: "+whole", file("pause.vcd"): "+pause"} {
		own := t.TempDir()
		tracetest.RunIn(t, own, "vvp", file("tb.vvp"), "-fst", plus)
		read, err := Files(context.Background(), vcdFile, filepath.Join(own, "icarus.vcd"), Options{})
		require.NoError(t, err)
		require.False(t, read.Differs() || read.Damaged(), "%s: %+v", plus, read.First)
		require.Equal(t, pause.Compared, read.Compared)
		require.GreaterOrEqual(t, read.Compared, 16) // 17 from Icarus 12 on
		require.Greater(t, read.Instants, uint64(150))
	}
	tracetest.Run(t, "fst2vcd", "-f", file("icarus.fst"), "-o", file("back.vcd"))
	// Icarus 12 gives a parameter its value before the first time, and vcd2fst forgets it.
	back, err := Files(context.Background(), icarus, file("back.vcd"), Options{Ignore: []string{"**.WIDTH"}})
	require.NoError(t, err)
	require.False(t, back.Differs(), "%+v", back.First)
}
