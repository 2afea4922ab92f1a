//go:build linux

package lockstep

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// twoClocks returns the map of examples/rtl/two_clock_fifo.yml for other RTL.
func twoClocks(t *testing.T, text, backend string) *pinmap.Map {
	m := foreign(t, text, &pinmap.Map{
		Library: library(), Model: "async_fifo", Backend: backend,
		Parameters: twin.Parameters{"DEPTH": 8, "WIDTH": 16, "LATE": 3, "SPARE": 0, "REGISTERED": 0},
		Clock:      "wr_clk", Reset: "wr_rst_n", ResetLow: true,
		Timing: pinmap.Timing{
			Clocks: []pinmap.Clock{{Name: "wr_clk", When: "write_clock"}, {Name: "rd_clk", When: "read_clock"}},
			Resets: []pinmap.Reset{{Pin: "rd_rst_n", Low: true}},
		},
		Contract: pinmap.Contract{Compare: map[string]string{"head": "!empty"}},
	})
	for _, w := range [][2]string{{"push", "wr_en"}, {"data", "wr_data"}, {"full", "full"}, {"pop", "rd_en"}, {"head", "rd_data"}, {"empty", "empty"}} {
		m.Pins = append(m.Pins, pinmap.Wiring{Port: w[0], Pins: []string{w[1]}})
	}
	m.Places = map[string]string{"clock": "dut.yml:5:1", "absent[0]": "dut.yml:9:3"}
	return m
}

func twoClockFIFO(t *testing.T) string {
	text, err := os.ReadFile("../../examples/rtl/two_clock_fifo.sv")
	require.NoError(t, err)
	return strings.Replace(string(text), "module two_clock_fifo", "module dut", 1)
}

// replaced returns text with each pair replaced, which must occur once.
func replaced(t *testing.T, text string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		require.Equal(t, 1, strings.Count(text, pairs[i]), pairs[i])
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

const fullOf, emptyOf = "full <= wgray_next == {~rgray_w2[A:A-1], rgray_w2[A-2:0]}", "empty <= rgray_next == wgray_r2"

var twoClockMistakes = map[string][]string{
	"full comes an edge late":       {fullOf, "full <= wgray == {~rgray_w2[A:A-1], rgray_w2[A-2:0]}"},
	"full a word early":             {fullOf, "full <= less(wbin_next, back(rgray_w2)) >= Depth - 1"},
	"full a word late":              {fullOf, "full <= less(wbin_next, back(rgray_w2)) > Depth"},
	"full for ever":                 {fullOf, "full <= 1'b1"},
	"empty comes an edge late":      {emptyOf, "empty <= rgray == wgray_r2"},
	"empty with a last word":        {emptyOf, "empty <= less(back(wgray_r2), rbin_next) <= 1"},
	"empty for ever":                {emptyOf, "empty <= 1'b1"},
	"stored when full":              {"{{A{1'b0}}, wr_en && !full}", "{{A{1'b0}}, wr_en}"},
	"popped when empty":             {"{{A{1'b0}}, rd_en && !empty}", "{{A{1'b0}}, rd_en}"},
	"word lost at the wrap":         {"if (wr_en && !full) mem", "if (wr_en && !full && !(&wbin[A-1:0])) mem"},
	"written at a wrong place":      {"mem[wbin[A-1:0]]", "mem[wbin[A:1]]"},
	"read at a wrong place":         {"mem[rbin[A-1:0]]", "mem[rbin[A-1:0] ^ {A{&rbin}}]"},
	"missing reset of a register":   {"{wbin, wgray, rgray_w1, rgray_w2} <= '0", "{wbin, wgray, rgray_w1} <= '0"},
	"a register too many":           {"{rgray_w2, rgray_w1} <= {rgray_w1, rgray}", "{rgray_w2, rgray_w1, third} <= {rgray_w1, third, rgray}"},
	"code of the wrong pointer":     {"rgray_next = (rbin_next >> 1) ^ rbin_next", "rgray_next = (rbin >> 1) ^ rbin"},
	"both sides of the same memory": {"mem[rbin[A-1:0]]", "mem[wbin[A-1:0]]"},
}

const back = `    function automatic logic [A:0] back(input logic [A:0] code);
        for (int i = 0; i <= A; i++) back[i] = ^(code >> i);
    endfunction
    function automatic logic [A:0] less(input logic [A:0] a, b);
        less = a - b;
    endfunction
    logic [A:0] third;
    logic [Width-1:0] mem[Depth];`

// TestTwoClocks checks that a common FIFO between two clocks agrees with the scoreboard.
func TestTwoClocks(t *testing.T) {
	r := runLockstep(t, twoClocks(t, twoClockFIFO(t), cosim.BackendIcarus), Options{Cycles: 3000, Explore: 6000})
	var text strings.Builder
	require.NoError(t, r.WriteText(&text))
	require.Nil(t, r.Divergence, text.String())
	require.Contains(t, text.String(), "left to the RTL, within the freedom of async_fifo: full_o, empty_o\n")
	require.Empty(t, r.Unexercised)
	require.Equal(t, 3, r.Compared)
}

// TestLongTwoClocksMistakes checks that every mistake in it is found on both backends.
func TestLongTwoClocksMistakes(t *testing.T) {
	right := replaced(t, twoClockFIFO(t), "    logic [Width-1:0] mem[Depth];", back)
	for _, backend := range []string{cosim.BackendWasm, cosim.BackendIcarus} {
		for name, change := range twoClockMistakes {
			t.Run(backend+": "+name, func(t *testing.T) {
				t.Parallel()
				r := runLockstep(t, twoClocks(t, replaced(t, right, change...), backend), Options{Cycles: 10_000, Brief: true})
				require.NotNil(t, r.Divergence)
			})
		}
	}
}

// TestLongTwoClocksUnseen checks that mistakes pass that two-valued simulation without delays cannot show, as
// documented: a missing synchronisation register, and pointers in binary code.
func TestLongTwoClocksUnseen(t *testing.T) {
	right := twoClockFIFO(t)
	for name, change := range map[string][]string{
		"one register":    {"{rgray_w2, rgray_w1} <= {rgray_w1, rgray}", "{rgray_w2, rgray_w1} <= {rgray, rgray}"},
		"binary pointers": {"(wbin_next >> 1) ^ wbin_next", "wbin_next", "(rbin_next >> 1) ^ rbin_next", "rbin_next", "{~rgray_w2[A:A-1], rgray_w2[A-2:0]}", "{~rgray_w2[A], rgray_w2[A-1:0]}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runLockstep(t, twoClocks(t, replaced(t, right, change...), cosim.BackendIcarus), Options{Cycles: 5000})
			require.Nil(t, r.Divergence)
		})
	}
}

