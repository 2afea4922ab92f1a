//go:build linux

package lockstep

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim/pinmap"
	"starloom/cosim/twin"
)

// arbiterStyle is an arbiter in a common style, with its map and a mistake.
type arbiterStyle struct {
	text, old, mistake string
	kind, hold, takes  int
	pins               map[string][]string
	ties               []pinmap.Tie
	late               int
	assume             []string
	compare            map[string]string
}

var arbiterStyles = map[string]arbiterStyle{
	// A tree that chooses in every cycle. Its pointer moves when a grant is accepted.
	"combinational, free": {
		text: `module dut(input logic clk, rst_n, input logic [3:0] req_i, input logic gnt_i, output logic [3:0] gnt_o, output logic req_o, output logic [1:0] idx_o);
  logic [1:0] rr_q;
  wire [7:0] twice = {req_i, req_i} >> rr_q;
  wire [1:0] next = twice[0] ? 0 : twice[1] ? 1 : twice[2] ? 2 : 3;
  assign idx_o = req_o ? rr_q + next : 0;
  assign req_o = |req_i;
  assign gnt_o = req_o ? 4'b1 << idx_o : 0;
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) rr_q <= 0; else if (req_o && gnt_i) rr_q <= idx_o + 1;
endmodule`,
		old: "if (req_o && gnt_i)", mistake: "if (req_o)",
		kind: 1, hold: 0, takes: 1, pins: map[string][]string{"request": {"req_i"}, "take": {"gnt_i"}, "grant": {"gnt_o"}, "index": {"0", "idx_o"}},
	},
	// The same with a lock: an offer stays until it is accepted.
	"combinational, locked": {
		text: `module dut(input logic clk, rst_n, input logic [3:0] req_i, input logic gnt_i, output logic [3:0] gnt_o);
  logic [3:0] last_q, lock_q;
  wire [3:0] high = req_i & ~(last_q | (last_q - 1));
  wire [3:0] pool = |(last_q) && |high ? high : req_i;
  assign gnt_o = |lock_q ? lock_q : pool & (~pool + 1);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {last_q, lock_q} <= 0;
    else begin lock_q <= gnt_i ? 0 : gnt_o; if (gnt_i && |gnt_o) last_q <= gnt_o; end
endmodule`,
		old: "gnt_i ? 0 : gnt_o", mistake: "gnt_i || gnt_o[3] ? 0 : gnt_o",
		kind: 1, hold: 2, takes: 1, pins: map[string][]string{"request": {"req_i"}, "take": {"gnt_i"}, "grant": {"gnt_o"}},
		assume: []string{"($past(grant & ~{4{take}}) & ~request) == 0"}, // a requester that is offered and not taken keeps its request
	},
	// A registered grant, chosen again in every cycle.
	"registered, free": {
		text: registeredArbiter, old: "mask <= ~(choice | (choice - 1))", mistake: "mask <= ~(choice - 1)",
		kind: 1, hold: 0, takes: 1, late: 1, ties: []pinmap.Tie{{Pin: "acknowledge"}, {Pin: "block_i"}, {Pin: "block_ack_i"}},
		pins: map[string][]string{"request": {"request"}, "take": {"1'b1"}, "grant": {"grant"}, "index": {"0", "grant_encoded"}},
	},
	// The same, blocked while its request stays.
	"registered, while requested": {
		text: registeredArbiter, old: "|(grant & request)", mistake: "|(grant & request[2:0])",
		kind: 1, hold: 1, takes: 1, late: 1, ties: []pinmap.Tie{{Pin: "acknowledge"}, {Pin: "block_i", Value: 1}, {Pin: "block_ack_i"}},
		pins: map[string][]string{"request": {"request"}, "take": {"1'b1"}, "grant": {"grant"}, "index": {"0", "grant_encoded"}},
	},
	// The same, blocked until it is acknowledged.
	"registered, until acknowledged": {
		text: registeredArbiter, old: "|grant && !(|(grant & acknowledge))", mistake: "|grant && !(|acknowledge)",
		kind: 1, hold: 3, takes: 4, late: 1, ties: []pinmap.Tie{{Pin: "block_i", Value: 1}, {Pin: "block_ack_i", Value: 1}},
		pins: map[string][]string{"request": {"request"}, "take": {"acknowledge"}, "grant": {"grant"}, "index": {"0", "grant_encoded"}},
	},
	// A priority arbiter whose index is valid only with a request.
	"priority, held by valid": {
		text: `module dut(input logic clk, rst_n, input logic [3:0] valid, input logic ready, output logic any, output logic [1:0] select, output logic [3:0] pick);
  logic busy_q; logic [1:0] owner_q;
  assign any = |pick;
  assign select = busy_q ? owner_q : valid[0] ? 0 : valid[1] ? 1 : valid[2] ? 2 : 3;
  assign pick = busy_q || |valid ? 4'b1 << select : 0;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) busy_q <= 0; else begin busy_q <= any && !ready; owner_q <= select; end
endmodule`,
		old: "busy_q <= any && !ready", mistake: "busy_q <= any && !ready && !owner_q[1]",
		kind: 0, hold: 2, takes: 1, pins: map[string][]string{"request": {"valid"}, "take": {"ready"}, "grant": {"pick"}, "index": {"0", "select"}},
		assume: []string{"($past(grant & ~{4{take}}) & ~request) == 0"}, compare: map[string]string{"index": "|grant"},
	},
}

