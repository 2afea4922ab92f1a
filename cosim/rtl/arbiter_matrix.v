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
  parameter integer REQUESTERS = 4 // 1..64
) (
  input  wire                  clock,
  input  wire                  reset,
  input  wire [REQUESTERS-1:0] request_i,
  output wire [REQUESTERS-1:0] grant_o,
  output reg  [5:0]            index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 64) begin
    $display("%m: allowed are REQUESTERS 1 to 64");
    $finish;
  end

  localparam [REQUESTERS-1:0] ALL = {REQUESTERS{1'b1}};

  reg [REQUESTERS*REQUESTERS-1:0] beaten_q, beaten_d; // row i: who goes before i
  reg [REQUESTERS-1:0] grant_q;
  reg [REQUESTERS-1:0] choice;
  integer i;

  // The holder goes on while its request stays high.
  wire hold = |(request_i & grant_q);

  always @* begin
    choice = {REQUESTERS{1'b0}};
    beaten_d = beaten_q;
    for (i = 0; i < REQUESTERS; i = i + 1) begin
      choice[i] = request_i[i] && !(|(request_i & beaten_q[i*REQUESTERS +: REQUESTERS]));
    end
    // The chosen one goes before nobody, and all others go before it.
    for (i = 0; i < REQUESTERS; i = i + 1) begin
      beaten_d[i*REQUESTERS +: REQUESTERS] = (choice[i] ? ALL : beaten_q[i*REQUESTERS +: REQUESTERS]) & ~choice;
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      grant_q <= {REQUESTERS{1'b0}};
      for (i = 0; i < REQUESTERS; i = i + 1) beaten_q[i*REQUESTERS +: REQUESTERS] <= ~(ALL << i);
    end else if (!hold) begin
      grant_q <= choice;
      beaten_q <= beaten_d;
    end
  end

  assign grant_o = grant_q;
  always @* begin
    index_o = 6'd0;
    for (i = 0; i < REQUESTERS; i = i + 1) begin
      if (grant_q[i]) index_o = index_o | i[5:0];
    end
  end

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
