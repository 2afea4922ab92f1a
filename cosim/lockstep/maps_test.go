//go:build linux

package lockstep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/internal/cosimtest"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// foreign writes RTL of another style and attaches it by a map. Equal texts share a file, which is compiled once per
// run.
func foreign(t *testing.T, text string, m *pinmap.Map) *pinmap.Map {
	dir := filepath.Join(testCache, fmt.Sprintf("foreign-%x", sha256.Sum256([]byte(text))))
	require.NoError(t, os.MkdirAll(dir, 0o777))
	file := filepath.Join(dir, "dut.sv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	m.Source.Top, m.Source.Files = "dut", []string{file}
	m.Build.Cache = testCache
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// TestMapLate attaches RTL that is two cycles later than the model.
func TestMapLate(t *testing.T) {
	const text = `module dut(input logic clk, input logic rst_n, input logic [7:0] one, zero, output logic [7:0] one_q, zero_q);
  logic [15:0] a, b;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {a, b, one_q, zero_q} <= '0;
    else begin a <= {one, zero}; b <= a; {one_q, zero_q} <= b; end
endmodule`
	for latency, differs := range map[int]bool{2: false, 1: true, 3: true} {
		m := foreign(t, text, &pinmap.Map{
			Library: library(),
			Model:   "link", Parameters: twin.Parameters{"PHIT_BITS": 8, "DELAY_CYCLES": 1}, Clock: "clk", Reset: "rst_n", ResetLow: true,
			Pins:    []pinmap.Wiring{{Port: "rail1_i", Pins: []string{"one"}}, {Port: "rail0_i", Pins: []string{"zero"}}, {Port: "rail1_o", Pins: []string{"one_q"}}, {Port: "rail0_o", Pins: []string{"zero_q"}}},
			Latency: map[string]int{"rail1_o": latency, "rail0_o": latency},
		})
		r := runLockstep(t, m, Options{Cycles: 5000})
		require.Equal(t, differs, r.Divergence != nil, "latency %d", latency)
	}
}

// TestSimulatorsDiffer writes beyond the end of a vector, which has no effect (IEEE 1800-2017 11.5.1) but changes
// another element in Verilator, which truncates the index.
func TestSimulatorsDiffer(t *testing.T) {
	for says, rest := range map[string]string{"right": "p == 0 ? 8'd0 : 8'd1 << p - 3'd1", "wrong": "8'd1 << (p - 3'd1 & 3'd7)"} {
		text := `module dut(input clock, input reset, input [7:0] data_i, output reg [7:0] data_o);
  reg [7:0] a; wire [2:0] p = data_i[2:0]; always @* begin a = 0; a[p-1] = 1; end
  always @(posedge clock) data_o <= reset ? 0 : a == (` + rest + `) ? data_i : ~data_i;
endmodule`
		m := foreign(t, text, &pinmap.Map{
			Library: library(), Model: "delay_line", Parameters: twin.Parameters{"CYCLES": 1, "RESET": 1, "WIDTH": 8}, Clock: "clock", Reset: "reset",
			Pins: []pinmap.Wiring{{Port: "data_i", Pins: []string{"data_i"}}, {Port: "data_o", Pins: []string{"data_o"}}}, Absent: []string{"filled_o"},
		})
		r := runLockstep(t, m, Options{Cycles: 2000})
		var out bytes.Buffer
		require.NoError(t, r.WriteText(&out))
		if says == "right" {
			require.True(t, r.Divergence.Alone)
			require.Contains(t, out.String(), "\nIcarus Verilog, which reads the RTL independently, shows no difference with these inputs")
		} else {
			require.Nil(t, r.Divergence)
			require.Contains(t, out.String(), "; 1 warning: SIMULATORS\n")
			require.Contains(t, out.String(), ": Icarus Verilog, which reads the RTL independently, differs from the model in cycle ")
		}
	}
}

// TestSimulatorsAreLed checks that inputs are guided to the one value of 65,536 for which the simulators differ,
// unless the map excludes it, and that the report names no branches without a print of the RTL.
func TestSimulatorsAreLed(t *testing.T) {
	const odd = "data_i == 16'hbef0 && a == 0 ? 0 : data_i"
	for _, c := range []struct {
		value, says string
		assume      []string
	}{
		{odd, "; 1 warning: SIMULATORS\n", nil},
		{odd, " cycles of random inputs guided to its branches, 6 of 6 branches taken\n", []string{"data_i != 16'hbef0"}},
		{"3 ** data_i == 0 ? 0 : data_i", "\nno second tool has read its branches: 2,000 cycles of random inputs in Icarus Verilog may miss any of them, show no difference\n", nil},
	} {
		m := foreign(t, `module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o);
  reg [7:0] a; wire [2:0] p = data_i[2:0];
  always @* begin a = 0; if (data_i == 16'hbef0) a[p - 1] = 1; end // in Verilator a[7]
  always @(posedge clock) data_o <= reset ? 0 : `+c.value+`;
endmodule`, &pinmap.Map{
			Contract: pinmap.Contract{Assume: c.assume},
			Library:  library(), Model: "delay_line", Parameters: twin.Parameters{"CYCLES": 1, "RESET": 1, "WIDTH": 16}, Clock: "clock", Reset: "reset",
			Pins: []pinmap.Wiring{{Port: "data_i", Pins: []string{"data_i"}}, {Port: "data_o", Pins: []string{"data_o"}}}, Absent: []string{"filled_o"},
		})
		r := runLockstep(t, m, Options{Cycles: 2000, PowerOn: 1})
		var out bytes.Buffer
		require.NoError(t, r.WriteText(&out))
		require.Contains(t, out.String(), c.says)
	}
}

// TestSecondBreaksOff checks that the report claims no agreement if an assertion ends Icarus before the first
// comparison.
func TestSecondBreaksOff(t *testing.T) {
	m := foreign(t, `module dut(input clock, input reset, input [1:0] data_i, output logic [1:0] data_o);
  always_ff @(posedge clock) if (reset) data_o <= 0; else data_o <= data_i;
  always_ff @(negedge clock) if (!reset) assert (data_o != 2'd3) else $error("never both");
endmodule`, &pinmap.Map{
		Contract: pinmap.Contract{Assume: []string{"data_i != 3"}},
		Library:  library(), Model: "delay_line", Parameters: twin.Parameters{"CYCLES": 1, "RESET": 1, "WIDTH": 2}, Clock: "clock", Reset: "reset",
		Pins: []pinmap.Wiring{{Port: "data_i", Pins: []string{"data_i"}}, {Port: "data_o", Pins: []string{"data_o"}}}, Absent: []string{"filled_o"},
	})
	r := runLockstep(t, m, Options{Cycles: 2000, PowerOn: 1})
	var out bytes.Buffer
	require.NoError(t, r.WriteText(&out))
	require.Contains(t, out.String(), "\nno second tool has read the RTL: Icarus Verilog: it stopped in cycle 0 (")
	require.NotContains(t, out.String(), "shows the same")
}

// TestNoReset checks that agreement of Icarus does not count for a register without reset: it stays X there, which
// `if` treats as 0.
func TestNoReset(t *testing.T) {
	const text = `module dut(input clock, input reset, input [2:0] request_i, output reg [2:0] grant_o);
  reg [2:0] cycle; reg [1:0] turn;
  always @(posedge clock) begin
    if (cycle == 4) begin cycle <= 0; turn <= turn == 2 ? 0 : turn + 1; end else cycle <= cycle + 1;
    if (!(grant_o & request_i)) grant_o <= request_i & (3'd1 << turn);
    if (reset) begin turn <= 0; grant_o <= 0; end
  end
endmodule`
	m := foreign(t, text, &pinmap.Map{
		Library: library(), Model: "arbiter_tdma", Parameters: twin.Parameters{"REQUESTERS": 3, "SLICE_CYCLES": 5}, Clock: "clock", Reset: "reset",
		Pins: []pinmap.Wiring{{Port: "request_i", Pins: []string{"request_i"}}, {Port: "grant_o", Pins: []string{"grant_o"}}}, Absent: []string{"index_o"},
	})
	r := runLockstep(t, m, Options{Cycles: 2000})
	require.True(t, r.Divergence.MissingReset)
	require.False(t, r.Divergence.Alone)
}

// TestHints checks that common mistakes of a map are tried, and reported if the RTL then agrees.
func TestHints(t *testing.T) {
	const text = `module dut(input logic clk, input logic rst_n, input logic up, output logic [3:0] n, output logic over, under);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {n, over, under} <= '0; else begin over <= up && n == 9; under <= 0; if (up && n != 9) n <= n + 1; end
endmodule`
	for hint, low := range map[string]bool{"": true, "reset: {pin: rst_n, active: low}": false} {
		m := foreign(t, text, &pinmap.Map{
			Library: library(), Model: "counter", Parameters: twin.Parameters{"MAX": 9, "MODE": 0}, Clock: "clk", Reset: "rst_n", ResetLow: low,
			Pins:   []pinmap.Wiring{{Port: "up", Pins: []string{"up"}}, {Port: "down", Pins: []string{"0"}}, {Port: "count", Pins: []string{"n"}}, {Port: "overflow", Pins: []string{"over"}}},
			Absent: []string{"underflow"},
		})
		r := runLockstep(t, m, Options{Cycles: 2000, NoExplore: true})
		require.Equal(t, low, r.Divergence == nil)
		if !low {
			require.Equal(t, hint, r.Divergence.Hint)
			require.Contains(t, r.HowFound(), "is the map right? with "+hint+" the RTL does not differ in 2,000 cycles of "+
				"random inputs")
		}
	}
	m := acknowledgedMap(t)
	m.Latency, m.Feedback = nil, []pinmap.Feedback{{To: "ack", From: "ready"}}
	require.Equal(t, "latency: {grant: -1}", runLockstep(t, m, Options{Cycles: 2000, NoExplore: true}).Divergence.Hint)
}

// acknowledged is an arbiter whose pointer moves only if its grant is acknowledged in the same cycle.
const acknowledged = `module dut(input logic clk, input logic rst_n, input logic [3:0] valid, input logic [3:0] ack, output logic [3:0] ready);
  logic [3:0] owner_q;
  wire [3:0] hold = owner_q & valid;
  assign ready = |hold ? hold : valid & (~valid + 1'b1);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) owner_q <= '0; else owner_q <= ack & ready;
endmodule`

func acknowledgedMap(t *testing.T) *pinmap.Map {
	return foreign(t, acknowledged, &pinmap.Map{
		Library: library(),
		Model:   "arbiter_fixed", Parameters: twin.Parameters{"REQUESTERS": 4}, Clock: "clk", Reset: "rst_n", ResetLow: true,
		Pins:    []pinmap.Wiring{{Port: "request", Pins: []string{"valid"}}, {Port: "grant", Pins: []string{"ready"}}},
		Absent:  []string{"index"},
		Latency: map[string]int{"grant": -1},
	})
}

func TestLongMapFeedback(t *testing.T) {
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		m := acknowledgedMap(t)
		m.Backend, m.Feedback = backend, []pinmap.Feedback{{To: "ack", From: "ready"}}
		require.Nil(t, runLockstep(t, m, Options{Cycles: 5000}).Divergence, backend)

		m = acknowledgedMap(t)
		m.Backend, m.Ties = backend, []pinmap.Tie{{Pin: "ack", Value: 0}}
		require.NotNil(t, runLockstep(t, m, Options{Cycles: 5000}).Divergence, "a grant that is not acknowledged is not held")
	}
	m := acknowledgedMap(t)
	m.Feedback = []pinmap.Feedback{{To: "ack", From: "~ready"}}
	require.NotNil(t, runLockstep(t, m, Options{Cycles: 5000}).Divergence)
}

func TestMapFeedbackOscillates(t *testing.T) {
	m := foreign(t, "module dut(input logic [7:0] a, b, input x, output logic [1:0] o, z, output v, y);\nassign y = ~x; assign {o, z, v} = {a[1:0], b[1:0], a[0]};\nendmodule", &pinmap.Map{
		Library: library(),
		Model:   "star_coupler", Parameters: twin.Parameters{"D": 4, "PHIT_BITS": 2},
		Pins:     []pinmap.Wiring{{Port: "rail1_i", Pins: []string{"a"}}, {Port: "rail0_i", Pins: []string{"b"}}, {Port: "rail1_o", Pins: []string{"o"}}, {Port: "rail0_o", Pins: []string{"z"}}, {Port: "violation_o", Pins: []string{"v"}}},
		Feedback: []pinmap.Feedback{{To: "x", From: "y"}},
	})
	r := runLockstep(t, m, Options{Cycles: 100})
	require.NotNil(t, r.Divergence)
	require.Equal(t, string(cosim.FaultOscillation), r.Divergence.Kind)
	require.Contains(t, r.Divergence.Text, "feedback")
}

// TestMapWidePorts maps inverted, cut and joined pins wider than a word.
func TestMapWidePorts(t *testing.T) {
	const text = `module dut(input logic [99:0] high, input logic [427:0] low_n, input logic [527:0] zero, output logic [32:0] one_o, zero_no, output logic [2:0] flags);
  wire [527:0] one = {high, ~low_n};
  logic [32:0] o, z;
  always_comb begin
    o = '0; z = '0;
    for (int i = 0; i < 16; i++) begin o |= one[33*i +: 33]; z |= zero[33*i +: 33]; end
  end
  assign one_o = o; assign zero_no = ~z; assign flags = {1'b0, |(o & z), 1'b1};
endmodule`
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		m := foreign(t, text, &pinmap.Map{
			Library: library(),
			Model:   "star_coupler", Parameters: twin.Parameters{"D": 16, "PHIT_BITS": 33}, Backend: backend,
			Pins: []pinmap.Wiring{
				{Port: "rail1_i", Pins: []string{"high", "~low_n[427:200]", "~low_n[199:0]"}}, {Port: "rail0_i", Pins: []string{"zero"}},
				{Port: "rail1_o", Pins: []string{"one_o[32:1]", "one_o[0]"}}, {Port: "rail0_o", Pins: []string{"~zero_no"}}, {Port: "violation", Pins: []string{"flags[1]"}},
			},
		})
		require.Nil(t, runLockstep(t, m, Options{Cycles: 2000}).Divergence, backend)
	}
}

