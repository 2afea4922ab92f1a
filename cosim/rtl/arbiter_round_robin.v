// Round-robin arbiter: the first requester behind the one that was granted last, so
// a requester waits for at most REQUESTERS-1 frames of others.
//
// The grant is registered: a request in cycle c is granted from cycle c+1 on. It is
// held while the request stays high, and a request that falls in cycle c frees the
// medium for the grant of cycle c+1, so nothing is lost between two frames.
// grant_o is one-hot, 0 for nobody; index_o is 0 for nobody. Reset: no grant,
// requester 0 is asked first. Twin of hw.Arbiters of kind round_robin, for one arbiter.
`default_nettype none

module arbiter_round_robin #(
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

  localparam integer LAST = REQUESTERS - 1;

  reg [5:0] first_q, first_d; // who is asked first
  reg [REQUESTERS-1:0] grant_q;
  reg [REQUESTERS-1:0] choice;
  integer i;

  // The holder goes on while its request stays high.
  wire hold = |(request_i & grant_q);

  always @* begin
    choice = {REQUESTERS{1'b0}};
    for (i = REQUESTERS - 1; i >= 0; i = i - 1) begin
      if (request_i[i]) begin
        choice = {REQUESTERS{1'b0}};
        choice[i] = 1'b1;
      end
    end
    // The lowest at or behind first_q goes before the lowest of all.
    for (i = REQUESTERS - 1; i >= 0; i = i - 1) begin
      if (request_i[i] && i[5:0] >= first_q) begin
        choice = {REQUESTERS{1'b0}};
        choice[i] = 1'b1;
      end
    end
    first_d = first_q;
    for (i = 0; i < REQUESTERS; i = i + 1) begin
      if (choice[i]) first_d = i[5:0] == LAST[5:0] ? 6'd0 : i[5:0] + 6'd1;
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      grant_q <= {REQUESTERS{1'b0}};
      first_q <= 6'd0;
    end else if (!hold) begin
      grant_q <= choice;
      first_q <= first_d;
    end
  end

  assign grant_o = grant_q;
  always @* begin
    index_o = 6'd0;
    for (i = 0; i < REQUESTERS; i = i + 1) begin
      if (grant_q[i]) index_o = index_o | i[5:0];
    end
  end
endmodule

`default_nettype wire
