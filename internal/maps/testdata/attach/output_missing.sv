module dut (input logic clk, rst_n, input logic [3:0] one_i, input logic [3:0] zero_i, output logic [3:0] one_o, output logic [2:0] zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0; else {one_o, zero_o} <= {one_i, zero_i[2:0]};
endmodule
