// link PHIT_BITS=1 DELAY_CYCLES=1
// What a synthesiser sees is right, what is simulated is not.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  always @(posedge clock)
`ifdef SYNTHESIS
    {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i, rail0_i};
`else
    {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i & ~rail0_i, rail0_i};
`endif
endmodule
