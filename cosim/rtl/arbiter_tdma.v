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
  parameter integer REQUESTERS = 4,  // 1..1024
  parameter integer SLICE_CYCLES = 4 // 1..65535
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  output wire [REQUESTERS-1:0] grant_o,
  output wire [(REQUESTERS > 64 ? $clog2(REQUESTERS) : 6)-1:0] index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 1024 ||
      SLICE_CYCLES < 1 || SLICE_CYCLES > 65535) begin
    $display("%m: allowed are REQUESTERS 1 to 1024, SLICE_CYCLES 1 to 65535");
    $finish;
  end

  localparam integer INDEX_BITS = REQUESTERS > 64 ? $clog2(REQUESTERS) : 6;
  localparam integer NUMBERS = 1 << INDEX_BITS; // that an index can show
  localparam integer LAST = REQUESTERS - 1;
  localparam [REQUESTERS-1:0] ONE = 1;
  localparam integer LAST_CYCLE = SLICE_CYCLES - 1;

  reg [INDEX_BITS-1:0] turn_q;
  reg [15:0] elapsed_q; // cycles of the turn that are over
  reg [REQUESTERS-1:0] grant_q;

  // The holder goes on while its request stays high.
  wire hold = |(request_i & grant_q);

  wire [REQUESTERS-1:0] choice = request_i & (ONE << turn_q);

  always @(posedge clock) begin
    if (reset) begin
      grant_q <= {REQUESTERS{1'b0}};
      turn_q <= {INDEX_BITS{1'b0}};
      elapsed_q <= 16'd0;
    end else begin
      if (!hold) grant_q <= choice;
      elapsed_q <= elapsed_q + 16'd1;
      if (elapsed_q == LAST_CYCLE[15:0]) begin
        elapsed_q <= 16'd0;
        turn_q <= turn_q == LAST[INDEX_BITS-1:0] ? {INDEX_BITS{1'b0}} : turn_q + 1'b1;
      end
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
      if (~|(ONE << turn_q) || {1'b0, elapsed_q} > LAST_CYCLE[16:0]) $fatal(1, "turn: requester %0d, cycle %0d of its turn", turn_q, elapsed_q);
    end
  end
`endif
endmodule

`default_nettype wire
