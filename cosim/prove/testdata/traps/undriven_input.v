// link PHIT_BITS=1 DELAY_CYCLES=1
// An input of a part that nothing drives: 0 in one simulator, anything in a chip.
module gate(input a, input kill, output y);
  assign y = a & ~kill;
endmodule
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  wire one;
  gate g(.a(rail1_i), .y(one));
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {one, rail0_i};
endmodule
