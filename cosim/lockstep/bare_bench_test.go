//go:build linux

package lockstep

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// treeMap attaches a round-robin tree of 16 ports with a payload, which no model has.
func treeMap() *pinmap.Map {
	m := &pinmap.Map{
		Library: library(), Model: "free_arbiter", Parameters: twin.Parameters{"REQUESTERS": 16, "KIND": 1, "HOLD": 0, "TAKE_BITS": 1},
		Clock: "clk_i", Reset: "rst_ni", ResetLow: true, Ties: []pinmap.Tie{{Pin: "data_i"}},
		Pins: []pinmap.Wiring{
			{Port: "request", Pins: []string{"req_i"}}, {Port: "take", Pins: []string{"gnt_i"}},
			{Port: "grant", Pins: []string{"gnt_o"}}, {Port: "index", Pins: []string{"2'b0", "idx_o"}},
		},
	}
	m.Source.Top, m.Source.Files = "tree_arbiter", []string{filepath.Join("testdata", "tree_arbiter.sv")}
	m.Build.Cache = testCache
	return m
}

// BenchmarkBareVerilator alternates a check with all defaults and testdata/bare.cpp, which reads the same inputs from
// a file, and reports the processor time of both per cycle. of-bare is the program's time divided by the
// check's, and of-bare-mark the goal.
func BenchmarkBareVerilator(b *testing.B) {
	m := treeMap()
	defer func() { require.NoError(b, m.Close()) }()
	rows, sum := record(b, m)
	bare := buildBare(b, rows)
	var checked, alone, ratios []float64
	for b.Loop() {
		before := processorTime()
		r, err := Run(context.Background(), m, Options{})
		require.NoError(b, err)
		require.Nil(b, r.Divergence)
		check := float64((processorTime() - before).Nanoseconds()) / float64(r.Cycles)
		own := bare(sum)
		checked, alone, ratios = append(checked, check), append(alone, own), append(ratios, own/check)
	}
	b.ReportMetric(middle(checked), "check-ns/cycle")
	b.ReportMetric(middle(alone), "bare-ns/cycle")
	b.ReportMetric(middle(ratios), "of-bare")
	b.ReportMetric(0.43, "of-bare-mark")
	b.ReportMetric(0, "ns/op")
}

func middle(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// foldedCycles is the number of cycles of the first run, from power-on. Later runs may return to an earlier state.
const foldedCycles = 100_000

// record returns the inputs of a check and the checksum of its outputs in the first run.
func record(b *testing.B, m *pinmap.Map) (rows []byte, sum uint64) {
	r, err := Run(context.Background(), m, Options{Brief: true, Observe: func(c *Cycle) {
		row := uint32(c.Inputs[0]<<17 | c.Inputs[2]&1<<16 | c.Inputs[1]&0xffff)
		if len(rows) < 4*foldedCycles && row>>17 == 0 {
			sum = sum*31 + (c.Got[0] | c.Got[1]<<16)
		}
		rows = binary.LittleEndian.AppendUint32(rows, row)
	}})
	require.NoError(b, err)
	require.Len(b, rows, 4*int(r.Cycles))
	return rows, sum
}

// buildBare compiles testdata/bare.cpp with usual options and returns a function that runs it and returns nanoseconds
// per cycle.
func buildBare(b *testing.B, rows []byte) func(sum uint64) float64 {
	dir := b.TempDir()
	run := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		require.NoError(b, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	inputs := filepath.Join(dir, "inputs")
	require.NoError(b, os.WriteFile(inputs, rows, 0o644))
	run("verilator", "--cc", "--no-timing", "-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--prefix", "Vdut", "--Mdir", dir,
		"--top-module", "tree_arbiter", filepath.Join("testdata", "tree_arbiter.sv"))
	include := filepath.Join(run("verilator", "--getenv", "VERILATOR_ROOT"), "include")
	sources, err := filepath.Glob(filepath.Join(dir, "*.cpp"))
	require.NoError(b, err)
	binary := filepath.Join(dir, "bare")
	run("g++", append(sources, filepath.Join("testdata", "bare.cpp"), filepath.Join(include, "verilated.cpp"), filepath.Join(include, "verilated_threads.cpp"),
		"-std=gnu++17", "-O3", "-w", "-pthread", "-DVM_TRACE=0", "-I", dir, "-I", include, "-o", binary)...)
	return func(sum uint64) float64 {
		words := strings.Fields(run(binary, inputs, strconv.Itoa(foldedCycles)))
		require.Equal(b, fmt.Sprint(sum), words[1], "the same outputs")
		ns, err := strconv.ParseFloat(words[0], 64)
		require.NoError(b, err)
		return ns
	}
}
