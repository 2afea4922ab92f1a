// Modules in the style of a library with lower-case parameters and suffixes: _p, _i, _o, _lp.
`define CLOG2(x) ((x) <= 1 ? 1 : $clog2((x)))
module b_dff #(parameter width_p = 1, parameter harden_p = 0) (input clk_i, input [width_p-1:0] data_i, output logic [width_p-1:0] data_o);
  logic [width_p-1:0] data_r; assign data_o = data_r;
  always_ff @(posedge clk_i) data_r <= data_i;
endmodule
module b_dff_reset_en #(parameter width_p = 1, parameter reset_val_p = 0) (input clk_i, reset_i, en_i, input [width_p-1:0] data_i, output logic [width_p-1:0] data_o);
  always_ff @(posedge clk_i) if (reset_i) data_o <= width_p'(reset_val_p); else if (en_i) data_o <= data_i;
endmodule
module b_chain (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  wire [3:0][7:0] t; b_dff #(.width_p(8)) d [3:0] (.clk_i(clk), .data_i({t[2:0], i[7:0]}), .data_o(t));
  b_dff_reset_en #(.width_p(5), .reset_val_p(19)) e (.clk_i(clk), .reset_i(~rst_n), .en_i(i[8]), .data_i(i[13:9]), .data_o(o[4:0]));
  assign o[31:5] = {3'b0, t[3], t[1], t[0]};
endmodule
module b_counter_up_down #(parameter max_val_p = 9, parameter init_val_p = 3, localparam ptr_width_lp = `CLOG2(max_val_p+1)) (input clk_i, reset_i, input up_i, down_i, output logic [ptr_width_lp-1:0] count_o);
  always_ff @(posedge clk_i) if (reset_i) count_o <= ptr_width_lp'(init_val_p); else count_o <= count_o - ptr_width_lp'(down_i & (count_o != 0)) + ptr_width_lp'(up_i & (count_o != max_val_p));
