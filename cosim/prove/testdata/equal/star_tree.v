// star_coupler D=8 PHIT_BITS=4
// A tree of halves.
module dut(input [31:0] rail1_i, input [31:0] rail0_i, output [3:0] rail1_o, output [3:0] rail0_o, output violation_o);
  wire [15:0] a = rail1_i[31:16] | rail1_i[15:0], x = rail0_i[31:16] | rail0_i[15:0];
  wire [7:0] b = a[15:8] | a[7:0], y = x[15:8] | x[7:0];
  assign rail1_o = b[7:4] | b[3:0];
  assign rail0_o = y[7:4] | y[3:0];
  assign violation_o = (rail1_o & rail0_o) != 0;
endmodule
