// link PHIT_BITS=1 DELAY_CYCLES=1
// Two gates hold each other: what they show depends on what was, and no clock says when.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  wire below;
  wire above = below | rail1_i;
  assign below = above & rail0_i;
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i | above & ~rail0_i, rail0_i};
endmodule
