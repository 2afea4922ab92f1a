// link PHIT_BITS=1 DELAY_CYCLES=1
// A counter ends its own round through an asynchronous reset: a pulse without length, which no cycle shows.
module dut(input clock, input reset, input rail1_i, input rail0_i, output reg rail1_o, output reg rail0_o);
  reg [2:0] count;
  wire over = reset | count == 3'd5;
  always @(posedge clock or posedge over) if (over) count <= 0; else count <= count + 1;
  always @(posedge clock) {rail1_o, rail0_o} <= reset ? 2'b00 : {rail1_i | count == 3'd5, rail0_i};
endmodule
