// Round-robin arbiter: the first requester after the one that was granted last, so
// a requester waits for at most REQUESTERS-1 frames of others.
//
// When a request is granted, and for how long: arbiter_lock.v. Reset: no grant,
// requester 0 is asked first. Twin of hw.Arbiters of kind round_robin, for one arbiter.
// In terms of common_cells' rr_arb_tree: request_i is req_i, grant_o is gnt_o, index_o is idx_o,
// and a grant is a lock (LockIn).
`default_nettype none

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

  localparam [REQUESTERS-1:0] ONE = 1;

  reg [REQUESTERS-1:0] after_q; // those after the last holder

  // Those after the last holder go before the others; of these the lowest.
  wire [REQUESTERS-1:0] after = request_i & after_q;
  wire [REQUESTERS-1:0] asked = |after ? after : request_i;
  wire [REQUESTERS-1:0] choice = asked & (~asked + ONE);
  wire free;

  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );

  always @(posedge clock) begin
    if (reset) after_q <= {REQUESTERS{1'b1}};
    else if (free && |choice) after_q <= ~(choice | (choice - ONE));
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && |(~after_q & (~after_q + ONE))) $fatal(1, "order: asks %b first, not those after one", after_q);
  end
`endif
endmodule

`default_nettype wire
