typedef union packed {logic [7:0] all; struct packed {logic [3:0] one, zero;} two;} union_port_t;
module dut (input logic clk, rst_n, input union_port_t in, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0; else {one_o, zero_o} <= in.all;
endmodule
