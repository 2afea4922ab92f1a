module fifo #(parameter W = 8, D = 4) (input clk, input rst_n, input push, input pop, input [W-1:0] din,
    output [W-1:0] dout, output full, output empty);
  reg [W-1:0] mem [0:D-1];
  reg [$clog2(D)-1:0] wp, rp;
  reg [$clog2(D):0] count;
  wire w = push && count != D, r = pop && count != 0;
  assign empty = count == 0;
  assign full = count == D;
  assign dout = mem[rp];
  always @(posedge clk)
    if (!rst_n) begin wp <= 0; rp <= 0; count <= 0; end
    else begin
      if (w) begin mem[wp] <= din; wp <= wp == D - 1 ? 0 : wp + 1; end
      if (r) rp <= rp == D - 1 ? 0 : rp + 1;
      count <= count + w - r;
    end
endmodule
