// link PHIT_BITS=1 DELAY_CYCLES=1
// Reads beyond a vector: a tool may find there what it likes.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  wire [2:0] some = 3'b110;
  wire [1:0] at = rail1_i ? 2'd1 : 2'd3;
  wire [2:0] other = 3'b001;
  wire one = rail1_i ? some[at] : other[at];
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {one, rail0_i};
endmodule