// TestMapSaves checks that a device continues from a saved state, early outputs included.
func TestMapSaves(t *testing.T) {
	m := acknowledgedMap(t)
	m.Feedback = []pinmap.Feedback{{To: "ack", From: "ready"}}
	d, err := m.Open(context.Background(), cosim.Options{Seed: 1})
	require.NoError(t, err)
	defer d.Close()
	random := twin.NewRandom(3)
	play := func(from, to uint64) (seen []uint64) {
		for cycle := from; cycle < to; cycle++ {
			random.At(cycle)
			d.Inputs()[0], d.Inputs()[1] = 0, random.Uint64()&15
			if cycle == 0 {
				d.Inputs()[0] = 1
			}
			require.NoError(t, d.Edge(1))
			seen = append(seen, d.Outputs()...)
		}
		return seen
	}
	play(0, 100)
	saved, err := d.Save()
	require.NoError(t, err)
	outputs := append([]uint64(nil), d.Outputs()...)
	want := play(100, 200)
	require.NoError(t, d.Restore(saved))
	require.Equal(t, outputs, d.Outputs())
	require.Equal(t, want, play(100, 200))
	require.Error(t, d.Restore(saved[:10]))
}

func TestMapAllocatesNothing(t *testing.T) {
	m := acknowledgedMap(t)
	m.Feedback = []pinmap.Feedback{{To: "ack", From: "ready"}}
	d, err := m.Open(context.Background(), cosim.Options{})
	require.NoError(t, err)
	defer d.Close()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		d.Inputs()[1]++
		require.NoError(t, d.Settle())
		require.NoError(t, d.Edge(1))
	}))
}

