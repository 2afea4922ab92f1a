//go:build linux

package prove

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/lockstep"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
	"starloom/internal/maps"
)

// exampleMap returns a map of examples/rtl with pairs of texts replaced.
func exampleMap(t *testing.T, name string, replaced ...string) *pinmap.Map {
	path := filepath.Join("..", "..", "examples", "rtl", name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 0; i < len(replaced); i += 2 {
		require.Contains(t, string(text), replaced[i])
		text = []byte(strings.ReplaceAll(string(text), replaced[i], replaced[i+1]))
	}
	m, err := maps.ParsePin(path, text, library())
	require.NoError(t, err)
	m.Build.Cache = testCache
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func miterOf(t *testing.T, m *pinmap.Map) *miter {
	miter, err := builderOf(t, m, stopwatch{}).build()
	require.NoError(t, err)
	return miter
}

// builderOf returns the builder of a miter with a time limit.
func builderOf(t *testing.T, m *pinmap.Map, clock stopwatch) *builder {
	model, err := m.NewModel()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	d, err := m.Open(context.Background(), cosim.Options{})
	require.NoError(t, err)
	wires, terms := d.(*pinmap.Device).Wires, d.(*pinmap.Device).Terms()
	require.NoError(t, d.Close())
	return &builder{ctx: context.Background(), dir: t.TempDir(), m: m, model: model, wires: wires,
		terms: terms, clock: clock}
}

// TestLongContracts checks that proofs respect assumptions, in all cycles so far, and compare conditions: RTL is
// equal with them, and refuted if a part is missing.
func TestLongContracts(t *testing.T) {
	small := []string{"DEPTH: 8, WIDTH: 32", "DEPTH: 2, WIDTH: 1", "top: trusting_fifo", "top: trusting_fifo\nparams: {Depth: 2, T: logic}"}
	swapped := []string{"D: 4, PHIT_BITS: 64", "D: 2, PHIT_BITS: 1", "LANES: 4, WIDTH: 64", "LANES: 2, WIDTH: 1",
		"~one_n", "~other", "~zero_n", "~one_n", "~other", "~zero_n"}
	without := func(text string) []string { return append([]string{text, ""}, small...) }
	for _, c := range []struct {
		name, file string
		replaced   []string
		verdict    string
		assumed    []string
	}{
		{"all", "trusting_fifo.yml", small, Equal, []string{"push -> count < DEPTH || pop", "pop -> count != 0", "head_o counts when count != 0"}},
		{"without push", "trusting_fifo.yml", without("  - push -> count < DEPTH || pop"), Differs, nil},
		{"without pop", "trusting_fifo.yml", without("  - pop -> count != 0"), Differs, nil},
		{"without compare", "trusting_fifo.yml", without(`compare: {head: "count != 0"}`), Differs, nil},
		{"without a clock", "optical_or.yml", append(swapped, "\npins:", "\nassume: rail1_i == rail0_i\npins:"), Equal, []string{"rail1_i == rail0_i"}},
		{"without a clock and the assumption", "optical_or.yml", swapped, Differs, nil},
		{"streams", "axis_register.yml", []string{"WIDTH: 33", "WIDTH: 2", "top: axis_register", "top: axis_register\nparams: {DATA_WIDTH: 1}"}, Equal,
			[]string{"$past(valid_i && !ready_o) -> valid_i && data_i == $past(data_i)", "data_o counts when valid_o"}},
		{"one-hot", "selected_arbiter.yml", []string{"[2, 4, 9]", "3"}, Equal, []string{"index_o counts when |grant"}},
		{"one-hot, without compare", "selected_arbiter.yml", []string{"[2, 4, 9]", "3", `compare: {index: "|grant"}`, ""}, Differs, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runProof(t, exampleMap(t, c.file, c.replaced...), Options{Limit: fullLimit(), engines: c.verdict == Differs})
			require.Equal(t, c.verdict, r.Verdict)
			if c.verdict == Equal {
				require.Subset(t, r.Assumed, c.assumed)
				require.Equal(t, r.Bits, r.BitsProved)
			}
		})
	}
}

// noisyCounter has other outputs in the first cycle after a reset. Its count is a cycle late, and differs in the
// second one, too.
const noisyCounter = `module dut(input clk, input rst, input up, input down, output [3:0] c, output over);
  reg [3:0] k, late;
  reg v, late_v, o;
  always @(posedge clk) begin
    {late_v, late} <= {v & !rst, k};
    {v, o, k} <= 0;
    if (!rst) {v, o, k} <= {1'b1, up & !down & k == 9, up & !down & k != 9 ? k + 4'd1 : down & !up & k != 0 ? k - 4'd1 : k};
  end
  assign c = late_v ? late : 4'hf;
  assign over = !v | o;
endmodule
`

// TestLongNoReset checks that RTL without a reset is compared after the number of cycles given by the map.
func TestLongNoReset(t *testing.T) {
	for cycles, verdict := range map[string]string{"4": Equal, "2": Differs} {
		m := exampleMap(t, "shift_line.yml", "clock: clk", "clock: clk\nreset: {cycles: "+cycles+"}", "compare: {data_o: filled}\n", "")
		r, err := Run(context.Background(), m, Options{})
		require.NoError(t, err)
		require.Equal(t, verdict, r.Verdict, "%s cycles", cycles)
	}
}

// TestLongPastAfterReset checks in lockstep and in the miter that $past is 0 in the first cycle after a reset, and
// for late RTL in the cycle of the reset.
func TestLongPastAfterReset(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dut.v")
	require.NoError(t, os.WriteFile(file, []byte(noisyCounter), 0o666))
	m := twinMap(t, "counter", twin.Parameters{"MAX": 9, "MODE": 0})
	m.Source.Top, m.Source.Files, m.Source.Params = "dut", []string{file}, nil
	m.Build.Cache, m.Clock, m.Reset, m.Absent = testCache, "clk", "rst", []string{"underflow"}
	m.Pins = []pinmap.Wiring{
		{Port: "up", Pins: []string{"up"}}, {Port: "down", Pins: []string{"down"}}, {Port: "count", Pins: []string{"c"}}, {Port: "overflow", Pins: []string{"over"}},
	}
	m.Latency = map[string]int{"count": 1}
	m.Compare = map[string]string{"count": "$past(1)", "overflow": "$past(!up || ~(count ^ 4'd9))"}
	m.Assume = []string{"$past(~up) && $past(~down) -> up", "$past(1) || !$past(!down)"}
	miter := miterOf(t, m)
	overflow := miter.ports[slices.IndexFunc(miter.ports, func(p cosim.Port) bool { return p.Name == "overflow_o" })].Word
	a, since := miter.agreement(), 0
	r, err := lockstep.Run(context.Background(), m,
		lockstep.Options{Cycles: 2000, PowerOn: 1, NoExplore: true, Observe: func(c *lockstep.Cycle) {
			if a.see(c); !c.Compared {
				since = 0
				return
			}
			since++
			require.Equal(t, since > 2, c.Counted[0] != 0)
			require.False(t, since == 1 && c.Counted[overflow] != 0)
		}})
	require.NoError(t, err)
	require.Nil(t, r.Divergence)
	require.Empty(t, a.disagrees)
	require.NotContains(t, a.checked, false)
	require.NotContains(t, a.phases, false)
}

// TestLongBounds proves, and refutes, that bits missing in the model stay 0.
func TestLongBounds(t *testing.T) {
	for stray, verdict := range map[string]string{"0": Equal, "1": Differs} {
		m := &pinmap.Map{
			Library: library(), Model: "credit_counter", Parameters: twin.Parameters{"DEPTH": 3}, Clock: "clk", Reset: "rst_n", ResetLow: true,
			Pins: []pinmap.Wiring{
				{Port: "take", Pins: []string{"take"}}, {Port: "give", Pins: []string{"give"}}, {Port: "count", Pins: []string{"low(left)"}},
				{Port: "underflow", Pins: []string{"under"}}, {Port: "overflow", Pins: []string{"over"}},
			},
		}
		m.Source.Top, m.Source.Files = "credit_wide", []string{filepath.Join("testdata", "parts", "credit_wide.sv")}
		m.Source.Params, m.Build.Cache = map[string]string{"STRAY": stray}, testCache
		r := runProof(t, m, Options{Limit: fullLimit(), engines: true})
		require.Equal(t, verdict, r.Verdict)
		if verdict == Differs {
			require.Equal(t, lockstep.DivergenceLimit, r.Case.Divergence.Kind)
		}
	}
}

// TestLongWrongMiter checks that a miter that differs from lockstep is detected.
func TestLongWrongMiter(t *testing.T) {
	m := twinMap(t, "arbiter_fixed", nil)
	miter := miterOf(t, m)
	lies := []struct {
		says string
		lie  func(c *lockstep.Cycle)
	}{
		{"", func(*lockstep.Cycle) {}},
		{"the miter compares although lockstep does not", func(c *lockstep.Cycle) { c.Compared = false }},
		{"differs from the model", func(c *lockstep.Cycle) { c.Wanted[0] ^= 1 }},
		{"differs from the simulator", func(c *lockstep.Cycle) { c.Got[0] ^= 1 }},
	}
	all := make([]*agreement, len(lies))
	for i := range all {
		all[i] = miter.agreement()
	}
	told := false
	_, err := lockstep.Run(context.Background(), m,
		lockstep.Options{Cycles: 200, PowerOn: 1, NoExplore: true, Observe: func(c *lockstep.Cycle) {
			now := c.Number > 50 && c.Compared && !told
			told = told || now
			for i, a := range all {
				seen := *c
				seen.Wanted, seen.Got, seen.Counted = slices.Clone(c.Wanted), slices.Clone(c.Got), slices.Clone(c.Counted)
				if now {
					lies[i].lie(&seen)
				}
				a.see(&seen)
			}
		}})
	require.NoError(t, err)
	require.True(t, told)
	for i, a := range all {
		require.Contains(t, a.disagrees, lies[i].says)
		require.Equal(t, i == 0, a.disagrees == "", a.disagrees)
	}
}

// TestLongUnassumed checks that inputs refused by the twin leave a proof undecided, and that the verdict names the
// violated check.
func TestLongUnassumed(t *testing.T) {
	m := designMap(t, "testdata/equal/crc_one_bit.v")
	require.NotEmpty(t, m.Assume)
	m.Assume = nil
	r := runProof(t, m, Options{})
	require.Equal(t, Undecided, r.Verdict)
	require.Regexp(t, `that lockstep does not confirm: in cycle \d+ its inputs break a check of the twin \(crc16\.v:\d+: .*bits_i: \d+ bits, a phit has 1\); `+
		`restrict the inputs with assume in the map$`, r.Reason)
}

// TestAssumedInComparisons checks that a difference of simulators under excluded inputs has no effect on a proof.
func TestAssumedInComparisons(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.sv")
	require.NoError(t, os.WriteFile(file, []byte("module m (input clk, input rst, input [7:0] d, output logic [7:0] q);\n"+
		"  logic [3:0] a [0:1], b [1:0]; assign {b[1], b[0]} = d; assign a = b; // Icarus goes by the index\n"+
		"  always @(posedge clk) if (rst) q <= 0; else q <= {a[0], a[1]};\nendmodule\n"), 0o644))
	unequal := Undecided
	if cosimtest.Since(t, "iverilog", 13) { // goes from the left to the right, as the standard says
		unequal = Equal
	}
	for assume, verdict := range map[string]string{"data_i[7:4] == data_i[3:0]": Equal, "data_i[7:5] == data_i[3:1]": unequal} {
		m := &pinmap.Map{
			Library: library(), Model: "delay_line", Parameters: twin.Parameters{"CYCLES": 1, "RESET": 1, "WIDTH": 8}, Clock: "clk", Reset: "rst",
			Source: cosim.Source{Top: "m", Files: []string{file}}, Absent: []string{"filled"}, Contract: pinmap.Contract{Assume: []string{assume}},
			Pins: []pinmap.Wiring{{Port: "data_i", Pins: []string{"d"}}, {Port: "data_o", Pins: []string{"q"}}}, Build: cosim.BuildOptions{Cache: testCache},
		}
		r, err := Run(t.Context(), m, Options{})
		require.NoError(t, err)
		require.Equal(t, verdict, r.Verdict, r.Reason)
		require.NoError(t, m.Close())
	}
}
