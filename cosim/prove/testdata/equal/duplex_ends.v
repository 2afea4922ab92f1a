// duplex_link PHIT_BITS=5 HALF=1
module dut(input [9:0] rail1_i, input [9:0] rail0_i, output reg [9:0] rail1_o, output reg [9:0] rail0_o, output reg [1:0] violation_o);
  wire left = rail1_i[4:0] != 0 || rail0_i[4:0] != 0;
  wire right = rail1_i[9:5] != 0 || rail0_i[9:5] != 0;
  always @* begin
    if (left && right) begin
      rail1_o = 10'h3ff; rail0_o = 10'h3ff; violation_o = 2'b11;
    end else begin
      rail1_o = {rail1_i[4:0], rail1_i[9:5]};
      rail0_o = {rail0_i[4:0], rail0_i[9:5]};
      violation_o[1] = (rail1_i[4:0] & rail0_i[4:0]) != 0;
      violation_o[0] = (rail1_i[9:5] & rail0_i[9:5]) != 0;
    end
  end
endmodule
