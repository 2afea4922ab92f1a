//go:build linux

package twin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "starloom/cosim/twin"
	"starloom/hw"
	"starloom/traces/diff"
	"starloom/traces/vcd"
)

// TestLongOurWaveformIsVerilators compares the waveforms that a model and Verilator's simulator of its twin write of
// the same run. `trace diff` must find no difference, and a planted one.
func TestLongOurWaveformIsVerilators(t *testing.T) {
	twins := map[string]string{"arbiter_round_robin": "grant_o"}
	if *full { // Verilator's waveform writer for this twin takes long to compile
		twins["pops_slot"] = "status_o"
	}
	for name, port := range twins {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			twin, err := Find(all(), name)
			require.NoError(t, err)
			dir := t.TempDir()
			ours, theirs := filepath.Join(dir, "ours.vcd"), filepath.Join(dir, "theirs.vcd")
			rules := writeRun(t, twin, 2000, ours, filepath.Join(dir, "inputs.bin"))
			simulateRun(t, twin, dir)
			compare := func(path string) *diff.Report {
				report, err := diff.Files(context.Background(), ours, path, diff.Options{
					Rules: rules,
					A:     vcd.Sampling{Period: vcd.Duration{Count: 1, Unit: vcd.Nanosecond}},
					B:     vcd.Sampling{Clock: "TOP.clock"},
					From:  diff.Bound{Given: true, Cycle: 1}, // before the first edge with reset on, registers have any value
				})
				require.NoError(t, err)
				return report
			}
			report := compare(theirs)
			require.Nil(t, report.First, report.Waves)
			require.Equal(t, len(rules), report.Compared)
			require.EqualValues(t, 1999, report.Instants)

			text, err := os.ReadFile(theirs)
			require.NoError(t, err)
			planted := filepath.Join(dir, "planted.vcd")
			require.NoError(t, os.WriteFile(planted, flipOneBit(t, text, port), 0o644))
			report = compare(planted)
			require.NotNil(t, report.First)
			require.Equal(t, 1, report.Differing)
		})
	}
}

// writeRun runs a twin's model and writes its ports as a waveform, one cycle per nanosecond, and its inputs as a file
// for the other simulator. It returns the rules for the names of signals.
func writeRun(t *testing.T, twin Twin, cycles uint64, vcdPath, inputsPath string) (rules []diff.NameRule) {
	m, err := twin.New(twin.Sets[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	var waves, inputs bytes.Buffer
	out, err := vcd.NewWriter(&waves, vcd.Options{})
	require.NoError(t, err)
	var show []func()
	for _, p := range m.Ports() {
		if p.Clock {
			continue
		}
		values := m.Outputs()
		if p.Input {
			values = m.Inputs()
		}
		for low := 0; low < p.Bits; low += 64 {
			width, name, theirs := min(64, p.Bits-low), p.Name, p.Name
			if p.Bits > 64 {
				name = fmt.Sprintf("%s_%d", p.Name, low)
				theirs = fmt.Sprintf("%s[%d:%d]", p.Name, low+width-1, low)
			}
			id, err := out.Declare("model."+name, width)
			require.NoError(t, err)
			show = append(show, func() { out.Set(id, hw.GetBits(values[p.Word:], low, width)) })
			rules = append(rules, diff.NameRule{From: "model." + name, To: "TOP." + twin.Name + "." + theirs, Place: "test"})
		}
	}
	require.NoError(t, out.Begin())
	schedule := NewSchedule(7, cycles)
	for cycle := range cycles {
		m.Stimulate(schedule, cycle, m.Inputs())
		require.NoError(t, binary.Write(&inputs, binary.LittleEndian, m.Inputs()))
		require.NoError(t, m.Settle())
		require.NoError(t, out.Cycle(cycle))
		for _, f := range show {
			f()
		}
		require.NoError(t, m.Edge(1))
	}
	require.NoError(t, out.Close(cycles))
	require.NoError(t, os.WriteFile(vcdPath, waves.Bytes(), 0o644))
	require.NoError(t, os.WriteFile(inputsPath, inputs.Bytes(), 0o644))
	return rules
}

// simulateRun builds Verilator's simulator of a twin and runs it on inputs.bin. A cycle takes two nanoseconds; the
// clock rises in the second.
func simulateRun(t *testing.T, twin Twin, dir string) {
	sources, err := twin.WriteSources(dir)
	require.NoError(t, err)
	m, err := twin.New(twin.Sets[0])
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	var set strings.Builder
	for _, p := range m.Ports() {
		switch {
		case p.Clock || !p.Input:
		case p.Bits <= 64:
			fmt.Fprintf(&set, "    top.%s = in[%d] & %#xull;\n", p.Name, p.Word, ^uint64(0)>>(64-p.Bits))
		default:
			require.Zero(t, p.Bits%32, "the last word needs a mask")
			fmt.Fprintf(&set, "    for (int i = 0; i < %d; i++) top.%s[i] = in[%d + i / 2] >> 32 * (i %% 2);\n", p.Bits/32, p.Name, p.Word)
		}
	}
	program := fmt.Sprintf(`#include "Vsim.h"
#include "verilated_vcd_c.h"
#include <cstdint>
#include <cstdio>

int main() {
  Verilated::traceEverOn(true);
  Vsim top;
  VerilatedVcdC vcd;
  top.trace(&vcd, 99);
  vcd.set_time_unit("1ns");
  vcd.set_time_resolution("1ns");
  vcd.open("theirs.vcd");
  FILE *file = fopen("inputs.bin", "rb");
  uint64_t in[%d];
  for (uint64_t time = 0; fread(in, sizeof in, 1, file) == 1; time += 2) {
%s    top.clock = 0;
    top.eval();
    vcd.dump(time);
    top.clock = 1;
    top.eval();
    vcd.dump(time + 1);
  }
  vcd.close();
}
`, len(m.Inputs()), set.String())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.cpp"), []byte(program), 0o644))
	args := []string{"--cc", "--exe", "--build", "--trace", "--prefix", "Vsim", "--top-module", twin.Name, "-MAKEFLAGS", "CXX=clang++ OPT_FAST=-O0 OPT_GLOBAL=-O0", "-o", "sim", "-I" + dir}
	for name, value := range twin.Sets[0].Verilog() {
		args = append(args, "-G"+name+"="+value)
	}
	for _, command := range [][]string{append(append([]string{"verilator"}, args...), append(sources, "main.cpp")...), {filepath.Join(dir, "obj_dir", "sim")}} {
		run := exec.Command(command[0], command[1:]...)
		run.Dir = dir
		out, err := run.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

// flipOneBit inverts the last bit of a value of a port in the second half of a VCD.
func flipOneBit(t *testing.T, dump []byte, port string) []byte {
	code := regexp.MustCompile(`\$var wire +\d+ (\S+) ` + port + ` `).FindSubmatch(dump)
	require.NotNil(t, code)
	change := regexp.MustCompile(`\nb[01]*([01]) ` + regexp.QuoteMeta(string(code[1])) + `\n`)
	at := change.FindSubmatchIndex(dump[len(dump)/2:])
	require.NotNil(t, at)
	changed := bytes.Clone(dump)
	changed[len(dump)/2+at[2]] ^= 1
	return changed
}
