// delay_line WIDTH=8 CYCLES=1 RESET=1
// The sum of an array of bits is a bit.
module dut(input clock, input reset, input [7:0] data_i, output reg [7:0] data_o, output reg filled_o);
  logic a [3]; logic [1:0] n;
  always_comb begin a[0] = data_i[0]; a[1] = data_i[0]; a[2] = data_i[0]; n = a.sum(); end
  always @(posedge clock) begin data_o <= reset ? 8'd0 : n == {2{data_i[0]}} ? data_i : ~data_i; filled_o <= !reset; end
endmodule
