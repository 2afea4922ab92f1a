// Round-robin arbiter. It grants the first requester after the last granted one, so a requester waits for at most
// REQUESTERS-1 frames of others.
//
// arbiter_lock.v determines the beginning and the end of a grant. Reset: no grant, requester 0 has the highest
// priority.
// Twin of hw.Arbiters of kind round_robin, for one arbiter. Names in rr_arb_tree of common_cells: request_i is req_i,
// grant_o is gnt_o, index_o is idx_o, and a grant is a lock (LockIn).
`default_nettype none

/* verilator lint_off DECLFILENAME */ // one file per kind

// Choice of the first request after the last granted one. choice_o is combinational. While take_i is high, a choice is granted.
module choice_round_robin #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  localparam [REQUESTERS-1:0] ONE = 1;

  reg [REQUESTERS-1:0] after_q; // requesters after the last granted one

  // The lowest request after the last granted requester, otherwise the lowest request.
  wire [REQUESTERS-1:0] after = request_i & after_q;
  wire [REQUESTERS-1:0] asked = |after ? after : request_i;
  assign choice_o = asked & (~asked + ONE);

  always @(posedge clock) begin
    if (reset) after_q <= {REQUESTERS{1'b1}};
    else if (take_i && |choice_o) after_q <= ~(choice_o | (choice_o - ONE));
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && |(~after_q & (~after_q + ONE))) $fatal(1, "order: asks %b first, not those after one", after_q);
    if (!reset && take_i && |request_i && ~|choice_o) $fatal(1, "req_gnt: chooses no one of requests %b", request_i);
  end
`endif
endmodule

module arbiter_round_robin #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  output wire [REQUESTERS-1:0] grant_o,
  output wire [(REQUESTERS > 64 ? $clog2(REQUESTERS) : 6)-1:0] index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 1024) begin
    $display("%m: allowed are REQUESTERS 1 to 1024");
    $finish;
  end

  wire [REQUESTERS-1:0] choice;
  wire free;

  choice_round_robin #(.REQUESTERS(REQUESTERS)) rule (
    .clock(clock), .reset(reset), .request_i(request_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
