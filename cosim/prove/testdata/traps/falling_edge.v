// link PHIT_BITS=1 DELAY_CYCLES=2
// Two registers, one of them half a cycle later: one cycle in all. As edges of one kind they would be two.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  reg one, zero;
  always @(negedge clock) {one, zero} <= reset ? 2'b00 : {rail1_i, rail0_i};
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {one, zero};
endmodule
