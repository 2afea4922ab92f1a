// Modules in the style of libraries of small cells: packages, types as parameters, structures,
// asynchronous resets, lint-clean combinational blocks. All have the same ports.
package cells_pkg;
  typedef enum logic [1:0] {IDLE, BUSY, DRAIN} phase_e;
  typedef struct packed {logic valid; logic [6:0] data; phase_e phase;} beat_t;
  function automatic int unsigned index_width(input int unsigned n);
    return (n > 1) ? $clog2(n) : 1;
  endfunction
  function automatic logic [7:0] reversed(input logic [7:0] a);
    for (int unsigned k = 0; k < 8; k++) reversed[k] = a[7 - k];
  endfunction
endpackage

module cell_fifo #(parameter int unsigned DEPTH = 6, parameter type data_t = logic [7:0]) (
  input logic clk_i, rst_ni, input logic push_i, pop_i, input data_t data_i,
  output data_t data_o, output logic full_o, empty_o, output logic [cells_pkg::index_width(DEPTH+1)-1:0] usage_o
);
  localparam int unsigned AW = cells_pkg::index_width(DEPTH);
  data_t [DEPTH-1:0] mem_q, mem_n;
  logic [AW-1:0] r_q, r_n, w_q, w_n;
  logic [AW:0] n_q, n_n;
  assign full_o = n_q == DEPTH[AW:0];
  assign empty_o = n_q == 0;
  assign usage_o = n_q[$bits(usage_o)-1:0];
  assign data_o = empty_o ? '0 : mem_q[r_q];
  always_comb begin
    {mem_n, r_n, w_n, n_n} = {mem_q, r_q, w_q, n_q};
    if (push_i && !full_o) begin
      mem_n[w_q] = data_i;
      w_n = (w_q == AW'(DEPTH-1)) ? '0 : w_q + 1'b1;
      n_n = n_q + 1'b1;
    end
    if (pop_i && !empty_o) begin
      r_n = (r_q == AW'(DEPTH-1)) ? '0 : r_q + 1'b1;
      n_n = n_q - 1'b1;
    end
    if (push_i && pop_i && !full_o && !empty_o) n_n = n_q;
  end
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) {mem_q, r_q, w_q, n_q} <= '0;
    else {mem_q, r_q, w_q, n_q} <= {mem_n, r_n, w_n, n_n};
endmodule

module m_fifo (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  cell_fifo #(.DEPTH(6)) a (.clk_i(clk), .rst_ni(rst_n), .push_i(i[0]), .pop_i(i[1]), .data_i(i[9:2]), .data_o(o[7:0]), .full_o(o[8]), .empty_o(o[9]), .usage_o(o[12:10]));
  cell_fifo #(.DEPTH(3), .data_t(cells_pkg::beat_t)) b (.clk_i(clk), .rst_ni(rst_n), .push_i(i[10]), .pop_i(i[11]), .data_i(i[21:12]), .data_o(o[22:13]), .full_o(o[23]), .empty_o(o[24]), .usage_o(o[26:25]));
  assign o[31:27] = '0;
endmodule

module m_lzc (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  always_comb begin
    o = '0;
    for (int unsigned k = 0; k < 32; k++) if (i[k]) begin o[5:0] = k[5:0]; break; end
    for (int k = 31; k >= 0; k--) if (i[k]) begin o[13:8] = 6'(31 - k); break; end
    o[16] = ~|i;
  end
endmodule

module m_popcount (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  localparam int W = 32;
  logic [W-1:0][5:0] sums;
  always_comb begin
    sums[0] = {5'b0, i[0]};
    for (int k = 1; k < W; k++) sums[k] = sums[k-1] + {5'b0, i[k]};
  end
  assign o = {20'b0, 6'($countones(i)), sums[W-1]};
endmodule

module m_rr_tree (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  localparam N = 8;
  logic [2:0] rr_q; logic [N-1:0] upper, gnt; logic [2:0] idx;
  for (genvar k = 0; k < N; k++) begin : gen_mask
    assign upper[k] = i[k] && k[2:0] >= rr_q;
  end
  always_comb begin
    gnt = '0; idx = '0;
    for (int k = N-1; k >= 0; k--) if (i[k]) idx = k[2:0];
    for (int k = N-1; k >= 0; k--) if (upper[k]) idx = k[2:0];
    if (|i[N-1:0]) gnt[idx] = 1'b1;
  end
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) rr_q <= '0; else if (|i[N-1:0] && i[31]) rr_q <= idx + 3'd1;
  assign o = {18'b0, rr_q, idx, gnt};
endmodule

module m_onehot_to_bin (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  for (genvar j = 0; j < 4; j++) begin : gen_j
    logic [15:0] tmp_mask;
    for (genvar k = 0; k < 16; k++) begin : gen_k
      logic [3:0] tmp_k;
      assign tmp_k = k;
      assign tmp_mask[k] = tmp_k[j];
    end
    assign o[j] = |(tmp_mask & i[15:0]);
  end
  assign o[31:4] = {27'b0, $onehot(i)};
endmodule

module m_fsm (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  import cells_pkg::*;
  phase_e state_q, state_d; logic [4:0] cnt_q, cnt_d;
  always_comb begin
    state_d = state_q; cnt_d = cnt_q; o = '0;
    unique case (state_q)
      IDLE: if (i[0]) begin state_d = BUSY; cnt_d = i[5:1]; end
      BUSY: begin cnt_d--; if (cnt_q == 0) state_d = DRAIN; o[7] = 1; end
      DRAIN: if (i[6]) state_d = IDLE; else o[8] = 1;
      default: state_d = IDLE;
    endcase
    o[1:0] = state_q; o[6:2] = cnt_q;
  end
  always_ff @(posedge clk, negedge rst_n) if (~rst_n) begin state_q <= IDLE; cnt_q <= '1; end else begin state_q <= state_d; cnt_q <= cnt_d; end
endmodule

module m_counter (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [8:0] q, d;
  always_comb begin
    d = q;
    if (i[0]) d = '0; else if (i[1]) d = {1'b0, i[10:3]}; else if (i[2]) d = i[11] ? q - i[15:12] : q + i[15:12];
  end
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) q <= '0; else q <= d;
  assign o = {22'b0, q[8], q};
endmodule

module m_delta (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic signed [9:0] acc;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) acc <= -10'sd5;
    else if (i[0]) acc <= acc + $signed(i[8:1]);
    else if (i[9]) acc <= acc >>> i[11:10];
    else if (i[12]) acc <= acc * $signed(i[15:13]);
  assign o[9:0] = acc;
  assign o[31:10] = {acc < 0, acc <= -3, acc > $signed(i[24:16]), 19'(signed'(acc[3:0]))};
endmodule

module m_gray (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [15:0] g, b;
  assign g = i[15:0] ^ (i[15:0] >> 1);
  for (genvar k = 0; k < 16; k++) assign b[k] = ^i[31:16] >> k;
  always_comb for (int k = 0; k < 16; k++) o[k] = ^(i[31:16] >> k);
  assign o[31:16] = g ^ b;
endmodule

module m_spill (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [7:0] a_q, b_q; logic af_q, bf_q;
  wire a_fill = i[8] & o[8], a_drain = af_q & ~bf_q, b_fill = a_drain & ~i[9], b_drain = bf_q & i[9];
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) a_q <= '0; else if (a_fill) a_q <= i[7:0];
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) af_q <= 0; else if (a_fill || a_drain) af_q <= a_fill;
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) b_q <= '0; else if (b_fill) b_q <= a_q;
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) bf_q <= 0; else if (b_fill || b_drain) bf_q <= b_fill;
  assign o = {14'b0, bf_q ? b_q : a_q, af_q | bf_q, ~af_q | ~bf_q, 8'b0};
endmodule

interface stream_if #(parameter int W = 8) (); logic [W-1:0] data; logic valid, ready;
  modport src (output data, valid, input ready); modport dst (input data, valid, output ready);
  function automatic logic fires(); return valid & ready; endfunction
endinterface
module if_stage (input logic clk, rst_n, stream_if.dst in, stream_if.src out);
  logic full_q; logic [7:0] q;
  assign in.ready = ~full_q | out.ready; assign out.valid = full_q; assign out.data = q;
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) full_q <= 0; else if (in.ready) full_q <= in.valid;
  always_ff @(posedge clk) if (in.valid & in.ready) q <= in.data + 8'd1;
endmodule
module m_interfaces (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  stream_if a (), b (), c ();
  assign a.data = i[7:0], a.valid = i[8], c.ready = i[9];
  if_stage s0 (.clk, .rst_n, .in(a), .out(b)), s1 (.clk, .rst_n, .in(b), .out(c));
  assign o = {20'b0, a.fires(), b.valid, c.valid, a.ready, c.valid ? c.data : 8'b0};
endmodule

module m_struct (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  import cells_pkg::*;
  beat_t [2:0] pipe_q; union packed {logic [9:0] raw; beat_t beat;} u;
  assign u.raw = i[9:0];
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) pipe_q <= '{default: '{valid: 1'b0, data: 7'h55, phase: BUSY}};
    else begin pipe_q[0] <= u.beat; for (int k = 1; k < 3; k++) pipe_q[k] <= pipe_q[k-1]; pipe_q[2].data[3:1] <= i[12:10]; end
  assign o = {2'b0, pipe_q};
endmodule

module m_onehot_mux (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [7:0] in [4]; logic [7:0] out;
  assign in = '{i[7:0], i[15:8], i[23:16], 8'h3c};
  always_comb begin out = '0; for (int k = 0; k < 4; k++) out |= in[k] & {8{i[24+k]}}; end
  assign o = {8'b0, in[i[29:28]], out, cells_pkg::reversed(out)};
endmodule

module m_sub_per_hash (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  function automatic logic [31:0] stage(input logic [31:0] a, input int unsigned round);
    automatic logic [31:0] s = a ^ (32'h9e37_79b9 * (round + 1));
    stage = {s[18:0], s[31:19]} + (s >> 7);
  endfunction
  logic [2:0][31:0] s;
  for (genvar r = 0; r < 3; r++) begin : round
    if (r == 0) assign s[r] = stage(i, r); else assign s[r] = stage(s[r-1], r);
  end
  assign o = s[2];
endmodule

// Constants that are real are gone but for what is made of them.
module m_real (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  localparam real FACTOR = 0.1;
  localparam int LIMIT = FACTOR * 45;
  logic [31:0] o_q;
  always_ff @(posedge clk) if (!rst_n) o_q <= '0; else o_q <= i[3:0] > LIMIT ? i + int'(-FACTOR * 45) : o_q;
  assign o = o_q;
endmodule

module m_shift_reg (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [3:0][7:0] d;
  for (genvar k = 0; k < 4; k++) begin : st
    if (k == 0) begin : first always_ff @(posedge clk or negedge rst_n) if (!rst_n) d[0] <= 0; else d[0] <= i[7:0]; end
    else begin : next always_ff @(posedge clk or negedge rst_n) if (!rst_n) d[k] <= 0; else d[k] <= d[k-1]; end
  end
  assign o = d;
endmodule

module m_lfsr (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [7:0] l_q;
  function automatic logic [7:0] step(logic [7:0] v); return {v[6:0], !(v[7] ^ v[5] ^ v[4] ^ v[3])}; endfunction
  always_ff @(posedge clk or negedge rst_n) begin : reg_lfsr
    if (!rst_n) l_q <= 8'h01; else if (i[0]) l_q <= step(step(l_q)); else if (i[1]) l_q <= step(l_q);
  end
  assign o = {24'b0, l_q};
endmodule

module m_addr_decode (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  typedef struct packed {logic [3:0] idx; logic [11:0] first, last;} rule_t;
  localparam rule_t [3:0] MAP = '{'{4'd7, 12'h000, 12'h0ff}, '{4'd3, 12'h100, 12'h13f}, '{4'd12, 12'h800, 12'hfff}, '{4'd1, 12'h400, 12'h401}};
  always_comb begin
    o = '0; o[4] = 1;
    for (int unsigned k = 0; k < 4; k++)
      if (i[11:0] >= MAP[k].first && i[11:0] <= MAP[k].last) begin o[3:0] = MAP[k].idx; o[4] = 0; o[8+k] = 1; end
  end
endmodule

module m_two_resets (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [7:0] q; wire set = i[31] & i[30];
  always_ff @(posedge clk or negedge rst_n or posedge set)
    if (!rst_n) q <= 8'h11; else if (set) q <= 8'hee; else q <= q + i[7:0];
  logic [7:0] part; logic [3:0] free;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) part[3:0] <= 4'h9; else begin part <= part ^ i[15:8]; free <= free + 1; end
  logic rst; assign rst = ~rst_n;
  logic [3:0] other; always_ff @(posedge clk, posedge rst) if (rst) other <= 5; else other <= other + i[19:16];
  assign o = {8'b0, other, free, part, q};
endmodule

module m_reg_file (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [7:0] mem [16]; logic [1:0][7:0] rd;
  always_ff @(posedge clk) begin : write
    for (int p = 0; p < 2; p++) if (i[p]) mem[i[4+4*p +: 4]] <= i[16+8*p +: 8];
    if (i[2]) mem[i[15:12]][3:0] <= 4'ha;
  end
  assign rd[0] = mem[i[7:4]]; assign rd[1] = mem[i[11:8]];
  assign o = {16'b0, rd};
endmodule

module m_reg_file_reset (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [5:0] mem [5]; logic [5:0] out;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) for (int k = 0; k < 5; k++) mem[k] <= 6'(k); else if (i[0] && i[3:1] < 5) mem[i[3:1]] <= i[9:4];
  assign o = {20'b0, i[12:10] < 5 ? mem[i[12:10]] : 6'b0, mem[4]};
endmodule

module m_assertions (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [3:0] q;
  always_ff @(posedge clk or negedge rst_n) if (!rst_n) q <= 0; else if (q < 9) q <= q + {3'b0, i[0]}; else q <= 0;
  below_ten: assert property (@(posedge clk) disable iff (!rst_n) q < 10) else $error("q is %0d", q);
  always @(posedge clk) if (rst_n) begin assert (q != 15); if (&i) $fatal(1, "all ones"); end
  assign o = {28'b0, q};
endmodule

// Cases by membership: wildcards, lists, ranges with and without signs, heads that comments take apart.
module m_case_inside (input logic clk, input logic rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [3:0] first, range, rest;
  logic [1:0] bound, text;
  logic signed [3:0] level;
  assign level = i[7:4];
  always_comb case (i[3:0]) inside 4'b???1: first = 1; 4'b??10: first = 2; 4'b?100: first = 4; 4'b1000: first = 8; default: first = 0; endcase
  always_comb unique case (i[3:0]) inside [4'd1:4'd15]: range = i[3:0] & -i[3:0]; 4'd0: range = '0; endcase
  always_comb case (i[3:0]) inside [0:3], 4'b1?0?: rest = 5; [4:7], 10: rest = 6; [11 : $unsigned(15)], 14: rest = i[7:4]; endcase
  always_comb case ((i[11:8] ^ i[15:12]) /* ) */) // (
    inside [i[3:0]:i[7:4]]: bound = 1; 4'b?0?1: bound = 2; default: bound = 0; endcase
  always_comb case (i[7:4]) 4'b?000: text = 1; 4'b0001, 4'b0010: text = 2; default: text = 0; endcase
  always_ff @(posedge clk) o <= {first, range, rest, bound, text, i[3:0] inside {[i[7:4]:4'd12], 4'b?1?1}, level inside {[2:7]}, 14'd0};
endmodule

// Arrays of structures, whose selections Verilator makes one.
module m_struct_arrays (input logic clk, input logic rst_n, input logic [31:0] i, output logic [31:0] o);
  typedef struct packed {logic [1:0] to; logic valid; logic [4:0] data;} slot_t;
  typedef struct packed {logic odd; slot_t [3:0] slots;} row_t;
  slot_t [3:0] given; row_t [2:0] rows; logic [2:0] count; logic [3:0] nibble;
  always_comb for (int k = 0; k < 4; k++) begin
    given[k].valid = i[k]; given[k].data = i[5*k +: 5]; given[k].to = 2'(k) ^ i[1:0];
  end
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin rows <= '0; count <= '0; end
    else begin
      count <= count == 3'd2 ? '0 : count + 1'b1;
      if (count < 3) rows[count].odd <= ^i;
      for (int r = 0; r < 3; r++) begin
        rows[r].slots[given[r].to].valid <= given[r + 1].valid;
        if (i[20 + r]) rows[r].slots[i[25:24]].data[3:1] <= given[3 - r].data[2:0];
      end
      rows[1].slots[i[27:26]].data[4] <= i[28];
    end
  always_comb begin
    nibble = '0;
    for (int k = 3; k >= 0; k--) if (given[k].valid) nibble = 4'b1 << given[k].to;
  end
  assign o = {nibble, rows[0].slots[i[30:29]], rows[1].slots[i[30:29]].data, rows[2].slots[given[3].to].valid, count < 3 & rows[count < 3 ? count : 0].odd,
    given[i[30:29]].data[4 * i[31] +: 1], rows[2].slots[i[1:0]].data[2 * i[2] +: 2], rows[0].slots[3].data, count};
endmodule

// Sums of int that Verilator cuts to three bits, of which the highest is no sign.
module m_signed_index (input logic clk, input logic rst_n, input logic [31:0] i, output logic [31:0] o);
  logic vc [3]; logic [5:0] moves;
  always_comb begin
    moves = '0;
    for (int k = 0; k < 3; k++) vc[k] = i[k];
    for (int k = 0; k < 3; k++) if (i[3 + k]) moves[2*k + int'(vc[k])] = 1'b1;
  end
  assign o = {26'd0, moves};
endmodule

// Arrays given to others whose ranges go in the opposite direction: from the left to the right in both.
module turned_part (input logic [3:0] x [0:1], output logic [3:0] y [1:0]);
  assign y = x;
endmodule
module m_turned_arrays (input logic clk, input logic rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [3:0] down [1:0], up [0:1], through [0:1], three [2:0], some [0:1];
  logic [1:0] rows [0:1][1:0], columns [1:0][0:1];
  function automatic logic [3:0] first(input logic [3:0] x [0:1]); return x[0] - x[1]; endfunction
  always_comb begin
    down = '{i[7:4], i[3:0]};
    three = '{i[11:8], i[7:4], i[3:0]};
    some = three[2:1];
    rows = '{'{i[13:12], i[15:14]}, '{i[17:16], i[19:18]}};
    columns = rows;
  end
  always_ff @(posedge clk) up <= down;
  turned_part part (.x(down), .y(through));
  assign o = {first(down), up[0], up[1], through[0], through[1], some[0], columns[1][0], columns[1][1], columns[0][0], columns[0][1]};
endmodule
