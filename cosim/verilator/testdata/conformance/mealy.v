// Combinational outputs of inputs and of a register: Settle shows them.
`default_nettype none

module mealy (
  input  wire       clk_i,
  input  wire       rst_i,
  input  wire [3:0] a_i,
  input  wire [3:0] b_i,
  output wire [4:0] sum_o,
  output reg  [3:0] last_o,
  output wire       same_o
);
  assign sum_o = a_i + b_i;
  assign same_o = a_i == last_o;
  always @(posedge clk_i)
    if (rst_i) last_o <= 4'd0;
    else last_o <= a_i;
endmodule
