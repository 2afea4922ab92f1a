// lfsr SEED=1
// A reset after the first one leaves a bit as it was.
module dut(input clock, input reset, input enable_i, output reg [31:0] value_o);
  reg been;
  always @(posedge clock)
    if (reset) begin
      been <= been === 1'b1 ? 1'b1 : 1'b1;
      if (been === 1'b1) value_o[30:0] <= 31'd1; else value_o <= 32'd1;
    end else if (enable_i) value_o <= {1'b0, value_o[31:1]} ^ (value_o[0] ? 32'h80200003 : 32'd0);
endmodule
