// A passive star coupler in another style: other names than in Starloom's twin star_coupler.v,
// active-low rails of the senders, and a flag for a cycle without violation. optical_or.yml attaches
// it.
`default_nettype none

module optical_or #(
  parameter LANES = 4,
  parameter WIDTH = 64
) (
  input  wire [LANES*WIDTH-1:0] one_n,
  input  wire [LANES*WIDTH-1:0] zero_n,
  output wire [WIDTH-1:0]       one,
  output wire [WIDTH-1:0]       zero,
  output wire                   clean
);
  genvar bit_index;
  generate
    for (bit_index = 0; bit_index < WIDTH; bit_index = bit_index + 1) begin : column
      wire [LANES-1:0] ones, zeros;
      genvar lane;
      for (lane = 0; lane < LANES; lane = lane + 1) begin : sender
        assign ones[lane] = ~one_n[lane*WIDTH + bit_index];
        assign zeros[lane] = ~zero_n[lane*WIDTH + bit_index];
      end
      assign one[bit_index] = |ones;
      assign zero[bit_index] = |zeros;
    end
  endgenerate
  assign clean = ~|(one & zero);
endmodule

`default_nettype wire
