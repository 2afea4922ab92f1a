// crc16 PHIT_BITS=8
// assume: bits_i <= 8
// Bit by bit, as in the standard.
module dut(input clock, input reset, input start_i, input [6:0] bits_i, input [7:0] data_i, output reg [15:0] next_o, output reg [15:0] crc_o);
  integer i;
  reg out;
  always @* begin
    next_o = start_i ? 16'hffff : crc_o;
    out = 0;
    for (i = 0; i < 8; i = i + 1)
      if (i < bits_i) begin
        out = next_o[15] ^ data_i[7 - i];
        next_o = {next_o[14:0], 1'b0};
        if (out) next_o = next_o ^ 16'h1021;
      end
  end
  always @(posedge clock) if (reset) crc_o <= 16'hffff; else crc_o <= next_o;
endmodule