// registeredArbiter has a mask of the requesters after the last one, and may block.
const registeredArbiter = `module dut(input wire clk, input wire rst_n, input wire [3:0] request, acknowledge, input wire block_i, block_ack_i,
    output reg [3:0] grant, output reg [1:0] grant_encoded);
  reg [3:0] mask;
  wire [3:0] masked = request & mask;
  wire [3:0] pool = |masked ? masked : request;
  wire [3:0] choice = pool & (~pool + 1);
  always @(posedge clk)
    if (!rst_n) begin grant <= 0; mask <= 4'hf; grant_encoded <= 0; end
    else if (block_i && !block_ack_i && |(grant & request)) grant <= grant;
    else if (block_i && block_ack_i && |grant && !(|(grant & acknowledge))) grant <= grant;
    else begin
      grant <= choice;
      grant_encoded <= {|choice[3:2], choice[3] | choice[1]};
      if (|choice) mask <= ~(choice | (choice - 1));
    end
endmodule`

func (s arbiterStyle) attach(t *testing.T, text string) *pinmap.Map {
	m := &pinmap.Map{
		Library: library(), Model: "free_arbiter",
		Parameters: twin.Parameters{"REQUESTERS": 4, "KIND": s.kind, "HOLD": s.hold, "TAKE_BITS": s.takes},
		Clock:      "clk", Reset: "rst_n", ResetLow: true, Ties: s.ties, Latency: map[string]int{"grant": s.late},
		Contract: pinmap.Contract{Assume: s.assume, Compare: s.compare},
	}
	for _, port := range []string{"request", "take", "grant", "index"} {
		if pins := s.pins[port]; pins != nil {
			m.Pins = append(m.Pins, pinmap.Wiring{Port: port, Pins: pins})
		} else {
			m.Absent = append(m.Absent, port)
		}
	}
	if s.pins["index"] != nil {
		m.Latency["index"] = s.late
	}
	return foreign(t, text, m)
}

// TestLongArbiterStyles attaches arbiters without a wrapper that choose in every cycle, hold while requested or until
// taken, with combinational or registered grants, and finds a mistake in each.
func TestLongArbiterStyles(t *testing.T) {
	for name, style := range arbiterStyles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runLockstep(t, style.attach(t, style.text), Options{Cycles: 20_000})
			if r.Divergence != nil {
				var text strings.Builder
				require.NoError(t, r.WriteText(&text))
				require.Fail(t, text.String())
			}
			require.Equal(t, 1, strings.Count(style.text, style.old))
			m := style.attach(t, strings.Replace(style.text, style.old, style.mistake, 1))
			require.NotNil(t, runLockstep(t, m, Options{Cycles: 20_000}).Divergence, "the mistake")
		})
	}
}