// TestLongTwoClocksBounds checks that RTL later than the map states differs, and that clocks that a map cannot
// describe are refused.
func TestLongTwoClocksBounds(t *testing.T) {
	m := twoClocks(t, twoClockFIFO(t), cosim.BackendIcarus)
	m.Parameters["LATE"] = 2
	r := runLockstep(t, m, Options{Cycles: 5000})
	require.NotNil(t, r.Divergence)
	require.Contains(t, []string{"full_o", "empty_o"}, r.Divergence.Signal)
	require.LessOrEqual(t, r.Shown.Stimulus.Cycles(), 12)

	early := replaced(t, twoClockFIFO(t), "    logic [Width-1:0] mem[Depth];", back)
	m = twoClocks(t, replaced(t, early, twoClockMistakes["full a word early"]...), cosim.BackendIcarus) // FIFO of 7 words in a memory of 8
	m.Parameters["DEPTH"] = 7
	require.Nil(t, runLockstep(t, m, Options{Cycles: 5000}).Divergence)

	m = twoClocks(t, twoClockFIFO(t), cosim.BackendIcarus) // one clock is at least twice as fast as the other
	m.Assume = []string{"read_clock", "$past(write_clock) -> !write_clock"}
	r = runLockstep(t, m, Options{Cycles: 2000, NoExplore: true})
	require.Nil(t, r.Divergence)
	require.Less(t, r.Contract.Reset, r.Contract.Redrawn/20)

	for reason, change := range map[string]func(m *pinmap.Map){
		"dut.yml:5:1: no clock of the RTL rises in cycles with write_clock_i of async_fifo; write clock: {PIN: write_clock}": func(m *pinmap.Map) {
			m.Timing.Clocks[0] = pinmap.Clock{Name: "wr_clk", Edges: 1, Cycles: 1}
		},
		"dut.yml:5:1: push_i of async_fifo does not select cycles in which a clock rises; name one of write_clock_i, read_clock_i": func(m *pinmap.Map) {
			m.Timing.Clocks[0].When = "push"
		},
		"dut.yml:9:3: async_fifo follows full_o of the RTL, which cannot be absent; give it a pin": func(m *pinmap.Map) {
			m.Absent = []string{"full"}
		},
		"async_fifo follows outputs of the RTL, cycle by cycle; delete latency": func(m *pinmap.Map) {
			m.Latency = map[string]int{"head": 1}
		},
	} {
		m := twoClocks(t, twoClockFIFO(t), cosim.BackendIcarus)
		change(m)
		_, err := Run(t.Context(), m, Options{Cycles: 10})
		require.ErrorContains(t, err, reason)
	}
}

