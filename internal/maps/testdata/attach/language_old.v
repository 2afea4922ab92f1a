module dut (clk, rst_n, one_i, zero_i, one_o, zero_o);
  input clk, rst_n;
  input [3:0] one_i, zero_i;
  output reg [3:0] one_o, zero_o;
  reg [7:0] logic, bit, do;
  always @* begin bit = {one_i, zero_i}; logic = bit; do = logic; end
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= 8'd0; else {one_o, zero_o} <= do;
endmodule
