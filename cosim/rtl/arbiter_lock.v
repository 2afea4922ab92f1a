// Lock of an arbiter: the registered grant, which is held while its request stays high. Which
// request is chosen while the medium is free, the choice of a kind says (choice_fixed in arbiter_fixed.v).
//
// A request in cycle c is granted from cycle c+1 on. It is held while the request stays high, and
// a request that falls in cycle c frees the medium for the grant of cycle c+1, so nothing is lost
// between two frames. free_o says, within a cycle, that choice_i is taken at its end; else it is
// ignored. grant_o is one-hot, 0 for none; index_o is 0 for none. Reset: no grant.
// Part of the twins of hw.Arbiters.
`default_nettype none

module arbiter_lock #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire [REQUESTERS-1:0] choice_i,
  output wire free_o,
  output wire [REQUESTERS-1:0] grant_o,
  output wire [(REQUESTERS > 64 ? $clog2(REQUESTERS) : 6)-1:0] index_o
);
  localparam integer INDEX_BITS = REQUESTERS > 64 ? $clog2(REQUESTERS) : 6;
  localparam integer NUMBERS = 1 << INDEX_BITS; // that an index can show

  reg [REQUESTERS-1:0] grant_q;

  // The holder goes on while its request stays high.
  assign free_o = ~|(request_i & grant_q);

  always @(posedge clock) begin
    if (reset) grant_q <= {REQUESTERS{1'b0}};
    else if (free_o) grant_q <= choice_i;
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
  localparam [REQUESTERS-1:0] ONE = 1;
  always @(posedge clock) begin
    if (!reset) begin
      if (|(grant_q & (grant_q - ONE)) || (free_o && |(choice_i & (choice_i - ONE))))
        $fatal(1, "hot_one: grants %b, chooses %b", grant_q, choice_i);
      if (|grant_q && (grant_q >> index_o) != ONE) $fatal(1, "gnt_idx: index %0d, grants %b", index_o, grant_q);
      if (free_o && |(choice_i & ~request_i)) $fatal(1, "gnt_req: chooses %b of requests %b", choice_i, request_i);
    end
  end
`endif
endmodule

`default_nettype wire
