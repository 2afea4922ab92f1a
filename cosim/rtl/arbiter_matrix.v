// Matrix arbiter. It grants the requester whose last grant began longest ago. Requesters without a
// previous grant go first, in ascending order. A requester waits for at most REQUESTERS-1 frames of
// others.
//
// arbiter_lock.v determines the beginning and the end of a grant. Reset: no grant, no requester has been
// granted.
// Twin of hw.Arbiters of kind matrix, for one arbiter. Names in rr_arb_tree of common_cells: request_i is
// req_i, grant_o is gnt_o, index_o is idx_o, and a grant is a lock (LockIn).
`default_nettype none

/* verilator lint_off DECLFILENAME */ // one file per kind

// Choice of the least recently granted request. choice_o is combinational. While take_i is high, a choice is granted.
module choice_matrix #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  localparam integer INDEX_BITS = REQUESTERS > 64 ? $clog2(REQUESTERS) : 6;
  localparam integer NUMBERS = 1 << INDEX_BITS; // number of values of an index
  localparam integer LAST = REQUESTERS - 1;

  // The matrix of priorities is an order. The rank of a requester is the number of requesters that precede it. Ranks
  // need REQUESTERS*log2(REQUESTERS) registers instead of REQUESTERS squared. Plane b holds bit b of all ranks, one
  // bit per requester.
  reg [INDEX_BITS*REQUESTERS-1:0] rank_q, rank_d;
  wire [INDEX_BITS*REQUESTERS-1:0] numbers; // planes of the requesters' numbers

  reg [REQUESTERS-1:0] choice, lower, above, equal, borrow;
  reg [INDEX_BITS-1:0] best; // the rank of the choice
  integer b;

  always @* begin
    // The request with the lowest rank, from the highest bit down: requests with a 0 in a bit precede the others.
    // Ranks are distinct, so one request remains.
    choice = request_i;
    lower = {REQUESTERS{1'b0}};
    for (b = INDEX_BITS - 1; b >= 0; b = b - 1) begin
      lower = choice & ~rank_q[b*REQUESTERS +: REQUESTERS];
      if (|lower) choice = lower;
    end
    for (b = 0; b < INDEX_BITS; b = b + 1) best[b] = |(choice & rank_q[b*REQUESTERS +: REQUESTERS]);

    // The chosen requester becomes last. The ranks of the requesters after it decrease by 1.
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
    if (reset) rank_q <= numbers;
    else if (take_i) rank_q <= rank_d;
  end

  assign choice_o = choice;

  // Plane i of the numbers has a 1 for each number whose bit i is 1.
  genvar i;
  generate
    for (i = 0; i < INDEX_BITS; i = i + 1) begin : bits
      localparam [NUMBERS-1:0] HAS = {(NUMBERS >> (i + 1)){{(1 << i){1'b1}}, {(1 << i){1'b0}}}};
      assign numbers[i*REQUESTERS +: REQUESTERS] = HAS[REQUESTERS-1:0];
    end
  endgenerate

`ifndef SYNTHESIS
  wire [INDEX_BITS*REQUESTERS-1:0] last; // the ranks if every requester were last
  reg [REQUESTERS-1:0] taken_q; // last granted requester
  generate
    for (i = 0; i < INDEX_BITS; i = i + 1) begin : lasts
      assign last[i*REQUESTERS +: REQUESTERS] = {REQUESTERS{LAST[i]}};
    end
  endgenerate
  always @(posedge clock) begin
    taken_q <= reset ? {REQUESTERS{1'b0}} : take_i && |choice ? choice : taken_q;
    if (!reset && |({INDEX_BITS{taken_q}} & (rank_q ^ last))) $fatal(1, "last: %b was taken last and does not go last", taken_q);
    if (!reset && take_i && |request_i && ~|choice) $fatal(1, "req_gnt: chooses no one of requests %b", request_i);
  end
`endif

`ifdef STARLOOM_PROOF
  // Registers of other matrix arbiters: for each pair of requesters, the requester that precedes. These registers can
  // be proved from their values in the previous cycle, because the ranks are an order.
  genvar j, k;
  generate
    if (REQUESTERS <= 32) begin : viewed
      wire [REQUESTERS*REQUESTERS-1:0] views, views_count = {REQUESTERS*REQUESTERS{1'b1}};
      wire [REQUESTERS*REQUESTERS-1:0] same;
      wire [REQUESTERS-1:0] beyond;
      for (j = 0; j < REQUESTERS; j = j + 1) begin : of
        wire [INDEX_BITS-1:0] rank;
        for (k = 0; k < INDEX_BITS; k = k + 1) begin : planes
          assign rank[k] = rank_q[k*REQUESTERS + j];
        end
        assign beyond[j] = rank > LAST;
      end
      for (j = 0; j < REQUESTERS; j = j + 1) begin : first
        for (k = 0; k < REQUESTERS; k = k + 1) begin : second
          assign views[j*REQUESTERS + k] = of[j].rank < of[k].rank;
          assign same[j*REQUESTERS + k] = j < k && of[j].rank == of[k].rank;
        end
      end
      always @(posedge clock) if (!reset && (|same || |beyond)) $fatal(1, "order: two have one rank, or one has a rank of none");
    end
  endgenerate
`endif
endmodule

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

  wire [REQUESTERS-1:0] choice;
  wire free;

  choice_matrix #(.REQUESTERS(REQUESTERS)) rule (
    .clock(clock), .reset(reset), .request_i(request_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