func BenchmarkMap(b *testing.B) {
	for _, tw := range []string{"arbiter_round_robin", "pops_slot"} {
		m, err := pinmap.OfTwin(library(), tw, nil, "")
		require.NoError(b, err)
		b.Run(tw, func(b *testing.B) {
			r, err := Run(context.Background(), m, Options{Cycles: uint64(max(b.N, 100)), PowerOn: 1})
			require.NoError(b, err)
			require.Nil(b, r.Divergence)
		})
		require.NoError(b, m.Close())
	}
}

// TestArbiterWithoutTake checks that an input without effect for the model's parameters needs no pin, but does with
// others. A missing folder is reported at its key of the map.
func TestArbiterWithoutTake(t *testing.T) {
	text := "module dut (input clk_i, rst_i, input [3:0] req_i, output [3:0] gnt_o); assign gnt_o = req_i & -req_i; endmodule"
	for kind, parameters := range []twin.Parameters{
		{"REQUESTERS": 4, "KIND": 0, "HOLD": 0, "TAKE_BITS": 1}, {"REQUESTERS": 4, "KIND": 1, "HOLD": 0, "TAKE_BITS": 1},
	} {
		m := foreign(t, text, &pinmap.Map{
			Library: library(), Model: "free_arbiter", Parameters: parameters, Clock: "clk_i", Reset: "rst_i", Absent: []string{"index"},
			Pins: []pinmap.Wiring{{Port: "request_i", Pins: []string{"req_i"}}, {Port: "grant_o", Pins: []string{"gnt_o"}}},
		})
		if kind == 0 {
			require.Nil(t, runLockstep(t, m, Options{Cycles: 2_000}).Divergence)
			continue
		}
		_, err := Run(t.Context(), m, Options{})
		require.ErrorContains(t, err, "take_i of free_arbiter has no pin; add take_i: PIN")
	}
	m := foreign(t, "`include \"none.vh\"\n"+text, &pinmap.Map{Library: library(), Model: "link", Parameters: twin.Parameters{"PHIT_BITS": 1, "DELAY_CYCLES": 1}, Clock: "clk_i"})
	_, err := Run(t.Context(), m, Options{})
	require.ErrorContains(t, err, "name its directory under include: [DIR]")
}

