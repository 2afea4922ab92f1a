// A CRC-16 (0x1021, start 0xFFFF) bit after bit, with one mistake; Bug 0 has none.
//   1  a CRC of 0 counts as the start of a message
//   2  a start without bits is ignored
//   3  the bits of a phit are taken from the lowest on
//   4  a message starts at 0x1D0F
module check #(
  parameter int unsigned Bits = 8,
  parameter int unsigned Bug = 0
) (
  input  logic clk,
  input  logic rst,
  input  logic first,
  input  logic [6:0] count,
  input  logic [Bits-1:0] data,
  output logic [15:0] now,
  output logic [15:0] sum
);
  localparam logic [15:0] Start = Bug == 4 ? 16'h1D0F : 16'hFFFF;
  always_comb begin
    now = first && !(Bug == 2 && count == 0) || Bug == 1 && sum == 0 ? Start : sum;
    for (int i = 0; i < Bits; i++)
      if (i < int'(count)) now = {now[14:0], 1'b0} ^ (now[15] ^ data[Bug == 3 ? i : Bits-1-i] ? 16'h1021 : 16'h0);
  end
  always_ff @(posedge clk) sum <= rst ? 16'hFFFF : now;
endmodule
