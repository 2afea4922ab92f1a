// lfsr SEED=1
// Every bit for itself.
module dut(input clock, input reset, input enable_i, output reg [31:0] value_o);
  integer i;
  always @(posedge clock)
    if (reset) value_o <= 32'd1;
    else if (enable_i)
      for (i = 0; i < 32; i = i + 1)
        if (i == 31) value_o[i] <= value_o[0];
        else if (i == 21 || i == 1 || i == 0) value_o[i] <= value_o[i + 1] ^ value_o[0];
        else value_o[i] <= value_o[i + 1];
endmodule
