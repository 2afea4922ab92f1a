module dut #(parameter int W = 1) (input logic clk, rst_n, input logic [W-1:0] one_i, zero_i, output logic [W-1:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else {one_o, zero_o} <= {one_i, zero_i};
endmodule
