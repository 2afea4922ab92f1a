package traces

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// simulate runs a command in a folder. A tool that is not installed fails the test.
func simulate(t *testing.T, folder, debianPackage, name string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "%s is not installed: apt-get install %s", name, debianPackage)
	command := exec.Command(path, arguments...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s: %s", name, out)
}

func sources(t *testing.T, names ...string) (paths []string) {
	for _, name := range names {
		path, err := filepath.Abs(filepath.Join("testdata", "rtl", name))
		require.NoError(t, err)
		paths = append(paths, path)
	}
	return paths
}

// TestRealSimulators has Icarus and Verilator run the same arbiter on the same
// inputs: their waveforms are equal once names are mapped, and a bit that is changed
// in one is found. GHDL's waveform of a counter is read, too.
func TestRealSimulators(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	verilog := sources(t, "tb.v", "dut.v")
	simulate(t, dir, "iverilog", "iverilog", append([]string{"-g2005", "-o", "tb.vvp"}, verilog...)...)
	simulate(t, dir, "iverilog", "vvp", "tb.vvp")
	require.NoError(t, os.Rename(file("icarus.vcd"), file("pause.vcd")))
	simulate(t, dir, "iverilog", "vvp", "tb.vvp", "+whole")
	simulate(t, dir, "verilator", "verilator", append([]string{
		"--cc", "--exe", "--build", "-j", "2", "--trace", "-Wno-fatal", "--top-module", "dut", "-CFLAGS", "-O0", "-o", "sim",
	}, sources(t, "dut.v", "top.cpp")...)...)
	simulate(t, dir, "verilator", filepath.Join(dir, "obj_dir", "sim"))

	icarus, verilator := file("icarus.vcd"), file("verilator.vcd")
	rules := []NameRule{{From: "tb.u_dut.**", To: "TOP.dut.$1", Place: "names"}}
	// Icarus starts with x, and runs combinational blocks first when an input changes.
	fromEdge := Bound{Given: true, Timed: true, Time: Duration{5, Nanosecond}}
	diff := func(a, b string, o DiffOptions) *DiffReport {
		t.Helper()
		o.Rules, o.Ignore = rules, []string{"tb.*", "**.WIDTH"}
		if a == verilator {
			o.Rules = []NameRule{{From: "TOP.dut.**", To: "tb.u_dut.$1", Place: "names"}}
		}
		r, err := Diff(context.Background(), a, b, o)
		require.NoError(t, err)
		return r
	}
	equal := func(a, b string, o DiffOptions) {
		t.Helper()
		r := diff(a, b, o)
		require.Nil(t, r.First)
		require.False(t, r.Differs())
		require.Equal(t, 11, r.Compared, "all signals of the arbiter")
		require.Greater(t, r.Instants, uint64(90))
	}
	equal(icarus, verilator, DiffOptions{From: fromEdge})
	equal(verilator, icarus, DiffOptions{From: fromEdge})
	equal(file("pause.vcd"), verilator, DiffOptions{From: fromEdge})
	equal(icarus, verilator, DiffOptions{
		A: Sampling{Clock: "tb.clk"}, B: Sampling{Clock: "TOP.clk_i"}, From: Bound{Given: true, Cycle: 1},
	})
	pause, err := Diff(context.Background(), icarus, file("pause.vcd"), DiffOptions{})
	require.NoError(t, err)
	require.False(t, pause.Differs(), "%+v", pause.First)
	require.True(t, diff(icarus, verilator, DiffOptions{}).Differs(), "x is no value of Verilator's")

	// One bit of a value in the middle.
	data, err := os.ReadFile(verilator)
	require.NoError(t, err)
	code := regexp.MustCompile(`\$var wire +8 (\S+) count_q`).FindSubmatch(data)
	require.NotNil(t, code)
	change := regexp.MustCompile(`(?s)(\n#505000\n.*?\nb[01]{6})([01])([01] ` + regexp.QuoteMeta(string(code[1])) + `\n)`)
	require.Len(t, change.FindAll(data, -1), 1)
	planted := change.ReplaceAllFunc(data, func(match []byte) []byte {
		parts := change.FindSubmatch(match)
		return append(append(append([]byte{}, parts[1]...), parts[2][0]^1), parts[3]...)
	})
	require.NoError(t, os.WriteFile(file("planted.vcd"), planted, 0o666))
	r := diff(icarus, file("planted.vcd"), DiffOptions{From: fromEdge})
	require.NotNil(t, r.First)
	require.Equal(t, 1, r.Differing)
	require.Equal(t, "tb.u_dut.count_q", r.First.Signal)
	require.Equal(t, "TOP.dut.count_q", r.First.SignalB)
	require.Equal(t, "505 ns", r.First.At.String())
	r = diff(icarus, file("planted.vcd"), DiffOptions{
		A: Sampling{Clock: "tb.clk"}, B: Sampling{Clock: "TOP.clk_i"}, From: Bound{Given: true, Cycle: 1},
	})
	require.Equal(t, "cycle 51", r.First.At.String(), "the edge behind the one at 505 ns sees it")
	require.Contains(t, r.Waves, "tb.u_dut.count_q (A)")

	// GTKWave's converters keep everything.
	stdout, _ := runTool(t, "vcd2fst", icarus, file("icarus.fst"))
	require.NotContains(t, stdout, "rror")
	_, err = OpenVCD(file("icarus.fst"))
	require.ErrorContains(t, err, "this is an FST file, not a VCD; convert it: fst2vcd -f ")
	runTool(t, "fst2vcd", "-f", file("icarus.fst"), "-o", file("back.vcd"))
	back, err := Diff(context.Background(), icarus, file("back.vcd"), DiffOptions{})
	require.NoError(t, err)
	require.False(t, back.Differs(), "%+v", back.First)
}

func TestRealGHDL(t *testing.T) {
	dir := t.TempDir()
	source := sources(t, "counter.vhd")[0]
	simulate(t, dir, "ghdl", "ghdl", "-a", source)
	simulate(t, dir, "ghdl", "ghdl", "-e", "tb")
	simulate(t, dir, "ghdl", "ghdl", "-r", "tb", "--vcd=ghdl.vcd")
	data, err := os.ReadFile(filepath.Join(dir, "ghdl.vcd"))
	require.NoError(t, err)
	r, err := NewVCDReader(bytes.NewReader(data), "ghdl.vcd")
	require.NoError(t, err)
	events, err := eventsOf(r)
	require.NoError(t, err)
	for _, want := range []string{
		"0 tb.t=z", "0 tb.r=0.5", "5000000 tb.d.n=0x00", "30000000 tb.t=1", "30000000 tb.r=1.25", "30000000 tb.b=1",
		"35000000 tb.q=0x01", "35000000 tb.up=0x1", "995000000 tb.q=0x61", "1000000000 tb.n=0x00000064",
	} {
		require.Contains(t, events, want)
	}
	require.False(t, r.Truncated())
}
