module dut #(parameter int N = 5, parameter int W = 3) (input logic clk, rst_n, input logic [0:N-1] req_r, output logic [0:N-1] gnt_r);
  logic [N-1:0] held, next;
  assign next = |(held & req) ? held & req : req & -req;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) held <= '0; else held <= next;
  logic [N-1:0] req;
  for (genvar i = 0; i < N; i++) begin : g
    assign req[i] = req_r[i];
    assign gnt_r[i] = held[i];
  end
endmodule
