// No clock at all.
`default_nettype none

module adder (
  input  wire [15:0] a_i,
  input  wire [15:0] b_i,
  output wire [16:0] sum_o
);
  assign sum_o = a_i + b_i;
endmodule
