// star_coupler D=3 PHIT_BITS=5
// Dark where all senders are dark, bit by bit.
module dut(input [14:0] rail1_i, input [14:0] rail0_i, output [4:0] rail1_o, output [4:0] rail0_o, output violation_o);
  wire [4:0] bad;
  genvar i;
  generate for (i = 0; i < 5; i = i + 1) begin : line
    assign rail1_o[i] = ~(~rail1_i[i] & ~rail1_i[i+5] & ~rail1_i[i+10]);
    assign rail0_o[i] = {rail0_i[i], rail0_i[i+5], rail0_i[i+10]} != 3'b000;
    assign bad[i] = rail1_o[i] && rail0_o[i];
  end endgenerate
  assign violation_o = ~(bad == 0);
endmodule
