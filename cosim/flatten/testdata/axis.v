// Modules in the style of Verilog-2001 libraries for streams: reg and wire, one always for
// combinational logic and one for registers, synchronous resets, memories, functions, generate.
module axis_register (input wire clk, input wire rst, input wire [7:0] s_tdata, input wire s_tvalid, output wire s_tready, input wire s_tlast,
  output wire [7:0] m_tdata, output wire m_tvalid, input wire m_tready, output wire m_tlast);
reg s_ready_reg = 1'b0; reg [7:0] m_data_reg = 8'd0, t_data_reg = 8'd0;
reg m_valid_reg = 1'b0, m_valid_next, t_valid_reg = 1'b0, t_valid_next; reg m_last_reg = 1'b0, t_last_reg = 1'b0;
reg store_in_out, store_in_temp, store_temp_out;
assign s_tready = s_ready_reg; assign m_tdata = m_data_reg; assign m_tvalid = m_valid_reg; assign m_tlast = m_last_reg;
wire s_ready_early = m_tready || (!t_valid_reg && (!m_valid_reg || !s_tvalid));
always @* begin
  m_valid_next = m_valid_reg; t_valid_next = t_valid_reg; store_in_out = 1'b0; store_in_temp = 1'b0; store_temp_out = 1'b0;
  if (s_ready_reg) begin
    if (m_tready || !m_valid_reg) begin m_valid_next = s_tvalid; store_in_out = 1'b1; end
    else begin t_valid_next = s_tvalid; store_in_temp = 1'b1; end
  end else if (m_tready) begin m_valid_next = t_valid_reg; t_valid_next = 1'b0; store_temp_out = 1'b1; end
end
always @(posedge clk) begin
  s_ready_reg <= s_ready_early; m_valid_reg <= m_valid_next; t_valid_reg <= t_valid_next;
  if (store_in_out) begin m_data_reg <= s_tdata; m_last_reg <= s_tlast; end
  else if (store_temp_out) begin m_data_reg <= t_data_reg; m_last_reg <= t_last_reg; end
  if (store_in_temp) begin t_data_reg <= s_tdata; t_last_reg <= s_tlast; end
  if (rst) begin s_ready_reg <= 1'b0; m_valid_reg <= 1'b0; t_valid_reg <= 1'b0; end
end
endmodule
module v_register (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
axis_register r (.clk(clk), .rst(~rst_n), .s_tdata(i[7:0]), .s_tvalid(i[8]), .s_tready(o[10]), .s_tlast(i[9]),
  .m_tdata(o[7:0]), .m_tvalid(o[8]), .m_tready(i[10]), .m_tlast(o[9]));
assign o[31:11] = 0;
endmodule

module v_fifo (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
parameter ADDR = 4;
reg [ADDR:0] wr_ptr_reg = 0, rd_ptr_reg = 0; reg [8:0] mem [(2**ADDR)-1:0]; reg [8:0] out_reg; reg out_valid_reg = 0;
wire full = wr_ptr_reg == (rd_ptr_reg ^ {1'b1, {ADDR{1'b0}}}), empty = wr_ptr_reg == rd_ptr_reg;
integer k; initial for (k = 0; k < 2**ADDR; k = k + 1) mem[k] = 9'h155 ^ k;
always @(posedge clk) begin
  if (i[9] && !full) begin mem[wr_ptr_reg[ADDR-1:0]] <= i[8:0]; wr_ptr_reg <= wr_ptr_reg + 1; end
  if (!out_valid_reg || i[10]) begin out_reg <= mem[rd_ptr_reg[ADDR-1:0]]; out_valid_reg <= !empty; if (!empty) rd_ptr_reg <= rd_ptr_reg + 1; end
  if (!rst_n) begin wr_ptr_reg <= 0; rd_ptr_reg <= 0; out_valid_reg <= 0; end
end
assign o = {20'b0, full, empty, out_valid_reg, out_valid_reg ? out_reg : 9'd0};
endmodule

