// A registered counter with enable and reset, and its parameter.
`default_nettype none

module counter #(
  parameter integer WIDTH = 8,
  parameter [WIDTH-1:0] FIRST = 0
) (
  input  wire             clk_i,
  input  wire             rst_i,
  input  wire             enable_i,
  output reg  [WIDTH-1:0] count_o
);
  always @(posedge clk_i)
    if (rst_i) count_o <= FIRST;
    else if (enable_i) count_o <= count_o + 1'b1;
endmodule
