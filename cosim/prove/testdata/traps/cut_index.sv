// link PHIT_BITS=3 DELAY_CYCLES=1
// Writes beyond the end: none. Verilator cuts an index to the bits that are needed, and writes another element.
module dut(input logic clock, reset, input logic [2:0] rail1_i, rail0_i, output logic [2:0] rail1_o, rail0_o);
  wire [2:0] a = rail1_i;
  logic [3:0] written, looped;
  logic cells [4];
  always_comb begin written = 4'b1111; written[{~a[0], 2'b00}] = a[0]; end
  always_comb begin cells = '{1'b1, 1'b1, 1'b1, 1'b1}; cells[{~a[1], 2'b00}] = a[1]; end
  always_comb begin looped = {3'b000, ~a[2]}; for (int i = 0; i < 4; i++) looped[i + 1] = a[2]; end
  always_ff @(posedge clock) {rail1_o, rail0_o} <= reset ? '0 : {looped[0], cells[0], written[0], rail0_i};
endmodule
