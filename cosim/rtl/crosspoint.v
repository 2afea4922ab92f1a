// Crosspoint of a crossbar's input. Light passes to the output that serves the input, and to no other output.
//
// addressee_i is the requested output, or SL_PORT_NONE for a request by list. A list is served by the output
// that has granted the input, the highest if there are several. grant_i[q] is high while output q serves this
// input and a cap permits it. to_o is the output that receives the light, SL_PORT_NONE for none and in the
// dark.
//
// Latency 0 cycles (combinational), no clock and no state.
// Twin of hw.Crosspoints, for one input.
`default_nettype none
`include "starloom_registers.vh"

module crosspoint #(
  parameter integer OUTPUTS = 4,  // 1..1024
  parameter integer PHIT_BITS = 8 // 1..64
) (
  input  wire [PHIT_BITS-1:0] rail1_i,
  input  wire [PHIT_BITS-1:0] rail0_i,
  input  wire [15:0]          addressee_i, // index or SL_PORT_NONE
  input  wire [OUTPUTS-1:0]   grant_i,
  output wire [PHIT_BITS-1:0] rail1_o,
  output wire [PHIT_BITS-1:0] rail0_o,
  output reg  [15:0]          to_o
);
  initial if (OUTPUTS < 1 || OUTPUTS > 1024 ||
      PHIT_BITS < 1 || PHIT_BITS > 64) begin
    $display("%m: allowed are OUTPUTS 1 to 1024, PHIT_BITS 1 to 64");
    $finish;
  end

  localparam [31:0] PORT_NONE = `SL_PORT_NONE;
  wire unused = &{1'b0, PORT_NONE[31:16]};

  wire lit = |(rail1_i | rail0_i);
  wire listed = addressee_i == PORT_NONE[15:0];

  integer q;
  always @* begin
    to_o = PORT_NONE[15:0];
    for (q = 0; q < OUTPUTS; q = q + 1) begin
      if (lit && grant_i[q] && (listed || addressee_i == q[15:0])) to_o = q[15:0];
    end
  end

  wire passes = to_o != PORT_NONE[15:0];
  assign rail1_o = rail1_i & {PHIT_BITS{passes}};
  assign rail0_o = rail0_i & {PHIT_BITS{passes}};
endmodule

`default_nettype wire
