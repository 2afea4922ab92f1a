module dut (input logic clk, rst_n, test_i, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0; else if (!test_i) {one_o, zero_o} <= {one_i, zero_i};
endmodule
