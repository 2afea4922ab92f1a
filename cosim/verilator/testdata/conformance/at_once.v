// Ends before the first cycle.
`default_nettype none

module at_once #(
  parameter integer WIDTH = 4
) (
  input  wire             clk_i,
  output reg  [WIDTH-1:0] count_o
);
  initial if (WIDTH > 8) begin
    $display("%m: allowed are WIDTH 1 to 8");
    $finish;
  end
  always @(posedge clk_i) count_o <= 0;
endmodule
