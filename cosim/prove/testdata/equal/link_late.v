// link PHIT_BITS=3 DELAY_CYCLES=1
// latency: rail1_o=2 rail0_o=2
// Two cycles later than the model.
module dut(input clock, input reset, input [2:0] rail1_i, input [2:0] rail0_i, output reg [2:0] rail1_o, output reg [2:0] rail0_o);
  reg [5:0] a, b;
  always @(posedge clock)
    if (reset) {a, b, rail1_o, rail0_o} <= 0;
    else begin a <= {rail1_i, rail0_i}; b <= a; {rail1_o, rail0_o} <= b; end
endmodule
