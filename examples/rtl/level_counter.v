// A fill level. It trusts its user: beyond its ends it wraps to what its bits can hold.
module level_counter (
  input wire clk, input wire srst,
  input wire inc, input wire dec,
  output reg [3:0] level
);
  always @(posedge clk)
    if (srst) level <= 4'd0;
    else level <= level + {3'd0, inc} - {3'd0, dec};
endmodule
