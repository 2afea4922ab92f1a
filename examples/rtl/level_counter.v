// A fill level. It relies on its user: beyond its ends it wraps to the values that its bits can represent.
module level_counter (
  input wire clk, input wire srst,
  input wire inc, input wire dec,
  output reg [3:0] level
);
  always @(posedge clk)
    if (srst) level <= 4'd0;
    else level <= level + {3'd0, inc} - {3'd0, dec};
endmodule
