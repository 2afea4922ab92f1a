// arbiter_fixed REQUESTERS=4
module dut(input clock, input reset, input [3:0] request_i, output [3:0] grant_o, output [5:0] index_o);
  reg [2:0] owner; // 4: none
  reg [2:0] lowest;
  always @* casez (request_i)
    4'b???1: lowest = 0;
    4'b??10: lowest = 1;
    4'b?100: lowest = 2;
    4'b1000: lowest = 3;
    default: lowest = 4;
  endcase
  always @(posedge clock)
    if (reset) owner <= 4;
    else if (owner[2] || !request_i[owner[1:0]]) owner <= lowest;
  assign grant_o = owner[2] ? 4'd0 : 4'd1 << owner[1:0];
  assign index_o = owner[2] ? 6'd0 : {4'd0, owner[1:0]};
endmodule