// TestFailureSaysWhatIsMisread checks that a failed check warns of constructs that Verilator misreads.
func TestFailureSaysWhatIsMisread(t *testing.T) {
	m := foreign(t, `module dut (input clk_i, rst_i, input [3:0] v_i, output reg [3:0] v_o);
  function [3:0] keep(input [3:0] x); reg [3:0] n; begin keep = n; n = x; end endfunction
  always @(posedge clk_i) if (rst_i) v_o <= keep(4'd0) & 4'd0; else v_o <= keep(v_i);
endmodule`, &pinmap.Map{
		Library: library(), Model: "delay_line", Parameters: twin.Parameters{"WIDTH": 4, "CYCLES": 2, "RESET": 1}, Clock: "clk_i", Reset: "rst_i",
		Absent: []string{"filled"},
		Pins:   []pinmap.Wiring{{Port: "data_i", Pins: []string{"v_i"}}, {Port: "data_o", Pins: []string{"v_o"}}},
	})
	r := runLockstep(t, m, Options{Cycles: 1_000})
	if cosimtest.Since(t, "verilator", 5, 48) { // keeps the value of n
		require.Nil(t, r.Divergence)
		return
	}
	require.NotNil(t, r.Divergence)
	require.NotEmpty(t, r.Warnings)
	require.Equal(t, "STATIC", r.Warnings[0].Code)
}