// axisRegister is a skid buffer with AXI-Stream pins. Without tvalid it shows old data.
const axisRegister = `module dut #(parameter DATA_WIDTH = 8) (input wire clk, input wire rst,
    input wire [DATA_WIDTH-1:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready, input wire s_axis_tlast,
    output wire [DATA_WIDTH-1:0] m_axis_tdata, output wire m_axis_tvalid, input wire m_axis_tready, output wire m_axis_tlast);
  reg ready_reg, valid_reg, temp_valid_reg;
  reg [DATA_WIDTH:0] out_reg, temp_reg;
  assign s_axis_tready = ready_reg;
  assign m_axis_tvalid = valid_reg;
  assign {m_axis_tlast, m_axis_tdata} = out_reg;
  wire ready_early = m_axis_tready || (!temp_valid_reg && (!valid_reg || !s_axis_tvalid));
  always @(posedge clk) begin
    ready_reg <= ready_early;
    if (ready_reg) begin
      if (m_axis_tready || !valid_reg) begin valid_reg <= s_axis_tvalid; out_reg <= {s_axis_tlast, s_axis_tdata}; end
      else begin temp_valid_reg <= s_axis_tvalid; temp_reg <= {s_axis_tlast, s_axis_tdata}; end
    end else if (m_axis_tready) begin
      valid_reg <= temp_valid_reg; temp_valid_reg <= 0; out_reg <= temp_reg;
    end
    if (rst) begin ready_reg <= 0; valid_reg <= 0; temp_valid_reg <= 0; end
  end
endmodule`

// TestLongStreamRoles attaches a skid buffer in the style of verilog-axis by its roles. Its ready rises a cycle after
// reset, which is a difference. It tolerates a sender that withdraws words.
func TestLongStreamRoles(t *testing.T) {
	attach := func(text string, in pinmap.Stream) *pinmap.Map {
		m := &pinmap.Map{
			Library: library(), Model: "skid_buffer", Parameters: twin.Parameters{"WIDTH": 9, "REGISTERED": 1},
			Clock: "clk", Reset: "rst", Places: map[string]string{"streams.in": "axis.yml:7:3"},
		}
		m.AddStream("in", in)
		m.AddStream("out", pinmap.AXIStream("m_axis", "tlast", "tdata"))
		return foreign(t, text, m)
	}
	in := pinmap.AXIStream("s_axis", "tlast", "tdata")
	soon := strings.Replace(axisRegister, "if (rst) begin ready_reg <= 0;", "if (rst) begin ready_reg <= 1;", 1)
	r := runLockstep(t, attach(soon, in), Options{Cycles: 20_000})
	require.Nil(t, r.Divergence)
	require.Equal(t, []string{"$past(valid_i && !ready_o) -> valid_i && data_i == $past(data_i)"}, r.Contract.Assumed)
	require.Equal(t, "data_o", r.Contract.Compare[0].Output)
	require.Greater(t, r.Contract.Redrawn, uint64(1000))
	require.Less(t, r.Contract.Reset, r.Contract.Redrawn/100)

	r = runLockstep(t, attach(axisRegister, in), Options{Cycles: 2000})
	require.Equal(t, "ready_o", r.Divergence.Signal)

	in.Unstable = true
	m := attach(soon, in)
	r = runLockstep(t, m, Options{Cycles: 5000})
	require.Nil(t, r.Divergence)
	require.Empty(t, r.Contract.Assumed)
	for old, mistake := range map[string]string{
		"out_reg <= temp_reg": "out_reg <= {s_axis_tlast, s_axis_tdata}", "temp_valid_reg <= 0; out_reg": "temp_valid_reg <= temp_valid_reg; out_reg",
		"assign m_axis_tvalid = valid_reg": "assign m_axis_tvalid = valid_reg && !(&temp_reg)",
	} {
		require.Equal(t, 1, strings.Count(soon, old))
		in.Unstable = false
		require.NotNil(t,
			runLockstep(t, attach(strings.Replace(soon, old, mistake, 1), in), Options{Cycles: 20_000}).Divergence, old)
	}
}
