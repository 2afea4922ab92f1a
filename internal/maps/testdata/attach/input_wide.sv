module dut #(parameter int N = 7, parameter int W = 3) (input logic clk, rst_n, input logic [N-1:0] req, output logic [N-1:0] gnt);
  logic [N-1:0] held, next;
  assign next = |(held & req) ? held & req : req & -req;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= '0; else held <= next;
  assign gnt = held;
endmodule
