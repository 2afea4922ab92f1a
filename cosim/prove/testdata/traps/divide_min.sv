// delay_line WIDTH=16 CYCLES=1 RESET=1
// The most negative number by -1 is itself: its sign bit wraps. Verilator's library says 0.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  wire signed [31:0] s = {data_i == 16'hbeef, 31'b0};
  wire signed [31:0] d = -1;
  wire signed [31:0] r = s / d;
  always @(posedge clock) begin data_o <= reset ? 16'd0 : data_i ^ {15'b0, r != 0}; filled_o <= !reset; end
endmodule
