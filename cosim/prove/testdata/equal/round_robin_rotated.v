// arbiter_round_robin REQUESTERS=8
// The requests are turned until the one after the last is lowest.
module dut(input clock, input reset, input [7:0] request_i, output [7:0] grant_o, output [5:0] index_o);
  reg held;
  reg [2:0] next, owner;
  wire [15:0] twice = {request_i, request_i} >> next;
  wire [7:0] turned = twice[7:0];
  reg [2:0] steps;
  always @* casez (turned)
    8'b???????1: steps = 0;
    8'b??????10: steps = 1;
    8'b?????100: steps = 2;
    8'b????1000: steps = 3;
    8'b???10000: steps = 4;
    8'b??100000: steps = 5;
    8'b?1000000: steps = 6;
    default: steps = 7;
  endcase
  wire keeps = held && request_i[owner];
  wire [2:0] winner = next + steps;
  always @(posedge clock)
    if (reset) begin held <= 0; next <= 0; owner <= 0; end
    else if (!keeps) begin
      held <= |request_i;
      if (|request_i) begin owner <= winner; next <= winner + 1; end
    end
  assign grant_o = held ? 8'd1 << owner : 0;
  assign index_o = held ? owner : 0;
endmodule
