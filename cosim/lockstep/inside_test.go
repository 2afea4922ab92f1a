//go:build linux

package lockstep

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/traces/vcd"
)

// waveOf returns the waveform of a report: values by path and cycle, and its text.
func waveOf(t *testing.T, r *Report) (values map[string][]uint64, text string) {
	var b bytes.Buffer
	save, err := r.Shown.WriteVCD(&b, nil)
	require.NoError(t, err)
	reader, err := vcd.NewReader(bytes.NewReader(b.Bytes()), "test")
	require.NoError(t, err)
	require.NoError(t, reader.WatchAll())
	values = map[string][]uint64{}
	vars := reader.Header().Vars
	require.Len(t, vars, len(save.Signals))
	cycles := uint64(len(r.Shown.samples))
	for cycle := range cycles {
		for reader.Next() && reader.NextTime() <= cycle {
			_, err := reader.Step()
			require.NoError(t, err)
		}
		for i := range vars {
			values[vars[i].Path] = append(values[vars[i].Path], reader.Value(vars[i].Net).Value[0])
		}
	}
	return values, b.String()
}

// inOwnWords runs a twin with a mistake and returns its waveform.
func inOwnWords(t *testing.T, backend string) (map[string][]uint64, string) {
	m := mutantMap(t, "fifo", "missing reset of the count", backend, twin.Parameters{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 16})
	r := runLockstep(t, m, Options{Cycles: 2000, Internals: true})
	require.Equal(t, "fail", r.Verdict)
	require.Empty(t, r.Shown.inside.without)
	return waveOf(t, r)
}

// TestLongInside checks that the waveform of a case has the registers of the model and the internals of the RTL at
// the same times in both backends, and that the RTL's ports equal those of scope rtl.
func TestLongInside(t *testing.T) {
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		values, text := inOwnWords(t, backend)
		for _, port := range []string{"push_i", "pop_i", "data_i", "head_o", "count_o", "overflow_o", "overflows_o"} {
			require.Equal(t, values["rtl."+port], values["internals.fifo."+port], "%s on %s", port, backend)
		}
		require.Contains(t, values, "internals.fifo.usage_q")
		require.Contains(t, values, "model.registers.fifo.words_3")
		require.Equal(t, values["model.count_o"], values["model.registers.fifo.held"])
		words := 0
		for path := range values {
			if strings.HasPrefix(path, "internals.") && strings.HasSuffix(path, "_3") {
				words++
			}
			require.NotContains(t, path, "clock")
		}
		require.Positive(t, words, "words of the memory")
		require.Contains(t, text, "internals of the RTL, settled, just before the clock edge")
	}
}

// TestLongInsideAgrees checks that Verilator and Icarus show equal internals of the same RTL on the same inputs,
// except X.
func TestLongInsideAgrees(t *testing.T) {
	for _, name := range []string{"fifo", "arbiter_round_robin", "credit_counter", "link"} {
		var shown []map[string][]uint64
		for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
			m := twinMap(t, name, backend, nil)
			r := runLockstep(t, m, Options{Cycles: 400, Internals: true})
			require.Equal(t, "pass", r.Verdict)
			values, _ := waveOf(t, r)
			shown = append(shown, values)
		}
		compared := 0
		for path, want := range shown[0] {
			got, ok := shown[1][path]
			if !ok || !strings.HasPrefix(path, "internals.") || strings.HasSuffix(path, "_unknown") {
				continue
			}
			unknown := shown[1][path+"_unknown"]
			for cycle := range want {
				if unknown != nil && unknown[cycle] != 0 {
					continue
				}
				require.Equal(t, want[cycle], got[cycle], "%s: %s in cycle %d", name, path, cycle)
				compared++
			}
		}
		require.Greater(t, compared, 1000, name)
	}
}

// TestLongInsideBeginsAlike checks that instrumented RTL starts with the same values in registers without reset, so
// that the case is the one found.
func TestLongInsideBeginsAlike(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "dut.sv")
	require.NoError(t, os.WriteFile(file, []byte(`module part(input clk, input go, output reg [31:0] v);
  reg [7:0] unused_a; reg [99:0] wide; reg [12:0] words [0:6]; reg [2:0] at; wire [63:0] copy = wide[63:0]; reg [40:0] nowhere;
  always @(posedge clk) begin
    if (go) begin at <= at + 1; wide <= {wide[98:0], wide[99] ^ wide[3]}; words[at] <= wide[12:0]; unused_a <= unused_a + 1; nowhere <= nowhere ^ copy[40:0]; end
    v <= {words[at][6:0], wide[24:0]};
  end
endmodule
module dut(input clk, input rst, input go, output [31:0] v);
  wire [31:0] a, b; reg [31:0] lfsr;
  part p0(clk, go, a); part p1(clk, ~go, b);
  always @(posedge clk) if (rst) lfsr <= 1; else if (go) lfsr <= {1'b0, lfsr[31:1]} ^ (lfsr[0] ? 32'h80200003 : 32'd0);
  assign v = lfsr ^ (go & rst ? 0 : a ^ b);
endmodule
`), 0o600))
	m := &pinmap.Map{
		Library: library(), Model: "lfsr", Parameters: twin.Parameters{"SEED": 1}, Source: cosim.Source{Top: "dut", Files: []string{file}},
		Clock: "clk", Reset: "rst", Pins: []pinmap.Wiring{{Port: "enable", Pins: []string{"go"}}, {Port: "value", Pins: []string{"v"}}},
		Build: cosim.BuildOptions{Cache: testCache},
	}
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	for seed := range uint64(3) {
		r := runLockstep(t, m, Options{Cycles: 300, Seed: seed, NoShrink: true, Internals: true})
		require.Equal(t, "fail", r.Verdict)
		require.Empty(t, r.Shown.inside.without)
		values, _ := waveOf(t, r)
		require.Contains(t, values, "internals.dut.p1.wide_99_64")
		require.NotZero(t, values["internals.dut.p0.words_6"][0])
		require.Equal(t, values["rtl.value_o"], values["internals.dut.v"])
	}
}

// TestLongInsideForTools checks that GTKWave's tools read the whole waveform.
func TestLongInsideForTools(t *testing.T) {
	m := twinMap(t, "fifo", "", nil)
	r := runLockstep(t, m, Options{Cycles: 200, Internals: true})
	_, text := waveOf(t, r)
	dir := t.TempDir()
	file, fst := filepath.Join(dir, "a.vcd"), filepath.Join(dir, "a.fst")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	require.NoError(t, exec.Command("vcd2fst", file, fst).Run())
	back, err := exec.Command("fst2vcd", fst).Output()
	require.NoError(t, err)
	names := func(text string) (list []string) {
		r, err := vcd.NewReader(strings.NewReader(text), "test")
		require.NoError(t, err)
		for _, v := range r.Header().Vars {
			list = append(list, v.Path)
		}
		slices.Sort(list)
		return list
	}
	require.Equal(t, names(text), names(string(back)))
}
