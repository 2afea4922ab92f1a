//go:build linux

package lockstep

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/icarus"
	"starloom/cosim/pinmap"
	"starloom/cosim/slang"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
	"starloom/fabric/pops"
)

// library has all twins and backends.
func library() pinmap.Library {
	return pinmap.Library{Twins: append(twin.All(), pops.Twin()),
		Backends: []cosim.Backend{verilator.Wasm(), icarus.Backend()}}
}

func twinMap(t *testing.T, name, backend string, p twin.Parameters) *pinmap.Map {
	m, err := pinmap.OfTwin(library(), name, p, "")
	require.NoError(t, err)
	m.Backend = backend
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// TestNoThird checks that a check passes without a third reader, and says so.
func TestNoThird(t *testing.T) {
	t.Setenv(slang.Variable, t.TempDir())
	m := twinMap(t, "lfsr", cosim.BackendWasm, nil)
	r, err := Run(t.Context(), m, Options{Cycles: 100, PowerOn: 1, NoExplore: true, Third: true})
	require.NoError(t, err)
	require.Nil(t, r.Divergence)
	require.Contains(t, r.Third.Text(), "no third reader has read the RTL: ")
	require.Empty(t, r.Warnings)
}

func mutantMap(t *testing.T, tw, name, backend string, p twin.Parameters) *pinmap.Map {
	m := twinMap(t, tw, backend, p)
	for _, mutant := range twin.Mutants(library().Twins) {
		if mutant.Twin.Name == tw && mutant.Name == name {
			dir := filepath.Join(testCache, tw, strings.ReplaceAll(name, " ", "-")) // a fixed folder, so that the mutant is compiled once per run
			require.NoError(t, os.MkdirAll(dir, 0o777))
			files, err := mutant.WriteSources(dir)
			require.NoError(t, err)
			m.Source.Files, m.Source.IncludeDirs = files, []string{dir}
			m.Build.Cache = testCache // the build is not reused
			return m
		}
	}
	require.Fail(t, "no such mutant", name)
	return nil
}

func runLockstep(t *testing.T, m *pinmap.Map, o Options) *Report {
	r, err := Run(context.Background(), m, o)
	require.NoError(t, err)
	return r
}

// TestOfTwins runs the committed wasm, which tests of package twin compare with the sources. Nothing is compiled.
func TestOfTwins(t *testing.T) {
	for _, tw := range library().Twins {
		t.Run(tw.Name, func(t *testing.T) {
			t.Parallel()
			m := twinMap(t, tw.Name, cosim.BackendWasm, nil)
			m.Source, m.Image = cosim.Source{}, filepath.Join("..", "twin", "testdata", "twins", tw.Name+".wasm")
			r := runLockstep(t, m, Options{Cycles: 3000, PowerOn: 2})
			require.Nil(t, r.Divergence)
			require.Equal(t, "pass", r.Verdict)
			require.EqualValues(t, 6000, r.Inputs*2)
			require.EqualValues(t, 6000+r.Explored[0].Cycles, r.Cycles)
			require.EqualValues(t, 3000*exploreTimes, r.Explored[0].Cycles)
			require.Equal(t, 2, r.Runs)
		})
	}
}

// TestShrinks checks that every kind of mistake is reduced to a few cycles on both backends.
func TestShrinks(t *testing.T) {
	for _, c := range []struct {
		twin, mutant, backend string
		parameters            twin.Parameters
		cyclesMax             int
		kind, signal          string
	}{
		{"arbiter_round_robin", "off by one", cosim.BackendWasm, nil, 4, DivergenceValue, "grant_o"},
		{"arbiter_round_robin", "holder not held", cosim.BackendIcarus, nil, 4, DivergenceValue, "grant_o"},
		{"arbiter_fixed", "late grant", cosim.BackendIcarus, nil, 4, DivergenceValue, "grant_o"},
		{"arbiter_fixed", "missing reset of the grant", cosim.BackendIcarus, nil, 3, DivergenceValue, "grant_o"},
		{"arbiter_round_robin", "missing reset", cosim.BackendIcarus, nil, 4, DivergenceUnknown, "grant_o"},
		{"fifo", "stuck overflow flag", cosim.BackendWasm, nil, 8, DivergenceValue, "overflow_o"},
		{"link", "one cycle short", cosim.BackendIcarus, twin.Parameters{"DELAY_CYCLES": 2, "PHIT_BITS": 1}, 5, DivergenceValue, "rail1_o"},
	} {
		t.Run(c.twin+": "+c.mutant, func(t *testing.T) {
			t.Parallel()
			r := runLockstep(t, mutantMap(t, c.twin, c.mutant, c.backend, c.parameters), Options{Cycles: 20_000})
			var text bytes.Buffer
			require.NoError(t, r.WriteText(&text))
			t.Log("\n" + text.String())
			require.NotNil(t, r.Divergence)
			require.Equal(t, c.kind, r.Divergence.Kind)
			if c.signal != "" {
				require.Equal(t, c.signal, r.Divergence.Signal)
			}
			require.LessOrEqual(t, r.Shown.Stimulus.Cycles(), c.cyclesMax)
			require.EqualValues(t, r.Shown.Stimulus.Cycles()-1, r.Divergence.Cycle, "the case ends with the divergence")
		})
	}
}

// mutantCasesMax is the largest number of cycles of a shrunk case of a mutant. The listed exceptions must reach the
// end of a frame or a count.
const mutantCasesMax = 12

var mutantCasesLong = map[string]int{"arbiter_tdma": 30, "serialiser": 40, "deserialiser": 40, "pops_slot": 90, "async_fifo": 14}

// twinsOfKinds are twins with different ways of shrinking: combinational logic, stored words, counters, pointers,
// frames and a whole datapath.
var twinsOfKinds = []string{"star_coupler", "fifo", "credit_counter", "arbiter_round_robin", "arbiter_tdma", "list_allocator", "deserialiser", "pops_slot"}

// TestLongCatchesMutants checks that every mutant is found with some parameter set and shrinks to a short case.
// Without -full it takes one mutant of a twin of each kind. In Icarus every trial of shrinking is a process, so that
// long cases are shrunk on wasm.
func TestLongCatchesMutants(t *testing.T) {
	done := map[string]bool{}
	for _, mutant := range twin.Mutants(library().Twins) {
		if !*full && (done[mutant.Twin.Name] || !slices.Contains(twinsOfKinds, mutant.Twin.Name)) {
			continue
		}
		done[mutant.Twin.Name] = true
		backend := cosim.BackendIcarus
		if mutantCasesLong[mutant.Twin.Name] > mutantCasesMax {
			backend = cosim.BackendWasm
		}
		t.Run(mutant.Twin.Name+": "+mutant.Name, func(t *testing.T) {
			t.Parallel()
			for _, p := range mutant.Twin.Sets {
				r := runLockstep(t, mutantMap(t, mutant.Twin.Name, mutant.Name, backend, p), Options{Cycles: 20_000})
				if r.Divergence == nil {
					continue
				}
				t.Logf("%v: %s; %d cycles, %d ones; %q", p, r.Divergence.Text, r.Shown.Stimulus.Cycles(), r.Shown.Stimulus.ones(), r.Divergence.Survivors.text(r.Divergence.Signal == ""))
				require.LessOrEqual(t, r.Shown.Stimulus.Cycles(), max(mutantCasesMax, mutantCasesLong[mutant.Twin.Name]))
				return
			}
			require.Fail(t, "not caught")
		})
	}
	for _, name := range twinsOfKinds {
		require.True(t, done[name], name)
	}
}

func TestFindsMissingReset(t *testing.T) {
	r := runLockstep(t, mutantMap(t, "arbiter_round_robin", "missing reset", cosim.BackendWasm, nil), Options{Cycles: 20_000})
	require.NotNil(t, r.Divergence)
	require.True(t, r.Divergence.MissingReset)
	require.LessOrEqual(t, r.Shown.Stimulus.Cycles(), 6)

	r = runLockstep(t, mutantMap(t, "arbiter_round_robin", "off by one", cosim.BackendWasm, nil), Options{Cycles: 20_000})
	require.False(t, r.Divergence.Undefined)
}

// TestLongShrinksTheEnd checks that the end of a run is shrunk if the run is too long to keep.
func TestLongShrinksTheEnd(t *testing.T) {
	const text = `module dut(input clock, input reset, input enable_i, output [31:0] value_o);
  reg [31:0] v; reg [15:0] age;
  assign value_o = v;
  always @(posedge clock) begin
    age <= age + 1;
    if (reset) begin v <= 1; age <= 0; end
    else if (enable_i) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : age == 900 ? 1 : 0);
  end
endmodule`
	m := foreign(t, text, &pinmap.Map{
		Library: library(),
		Model:   "lfsr", Parameters: twin.Parameters{"SEED": 1}, Clock: "clock", Reset: "reset",
		Pins: []pinmap.Wiring{{Port: "enable", Pins: []string{"enable_i"}}, {Port: "value", Pins: []string{"value_o"}}},
	})
	whole := runLockstep(t, m, Options{})
	require.NotNil(t, whole.Divergence)
	require.Greater(t, whole.Divergence.Found.Cycle, uint64(1000), "not in the first stretch between resets")
	require.InDelta(t, 902, whole.Shown.Stimulus.Cycles(), 2)

	end := runLockstep(t, m, Options{keptWords: 2 * 1200})
	require.True(t, end.Divergence.Shrunk)
	require.InDelta(t, 902, end.Shown.Stimulus.Cycles(), 2)

	short := runLockstep(t, m, Options{keptWords: 2 * 500})
	require.NotNil(t, short.Divergence)
	require.False(t, short.Divergence.Shrunk)
	require.Nil(t, short.Shown.Stimulus, "no stimulus rather than one that does not lead there")
	require.Equal(t, whole.Divergence.Found, short.Divergence.Found)
}

// FuzzStimulus checks that no text of a stimulus causes a panic, and that accepted ones survive writing and reading.
func FuzzStimulus(f *testing.F) {
	for _, text := range []string{"cycle,reset,push_i,data_i,pop_i\n0,1,0,0x1f,0\n5,0,1,0b11,1\n", "reset\n1\n", "reset,data_i\n1,256\n", "", "\"", "reset,reset\n1,1\n", "cycle,reset\n0,1\n18446744073709551615,0\n"} {
		f.Add(text)
	}
	m := &pinmap.Map{Library: library(), Model: "fifo", Parameters: twin.Parameters{"DEPTH": 4, "WIDTH": 8, "COUNT_BITS": 16}}
	path := filepath.Join(f.TempDir(), "s.csv")
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
		s, err := ReadStimulus(m, path)
		if err != nil {
			require.ErrorAs(t, err, new(*cosim.InputError))
			return
		}
		if s.Cycles() > 10_000 {
			return
		}
		var b bytes.Buffer
		require.NoError(t, s.WriteCSV(&b))
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
		again, err := ReadStimulus(m, path)
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}

// TestIsDeterministic checks that equal options yield equal bytes, and that the written stimulus leads to the same
// divergence.
func TestIsDeterministic(t *testing.T) {
	m := mutantMap(t, "arbiter_matrix", "holder not held", cosim.BackendWasm, nil)
	forms := func(r *Report) (all []byte) {
		var b bytes.Buffer
		require.NoError(t, r.WriteText(&b))
		require.NoError(t, r.WriteJSON(&b))
		_, err := r.Shown.WriteVCD(&b, nil)
		require.NoError(t, err)
		require.NoError(t, r.Shown.Stimulus.WriteCSV(&b))
		return b.Bytes()
	}
	first := runLockstep(t, m, Options{Cycles: 20_000, Seed: 7})
	second := runLockstep(t, m, Options{Cycles: 20_000, Seed: 7})
	require.Equal(t, string(forms(first)), string(forms(second)))

	for _, ending := range []string{".csv", ".vcd", ".csv.gz", ".vcd.gz", ".fst"} {
		path := filepath.Join(t.TempDir(), "case"+ending)
		var b bytes.Buffer
		if strings.HasPrefix(ending, ".csv") {
			require.NoError(t, first.Shown.Stimulus.WriteCSV(&b))
		} else {
			_, err := first.Shown.WriteVCD(&b, nil)
			require.NoError(t, err)
		}
		switch filepath.Ext(ending) {
		case ".gz":
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, err := b.WriteTo(w)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			b = packed
		case ".fst":
			require.NoError(t, os.WriteFile(path+".vcd", b.Bytes(), 0o666))
			require.NoError(t, exec.Command("vcd2fst", path+".vcd", path).Run())
			fst, err := os.ReadFile(path)
			require.NoError(t, err)
			b = *bytes.NewBuffer(fst)
		}
		require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
		s, err := ReadStimulus(m, path)
		require.NoError(t, err)
		require.Equal(t, first.Shown.Stimulus, s, ending)
		replayed := runLockstep(t, m, Options{Stimulus: s, NoShrink: true})
		require.NotNil(t, replayed.Divergence)
		require.Equal(t, first.Divergence.Text, replayed.Divergence.Text)
	}
}

// TestLongHangIsToldOnce checks that an endless loop is detected by its iterations, long before the time limit, and
// is not repeated for display, also at power-on.
func TestLongHangIsToldOnce(t *testing.T) {
	const text = `module dut(input clock, input reset, input now, input enable_i, output [31:0] value_o);
  reg [31:0] v; assign value_o = v; reg stop; initial begin stop = 0; while (now === 1'b0 && START && !stop) stop = v[0] & ~v[0]; end
  parameter START = 0;
  always @(posedge clock) if (reset) v <= 1; else if (enable_i) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 0);
  always @(posedge clock) if (!reset && enable_i && v[3]) begin stop = 0; while (!stop) v <= v; end
endmodule`
	for start, cycle := range map[string]uint64{"0": 6, "1": 0} {
		t.Run("START="+start, func(t *testing.T) {
			m := foreign(t, text, &pinmap.Map{
				Library: library(),
				Model:   "lfsr", Parameters: twin.Parameters{"SEED": 1}, Clock: "clock", Reset: "reset", Source: cosim.Source{Params: map[string]string{"START": start}},
				Pins: []pinmap.Wiring{{Port: "enable", Pins: []string{"enable_i"}}, {Port: "value", Pins: []string{"value_o"}}},
				Ties: []pinmap.Tie{{Pin: "now"}},
			})
			opened := 0
			open := m.Backends[0].Build
			m.Backends[0].Build = func(ctx context.Context, s cosim.Source, o cosim.BuildOptions) (cosim.Design, error) {
				d, err := open(ctx, s, o)
				return countedDesign{d, &opened}, err
			}
			r := runLockstep(t, m, Options{Cycles: 1000, Device: cosim.Options{TimeLimit: time.Hour}})
			require.NotNil(t, r.Divergence)
			require.Equal(t, fmt.Sprintf("the RTL ends in cycle %d: hang: a loop does not end: 1,073,741,824 turns in one cycle, in module dut", r.Divergence.Cycle), r.Divergence.Text)
			require.Equal(t, cycle == 0, r.Divergence.Cycle == 0)
			if cycle == 0 {
				require.Equal(t, 1, opened)
				return
			}
			require.Equal(t, 2, opened, "once to find it, once to show the cycles before it")
			require.Len(t, r.Shown.samples, int(r.Divergence.Cycle)+1)
			require.EqualValues(t, r.Divergence.Cycle+1, r.Cycles)
		})
	}
}

type countedDesign struct {
	cosim.Design
	opened *int
}

func (c countedDesign) Open(o cosim.Options) (cosim.Device, error) {
	*c.opened++
	return c.Design.Open(o)
}

// TestFaults runs an LFSR that ends in one of three ways, by its mode.
func TestFaults(t *testing.T) {
	const text = `module dut(input clock, input reset, input [1:0] mode, input enable_i, output [31:0] value_o);
  reg [31:0] v; assign value_o = v;
  always @(posedge clock) if (reset) v <= 1; else if (enable_i) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 0);
  reg stop;
  always @(posedge clock) if (!reset && enable_i) case (mode)
    1: $finish;
    2: $fatal(1, "no");
    3: begin stop = 0; while (!stop) v <= v; end
  endcase
endmodule`
	for mode, kind := range map[uint64]cosim.FaultKind{1: cosim.FaultFinish, 2: cosim.FaultFatal, 3: cosim.FaultHang} {
		t.Run(string(kind), func(t *testing.T) {
			m := foreign(t, text, &pinmap.Map{
				Library: library(),
				Model:   "lfsr", Parameters: twin.Parameters{"SEED": 1}, Clock: "clock", Reset: "reset",
				Pins: []pinmap.Wiring{{Port: "enable", Pins: []string{"enable_i"}}, {Port: "value", Pins: []string{"value_o"}}},
				Ties: []pinmap.Tie{{Pin: "mode", Value: mode}},
			})
			r := runLockstep(t, m, Options{Cycles: 1000, Device: cosim.Options{TimeLimit: 300 * time.Millisecond}})
			require.NotNil(t, r.Divergence)
			require.Equal(t, string(kind), r.Divergence.Kind)
			if kind != cosim.FaultHang {
				require.EqualValues(t, 1, r.Divergence.Cycle, "reset, then the fault")
			}
		})
	}
}
