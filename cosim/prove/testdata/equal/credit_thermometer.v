// credit_counter DEPTH=3
// A bit for each credit.
module dut(input clock, input reset, input take_i, input [1:0] give_i,
           output [1:0] count_o, output reg underflow_o, output reg overflow_o);
  reg [2:0] have;
  reg [2:0] after;
  reg many;
  integer i;
  always @* begin
    after = have;
    many = 0;
    for (i = 0; i < 3; i = i + 1) if (i < give_i) begin many = many | after[2]; after = {after[1:0], 1'b1}; end
    if (take_i && have[0]) after = after >> 1;
    if (many && take_i && have[0]) after = 3'b011;
  end
  always @(posedge clock)
    if (reset) begin have <= 3'b111; underflow_o <= 0; overflow_o <= 0; end
    else begin have <= after; underflow_o <= take_i & ~have[0]; overflow_o <= many; end
  assign count_o = have[2] ? 3 : have[1] ? 2 : have[0];
endmodule
