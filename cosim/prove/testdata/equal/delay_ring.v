// delay_line WIDTH=8 CYCLES=3 RESET=0
// A ring of places, and a count of those that were never written.
module dut(input clock, input reset, input [7:0] data_i, output [7:0] data_o, output filled_o);
  reg [7:0] ring [0:2];
  reg [1:0] at, missing;
  always @(posedge clock) begin
    ring[at] <= data_i;
    if (reset) begin at <= 0; missing <= 3; end
    else begin
      at <= at == 2 ? 0 : at + 1;
      if (missing != 0) missing <= missing - 1;
    end
  end
  assign filled_o = missing == 0;
  assign data_o = filled_o ? ring[at] : 0;
endmodule
