// Weighted round-robin arbiter. Each requester has as many credits as its weight. The arbiter grants the first requester with credits
// after the last granted one; a grant costs one credit. If no current request has credits, all requesters regain their credits.
//
// arbiter_lock.v determines the beginning and the end of a grant. weight_i, 8 bits per requester, is read in every cycle; weight 0
// means no credits. Reset: no grant, all credits, requester 0 has the highest priority.
// Twin of hw.Arbiters of kind weighted_round_robin, for one arbiter.
`default_nettype none

/* verilator lint_off DECLFILENAME */ // one file per kind

// Choice by credits. choice_o is combinational. While take_i is high, a choice is granted.
module choice_weighted_round_robin #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire [8*REQUESTERS-1:0] weight_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  localparam [REQUESTERS-1:0] ONE = 1;

  reg [REQUESTERS-1:0] after_q;   // requesters after the last granted one
  reg [8*REQUESTERS-1:0] spent_q; // credits
  wire [REQUESTERS-1:0] credit;

  genvar i;
  generate
    for (i = 0; i < REQUESTERS; i = i + 1) begin : of
      assign credit[i] = spent_q[8*i +: 8] < weight_i[8*i +: 8];
    end
  endgenerate

  wire [REQUESTERS-1:0] rich = request_i & credit;
  wire [REQUESTERS-1:0] asked = |rich ? rich : request_i;
  wire [REQUESTERS-1:0] after = asked & after_q;
  wire [REQUESTERS-1:0] first = |after ? after : asked;
  assign choice_o = first & (~first + ONE);

  integer k;
  always @(posedge clock) begin
    if (reset) begin
      after_q <= {REQUESTERS{1'b1}};
      spent_q <= {REQUESTERS{8'd0}};
    end else if (take_i && |choice_o) begin
      after_q <= ~(choice_o | (choice_o - ONE));
      for (k = 0; k < REQUESTERS; k = k + 1) begin
        if (~|rich) spent_q[8*k +: 8] <= choice_o[k] ? 8'd1 : 8'd0; // all requesters regain their credits
        else if (choice_o[k]) spent_q[8*k +: 8] <= spent_q[8*k +: 8] + 8'd1;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && |(~after_q & (~after_q + ONE))) $fatal(1, "order: asks %b first, not those after one", after_q);
    if (!reset && take_i && |request_i && ~|choice_o) $fatal(1, "req_gnt: chooses no one of requests %b", request_i);
  end
`endif
endmodule

module arbiter_weighted_round_robin #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire [8*REQUESTERS-1:0] weight_i,
  output wire [REQUESTERS-1:0] grant_o,
  output wire [(REQUESTERS > 64 ? $clog2(REQUESTERS) : 6)-1:0] index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 1024) begin
    $display("%m: allowed are REQUESTERS 1 to 1024");
    $finish;
  end

  wire [REQUESTERS-1:0] choice;
  wire free;

  choice_weighted_round_robin #(.REQUESTERS(REQUESTERS)) rule (
    .clock(clock), .reset(reset), .request_i(request_i), .weight_i(weight_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
