// Arbiter with a favourite. It grants requester 0, otherwise the first requester after the last granted one.
//
// arbiter_lock.v determines the beginning and the end of a grant. Reset: no grant, requester 1 precedes requesters 2 and above.
// Twin of hw.Arbiters of kind favour, for one arbiter.
`default_nettype none

module arbiter_favour #(
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

  reg [REQUESTERS-1:0] after_q; // requesters after the last granted one, without requester 0

  wire [REQUESTERS-1:0] after = request_i & after_q;
  wire [REQUESTERS-1:0] asked = |after ? after : request_i;
  wire [REQUESTERS-1:0] choice = request_i[0] ? ONE : asked & (~asked + ONE);
  wire free;

  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );

  always @(posedge clock) begin
    if (reset) after_q <= {REQUESTERS{1'b1}};
    else if (free && |(choice & ~ONE)) after_q <= ~(choice | (choice - ONE));
  end
endmodule

`default_nettype wire
