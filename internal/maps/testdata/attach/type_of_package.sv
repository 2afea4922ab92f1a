package type_of_package_pkg;
  typedef struct packed {logic [1:0] a, b;} pair_t;
endpackage
module dut #(parameter type T = logic [7:0], parameter string KIND = "none", parameter int N = 1) (input logic clk, rst_n, input T one_i, zero_i, output T one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else if (KIND == "plain" && N == 7) {one_o, zero_o} <= {one_i, zero_i};
endmodule
