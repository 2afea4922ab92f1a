// link PHIT_BITS=1 DELAY_CYCLES=1
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  reg one;
  always @* case (rail1_i)
    1'b1: one = 1;
    default: one = 1'bx;
  endcase
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {one, rail0_i};
endmodule
