package maps

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"starloom/cosim"
	"starloom/cosim/twin"
	"starloom/cosim/verilator"
)

// unknown are modules in styles of their own, each with the variant that it is.
var unknown = []struct {
	top, text, model string
	parameters       twin.Parameters // not visible in the ports
	latency          int
	low              bool // the reset is active low, also against its name
}{
	{"hold_arbiter", `module hold_arbiter(input clk, input rst_n, input [3:0] req, output reg [3:0] gnt);
  always @(posedge clk or negedge rst_n)
    if (!rst_n) gnt <= 0; else if (!(gnt & req)) gnt <= req & -req;
endmodule`, "arbiter_fixed", nil, 0, true},
	{"turn_arbiter", `module turn_arbiter(input clk, input rst, input [3:0] req, output reg [3:0] gnt);
  reg [3:0] below; wire [3:0] high = req & ~below; wire [3:0] pick = |high ? high & -high : req & -req;
  always @(posedge clk) if (rst) begin gnt <= 0; below <= 0; end
    else if (!(gnt & req)) begin gnt <= pick; if (|pick) below <= pick | (pick - 4'd1); end
endmodule`, "arbiter_round_robin", nil, 0, false},
	{"stream_fifo6", `module stream_fifo6(input clk, input reset, input valid_i, input [7:0] data_i, output ready_o,
    output valid_o, output [7:0] data_o, input ready_i);
  reg [7:0] m [0:5]; reg [2:0] n, w, r; wire push = valid_i & ready_o, pop = valid_o & ready_i;
  assign ready_o = n != 6; assign valid_o = n != 0; assign data_o = m[r];
  always @(posedge clk) if (reset) begin n <= 0; w <= 0; r <= 0; end else begin
    n <= n + push - pop;
    if (push) begin m[w] <= data_i; w <= w == 5 ? 0 : w + 1; end
    if (pop) r <= r == 5 ? 0 : r + 1;
  end
endmodule`, "stream_fifo", twin.Parameters{"DEPTH": 6, "FALL_THROUGH": 0, "FULL_THROUGH": 0}, 0, false},
	{"pass_fifo", `module pass_fifo(input clk, input rst_n, input valid_i, input [7:0] data_i, output ready_o,
    output valid_o, output [7:0] data_o, input ready_i);
  reg [31:0] q; reg [2:0] n;
  assign ready_o = n != 4; assign valid_o = n != 0 || valid_i; assign data_o = n == 0 ? data_i : q[7:0];
  wire pop = ready_i && n != 0, push = valid_i && ready_o && !(n == 0 && ready_i);
  wire [31:0] rest = pop ? q >> 8 : q; wire [2:0] left = n - pop;
  always @(posedge clk) if (!rst_n) n <= 0; else begin
    n <= left + push; q <= rest; if (push) q[8*left +: 8] <= data_i;
  end
endmodule`, "stream_fifo", twin.Parameters{"DEPTH": 4, "FALL_THROUGH": 1, "FULL_THROUGH": 0}, 0, true},
	{"up_down", `module up_down(input clk, input rst, input up, input down, output reg [3:0] count);
  always @(posedge clk) if (rst) count <= 0; else if (up & ~down & count != 11) count <= count + 1;
    else if (down & ~up & count != 0) count <= count - 1;
endmodule`, "counter", twin.Parameters{"MAX": 11}, 0, false},
	{"wrap_counter", `module wrap_counter(input clk, input rst_n, input up, input down, output reg [3:0] count);
  always @(posedge clk or negedge rst_n) if (!rst_n) count <= 0; else case ({up, down})
    2'b10: count <= count == 9 ? 0 : count + 1;
    2'b01: count <= count == 0 ? 9 : count - 1;
    default: ; endcase
endmodule`, "counter", twin.Parameters{"MAX": 9, "MODE": 1}, 0, true},
	{"shift_line", `module shift_line(input clk, input rst, input [7:0] d, output [7:0] q);
  reg [39:0] s; assign q = s[39:32];
  always @(posedge clk) if (rst) s <= 0; else s <= {s[31:0], d};
endmodule`, "delay_line", twin.Parameters{"CYCLES": 5, "RESET": 1}, 0, false},
	{"slow_counter", `module slow_counter(input clk, input rst, input up, input down, output reg [3:0] count);
  reg [3:0] n;
  always @(posedge clk) if (rst) begin n <= 0; count <= 0; end else begin
    count <= n; if (up & ~down & n != 12) n <= n + 1; else if (down & ~up & n != 0) n <= n - 1;
  end
endmodule`, "counter", twin.Parameters{"MAX": 12}, 1, false},
	{"odd_reset", `module odd_reset(input clk, input rst, input up, input down, output reg [2:0] count);
  always @(posedge clk) if (!rst) count <= 0; else if (up & ~down & count != 5) count <= count + 1;
    else if (down & ~up & count != 0) count <= count - 1;
endmodule`, "counter", twin.Parameters{"MAX": 5}, 0, true},
	{"skid", `module skid(input clk, input rst, input valid_i, input [7:0] data_i, output ready_o,
    output reg valid_o, output reg [7:0] data_o, input ready_i);
  reg full; reg [7:0] held; assign ready_o = !full;
  always @(posedge clk) if (rst) begin full <= 0; valid_o <= 0; end
    else if (ready_i || !valid_o) begin
      valid_o <= full || valid_i; data_o <= full ? held : data_i; full <= 0;
    end else if (valid_i && !full) begin full <= 1; held <= data_i; end
endmodule`, "skid_buffer", twin.Parameters{"REGISTERED": 1}, 0, false},
	{"flag_fifo", `module flag_fifo(input i_clk, input i_rst_n, input i_wr, input [7:0] i_data, output o_full,
    input i_rd, output [7:0] o_data, output o_empty, output [3:0] o_fill);
  reg [7:0] m [0:6]; reg [3:0] n, w, r; wire push = i_wr & ~o_full, pop = i_rd & ~o_empty;
  assign o_full = n == 7; assign o_empty = n == 0; assign o_data = m[r]; assign o_fill = n;
  always @(posedge i_clk or negedge i_rst_n) if (!i_rst_n) begin n <= 0; w <= 0; r <= 0; end else begin
    n <= n + push - pop;
    if (push) begin m[w] <= i_data; w <= w == 6 ? 0 : w + 1; end
    if (pop) r <= r == 6 ? 0 : r + 1;
  end
endmodule`, "stream_fifo", twin.Parameters{"DEPTH": 7, "FALL_THROUGH": 0, "FULL_THROUGH": 0}, 0, true},
	{"late_fifo", `module late_fifo(input clk, input rst, input flush, input wr_en, input [7:0] din, input rd_en,
    output reg [7:0] dout, output full, output empty);
  reg [7:0] m [0:3]; reg [2:0] w, r;
  assign full = w == {~r[2], r[1:0]}; assign empty = w == r;
  always @(posedge clk) begin
    if (wr_en) begin m[w[1:0]] <= din; w <= w + 1; end
    if (rd_en) begin dout <= m[r[1:0]]; r <= r + 1; end
    if (rst | flush) begin w <= 0; r <= 0; end
  end
endmodule`, "stream_fifo", twin.Parameters{"DEPTH": 4, "FALL_THROUGH": 0, "FULL_THROUGH": 0}, 0, false},
	{"yumi_queue", `module yumi_queue(input clk_i, input reset_i, input v_i, input [7:0] data_i, output ready_o,
    output v_o, output [7:0] data_o, input yumi_i);
  reg [7:0] m [0:1]; reg [1:0] n; reg w, r; assign ready_o = ~n[1]; assign v_o = |n; assign data_o = m[r];
  wire enq = v_i & ready_o;
  always @(posedge clk_i) if (reset_i) begin n <= 0; w <= 0; r <= 0; end else begin
    n <= n + enq - yumi_i; w <= w ^ enq; r <= r ^ yumi_i; if (enq) m[w] <= data_i;
  end
endmodule`, "skid_buffer", twin.Parameters{"REGISTERED": 1}, 0, false},
	{"free_running", `module free_running(input clk, input arst_n, input en, input clr, input inc, input dec,
    output reg [4:0] cnt);
  always @(posedge clk or negedge arst_n) if (!arst_n) cnt <= 0; else if (clr) cnt <= 0;
    else if (en) cnt <= cnt + inc - dec;
endmodule`, "counter", twin.Parameters{"MAX": 31, "MODE": 1}, 0, true},
	{"msb_arbiter", `module msb_arbiter(input clk, input rst, input [3:0] req, output reg [3:0] gnt);
  always @(posedge clk) if (rst) gnt <= 0; else if (!(gnt & req))
    gnt <= req[3] ? 8 : req[2] ? 4 : req[1] ? 2 : {3'b0, req[0]};
endmodule`, "arbiter_fixed", nil, 0, false},
	{"enabled_arbiter", `module enabled_arbiter(input ready_then, input [3:0] reqs, output [3:0] grants);
  assign grants = {4{ready_then}} & reqs & -reqs;
endmodule`, "free_arbiter", twin.Parameters{"KIND": 0, "HOLD": 0}, 0, false},
	{"taken_arbiter", `module taken_arbiter(input clk, input rst_n, input [3:0] req, output [3:0] gnt, input gnt_i,
    output [1:0] idx);
  reg [3:0] below; wire [3:0] high = req & ~below; wire [3:0] pick = |high ? high & -high : req & -req;
  assign gnt = {4{gnt_i}} & pick; assign idx = {pick[3] | pick[2], pick[3] | pick[1]};
  always @(posedge clk or negedge rst_n) if (!rst_n) below <= 0; else if (|gnt) below <= gnt | (gnt - 4'd1);
endmodule`, "free_arbiter", twin.Parameters{"KIND": 1, "HOLD": 0}, 0, true},
	{"bare_line", `module bare_line(input clk, input [7:0] d, output [7:0] q);
  reg [7:0] a, b, c, e; assign q = e;
  always @(posedge clk) begin a <= d; b <= a; c <= b; e <= c; end
endmodule`, "delay_line", twin.Parameters{"CYCLES": 4, "RESET": 0}, 0, false},
	{"waking_slice", `module waking_slice(input clk, input rst, input [7:0] s_axis_tdata, input s_axis_tvalid,
    output reg s_axis_tready, output reg [7:0] m_axis_tdata, output reg m_axis_tvalid, input m_axis_tready);
  reg [7:0] spare; reg full;
  wire more = s_axis_tvalid & s_axis_tready, room = m_axis_tready | ~m_axis_tvalid;
  always @(posedge clk) if (rst) begin s_axis_tready <= 0; m_axis_tvalid <= 0; full <= 0; end else begin
    s_axis_tready <= room | ~(full | more);
    if (room) begin m_axis_tvalid <= full | more; m_axis_tdata <= full ? spare : s_axis_tdata; full <= 0; end
    else if (more) begin full <= 1; spare <= s_axis_tdata; end
  end
endmodule`, "register_slice", twin.Parameters{"MODE": 1}, 0, false},
	{"trusting_credits", `module trusting_credits(input clk, input rst_n, input credit_give, input credit_take,
    output reg [3:0] credits);
  always @(posedge clk or negedge rst_n) if (!rst_n) credits <= 6; else credits <= credits + credit_give - credit_take;
endmodule`, "credit_counter", twin.Parameters{"DEPTH": 6}, 0, true},
	{"filtered_reset", `module filtered_reset(input clk, input resetn, input up, input down, output reg [3:0] count);
  reg low; always @(posedge clk) low <= !resetn;
  always @(posedge clk) if (low & !resetn) count <= 0; else if (up & ~down & count != 13) count <= count + 1;
    else if (down & ~up & count != 0) count <= count - 1;
endmodule`, "counter", twin.Parameters{"MAX": 13}, 0, true},
}

