// link PHIT_BITS=1 DELAY_CYCLES=1
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  wire [1:0] q = 2'd0 / {1'b0, rail1_i}; // by 0 it is X
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i | q[1], rail0_i};
endmodule
