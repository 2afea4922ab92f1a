module dut (input logic clk, rst_n, input logic [11:8] one_i, input logic [4:1] zero_i, output logic [7:4] one_o, output logic [-1:-4] zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0; else {one_o, zero_o} <= {one_i, zero_i};
endmodule
