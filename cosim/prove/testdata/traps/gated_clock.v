// lfsr SEED=1
// The enable gates the clock and may fall while it is high.
module dut(input clock, input reset, input enable_i, output reg [31:0] value_o);
  wire gated = clock & (enable_i | reset);
  always @(posedge gated)
    if (reset) value_o <= 1;
    else value_o <= {1'b0, value_o[31:1]} ^ (value_o[0] ? 32'h80200003 : 32'd0);
endmodule
