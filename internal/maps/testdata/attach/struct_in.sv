package struct_in_pkg;
  typedef struct packed {logic [1:0] high; logic [1:0] low;} nibble_t;
  typedef struct packed {nibble_t one; logic [3:0] zero;} req_t;
endpackage
module dut import struct_in_pkg::*; (input logic clk, rst_n, input req_t req_i, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else {one_o, zero_o} <= {req_i.one, req_i.zero};
endmodule
