module arbiter #(parameter N = 4) (input clk, input rst_n, input [N-1:0] req, input ack, output reg [N-1:0] grant,
    output busy);
  reg [$clog2(N)-1:0] last;
  integer k;
  always @* begin
    grant = 0;
    for (k = N; k >= 1; k = k - 1)
      if (req[(last + k) % N]) grant = 1 << ((last + k) % N);
  end
  assign busy = req != 0;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) last <= N - 1;
    else if (ack)
      for (k = 0; k < N; k = k + 1)
        if (grant[k]) last <= k;
endmodule
