module dut #(parameter int N = 5, parameter int W = 9) (input logic clk, rst_n, input logic [N-1:0] req, output logic [N-1:0] gnt, output logic [W-1:0] idx);
  logic [N-1:0] held, next;
  assign next = |(held & req) ? held & req : req & -req;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= '0; else held <= next;
  assign gnt = held;
  always_comb begin idx = '0; for (int i = 0; i < N; i++) if (held[i]) idx = W'(i); end
endmodule
