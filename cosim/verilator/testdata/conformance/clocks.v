// Two clocks; their order in the source is not the alphabet's.
`default_nettype none

module clocks (
  input  wire       rst_i,
  input  wire       slow_clk_i,
  input  wire       clk_i,
  output reg  [7:0] fast_o,
  output reg  [7:0] slow_o,
  output reg  [7:0] sampled_o
);
  always @(posedge clk_i)
    if (rst_i) fast_o <= 8'd0;
    else fast_o <= fast_o + 8'd1;
  always @(posedge slow_clk_i)
    if (rst_i) begin
      slow_o <= 8'd0;
      sampled_o <= 8'd0;
    end else begin
      slow_o <= slow_o + 8'd1;
      sampled_o <= fast_o; // of before the edge, also when both clocks rise
    end
endmodule
