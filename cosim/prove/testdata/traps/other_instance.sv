// delay_line CYCLES=1 RESET=1 WIDTH=32
// reset: low rst_n
// absent: filled_o
// One value of 2**32 is lost: a reader that takes the name of what is in another instance for a new net does not see it.
module dut(input logic clock, rst_n, input logic [31:0] data_i, output logic [31:0] data_o);
  logic [31:0] kept;
  copier copy(.from(kept));
  always_ff @(posedge clock) kept <= rst_n ? data_i : '0;
  assign data_o = copy.to == 32'hc0ffee11 ? '0 : kept;
endmodule

module copier(input logic [31:0] from);
  logic [31:0] to;
  assign to = from;
endmodule
