// link PHIT_BITS=4 DELAY_CYCLES=5
module dut(input clock, input reset, input [3:0] rail1_i, input [3:0] rail0_i, output [3:0] rail1_o, output [3:0] rail0_o);
  reg [3:0] one [0:4];
  reg [3:0] zero [0:4];
  integer i;
  always @(posedge clock) begin
    one[0] <= rail1_i;
    zero[0] <= rail0_i;
    for (i = 1; i < 5; i = i + 1) begin one[i] <= one[i-1]; zero[i] <= zero[i-1]; end
    if (reset) for (i = 0; i < 5; i = i + 1) begin one[i] <= 0; zero[i] <= 0; end
  end
  assign rail1_o = one[4];
  assign rail0_o = zero[4];
endmodule
