// arbiter_round_robin REQUESTERS=16
// Two priority encoders: the requests after the last one granted, and all of them.
module dut(input clock, input reset, input [15:0] request_i, output reg [15:0] grant_o, output reg [5:0] index_o);
  reg [3:0] last;
  reg [15:0] pick;
  reg [3:0] who;
  reg found;
  integer i;
  always @* begin
    pick = 0; who = 0; found = 0;
    for (i = 15; i >= 0; i = i - 1) if (request_i[i]) begin pick = 16'd1 << i; who = i; found = 1; end
    for (i = 15; i >= 0; i = i - 1) if (request_i[i] && i > last) begin pick = 16'd1 << i; who = i; end
  end
  always @(posedge clock)
    if (reset) begin grant_o <= 0; last <= 15; index_o <= 0; end
    else if ((grant_o & request_i) == 0) begin
      grant_o <= pick;
      index_o <= who;
      if (found) last <= who;
    end
endmodule