// axisAsyncFIFO has AXI-Stream pins and an output register for one more word.
const axisAsyncFIFO = `module dut(input wire s_clk, input wire s_rst, input wire [7:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,
    input wire m_clk, input wire m_rst, output reg [7:0] m_axis_tdata, output reg m_axis_tvalid, input wire m_axis_tready);
  reg [7:0] mem [0:3];
  reg [2:0] wr_ptr, wr_gray, wr_gray_sync1, wr_gray_sync2, rd_ptr, rd_gray, rd_gray_sync1, rd_gray_sync2;
  wire full = wr_gray == (rd_gray_sync2 ^ 3'b110);
  wire empty = rd_gray == wr_gray_sync2;
  assign s_axis_tready = !full && !s_rst;
  wire [2:0] wr_next = wr_ptr + 1, rd_next = rd_ptr + 1;
  always @(posedge s_clk) begin
    {rd_gray_sync2, rd_gray_sync1} <= {rd_gray_sync1, rd_gray};
    if (s_axis_tready && s_axis_tvalid) begin
      mem[wr_ptr[1:0]] <= s_axis_tdata; wr_ptr <= wr_next; wr_gray <= wr_next ^ (wr_next >> 1);
    end
    if (s_rst) begin wr_ptr <= 0; wr_gray <= 0; rd_gray_sync1 <= 0; rd_gray_sync2 <= 0; end
  end
  always @(posedge m_clk) begin
    {wr_gray_sync2, wr_gray_sync1} <= {wr_gray_sync1, wr_gray};
    if (!m_axis_tvalid || m_axis_tready) begin
      m_axis_tvalid <= !empty;
      if (!empty) begin m_axis_tdata <= mem[rd_ptr[1:0]]; rd_ptr <= rd_next; rd_gray <= rd_next ^ (rd_next >> 1); end
    end
    if (m_rst) begin rd_ptr <= 0; rd_gray <= 0; wr_gray_sync1 <= 0; wr_gray_sync2 <= 0; m_axis_tvalid <= 0; end
  end
endmodule`

// TestTwoClocksAXI attaches a FIFO with AXI-Stream pins by inverted flags, with a spare word and a clock bounded by
// the map.
func TestTwoClocksAXI(t *testing.T) {
	attach := func(text string) *pinmap.Map {
		m := foreign(t, text, &pinmap.Map{
			Library: library(), Model: "async_fifo", Backend: cosim.BackendIcarus,
			Parameters: twin.Parameters{"DEPTH": 4, "WIDTH": 8, "LATE": 2, "SPARE": 1, "REGISTERED": 0},
			Clock:      "s_clk", Reset: "s_rst",
			Timing: pinmap.Timing{
				Clocks: []pinmap.Clock{{Name: "s_clk", When: "write_clock"}, {Name: "m_clk", When: "read_clock_i"}}, Resets: []pinmap.Reset{{Pin: "m_rst"}},
			},
			Contract: pinmap.Contract{
				Compare: map[string]string{"head": "!empty"},
				Assume:  []string{"$past(push && full) -> push && data == $past(data)", "$past(write_clock) -> !write_clock"},
			},
		})
		for _, w := range [][2]string{
			{"push", "s_axis_tvalid"}, {"data", "s_axis_tdata"}, {"full", "~s_axis_tready"}, {"pop", "m_axis_tready"}, {"head", "m_axis_tdata"}, {"empty", "~m_axis_tvalid"},
		} {
			m.Pins = append(m.Pins, pinmap.Wiring{Port: w[0], Pins: []string{w[1]}})
		}
		return m
	}
	r := runLockstep(t, attach(axisAsyncFIFO), Options{Cycles: 5000})
	require.Nil(t, r.Divergence)
	require.Less(t, r.Contract.Reset, r.Contract.Redrawn/20)
	for _, change := range [][]string{
		{"if (!m_axis_tvalid || m_axis_tready)", "if (m_axis_tready)"}, {"m_axis_tvalid <= !empty;", "m_axis_tvalid <= m_axis_tvalid || !empty;"}, {"^ 3'b110", "^ 3'b100"},
	} {
		require.NotNil(t,
			runLockstep(t, attach(replaced(t, axisAsyncFIFO, change...)),
				Options{Cycles: 5000, Brief: true}).Divergence, change[1])
	}
}
