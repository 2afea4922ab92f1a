// Taps of a bus. The rails of all open taps are ORed.
//
// Dual-rail light: a one lights rail 1, a zero lights rail 0, a dark bit lights neither rail. A bit with both rails
// lit is a code violation, caused by two senders. Tap i has the PHIT_BITS bits from i*PHIT_BITS on, and is open while
// grant_i[i] is high.
//
// Latency 0 cycles (combinational), no clock and no state.
// Twin of hw.Buses with an arbiter, for one bus without its arbiter.
`default_nettype none

module bus_taps #(
  parameter integer TAPS = 4,      // 1..1024
  parameter integer PHIT_BITS = 8  // 1..64
) (
  input  wire [TAPS*PHIT_BITS-1:0] rail1_i,
  input  wire [TAPS*PHIT_BITS-1:0] rail0_i,
  input  wire [TAPS-1:0]           grant_i,
  output reg  [PHIT_BITS-1:0]      rail1_o,
  output reg  [PHIT_BITS-1:0]      rail0_o,
  output wire                      violation_o
`ifdef STARLOOM_PROOF
  , output wire kept_o // an arbiter may drive the inputs of this cycle
`endif
);
  initial if (TAPS < 1 || TAPS > 1024 ||
      PHIT_BITS < 1 || PHIT_BITS > 64) begin
    $display("%m: allowed are TAPS 1 to 1024, PHIT_BITS 1 to 64");
    $finish;
  end

  integer i;

  always @* begin
    rail1_o = {PHIT_BITS{1'b0}};
    rail0_o = {PHIT_BITS{1'b0}};
    for (i = 0; i < TAPS; i = i + 1) begin
      rail1_o = rail1_o | (rail1_i[i*PHIT_BITS +: PHIT_BITS] & {PHIT_BITS{grant_i[i]}});
      rail0_o = rail0_o | (rail0_i[i*PHIT_BITS +: PHIT_BITS] & {PHIT_BITS{grant_i[i]}});
    end
  end

  assign violation_o = |(rail1_o & rail0_o);

`ifdef STARLOOM_PROOF
  assign kept_o = ~|(grant_i & (grant_i - 1'b1));
`endif
endmodule

`default_nettype wire
