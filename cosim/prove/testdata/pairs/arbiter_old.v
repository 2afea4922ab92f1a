module arbiter #(parameter N = 4) (input clk, input rst_n, input [N-1:0] req, input ack, output [N-1:0] grant,
    output busy);
  reg [N-1:0] mask;
  wire [N-1:0] above = req & mask;
  wire [N-1:0] first = above & (~above + 1'b1);
  wire [N-1:0] any = req & (~req + 1'b1);
  assign grant = |above ? first : any;
  assign busy = |req;
  integer i;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) mask <= {N{1'b1}};
    else if (ack && busy)
      for (i = 0; i < N; i = i + 1)
        mask[i] <= grant < (1 << i);
endmodule
