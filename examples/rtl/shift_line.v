// A delay of four cycles without a reset, like a shift register in an FPGA.
module shift_line (input wire clk, input wire [11:0] d, output wire [11:0] q);
  reg [47:0] line;
  always @(posedge clk) line <= {line[35:0], d};
  assign q = line[47:36];
endmodule
