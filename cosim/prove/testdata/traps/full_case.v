// link PHIT_BITS=1 DELAY_CYCLES=1
// The promise of a full case is not kept: a synthesiser may make a wire of it.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  reg one;
  always @* begin
    one = 1;
    (* full_case, parallel_case *) case (rail1_i) // synopsys full_case
      1'b1: one = 1;
    endcase
  end
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {one, rail0_i};
endmodule
