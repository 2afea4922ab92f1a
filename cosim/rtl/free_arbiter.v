// Arbiter with a combinational grant, of the kinds used for streams.
//
// KIND 0 grants the lowest request, KIND 1 the first request after the last granted one. HOLD 0: a new choice in
// every cycle. HOLD 1: the chosen requester keeps the grant while its request stays high. HOLD 2: the chosen
// requester keeps the grant until a cycle with take_i, even without its request. HOLD 3: as HOLD 2, but take_i refers
// to the grant of the previous cycle, as in arbiters with a registered grant; such arbiters show this grant one cycle
// later. take_i is one bit, or one bit per requester, of which the holder's bit counts. With HOLD 0 and 2, only a
// grant that is taken advances the order of KIND 1. Reset: no grant held, requester 0 has the highest priority.
// Twin of package twin's free arbiter.
`default_nettype none

module free_arbiter #(
  parameter integer REQUESTERS = 4, // 1..64
  parameter integer KIND = 1,       // 0 fixed, 1 round robin
  parameter integer HOLD = 0,       // grant is held: 0 never, 1 while requested, 2 until taken, 3 until taken one cycle later
  parameter integer TAKE_BITS = 1   // 1 or REQUESTERS
) (
  input  wire                  clock,
  input  wire                  reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire [TAKE_BITS-1:0]  take_i,
  output wire [REQUESTERS-1:0] grant_o,
  output reg  [5:0]            index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 64 || KIND < 0 || KIND > 1 || HOLD < 0 || HOLD > 3 ||
      (TAKE_BITS != 1 && TAKE_BITS != REQUESTERS)) begin
    $display("%m: allowed are REQUESTERS 1 to 64, KIND 0 or 1, HOLD 0 to 3, TAKE_BITS 1 or REQUESTERS");
    $finish;
  end

  localparam [REQUESTERS-1:0] ONE = 1;

  reg [REQUESTERS-1:0] held_q; // requester that holds the grant

  wire [REQUESTERS-1:0] take = {(REQUESTERS / TAKE_BITS){take_i}};
  wire taken = |(take & (HOLD == 3 ? held_q : grant_o));
  wire [REQUESTERS-1:0] keep = HOLD == 1 ? held_q & request_i :
    HOLD == 2 ? held_q :
    HOLD == 3 ? held_q & {REQUESTERS{!taken}} : {REQUESTERS{1'b0}};

  // The holder of the grant is then the only request.
  wire moves = |grant_o && (taken || HOLD == 1 || HOLD == 3);
  arbiter_choice #(.REQUESTERS(REQUESTERS), .KIND(KIND)) rule (
    .clock(clock), .reset(reset), .request_i(|keep ? keep : request_i), .take_i(moves), .choice_o(grant_o)
  );

  always @(posedge clock) begin
    if (reset) held_q <= {REQUESTERS{1'b0}};
    else held_q <= HOLD == 0 || (HOLD == 2 && taken) ? {REQUESTERS{1'b0}} : grant_o;
  end

  integer i;
  always @* begin
    index_o = 6'd0;
    for (i = 0; i < REQUESTERS; i = i + 1) if (grant_o[i]) index_o = i[5:0];
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (|(grant_o & (grant_o - ONE))) $fatal(1, "hot_one: grants %b", grant_o);
    end
  end
`endif
endmodule

`default_nettype wire
