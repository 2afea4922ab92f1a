module dut (input logic clk, rst_n,
`include "file_list_ports.svh"
, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else {one_o, zero_o} <= {`FILE_LIST_ONE, `FILE_LIST_ZERO};
endmodule
