// link PHIT_BITS=1 DELAY_CYCLES=1
// The first of two that match counts, whatever unique promises; the or of both would be right.
module dut(input clock, input reset, input rail1_i, input rail0_i, output logic rail1_o, output logic rail0_o);
  logic [1:0] next;
  always_comb unique case (1'b1)
    rail1_i: next = 2'b10;
    rail0_i: next = 2'b01;
    default: next = 2'b00;
  endcase
  always_ff @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : next;
endmodule
