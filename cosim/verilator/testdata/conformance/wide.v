// Ports of more than a word, and signed ones of less.
`default_nettype none

module wide (
  input  wire                clk_i,
  input  wire [99:0]         a_i,
  input  wire [511:0]        b_i,
  input  wire signed [4:0]   s_i,
  input  wire [0:6]          up_i,
  output reg  [99:0]         a_o,
  output wire [511:0]        b_o,
  output wire signed [6:0]   s_o,
  output wire [63:0]         word_o,
  output wire [64:0]         more_o,
  output wire [9:3]          up_o
);
  always @(posedge clk_i) a_o <= {a_i[98:0], a_i[99]};
  assign b_o = {b_i[0], b_i[511:1]};
  assign s_o = s_i;
  assign word_o = b_i[127:64];
  assign more_o = b_i[320:256];
  assign up_o = up_i;
endmodule
