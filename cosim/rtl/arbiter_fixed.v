// Fixed-priority arbiter. It grants the lowest requester, so higher requesters may starve.
//
// arbiter_lock.v determines the beginning and the end of a grant. Reset: no grant.
// Twin of hw.Arbiters of kind fixed, for one arbiter. Names in rr_arb_tree of
// common_cells: request_i is req_i, grant_o is gnt_o, index_o is idx_o, and a grant is a
// lock (LockIn).
`default_nettype none

/* verilator lint_off DECLFILENAME */ // one file per kind

// Choice of the lowest request. choice_o is combinational. While take_i is high, a choice is granted.
module choice_fixed #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  localparam [REQUESTERS-1:0] ONE = 1;

  assign choice_o = request_i & (~request_i + ONE); // the lowest
  wire unused = &{1'b0, clock, reset, take_i};

`ifndef SYNTHESIS
  always @(posedge clock) if (!reset && take_i && |request_i && ~|choice_o) $fatal(1, "req_gnt: chooses no one of requests %b", request_i);
`endif
endmodule

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

  wire [REQUESTERS-1:0] choice;
  wire free;

  choice_fixed #(.REQUESTERS(REQUESTERS)) rule (
    .clock(clock), .reset(reset), .request_i(request_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
