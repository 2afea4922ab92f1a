// free_arbiter REQUESTERS=4 KIND=1 HOLD=2 TAKE_BITS=1
// The requests are turned until the next one is lowest; an index is kept until it is taken.
module dut(input clock, input reset, input [3:0] request_i, input take_i, output [3:0] grant_o, output [5:0] index_o);
  reg held;
  reg [1:0] owner, next;
  wire [7:0] twice = {request_i, request_i} >> next;
  wire [1:0] steps = twice[0] ? 2'd0 : twice[1] ? 2'd1 : twice[2] ? 2'd2 : 2'd3;
  wire [1:0] now = held ? owner : next + steps;
  wire any = held || request_i != 0;
  assign grant_o = any ? 4'd1 << now : 4'd0;
  assign index_o = any ? {4'd0, now} : 6'd0;
  always @(posedge clock)
    if (reset) begin held <= 0; next <= 0; end
    else begin
      held <= any && !take_i;
      owner <= now;
      if (any && take_i) next <= now + 2'd1;
    end
endmodule
