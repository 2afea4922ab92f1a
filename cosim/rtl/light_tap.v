// Point at which faults affect the light of a wire. Light passes in the same cycle. In a slot with
// dark_i, no light passes. In a slot with flip_i, the rails of bit bit_i of the first frame,
// counted from 0, are exchanged. A bit with both rails lit, or with neither rail lit, is
// unchanged.
//
// dark_i, flip_i and bit_i are read in the cycle of the first light in a slot, and bits are
// counted from this cycle. A slot has SLOT_CYCLES cycles; the first cycle after a reset is the
// last cycle of a slot. One phit per cycle without stalls.
// Twin of hw.LightTap, for one wire.
`default_nettype none

module light_tap #(
  parameter integer PHIT_BITS = 8,   // 1..64
  parameter integer SLOT_CYCLES = 24 // 1..2147483647
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire [PHIT_BITS-1:0] rail1_i,
  input  wire [PHIT_BITS-1:0] rail0_i,
  input  wire                 dark_i,
  input  wire                 flip_i,
  input  wire [15:0]          bit_i,
  output wire [PHIT_BITS-1:0] rail1_o,
  output wire [PHIT_BITS-1:0] rail0_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64 || SLOT_CYCLES < 1) begin
    $display("%m: allowed are PHIT_BITS 1 to 64, SLOT_CYCLES 1 to 2147483647");
    $finish;
  end

  localparam integer LAST = SLOT_CYCLES - 1;
  localparam [64:0] ONE = 65'd1;
  localparam [PHIT_BITS-1:0] FIRST = ONE[PHIT_BITS-1:0] << (PHIT_BITS - 1); // bit of a phit

  reg [31:0] cycle_q; // of the slot
  reg lit_q;          // light has arrived in this slot; the registers below hold the harm for the following cycles
  reg dark_q;
  reg flip_q;         // the inverted bit has not arrived yet
  reg [15:0] bit_q;   // its position, counted from the phit of this cycle

  wire lit = |(rail1_i | rail0_i);
  wire dark = lit_q ? dark_q : dark_i;
  wire flip = lit_q ? flip_q : flip_i;
  wire [15:0] place = lit_q ? bit_q : bit_i;

  wire here = lit && flip && {16'd0, place} < PHIT_BITS;
  wire [PHIT_BITS-1:0] exchanged = here ? (FIRST >> place) & (rail1_i ^ rail0_i) : {PHIT_BITS{1'b0}};

  assign rail1_o = dark ? {PHIT_BITS{1'b0}} : rail1_i ^ exchanged;
  assign rail0_o = dark ? {PHIT_BITS{1'b0}} : rail0_i ^ exchanged;

  always @(posedge clock) begin
    if (reset) cycle_q <= LAST;
    else if (cycle_q == LAST) cycle_q <= 32'd0;
    else cycle_q <= cycle_q + 32'd1;
    if (reset || cycle_q == LAST) begin
      lit_q <= 1'b0;
      dark_q <= 1'b0;
      flip_q <= 1'b0;
      bit_q <= 16'd0;
    end else if (lit || lit_q) begin
      lit_q <= 1'b1;
      dark_q <= dark;
      flip_q <= flip && {16'd0, place} >= PHIT_BITS;
      bit_q <= place - PHIT_BITS[15:0];
    end
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (cycle_q > LAST) $fatal(1, "slot: cycle %0d of %0d", cycle_q, SLOT_CYCLES);
      if (!lit_q && (dark_q || flip_q)) $fatal(1, "dark: harm %b%b before any light", dark_q, flip_q);
      if (|((rail1_o | rail0_o) & ~(rail1_i | rail0_i))) $fatal(1, "light: rails %b %b of %b %b", rail1_o, rail0_o, rail1_i, rail0_i);
      if (|(exchanged & (exchanged - ONE[PHIT_BITS-1:0]))) $fatal(1, "flip: exchanges bits %b", exchanged);
    end
  end
`endif
endmodule

`default_nettype wire
