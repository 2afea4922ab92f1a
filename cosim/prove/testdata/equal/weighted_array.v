// arbiter_weighted_round_robin REQUESTERS=3
// Credits in an array, and the requesters in the order of the turn, one after the other.
module dut(input clock, input reset, input [2:0] request_i, input [23:0] weight_i, output [2:0] grant_o, output [5:0] index_o);
  reg [7:0] spent [0:2];
  reg held;
  reg [1:0] last, owner;
  reg rich, found;
  reg [1:0] winner, at;
  integer i;
  wire [2:0] has = {spent[2] < weight_i[23:16], spent[1] < weight_i[15:8], spent[0] < weight_i[7:0]};
  always @* begin
    rich = |(request_i & has);
    found = 0;
    winner = 0;
    at = last;
    for (i = 0; i < 3; i = i + 1) begin
      at = at == 2 ? 0 : at + 1;
      if (!found && request_i[at] && (has[at] || !rich)) begin
        found = 1;
        winner = at;
      end
    end
  end
  always @(posedge clock)
    if (reset) begin
      held <= 0;
      owner <= 0;
      last <= 2;
      for (i = 0; i < 3; i = i + 1) spent[i] <= 0;
    end else if (!(held && request_i[owner])) begin
      held <= found;
      if (found) begin
        owner <= winner;
        last <= winner;
        if (!rich) for (i = 0; i < 3; i = i + 1) spent[i] <= 0;
        spent[winner] <= rich ? spent[winner] + 1 : 1;
      end
    end
  assign grant_o = held ? 3'd1 << owner : 0;
  assign index_o = held ? owner : 0;
endmodule