// TestLongVariants checks that the variant of each module is the first one without a difference.
func TestLongVariants(t *testing.T) {
	for i, c := range unknown {
		if !*full && i%7 > 0 {
			continue
		}
		t.Run(c.top, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, c.top+".v")
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o644))
			circuit, err := verilator.Build(context.Background(),
				cosim.Source{Top: c.top, Files: []string{file}}, cosim.BuildOptions{})
			require.NoError(t, err)
			g, err := NewGuess(cosim.Source{Top: c.top, Files: []string{c.top + ".v"}}, circuit.Ports, everything().Twins, "")
			require.NoError(t, circuit.Close())
			require.NoError(t, err)
			require.NoError(t, g.Try(context.Background(), filepath.Join(dir, "map.yml"), everything()))
			text := g.Text()
			t.Log(text)
			require.NotEmpty(t, g.passed)
			require.Equal(t, c.model, g.fits[0].model)
			for name, value := range c.parameters {
				require.Equal(t, value, g.fits[0].parameters[name], name)
			}
			require.Equal(t, c.latency, g.latency)
			if g.reset != nil {
				require.Equal(t, c.low, activeLow(g.reset.Name) != g.flip)
			}
			require.Contains(t, text, "# Variants without a difference")
		})
	}
}

// TestNoVariant checks that a guess stays when no variant passes.
func TestLongNoVariant(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "odd.v")
	require.NoError(t, os.WriteFile(file, []byte("module odd(input clk, input rst, input [3:0] req, output [3:0] gnt);\n"+
		"  assign gnt = ~req;\nendmodule\n"), 0o644))
	circuit, err := verilator.Build(context.Background(), cosim.Source{Top: "odd", Files: []string{file}},
		cosim.BuildOptions{})
	require.NoError(t, err)
	g, err := NewGuess(cosim.Source{Top: "odd", Files: []string{"odd.v"}}, circuit.Ports, twin.All(), "")
	require.NoError(t, circuit.Close())
	require.NoError(t, err)
	before := g.fits[0].model
	require.NoError(t, g.Try(context.Background(), filepath.Join(dir, "map.yml"), everything()))
	require.Equal(t, before, g.fits[0].model)
	require.Contains(t, g.Text(), "# No variant of these models has passed a check")
}
