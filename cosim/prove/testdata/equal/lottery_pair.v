// arbiter_lottery REQUESTERS=2
// Two requesters: a ticket below those of the first one is its own.
module dut(input clock, input reset, input [1:0] request_i, input [15:0] weight_i, input [31:0] seed_i, output reg [1:0] grant_o, output [5:0] index_o);
  reg [31:0] lfsr, next;
  integer i;
  wire [31:0] draw = lfsr != 0 ? lfsr : seed_i != 0 ? seed_i : 1;
  wire [9:0] first = request_i[0] ? {2'd0, weight_i[7:0]} : 10'd0;
  wire [9:0] tickets = request_i[1] ? first + {2'd0, weight_i[15:8]} : first;
  wire [41:0] product = {10'd0, draw} * {32'd0, tickets};
  wire [9:0] ticket = product[41:32];
  always @* begin
    next = draw;
    for (i = 0; i < 32; i = i + 1) next = next[0] ? next >> 1 ^ 32'h80200003 : next >> 1;
  end
  always @(posedge clock)
    if (reset) begin
      grant_o <= 0;
      lfsr <= 0;
    end else if (!(request_i & grant_o)) begin
      grant_o <= 0;
      if (tickets != 0) begin
        grant_o <= ticket < first ? 1 : 2;
        lfsr <= next;
      end
    end
  assign index_o = grant_o[1];
endmodule
