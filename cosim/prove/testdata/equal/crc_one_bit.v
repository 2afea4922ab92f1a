// crc16 PHIT_BITS=1
// assume: bits_i <= 1
module dut(input clock, input reset, input start_i, input [6:0] bits_i, input data_i, output [15:0] next_o, output [15:0] crc_o);
  reg [15:0] q;
  wire [15:0] c = start_i ? 16'hffff : q;
  wire f = c[15] ^ data_i;
  wire [15:0] moved = {c[14:12], c[11] ^ f, c[10:5], c[4] ^ f, c[3:0], f};
  assign next_o = bits_i == 0 ? c : moved;
  assign crc_o = q;
  always @(posedge clock) q <= reset ? 16'hffff : next_o;
endmodule
