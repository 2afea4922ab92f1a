module dut #(parameter int N = 5, parameter int W = 3) (input logic clk, rst_n, input logic go, input logic [W-1:0] who, output logic [N-1:0] gnt);
  logic [N-1:0] held, next;
  assign next = |(held & req) ? held & req : req & -req;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= '0; else held <= next;
  logic [N-1:0] req;
  always_comb begin req = '0; if (go) for (int i = 0; i < N; i++) if (who == W'(i)) req[i] = 1'b1; end
  assign gnt = held;
endmodule
