// arbiter_tdma REQUESTERS=4 SLICE_CYCLES=4
// The turn is one-hot, its cycles are counted down.
module dut(input clock, input reset, input [3:0] request_i, output reg [3:0] grant_o, output [5:0] index_o);
  reg [3:0] turn;
  reg [1:0] left;
  always @(posedge clock)
    if (reset) begin turn <= 1; left <= 3; grant_o <= 0; end
    else begin
      left <= left - 1;
      if (left == 0) turn <= {turn[2:0], turn[3]};
      if (~|(request_i & grant_o)) grant_o <= request_i & turn;
    end
  assign index_o = {4'd0, grant_o[3] | grant_o[2], grant_o[3] | grant_o[1]};
endmodule