endmodule
module b_count (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  assign o[31:8] = 0; b_counter_up_down #(.max_val_p(9)) a (.clk_i(clk), .reset_i(~rst_n), .up_i(i[0]), .down_i(i[1]), .count_o(o[3:0])); b_counter_up_down #(.max_val_p(15), .init_val_p(15)) b (.clk_i(clk), .reset_i(~rst_n), .up_i(i[2]), .down_i(i[3]), .count_o(o[7:4]));
endmodule
module b_decode (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  localparam num_out_lp = 12; logic [num_out_lp-1:0] d; assign d = i[4] ? (num_out_lp ' (1'b1) << i[3:0]) : '0; assign o = {20'b0, d};
endmodule
module b_scans (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  b_scan1 #(.width_p(8)) a (.i(i[7:0]), .o(o[7:0])); b_scan1 #(.width_p(8), .lo_to_hi_p(1)) b (.i(i[15:8]), .o(o[15:8])); assign o[31:16] = {<<4{i[15:0]}};
endmodule
module b_scan1 #(parameter width_p = 8, parameter lo_to_hi_p = 0) (input [width_p-1:0] i, output logic [width_p-1:0] o);
  logic [width_p-1:0] t0, t1, t2, t3; if (lo_to_hi_p) assign t0 = {<<{i}}; else assign t0 = i;
  assign t1 = t0 ^ (t0 >> 1), t2 = t1 ^ (t1 >> 2), t3 = t2 ^ (t2 >> 4);
  if (lo_to_hi_p) assign o = {<<{t3}}; else assign o = t3;
endmodule
module b_round_robin (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [1:0] last_r; logic [3:0] g; logic [2:0] r; assign r = i[2:0];
  always_comb begin
    g = 4'b0;
    casez ({last_r, r})
      5'b??_000: g = 4'b1000; 5'b00_?1?: g = 4'b0010; 5'b00_10?: g = 4'b0100; 5'b00_001: g = 4'b0001;
      5'b01_1??: g = 4'b0100; 5'b01_0?1: g = 4'b0001; 5'b01_010: g = 4'b0010;
      5'b10_??1: g = 4'b0001; 5'b10_?10: g = 4'b0010; 5'b10_100: g = 4'b0100; default: g = 'X;
    endcase
  end
  always_ff @(posedge clk) if (!rst_n) last_r <= 0; else if (i[3] & |r) last_r <= g[2] ? 2'd2 : g[1] ? 2'd1 : 2'd0;
  assign o = {26'b0, last_r, last_r == 3 ? 4'b0 : g};
endmodule
module b_mem_1r1w #(parameter width_p = 8, parameter els_p = 5, localparam addr_width_lp = `CLOG2(els_p)) (input w_clk_i, input w_v_i, input [addr_width_lp-1:0] w_addr_i, input [width_p-1:0] w_data_i, input r_v_i, input [addr_width_lp-1:0] r_addr_i, output logic [width_p-1:0] r_data_o);
  logic [width_p-1:0] mem [els_p-1:0]; assign r_data_o = mem[r_addr_i];
  always_ff @(posedge w_clk_i) if (w_v_i) mem[w_addr_i] <= w_data_i;
endmodule
module b_fifo_small (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic head, tail, empty_r, full_r; logic [7:0] d; wire enq = i[8] & ~full_r, deq = i[9] & ~empty_r;
  b_mem_1r1w #(.width_p(8), .els_p(2)) m (.w_clk_i(clk), .w_v_i(enq), .w_addr_i(tail), .w_data_i(i[7:0]), .r_v_i(~empty_r), .r_addr_i(head), .r_data_o(d));
  always_ff @(posedge clk) if (!rst_n) begin tail <= 0; head <= 0; empty_r <= 1; full_r <= 0; end else begin
    if (enq) tail <= ~tail; if (deq) head <= ~head;
    case ({enq, deq}) 2'b10: begin empty_r <= 0; full_r <= ~empty_r; end 2'b01: begin full_r <= 0; empty_r <= ~full_r; end default: ; endcase end
  assign o = {21'b0, full_r, empty_r, enq, empty_r ? 8'd0 : d};
endmodule
module b_mem_odd (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [7:0] d; b_mem_1r1w #(.els_p(5)) m (.w_clk_i(clk), .w_v_i(i[0] & i[3:1] < 5), .w_addr_i(i[3:1]), .w_data_i(i[11:4]), .r_v_i(1'b1), .r_addr_i(i[14:12]), .r_data_o(d)); assign o = {24'b0, i[14:12] < 5 ? d : 8'h0};
endmodule
module b_transpose (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  wire [3:0][7:0] in = i; logic [7:0][3:0] out; for (genvar r = 0; r < 8; r++) for (genvar c = 0; c < 4; c++) assign out[r][c] = in[c][r]; assign o = out;
endmodule
module b_rotate (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  wire [15:0] d = i[15:0]; wire [31:0] t = {d, d} >> i[19:16]; wire [31:0] l = {d, d} << i[23:20]; assign o = {l[31:16], t[15:0]};
endmodule
module b_abs (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  function automatic logic [15:0] abs(input logic signed [15:0] v); if (v < 0) return -v; return v; endfunction
  assign o = {abs(i[31:16]), abs(i[15:0])};
endmodule
module b_ascending (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [0:7] a; logic [7:4] m; logic [0:2][1:4] p; logic [3:0] arr [4:7]; logic [1:0] arr2 [3:1];
  assign a = i[7:0]; assign m = i[11:8]; assign p = i[23:12];
  always_comb begin arr[4] = a[0:3]; arr[5] = m; arr[6] = p[1]; arr[7] = {a[7], m[5], p[2][1], p[0][4]}; arr2 = '{2'd1, i[25:24], 2'd3}; end
  assign o = {arr2[3], arr2[i[27:26] == 0 ? 2'd1 : i[27:26]], a[i[30:28]], m[{1'b1, i[27:26]}], p[2][1:2], arr[{1'b1, i[25:24]}], arr[4], 8'b0, arr[7], p[0]};
endmodule
module b_loops (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  always_comb begin : outer
    int k; logic [7:0] acc; acc = 0; k = 0; o = 0;
    while (k < 8 && !i[k]) begin acc += 8'd3; k++; end
    do begin acc ^= 8'h11; k--; end while (k > 3);
    repeat (4) acc = {acc[6:0], acc[7] ^ i[8]};
    for (int a = 0; a < 4; a++) begin for (int b = 0; b < 4; b++) begin if (i[a*4+b]) continue; if (i[16+a] && b == 2) break; acc += 8'(a * b); end if (i[20+a]) disable outer; o[8+a] = 1; end
    o[7:0] = acc; foreach (o[z]) if (z > 23) o[z] = i[z] ^ i[z-8];
  end
endmodule
module b_return (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  function automatic logic [7:0] find(input logic [31:0] v, input logic [3:0] key);
    for (int k = 0; k < 8; k++) begin if (v[4*k +: 4] == key) begin if (key[0]) return 8'(k); else return 8'h80 | 8'(k); end if (k == 5 && v[31]) break; end
    return 8'hff;
  endfunction
  assign o = {find(i, 4'h0), find(i, 4'h5), find({<<{i}}, i[3:0]), find(i >> 4, i[3:0])};
endmodule
module b_wild (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  assign o = {i[7:0] ==? 8'b1?0?_??11, i[7:0] !=? 8'b1?0?_??11, i[3:0] inside {[2:4], 9, 4'b11?1}, i[7:4] === 4'h3, i[7:4] !== 4'h3, i[8] -> i[9], i[8] <-> i[9], $isunknown(i), $onehot0(i[11:8]), 6'($countbits(i, 1'b0)), 6'($clog2(i[11:0]))};
endmodule
module b_power (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  assign o = {8'(i[3:0] ** 3), 8'(2 ** i[6:4]), 16'(signed'(i[11:8]) ** 2)};
endmodule
module b_unpacked (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  typedef struct {logic [3:0] tag; logic [31:0] lane;} slot_t;
  slot_t s; logic [3:0] grid [2][3]; logic [3:0] row [3];
  always_comb begin
    s.tag = i[3:0]; s.lane = 32'h654321; if (i[9:8] < 3) s.lane = s.lane ^ (32'(i[7:0]) << (8 * i[9:8]));
    grid[0] = '{1, 2, 3}; grid[1] = '{4, 5, 6}; if (i[12:11] < 3) grid[i[10]][i[12:11]] = i[16:13]; for (int k = 0; k < 3; k++) row[k] = grid[1][k]; if (i[18:17] < 3) grid[0][i[18:17]][i[20:19]] = 1'b0;
  end
  assign o = {grid[0][2], row[0], row[1], grid[i[21]][0], s.tag, s.lane[11:8], s.lane[23:16]};
endmodule
module b_multi_reset_mem (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  logic [3:0] ptr; logic [7:0] mem [16]; always_ff @(posedge clk or negedge rst_n) if (!rst_n) ptr <= 0; else if (i[0]) begin ptr <= ptr + 1; mem[ptr] <= i[8:1]; end
  assign o = {20'b0, ptr, i[12:9] < ptr ? mem[i[12:9]] : 8'h0};
endmodule
module b_tristate (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  tri [7:0] bus; assign bus = i[8] ? i[7:0] : 8'hzz; assign bus = i[8] ? 8'hzz : i[23:16]; assign o = {24'b0, bus};
endmodule
module b_strings (input logic clk, rst_n, input logic [31:0] i, output logic [31:0] o);
  parameter string KIND = "fast"; parameter MODE = "SLOW"; localparam logic [31:0] TAG = "tag!";
  if (KIND == "fast") assign o = i ^ TAG; else assign o = 0; initial if (MODE != "SLOW") $fatal(1, "mode");
endmodule
