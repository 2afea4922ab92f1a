module dut #(parameter KIND = "none") (input logic clk, rst_n, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else if (KIND == "plain") {one_o, zero_o} <= {one_i, zero_i};
endmodule
