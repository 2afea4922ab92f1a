module dut (clk, rst_n, one_i, zero_i, one_o, zero_o);
  parameter W = 4;
  input clk, rst_n;
  input [W-1:0] one_i, zero_i;
  output [W-1:0] one_o, zero_o;
  reg [2*W-1:0] both;
  assign {one_o, zero_o} = both;
  always @(posedge clk or negedge rst_n) if (!rst_n) both <= 0; else both <= {one_i, zero_i};
endmodule
