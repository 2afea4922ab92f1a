// bus_taps TAPS=4 PHIT_BITS=8
module dut(input [31:0] rail1_i, input [31:0] rail0_i, input [3:0] grant_i, output [7:0] rail1_o, output [7:0] rail0_o, output violation_o);
  wire [7:0] a1 = grant_i[0] ? rail1_i[7:0] : 8'd0, b1 = grant_i[1] ? rail1_i[15:8] : 8'd0;
  wire [7:0] c1 = grant_i[2] ? rail1_i[23:16] : 8'd0, d1 = grant_i[3] ? rail1_i[31:24] : 8'd0;
  wire [7:0] a0 = grant_i[0] ? rail0_i[7:0] : 8'd0, b0 = grant_i[1] ? rail0_i[15:8] : 8'd0;
  wire [7:0] c0 = grant_i[2] ? rail0_i[23:16] : 8'd0, d0 = grant_i[3] ? rail0_i[31:24] : 8'd0;
  assign rail1_o = (a1 | b1) | (c1 | d1);
  assign rail0_o = (a0 | b0) | (c0 | d0);
  assign violation_o = (rail1_o & rail0_o) > 0;
endmodule
