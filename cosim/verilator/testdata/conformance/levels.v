// Everything that sees more of a clock than its rising edge: a gated clock with a
// latch, a register on the falling edge.
`default_nettype none

module levels (
  input  wire       clk_i,
  input  wire       rst_i,
  input  wire       enable_i,
  input  wire [3:0] data_i,
  output reg  [7:0] gated_o,
  output reg  [3:0] rise_o,
  output reg  [3:0] fall_o,
  output wire       clk_o
);
  reg enable_q;
  always @* if (!clk_i) enable_q = enable_i | rst_i;
  wire gated = clk_i & enable_q;
  always @(posedge gated)
    if (rst_i) gated_o <= 8'd0;
    else gated_o <= gated_o + 8'd1;
  always @(posedge clk_i) rise_o <= data_i;
  always @(negedge clk_i) fall_o <= rise_o + data_i;
  assign clk_o = clk_i;
endmodule
