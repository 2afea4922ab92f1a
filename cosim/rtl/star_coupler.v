// Passive star coupler with D senders: every input reaches the output.
//
// Dual-rail light: a one lights rail 1, a zero lights rail 0, a dark bit lights neither rail. A bit with both rails
// lit is a code violation, caused by two senders.
//
// Latency 0 cycles (combinational), no clock and no state. Input i has the PHIT_BITS bits from i*PHIT_BITS on.
// Twin of hw.StarCouplers, for one coupler.
`default_nettype none

module star_coupler #(
  parameter integer D = 4,         // senders, 1..65534
  parameter integer PHIT_BITS = 8  // 1..64
) (
  input  wire [D*PHIT_BITS-1:0] rail1_i,
  input  wire [D*PHIT_BITS-1:0] rail0_i,
  output reg  [PHIT_BITS-1:0]   rail1_o,
  output reg  [PHIT_BITS-1:0]   rail0_o,
  output wire                   violation_o
);
  initial if (D < 1 || D > 65534 ||
      PHIT_BITS < 1 || PHIT_BITS > 64) begin
    $display("%m: allowed are D 1 to 65534, PHIT_BITS 1 to 64");
    $finish;
  end

  integer i;

  always @* begin
    rail1_o = {PHIT_BITS{1'b0}};
    rail0_o = {PHIT_BITS{1'b0}};
    for (i = 0; i < D; i = i + 1) begin
      rail1_o = rail1_o | rail1_i[i*PHIT_BITS +: PHIT_BITS];
      rail0_o = rail0_o | rail0_i[i*PHIT_BITS +: PHIT_BITS];
    end
  end

  assign violation_o = |(rail1_o & rail0_o);
endmodule

`default_nettype wire
