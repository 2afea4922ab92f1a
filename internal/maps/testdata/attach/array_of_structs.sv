package array_of_structs_pkg;
  typedef struct packed {logic valid; logic [3:0] data;} req_t;
endpackage
module dut import array_of_structs_pkg::*; (input logic clk, rst_n, input req_t req_i [2], output req_t [1:0] req_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) req_o <= '0;
    else begin req_o[0] <= req_i[0]; req_o[1] <= req_i[1]; end
endmodule
