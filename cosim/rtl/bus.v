// Bus with TAPS taps. The rails of all open taps are ORed, and all receivers see the result.
//
// request_i[i] is high while the transmitter at tap i is switched to this bus to send. With
// ARBITER 0, request_i[i] opens the tap in the same cycle, and light of several taps collides.
// Otherwise an arbiter grants one request from the next cycle on, while the request stays high;
// other requests wait. rail1_i and rail0_i are dark for transmitters that are switched to another
// bus.
//
// Latency of light 0 cycles (combinational), of a grant 1 cycle. Reset: no grant.
// Twin of hw.Buses without an arbiter, and of hw.ArbitratedBuses, for one bus.
`default_nettype none

module bus #(
  parameter integer TAPS = 4,        // 1..1024
  parameter integer PHIT_BITS = 8,   // 1..64
  parameter integer ARBITER = 1,     // 0 none, 1 one
  parameter integer KIND = 1,        // 0 fixed, 1 round robin, 2 matrix (least recently granted), 3 TDMA; 0 without an arbiter
  parameter integer SLICE_CYCLES = 1 // TDMA: 1..65535; otherwise 1
) (
  input  wire                      clock,
  input  wire                      reset,
  input  wire [TAPS-1:0]           request_i,
  input  wire [TAPS*PHIT_BITS-1:0] rail1_i,
  input  wire [TAPS*PHIT_BITS-1:0] rail0_i,
  output wire [PHIT_BITS-1:0]      rail1_o,
  output wire [PHIT_BITS-1:0]      rail0_o,
  output wire                      violation_o,
  output wire [TAPS-1:0]           grant_o
);
  initial if (TAPS < 1 || TAPS > 1024 || PHIT_BITS < 1 || PHIT_BITS > 64 || ARBITER < 0 || ARBITER > 1 ||
      KIND < 0 || KIND > (ARBITER == 1 ? 3 : 0) || SLICE_CYCLES < 1 || SLICE_CYCLES > (KIND == 3 ? 65535 : 1)) begin
    $display("%m: allowed are TAPS 1 to 1024, PHIT_BITS 1 to 64, ARBITER 0 or 1,",
      " KIND 0 to 3 with ARBITER 1, else 0, SLICE_CYCLES 1 to 65535 with KIND 3, else 1");
    $finish;
  end

  localparam integer INDEX_BITS = TAPS > 64 ? $clog2(TAPS) : 6;

  generate
    if (ARBITER == 0) begin : none
      wire unused = &{1'b0, clock, reset};
      assign grant_o = request_i;
    end else begin : one
      wire [INDEX_BITS-1:0] index;
      wire unused = &{1'b0, index};
      arbiter #(.REQUESTERS(TAPS), .KIND(KIND), .SLICE_CYCLES(SLICE_CYCLES)) arbiter (
        .clock(clock), .reset(reset), .request_i(request_i), .grant_o(grant_o), .index_o(index)
      );
    end
  endgenerate

  bus_taps #(.TAPS(TAPS), .PHIT_BITS(PHIT_BITS)) taps (
    .rail1_i(rail1_i), .rail0_i(rail0_i), .grant_i(grant_o), .rail1_o(rail1_o), .rail0_o(rail0_o), .violation_o(violation_o)
  );

`ifndef SYNTHESIS
  // Requests of the previous cycle: the arbiter grants only these.
  reg [TAPS-1:0] request_q;
  always @(posedge clock) begin
    request_q <= reset ? {TAPS{1'b0}} : request_i;
    if (!reset && ARBITER != 0) begin
      if (|(grant_o & (grant_o - {{(TAPS-1){1'b0}}, 1'b1}))) $fatal(1, "open: %b, one tap at a time", grant_o);
      if (|(grant_o & ~request_q)) $fatal(1, "asked: opens %b for requests %b", grant_o, request_q);
      if (violation_o && ~|(rail1_i & rail0_i)) $fatal(1, "alone: a violation without one at a tap");
    end
  end
`endif
endmodule

`default_nettype wire
