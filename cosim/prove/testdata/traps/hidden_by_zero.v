// link PHIT_BITS=1 DELAY_CYCLES=1
// A reset is missing; a register that begins with 0 hides it until the next reset.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  initial rail1_o = 0;
  always @(posedge clock) begin
    if (reset) rail0_o <= 0; else rail0_o <= rail0_i;
    rail1_o <= rail1_i;
  end
endmodule
