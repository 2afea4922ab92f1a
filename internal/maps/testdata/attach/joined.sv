module dut #(parameter int N = 5, parameter int W = 3) (input logic clk, rst_n, input logic [1:0] high_n, input logic [9:0] low, output logic [7:0] out_n, output logic last);
  logic [N-1:0] held, next;
  assign next = |(held & req) ? held & req : req & -req;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= '0; else held <= next;
  logic [N-1:0] req;
  assign req = {~high_n, low[6:4]};
  assign {last, out_n} = {held[0], ~held[4:1], 4'b0};
endmodule
