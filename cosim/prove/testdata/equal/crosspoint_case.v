// crosspoint OUTPUTS=4 PHIT_BITS=8
// The highest grant of those that fit, found from the top.
module dut(input [7:0] rail1_i, input [7:0] rail0_i, input [15:0] addressee_i, input [3:0] grant_i,
           output [7:0] rail1_o, output [7:0] rail0_o, output [15:0] to_o);
  wire [3:0] named = addressee_i == 16'hffff ? 4'hf : addressee_i < 4 ? 4'd1 << addressee_i[1:0] : 4'd0;
  wire [3:0] fits = rail1_i != 0 || rail0_i != 0 ? grant_i & named : 4'd0;
  assign to_o = fits[3] ? 16'd3 : fits[2] ? 16'd2 : fits[1] ? 16'd1 : fits[0] ? 16'd0 : 16'hffff;
  assign rail1_o = fits ? rail1_i : 0;
  assign rail0_o = fits ? rail0_i : 0;
endmodule
