// bus TAPS=4 PHIT_BITS=3 ARBITER=0 KIND=0 SLICE_CYCLES=1
// No arbiter: each bit of the wire is an or of its taps.
module dut(input clock, input reset, input [3:0] request_i, input [11:0] rail1_i, input [11:0] rail0_i,
           output [2:0] rail1_o, output [2:0] rail0_o, output violation_o, output [3:0] grant_o);
  genvar i;
  generate for (i = 0; i < 3; i = i + 1) begin : line
    assign rail1_o[i] = |(request_i & {rail1_i[i+9], rail1_i[i+6], rail1_i[i+3], rail1_i[i]});
    assign rail0_o[i] = |(request_i & {rail0_i[i+9], rail0_i[i+6], rail0_i[i+3], rail0_i[i]});
  end endgenerate
  assign violation_o = rail1_o[0] & rail0_o[0] | rail1_o[1] & rail0_o[1] | rail1_o[2] & rail0_o[2];
  assign grant_o = request_i;
endmodule
