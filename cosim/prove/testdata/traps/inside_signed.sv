// delay_line WIDTH=8 CYCLES=1 RESET=1
// Values with and without a sign: -1 is 255 in eight bits more, and not inside.
module dut(input clock, input reset, input [7:0] data_i, output reg [7:0] data_o, output reg filled_o);
  wire signed [3:0] low = data_i[3:0];
  wire hit = low inside {8'd15};
  always @(posedge clock) begin data_o <= reset ? 8'd0 : hit ? ~data_i : data_i; filled_o <= !reset; end
endmodule
