// link PHIT_BITS=1 DELAY_CYCLES=1
// Whoever may choose X chooses 0.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  wire one = rail1_i ? 1'b1 : 1'bx;
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {one, rail0_i};
endmodule
