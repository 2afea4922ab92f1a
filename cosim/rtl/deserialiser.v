// Optical receiver. It hears one of PORTS fibres, receives the frame on this fibre and checks
// it.
//
//   idle -> receiving -> good              a whole frame with the right CRC
//             |          | more light
//             +----------+-> damaged       dark too early, light too late, bad header,
//             |          |                 length or CRC
//             +----------+-> violated      a bit with both rails lit; from damaged as
//                                          well, and final
//
// All outputs depend on registers only: they show the reception up to the previous cycle.
// state_o is final one cycle after the last phit. bits_o is the number of received bits of a
// frame. status_o is the result of a slot that ends now. length_o and frame_o are 0 unless
// status_o is SL_STATUS_OK; byte k of the frame is frame_o[8*k +: 8]. end_slot_i marks the last
// cycle of a slot, in which the outputs are read. At the end of this cycle the receiver becomes
// idle and is switched to fibre port_i. A port_i of PORTS or more, such as SL_PORT_NONE, selects
// no fibre. Light in this cycle belongs to no slot. Input p has the PHIT_BITS bits from
// p*PHIT_BITS on; bits map to phits as in serialiser.v.
//
// One phit per cycle without stalls. Reset: idle, no fibre, status idle.
// Twin of nic.Deserialisers, for one cell.
`default_nettype none
`include "starloom_registers.vh"

