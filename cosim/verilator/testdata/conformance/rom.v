// A memory with contents from a file.
`default_nettype none

module rom (
  input  wire       clk_i,
  input  wire [1:0] address_i,
  output reg  [7:0] data_o
);
  reg [7:0] words [0:3];
  initial $readmemh("testdata/conformance/rom.hex", words);
  always @(posedge clk_i) data_o <= words[address_i];
endmodule
