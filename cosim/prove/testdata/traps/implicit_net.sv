// delay_line WIDTH=8 CYCLES=1 RESET=1
// The net that is assigned is one of the block; the one that is read, declared after it, has no driver.
module dut(input clock, input reset, input [7:0] data_i, output reg [7:0] data_o, output reg filled_o);
  if (1) begin : g assign z = 1'b1; end
  wire z;
  always @(posedge clock) begin data_o <= reset ? 8'd0 : z ? data_i : ~data_i; filled_o <= !reset; end
endmodule
