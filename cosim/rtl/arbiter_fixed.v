// Arbiter with fixed priority: the lowest requester; the others may starve.
//
// When a request is granted, and for how long: arbiter_lock.v. Reset: no grant.
// Twin of hw.Arbiters of kind fixed, for one arbiter.
// In terms of common_cells' rr_arb_tree: request_i is req_i, grant_o is gnt_o, index_o is idx_o,
// and a grant is a lock (LockIn).
`default_nettype none

module arbiter_fixed #(
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

  wire [REQUESTERS-1:0] choice = request_i & (~request_i + ONE); // the lowest
  wire free;
  wire unused = &{1'b0, free};

  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
