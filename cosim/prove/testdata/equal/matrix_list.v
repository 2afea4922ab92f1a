// arbiter_matrix REQUESTERS=3
// A list of the requesters, the first one served longest ago.
module dut(input clock, input reset, input [2:0] request_i, output reg [2:0] grant_o, output [5:0] index_o);
  reg [1:0] a, b, c;
  wire pa = request_i[a], pb = request_i[b], pc = request_i[c];
  wire [1:0] who = pa ? a : pb ? b : c;
  always @(posedge clock)
    if (reset) begin grant_o <= 0; a <= 0; b <= 1; c <= 2; end
    else if (!(|(grant_o & request_i))) begin
      grant_o <= request_i == 0 ? 3'd0 : 3'd1 << who;
      if (pa) begin a <= b; b <= c; c <= a; end
      else if (pb) begin b <= c; c <= b; end
    end
  assign index_o = {4'd0, grant_o[2], grant_o[1]};
endmodule
