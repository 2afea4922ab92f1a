module dut (input logic clk, clk_half, rst_n, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  logic [7:0] early;
  always_ff @(posedge clk_half) if (!rst_n) early <= '0; else early <= {one_i, zero_i};
  always_ff @(posedge clk) if (!rst_n) {one_o, zero_o} <= '0; else {one_o, zero_o} <= early;
endmodule
