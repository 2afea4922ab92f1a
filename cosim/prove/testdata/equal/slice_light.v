// register_slice WIDTH=8 MODE=3
// A word and an inverted flag; data are cleared when they leave.
module dut(input clock, input reset, input valid_i, input [7:0] data_i, output ready_o, output valid_o, output [7:0] data_o, input ready_i);
  reg free;
  reg [7:0] word;
  assign ready_o = free;
  assign valid_o = !free;
  assign data_o = word;
  always @(posedge clock)
    if (reset) begin free <= 1; word <= 0; end
    else if (free && valid_i) begin free <= 0; word <= data_i; end
    else if (!free && ready_i) begin free <= 1; word <= 0; end
endmodule
