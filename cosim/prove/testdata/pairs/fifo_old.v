module fifo #(parameter W = 8, A = 2) (input clk, input rst_n, input push, input pop, input [W-1:0] din,
    output [W-1:0] dout, output full, output empty);
  reg [W-1:0] mem [0:(1<<A)-1];
  reg [A:0] wp, rp;
  assign empty = wp == rp;
  assign full = wp[A] != rp[A] && wp[A-1:0] == rp[A-1:0];
  assign dout = mem[rp[A-1:0]];
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin wp <= 0; rp <= 0; end
    else begin
      if (push && !full) wp <= wp + 1;
      if (pop && !empty) rp <= rp + 1;
    end
  always @(posedge clk) if (rst_n && push && !full) mem[wp[A-1:0]] <= din;
endmodule
