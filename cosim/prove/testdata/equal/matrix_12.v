// arbiter_matrix REQUESTERS=12
// A bit for each pair says who goes first.
module dut(input clock, input reset, input [11:0] request_i, output reg [11:0] grant_o, output reg [5:0] index_o);
  reg [11:0] first [0:11]; // first[i][j]: i goes first j
  reg [11:0] win;
  integer i, j;
  always @* begin
    win = request_i;
    for (i = 0; i < 12; i = i + 1)
      for (j = 0; j < 12; j = j + 1)
        if (i != j && request_i[j] && first[j][i]) win[i] = 0;
    index_o = 0;
    for (i = 0; i < 12; i = i + 1) if (grant_o[i]) index_o = i;
  end
  wire free = (grant_o & request_i) == 0;
  always @(posedge clock)
    if (reset) begin
      grant_o <= 0;
      for (i = 0; i < 12; i = i + 1)
        for (j = 0; j < 12; j = j + 1) first[i][j] <= i < j;
    end else if (free) begin
      grant_o <= win;
      for (i = 0; i < 12; i = i + 1)
        for (j = 0; j < 12; j = j + 1)
          if (win[i]) first[i][j] <= 0;
          else if (win[j]) first[i][j] <= 1;
    end
endmodule
