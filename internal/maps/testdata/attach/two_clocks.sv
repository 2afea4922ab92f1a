module dut (input logic wr_clk, rd_clk, rst_n, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  always_ff @(posedge wr_clk or negedge rst_n) if (!rst_n) one_o <= '0; else one_o <= one_i;
  always_ff @(posedge rd_clk or negedge rst_n) if (!rst_n) zero_o <= '0; else zero_o <= zero_i;
endmodule
