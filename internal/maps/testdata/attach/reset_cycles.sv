module dut (input logic clk, rst, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  logic [2:0] held;
  always_ff @(posedge clk) held <= {held[1:0], rst};
  always_ff @(posedge clk) if (rst && &held) {one_o, zero_o} <= '0; else {one_o, zero_o} <= {one_i, zero_i} & {8{~rst}} | {one_o, zero_o} & {8{rst}};
endmodule
