// lfsr SEED=1
// A bit is inverted once, 16383 cycles after a reset.
module dut(input clock, input reset, input enable_i, output [31:0] value_o);
  reg [31:0] v;
  reg [14:0] age;
  assign value_o = v ^ (age == 16383);
  always @(posedge clock)
    if (reset) begin v <= 1; age <= 0; end
    else begin
      if (!(&age)) age <= age + 1;
      if (enable_i) v <= {1'b0, v[31:1]} ^ (v[0] ? 32'h80200003 : 32'd0);
    end
endmodule
