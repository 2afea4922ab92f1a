// Lock of an arbiter. It registers a grant and holds it while the request stays high. The module of
// the kind (choice_fixed in arbiter_fixed.v) chooses the request while the medium is free.
//
// A request in cycle c is granted from cycle c+1 on. If a granted request falls in cycle c, another
// request can be granted in cycle c+1, so no cycle is lost between two frames. free_o is
// combinational: while it is 1, choice_i is registered at the end of the cycle; otherwise choice_i is
// ignored. grant_o is one-hot, 0 for none; index_o is 0 for none. Reset: no grant. Part of the twins
// of hw.Arbiters.
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
  localparam integer NUMBERS = 1 << INDEX_BITS; // number of values of an index

  reg [REQUESTERS-1:0] grant_q;

  // The grant continues while its request stays high.
  assign free_o = ~|(request_i & grant_q);

  always @(posedge clock) begin
    if (reset) grant_q <= {REQUESTERS{1'b0}};
    else if (free_o) grant_q <= choice_i;
  end

  assign grant_o = grant_q;

  // Bit b of the index is 1 if the number of the granted requester has bit b.
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