module deserialiser #(
  parameter integer PHIT_BITS = 8,        // 1..64
  parameter integer FRAME_BYTES_MAX = 32, // 16..1040
  parameter integer PORTS = 1             // 1..65534
) (
  input  wire                         clock,
  input  wire                         reset,
  input  wire                         end_slot_i,
  input  wire [15:0]                  port_i,
  input  wire [PORTS*PHIT_BITS-1:0]   rail1_i,
  input  wire [PORTS*PHIT_BITS-1:0]   rail0_i,
  output wire [2:0]                   state_o,
  output wire [15:0]                  bits_o,
  output wire [2:0]                   status_o,
  output wire [15:0]                  length_o,
  output wire [8*FRAME_BYTES_MAX-1:0] frame_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64 ||
      FRAME_BYTES_MAX < 16 || FRAME_BYTES_MAX > 1040 ||
      PORTS < 1 || PORTS > 65534) begin
    $display("%m: allowed are PHIT_BITS 1 to 64, FRAME_BYTES_MAX 16 to 1040, PORTS 1 to 65534");
    $finish;
  end

  localparam [2:0] IDLE = 3'd0;
  localparam [2:0] RECEIVING = 3'd1;
  localparam [2:0] GOOD = 3'd2;
  localparam [2:0] DAMAGED = 3'd3;
  localparam [2:0] VIOLATED = 3'd4;

  localparam [3:0] VERSION = 4'd1;
  localparam [31:0] KIND_LAST = `SL_KIND_CONTROL;
  localparam [31:0] PORT_NONE = `SL_PORT_NONE;
  localparam [31:0] STATUS_IDLE = `SL_STATUS_IDLE;
  localparam [31:0] STATUS_OK = `SL_STATUS_OK;
  localparam [31:0] STATUS_COLLISION = `SL_STATUS_COLLISION;
  localparam [31:0] STATUS_CRC = `SL_STATUS_CRC;

  localparam integer FRAME_BITS = 8 * FRAME_BYTES_MAX;
  localparam [19:0] BITS_MAX = FRAME_BITS[19:0];
  localparam [19:0] PHIT = PHIT_BITS[19:0];
  localparam [19:0] LENGTH_KNOWN = 20'd32; // bits of a frame that contain its length

  reg [2:0] state_q, state_d;
  reg [15:0] bits_q, bits_d;
  reg gap_q, gap_d;                      // a dark cycle has followed the last phit
  reg [FRAME_BITS-1:0] frame_q, frame_d; // the first bit is at the top
  reg [15:0] port_q;

  // The light of the selected fibre.
  reg [PHIT_BITS-1:0] rail1, rail0;
  integer p;
  always @* begin
    rail1 = {PHIT_BITS{1'b0}};
    rail0 = {PHIT_BITS{1'b0}};
    for (p = 0; p < PORTS; p = p + 1) begin
      if (port_q == p[15:0]) begin
        rail1 = rail1_i[p*PHIT_BITS +: PHIT_BITS];
        rail0 = rail0_i[p*PHIT_BITS +: PHIT_BITS];
      end
    end
  end

  // The frame including this phit, and the number of missing bits.
  wire first = state_q == IDLE;
  wire [19:0] had = first ? 20'd0 : {4'd0, bits_q};
  wire [FRAME_BITS+PHIT_BITS-1:0] place = {rail1, {FRAME_BITS{1'b0}}} >> had;
  wire [FRAME_BITS-1:0] whole = (first ? {FRAME_BITS{1'b0}} : frame_q) | place[PHIT_BITS +: FRAME_BITS];
  wire [15:0] payload_bytes = whole[FRAME_BITS-17 -: 16];
  wire [19:0] total = had + PHIT >= LENGTH_KNOWN ? {1'b0, payload_bytes, 3'd0} + 20'd128 : BITS_MAX;
  wire [19:0] left = total - had;
  wire last = left <= PHIT;
  wire [PHIT_BITS-1:0] all = {PHIT_BITS{1'b1}};
  wire [PHIT_BITS-1:0] lit = last ? ~((all >> 1) >> (left - 20'd1)) : all;
  wire rest_unused = &{1'b0, place[PHIT_BITS-1:0]};

  wire light = |(rail1 | rail0);
  wire violation = |(rail1 & rail0);
  wire listens = first || (state_q == RECEIVING && !gap_q);
  wire fits = total <= BITS_MAX && (rail1 | rail0) == lit;
  wire takes = light && !violation && listens && fits;

  wire [15:0] crc;
  wire [15:0] crc_next;
  crc16 #(.PHIT_BITS(PHIT_BITS)) check (
    .clock(clock), .reset(reset), .start_i(first), .bits_i(!takes ? 7'd0 : last ? left[6:0] : PHIT[6:0]), .data_i(rail1),
    .next_o(crc_next), .crc_o(crc)
  );
  wire unused = &{1'b0, KIND_LAST[31:4], PORT_NONE[31:16], STATUS_IDLE[31:3], STATUS_OK[31:3],
                  STATUS_COLLISION[31:3], STATUS_CRC[31:3], crc};
  wire well_formed = whole[FRAME_BITS-1 -: 4] == VERSION && whole[FRAME_BITS-5 -: 4] <= KIND_LAST[3:0] && crc_next == 16'd0;

  always @* begin
    state_d = state_q;
    bits_d = bits_q;
    gap_d = gap_q;
    frame_d = frame_q;
    if (violation) state_d = VIOLATED;
    else if (!light) gap_d = 1'b1;
    else if (state_q != VIOLATED) begin
      if (first) bits_d = 16'd0;
      state_d = DAMAGED;
      if (takes) begin
        state_d = !last ? RECEIVING : well_formed ? GOOD : DAMAGED;
        bits_d = last ? total[15:0] : had[15:0] + PHIT[15:0];
        gap_d = 1'b0;
        frame_d = whole;
      end
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      state_q <= IDLE;
      bits_q <= 16'd0;
      gap_q <= 1'b0;
      frame_q <= {FRAME_BITS{1'b0}};
      port_q <= PORT_NONE[15:0];
    end else if (end_slot_i) begin
      state_q <= IDLE;
      port_q <= port_i;
    end else begin
      state_q <= state_d;
      bits_q <= bits_d;
      gap_q <= gap_d;
      frame_q <= frame_d;
    end
  end

  wire good = state_q == GOOD;
  assign state_o = state_q;
  assign bits_o = bits_q;
  assign status_o = good ? STATUS_OK[2:0] : state_q == IDLE ? STATUS_IDLE[2:0] :
                    state_q == VIOLATED ? STATUS_COLLISION[2:0] : STATUS_CRC[2:0];
  assign length_o = good ? {3'd0, bits_q[15:3]} : 16'd0;
  assign frame_o = good ? memory_order(frame_q) : {FRAME_BITS{1'b0}};

  // Moves byte 0 from the top, where it is received first, to the bottom.
  function [FRAME_BITS-1:0] memory_order(input [FRAME_BITS-1:0] frame);
    integer k;
    for (k = 0; k < FRAME_BYTES_MAX; k = k + 1) memory_order[8*k +: 8] = frame[FRAME_BITS-1-8*k -: 8];
  endfunction

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (state_q > VIOLATED) $fatal(1, "state: %0d", state_q);
      if ({4'd0, bits_q} > BITS_MAX) $fatal(1, "bits: %0d received, a frame has %0d at most", bits_q, FRAME_BITS);
      if (good && bits_q[2:0] != 3'd0 || state_q == RECEIVING && bits_q == 16'd0) $fatal(1, "bits: %0d received in state %0d", bits_q, state_q);
    end
  end
`endif
endmodule

`default_nettype wire
