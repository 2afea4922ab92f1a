// A memory with one port; reads show what was there.
`default_nettype none

module memory (
  input  wire        clk_i,
  input  wire        write_i,
  input  wire [9:0]  address_i,
  input  wire [31:0] data_i,
  output reg  [31:0] data_o
);
  reg [31:0] words [0:1023];
  always @(posedge clk_i) begin
    data_o <= words[address_i];
    if (write_i) words[address_i] <= data_i;
  end
endmodule
