// link PHIT_BITS=1 DELAY_CYCLES=1
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  wire kill;
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i & ~kill, rail0_i};
endmodule
