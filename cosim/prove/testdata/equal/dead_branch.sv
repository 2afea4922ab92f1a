// delay_line WIDTH=8 CYCLES=1 RESET=1
// A side channel that a parameter turns off: its select is beyond the word.
module dut #(parameter U = 0, parameter W = 8 + U) (input clock, input reset, input [7:0] data_i, output [7:0] data_o, output reg filled_o);
  reg [W-1:0] r;
  wire user = U ? r[8 +: 1] : 1'b0;
  always @(posedge clock) begin
    r <= reset ? 0 : data_i;
    filled_o <= !reset;
  end
  assign data_o = r[7:0] ^ {8{user}};
endmodule