module v_crc (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
reg [31:0] state = 32'hffffffff;
function [31:0] next(input [31:0] crc, input [7:0] data); integer n; begin
  next = crc; for (n = 0; n < 8; n = n + 1) begin if (next[31] ^ data[7-n]) next = {next[30:0], 1'b0} ^ 32'h04c11db7; else next = {next[30:0], 1'b0}; end end
endfunction
always @(posedge clk) if (!rst_n) state <= 32'hffffffff; else if (i[8]) state <= next(state, i[7:0]);
assign o = ~state;
endmodule

module v_arbiter (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
localparam PORTS = 5;
reg [PORTS-1:0] grant_reg = 0, grant_next, mask_reg = 0, mask_next; reg [2:0] enc;
wire [PORTS-1:0] request = i[PORTS-1:0], masked = request & mask_reg;
integer p;
always @* begin : pick
  reg found; grant_next = 0; mask_next = mask_reg; found = 0;
  if (|(grant_reg & request)) grant_next = grant_reg;
  else begin
    for (p = 0; p < PORTS; p = p + 1) if (masked[p] && !found) begin grant_next = 1 << p; mask_next = {PORTS{1'b1}} << (p + 1); found = 1; end
    for (p = 0; p < PORTS; p = p + 1) if (request[p] && !found) begin grant_next = 1 << p; mask_next = {PORTS{1'b1}} << (p + 1); found = 1; end
  end
end
always @* begin enc = 0; for (p = 0; p < PORTS; p = p + 1) if (grant_reg[p]) enc = enc | p[2:0]; end
always @(posedge clk) begin grant_reg <= grant_next; mask_reg <= mask_next; if (!rst_n) begin grant_reg <= 0; mask_reg <= 0; end end
assign o = {16'b0, enc, mask_reg, grant_reg, |grant_reg};
endmodule

module v_priority (input wire clk, input wire rst_n, input wire [31:0] i, output reg [31:0] o);
always @* casez (i[7:0])
  8'b1???????: o = 7; 8'b01??????: o = 6; 8'b001?????: o = 5; 8'b0001????: o = 4;
  8'b00001???: o = 3; 8'b000001??: o = 2; 8'b0000001?: o = 1; 8'b00000001: o = 32'h80000000; default: o = 32'd99;
endcase
endmodule

module v_casex (input wire clk, input wire rst_n, input wire [31:0] i, output reg [31:0] o);
always @(*) begin
  o = 0;
  casex ({i[3], i[2:0]}) 4'b0xx1: o[3:0] = 1; 4'bx10x: o[3:0] = 2; 4'b1?z0: o[3:0] = 3; endcase
  case (i[7:4]) 4'd0, 4'd5, 4'd9: o[7:4] = 1; 4'b001x: o[7:4] = 15; i[11:8]: o[7:4] = 2; default: o[7:4] = i[15:12]; endcase
  case (1'b1) i[16]: o[11:8] = 1; i[17]: o[11:8] = 2; i[18] & i[19]: o[11:8] = 3; endcase
  casez (i[23:20]) 4'b00?1: o[15:12] = 4; 4'b0??0: o[15:12] = 5; 4'b1x00: o[15:12] = 9; default: o[15:12] = 6; endcase
end
endmodule

module v_mux (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
wire [4*6-1:0] in = i[23:0]; wire [1:0] sel = i[25:24];
assign o[5:0] = in[sel*6 +: 6]; assign o[11:6] = in[23 - sel*6 -: 6]; assign o[12] = in[i[30:26]]; assign o[31:13] = i >> i[28:26] << 2;
endmodule

module v_demux (input wire clk, input wire rst_n, input wire [31:0] i, output reg [31:0] o);
always @* begin o = 32'h0; o[i[1:0]*8 +: 8] = i[9:2]; o[i[14:10]] = ~o[i[14:10]]; o[{1'b1, i[18:15]} -: 3] = 3'b101; end
endmodule

module v_ram_be (input wire clk, input wire rst_n, input wire [31:0] i, output reg [31:0] o);
reg [31:0] mem [0:7]; integer b;
always @(posedge clk) begin
  for (b = 0; b < 4; b = b + 1) if (i[4+b]) mem[i[3:1]][8*b +: 8] <= i[8 +: 8] + b;
  o <= mem[i[18:16]];
end
endmodule

module v_rom (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
reg [7:0] sine [0:15]; reg [11:0] squares [0:20]; integer k;
initial begin $readmemh("rom.hex", sine); for (k = 0; k <= 20; k = k + 1) squares[k] = k * k; end
wire [11:0] s = i[8:4] <= 20 ? squares[i[8:4]] : 12'd0;
assign o = {4'b0, squares[3], s[7:0], sine[i[3:0]]};
endmodule

module v_rom_b (input wire clk, input wire rst_n, input wire [31:0] i, output reg [31:0] o);
reg [3:0] t [0:3]; initial $readmemb("rom.bin", t);
always @(posedge clk) o <= {28'b0, t[i[1:0]]};
endmodule

module v_saturate (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
reg signed [15:0] acc; wire signed [16:0] sum = acc + $signed(i[15:0]);
always @(posedge clk) if (!rst_n) acc <= 0; else if (sum > 17'sd32767) acc <= 16'sd32767; else if (sum < -17'sd32768) acc <= -16'sd32768; else acc <= sum[15:0];
assign o = {acc, i[15:0] * i[31:16]};
endmodule

module v_divide (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
wire signed [7:0] a = i[7:0], b = i[15:8]; wire signed [7:0] sq = a / b, sr = a % b;
assign o[7:0] = i[15:8] ? i[7:0] / i[15:8] : 8'd0; assign o[15:8] = i[15:8] != 0 ? i[7:0] % i[15:8] : 8'd1;
assign o[23:16] = (b != 0 && !(a == -8'sd128 && b == -8'sd1)) ? sq : 8'd3; assign o[31:24] = (b != 0 && !(a == -8'sd128 && b == -8'sd1)) ? sr : 8'd4;
endmodule

module v_shifts (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
wire signed [7:0] s = i[7:0];
assign o = {s >>> i[10:8], i[7:0] << i[14:11], s >> i[18:15], {2{i[3:0]}} >>> 1};
endmodule

module v_tasks (input wire clk, input wire rst_n, input wire [31:0] i, output reg [31:0] o);
reg [7:0] a, b;
task swap_if(input c, inout [7:0] x, inout [7:0] y); reg [7:0] t; begin if (c) begin t = x; x = y; y = t; end end endtask
always @* begin a = i[7:0]; b = i[15:8]; swap_if(a > b, a, b); o = {i[31:16], b, a}; end
endmodule

module v_blocking (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
reg [7:0] x, y, tmp;
always @(posedge clk) begin tmp = x + i[7:0]; if (tmp[0]) tmp = tmp ^ 8'h5a; x <= tmp; y <= tmp - y; if (!rst_n) begin x <= 0; y <= 1; end end
assign o = {8'b0, tmp, y, x};
endmodule

module v_defparam_child (input wire [7:0] a, output wire [7:0] y); parameter K = 1;
generate if (K > 2) begin : times assign y = a * K; end else begin : plus assign y = a + K; end endgenerate endmodule
module v_generate (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
genvar g; generate for (g = 0; g < 4; g = g + 1) begin : u v_defparam_child #(.K(g + 1)) c (.a(i[8*g +: 8]), .y(o[8*g +: 8])); end endgenerate
endmodule

module v_negedge (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
reg [7:0] n, p; always @(negedge clk) n <= i[7:0]; always @(posedge clk) p <= n + 1; assign o = {16'b0, n, p};
endmodule

module v_wide (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
reg [159:0] w; always @(posedge clk) if (!rst_n) w <= 160'h1; else w <= {w[127:0], i} + (w * 3) - (w >> 70);
assign o = w[159:128] ^ w[100 -: 32] ^ {31'b0, w > {5{i}}};
endmodule

module v_ternary (input wire clk, input wire rst_n, input wire [31:0] i, output wire [31:0] o);
wire [3:0] a = i[3:0]; wire [7:0] b = i[15:8];
assign o[8:0] = a + b; assign o[17:9] = {a + b} + 1'b1; assign o[25:18] = (i[16] ? a : b) - (i[17] ? 8'd3 : a); assign o[31:26] = ~(a & b[3:0]) ~^ 6'h2a;
endmodule
