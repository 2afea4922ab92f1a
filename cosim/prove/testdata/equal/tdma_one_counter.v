// arbiter_tdma REQUESTERS=5 SLICE_CYCLES=3
// One counter of the whole round, and comparisons.
module dut(input clock, input reset, input [4:0] request_i, output reg [4:0] grant_o, output reg [5:0] index_o);
  reg [3:0] cycle;
  wire [4:0] turn = {cycle >= 12, cycle >= 9 && cycle < 12, cycle >= 6 && cycle < 9, cycle >= 3 && cycle < 6, cycle < 3};
  integer i;
  always @* begin
    index_o = 0;
    for (i = 0; i < 5; i = i + 1) if (grant_o[i]) index_o = index_o | i;
  end
  always @(posedge clock) begin
    cycle <= reset || cycle == 14 ? 0 : cycle + 1;
    if (reset) grant_o <= 0;
    else if (!(|(grant_o & request_i))) grant_o <= turn & request_i;
  end
endmodule
