// TDMA arbiter: requester 0 for SLICE_CYCLES cycles, then 1, and so on, whether they
// request or not; only the one whose turn it is can be granted. The turns never stop:
// who is still held up by another's frame when its turn ends has lost it.
//
// The grant is registered: a request in cycle c, in its turn, is granted from cycle
// c+1 on. It is held while the request stays high, also behind the turn, and a
// request that falls in cycle c frees the medium for the grant of cycle c+1.
// grant_o is one-hot, 0 for nobody; index_o is 0 for nobody. Reset: no grant, the
// first cycle of requester 0's turn. Twin of hw.Arbiters of kind tdma, for one arbiter.
// In terms of common_cells' rr_arb_tree: request_i is req_i, grant_o is gnt_o, index_o is idx_o,
// and a grant is a lock (LockIn).
`default_nettype none

module arbiter_tdma #(
  parameter integer REQUESTERS = 4,  // 1..64
  parameter integer SLICE_CYCLES = 4 // 1..65535
) (
  input  wire                  clock,
  input  wire                  reset,
  input  wire [REQUESTERS-1:0] request_i,
  output wire [REQUESTERS-1:0] grant_o,
  output reg  [5:0]            index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 64 ||
      SLICE_CYCLES < 1 || SLICE_CYCLES > 65535) begin
    $display("%m: allowed are REQUESTERS 1 to 64, SLICE_CYCLES 1 to 65535");
    $finish;
  end

  localparam integer LAST = REQUESTERS - 1;
  localparam integer LAST_CYCLE = SLICE_CYCLES - 1;

  reg [5:0] turn_q;
  reg [15:0] elapsed_q; // cycles of the turn that are over
  reg [REQUESTERS-1:0] grant_q;
  reg [REQUESTERS-1:0] choice;
  integer i;

  // The holder goes on while its request stays high.
  wire hold = |(request_i & grant_q);

  always @* begin
    for (i = 0; i < REQUESTERS; i = i + 1) choice[i] = request_i[i] && i[5:0] == turn_q;
  end

  always @(posedge clock) begin
    if (reset) begin
      grant_q <= {REQUESTERS{1'b0}};
      turn_q <= 6'd0;
      elapsed_q <= 16'd0;
    end else begin
      if (!hold) grant_q <= choice;
      elapsed_q <= elapsed_q + 16'd1;
      if (elapsed_q == LAST_CYCLE[15:0]) begin
        elapsed_q <= 16'd0;
        turn_q <= turn_q == LAST[5:0] ? 6'd0 : turn_q + 6'd1;
      end
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
      if (~|(ONE << turn_q) || {1'b0, elapsed_q} > LAST_CYCLE[16:0]) $fatal(1, "turn: requester %0d, cycle %0d of its turn", turn_q, elapsed_q);
    end
  end
`endif
endmodule

`default_nettype wire
