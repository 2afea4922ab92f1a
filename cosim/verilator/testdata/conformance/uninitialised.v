// A register that is never given a value.
`default_nettype none

module uninitialised (
  input  wire        clk_i,
  input  wire        load_i,
  input  wire [31:0] data_i,
  output reg  [31:0] data_o
);
  always @(posedge clk_i) if (load_i) data_o <= data_i;
endmodule
