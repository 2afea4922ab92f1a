// An asynchronous reset takes effect without a clock, and before the clock that
// comes with it.
`default_nettype none

module asynchronous_stage (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire [3:0] data_i,
  output reg  [3:0] data_o
);
  always @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) data_o <= 4'd0;
    else data_o <= data_i;
endmodule

module asynchronous (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire [3:0] data_i,
  output wire [3:0] data_o,
  output reg  [3:0] next_o
);
  asynchronous_stage stage (.clk_i(clk_i), .rst_ni(rst_ni), .data_i(data_i), .data_o(data_o));
  always @(posedge clk_i) next_o <= data_o;
endmodule
