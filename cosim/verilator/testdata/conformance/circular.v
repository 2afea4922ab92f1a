// Vectors of which one bit depends on another: what changes while inputs settle is seen by the rest, too.
module circular (
  input  wire        clk_i,
  input  wire        rst_i,
  input  wire [15:0] a_i, b_i, c_i,
  output wire [15:0] chain_o,
  output wire [3:0]  parity_o,
  output reg  [15:0] last_o
);
  wire [15:0] low, ones;
  wire [3:0]  flip;

  assign low[0] = a_i[8], ones[0] = b_i[1], chain_o[0] = low[9];
  assign flip[0] = c_i[1], flip[3:1] = ~flip[2:0];
  assign parity_o = {parity_o[2:0], a_i[1]} ^ {flip[3], flip[0], flip[1], flip[2]};
  genvar g;
  generate for (g = 1; g < 16; g = g + 1) begin : each_bit
    assign low[g] = b_i[(g + 9) % 16] & c_i[15 - g] | low[g - 1];
    assign ones[g] = ~low[(g + 4) % 16] | ones[g - 1];
    assign chain_o[g] = ones[g ^ 1] & chain_o[g - 1];
  end endgenerate

  always @(posedge clk_i) last_o <= rst_i ? 16'd0 : chain_o + last_o;
endmodule
