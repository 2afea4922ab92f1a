// Round-robin arbiter: the first requester behind the one that was granted last, so
// a requester waits for at most REQUESTERS-1 frames of others.
//
// The grant is registered: a request in cycle c is granted from cycle c+1 on. It is
// held while the request stays high, and a request that falls in cycle c frees the
// medium for the grant of cycle c+1, so nothing is lost between two frames.
// grant_o is one-hot, 0 for nobody; index_o is 0 for nobody. Reset: no grant,
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

  localparam integer INDEX_BITS = REQUESTERS > 64 ? $clog2(REQUESTERS) : 6;
  localparam integer NUMBERS = 1 << INDEX_BITS; // that an index can show
  localparam [REQUESTERS-1:0] ONE = 1;

  reg [REQUESTERS-1:0] behind_q; // who stands behind the last holder
  reg [REQUESTERS-1:0] grant_q;

  // The holder goes on while its request stays high.
  wire hold = |(request_i & grant_q);

  // Those behind the last holder go before the others; of these the lowest.
  wire [REQUESTERS-1:0] behind = request_i & behind_q;
  wire [REQUESTERS-1:0] asked = |behind ? behind : request_i;
  wire [REQUESTERS-1:0] choice = asked & (~asked + ONE);

  always @(posedge clock) begin
    if (reset) begin
      grant_q <= {REQUESTERS{1'b0}};
      behind_q <= {REQUESTERS{1'b1}};
    end else if (!hold) begin
      grant_q <= choice;
      if (|choice) behind_q <= ~(choice | (choice - ONE));
    end
  end

  assign grant_o = grant_q;

  // Bit b of the index: whether the holder's number has it.
  genvar b;
  generate
    for (b = 0; b < INDEX_BITS; b = b + 1) begin : bits
      localparam [NUMBERS-1:0] HAS = {(NUMBERS >> (b + 1)){{(1 << b){1'b1}}, {(1 << b){1'b0}}}};
      assign index_o[b] = |(grant_q & HAS[REQUESTERS-1:0]);
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (|(grant_q & (grant_q - ONE)) || (!hold && |(choice & (choice - ONE)))) $fatal(1, "hot_one: grants %b, chooses %b", grant_q, choice);
      if (|grant_q && (grant_q >> index_o) != ONE) $fatal(1, "gnt_idx: index %0d, grants %b", index_o, grant_q);
      if (!hold && |(choice & ~request_i)) $fatal(1, "gnt_req: chooses %b of requests %b", choice, request_i);
      if (!hold && |request_i && ~|choice) $fatal(1, "req_gnt: chooses no one of requests %b", request_i);
    end
  end
`endif
endmodule

`default_nettype wire
