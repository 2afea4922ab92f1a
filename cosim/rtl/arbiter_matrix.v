// Matrix arbiter: the requester whose last grant began longest ago; those that never
// had one go before all others, lowest first. A requester waits for at most
// REQUESTERS-1 frames of others.
//
// The grant is registered: a request in cycle c is granted from cycle c+1 on. It is
// held while the request stays high, and a request that falls in cycle c frees the
// medium for the grant of cycle c+1, so nothing is lost between two frames.
// grant_o is one-hot, 0 for nobody; index_o is 0 for nobody. Reset: no grant, nobody
// served. Twin of hw.Arbiters of kind matrix, for one arbiter.
// In terms of common_cells' rr_arb_tree: request_i is req_i, grant_o is gnt_o, index_o is idx_o,
// and a grant is a lock (LockIn).
`default_nettype none

module arbiter_matrix #(
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
  localparam integer LAST = REQUESTERS - 1;

  // What the matrix says, who goes before whom, is an order. Of each requester the rank is
  // kept, how many go before it: REQUESTERS*log2(REQUESTERS) registers and not their
  // square. Plane b, a bit for each requester, is bit b of all ranks.
  reg [INDEX_BITS*REQUESTERS-1:0] rank_q, rank_d;
  wire [INDEX_BITS*REQUESTERS-1:0] numbers; // the same of the requesters' numbers

  reg [REQUESTERS-1:0] grant_q;
  reg [REQUESTERS-1:0] choice, lower, above, equal, borrow;
  reg [INDEX_BITS-1:0] best; // the rank of the choice
  integer b;

  // The holder goes on while its request stays high.
  wire hold = |(request_i & grant_q);

  always @* begin
    // The least rank, from the top: those that have a 0 there go before the others. No
    // two ranks are equal, so one is left.
    choice = request_i;
    lower = {REQUESTERS{1'b0}};
    for (b = INDEX_BITS - 1; b >= 0; b = b - 1) begin
      lower = choice & ~rank_q[b*REQUESTERS +: REQUESTERS];
      if (|lower) choice = lower;
    end
    for (b = 0; b < INDEX_BITS; b = b + 1) best[b] = |(choice & rank_q[b*REQUESTERS +: REQUESTERS]);

    // The chosen one goes last. Those that it went before move up: rank - 1.
    above = {REQUESTERS{1'b0}};
    equal = {REQUESTERS{|request_i}};
    for (b = INDEX_BITS - 1; b >= 0; b = b - 1) begin
      if (!best[b]) above = above | (equal & rank_q[b*REQUESTERS +: REQUESTERS]);
      equal = equal & (rank_q[b*REQUESTERS +: REQUESTERS] ^ {REQUESTERS{!best[b]}});
    end
    borrow = above;
    for (b = 0; b < INDEX_BITS; b = b + 1) begin
      rank_d[b*REQUESTERS +: REQUESTERS] = (rank_q[b*REQUESTERS +: REQUESTERS] ^ borrow) & ~choice |
          (choice & {REQUESTERS{LAST[b]}});
      borrow = borrow & ~rank_q[b*REQUESTERS +: REQUESTERS];
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      grant_q <= {REQUESTERS{1'b0}};
      rank_q <= numbers;
    end else if (!hold) begin
      grant_q <= choice;
      rank_q <= rank_d;
    end
  end

  assign grant_o = grant_q;

  // Bit i of the index: whether the holder's number has it.
  genvar i;
  generate
    for (i = 0; i < INDEX_BITS; i = i + 1) begin : bits
      localparam [NUMBERS-1:0] HAS = {(NUMBERS >> (i + 1)){{(1 << i){1'b1}}, {(1 << i){1'b0}}}};
      assign numbers[i*REQUESTERS +: REQUESTERS] = HAS[REQUESTERS-1:0];
      assign index_o[i] = |(grant_q & HAS[REQUESTERS-1:0]);
    end
  endgenerate

`ifndef SYNTHESIS
  localparam [REQUESTERS-1:0] ONE = 1;
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
