module dut (input logic clk, rst_n, input logic [0:3] one_i, zero_i, output logic [0:3] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else begin one_o[0] <= one_i[0]; one_o[1:3] <= one_i[1:3]; zero_o <= zero_i; end
endmodule
