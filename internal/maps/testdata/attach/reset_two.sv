module dut (input logic clk, arst_n, srst, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge arst_n) if (!arst_n) one_o <= '0; else one_o <= one_i;
  always_ff @(posedge clk) if (srst) zero_o <= '0; else zero_o <= zero_i;
endmodule
