// delay_line CYCLES=1 RESET=1 WIDTH=32
// reset: low rst_n
// absent: filled_o
// One value of 2**32 is lost: a reader that takes the elements of a packed array of a type for bits does not see it.
module dut(input logic clock, rst_n, input logic [31:0] data_i, output logic [31:0] data_o);
  typedef logic [7:0] byte_t;
  logic [31:0] kept;
  byte_t [3:0] bytes;
  assign bytes = kept;
  always_ff @(posedge clock) kept <= rst_n ? data_i : '0;
  assign data_o = bytes[3] == 8'hc0 && bytes[2] == 8'hff && bytes[1] == 8'hee && bytes[0] == 8'h11 ? '0 : kept;
endmodule
