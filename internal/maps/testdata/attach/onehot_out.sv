module dut #(parameter int N = 5, parameter int W = 3) (input logic clk, rst_n, input logic [N-1:0] req, output logic any, output logic [W-1:0] who);
  logic [N-1:0] held, next;
  assign next = |(held & req) ? held & req : req & -req;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= '0; else held <= next;
  assign any = |held;
  always_comb begin who = '0; for (int i = 0; i < N; i++) if (held[i]) who = W'(i); end
endmodule
