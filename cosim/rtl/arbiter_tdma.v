// TDMA arbiter. Requester 0 has a turn of SLICE_CYCLES cycles, then requester 1, and so on, even
// if they request nothing. Only the requester whose turn it is can be granted. Turns never pause:
// a requester loses its turn if a frame of another requester occupies the medium until the turn
// ends.
//
// arbiter_lock.v determines the beginning and the end of a grant. A grant begins only in the
// requester's turn and may continue after it. Reset: no grant, first cycle of requester 0's turn.
// Twin of hw.Arbiters of kind tdma, for one arbiter. Names in rr_arb_tree of common_cells:
// request_i is req_i, grant_o is gnt_o, index_o is idx_o, and a grant is a lock (LockIn).
`default_nettype none

/* verilator lint_off DECLFILENAME */ // one file per kind

// Choice of the request of the requester whose turn it is. choice_o is combinational. While take_i is high, a choice is granted.
module choice_tdma #(
  parameter integer REQUESTERS = 4,  // 1..1024
  parameter integer SLICE_CYCLES = 4 // 1..65535
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  localparam integer INDEX_BITS = REQUESTERS > 64 ? $clog2(REQUESTERS) : 6;
  localparam integer LAST = REQUESTERS - 1;
  localparam [REQUESTERS-1:0] ONE = 1;
  localparam integer LAST_CYCLE = SLICE_CYCLES - 1;

  reg [INDEX_BITS-1:0] turn_q;
  reg [15:0] elapsed_q; // elapsed cycles of the turn

  assign choice_o = request_i & (ONE << turn_q);
  wire unused = &{1'b0, take_i};

  always @(posedge clock) begin
    if (reset) begin
      turn_q <= {INDEX_BITS{1'b0}};
      elapsed_q <= 16'd0;
    end else begin
      elapsed_q <= elapsed_q + 16'd1;
      if (elapsed_q == LAST_CYCLE[15:0]) begin
        elapsed_q <= 16'd0;
        turn_q <= turn_q == LAST[INDEX_BITS-1:0] ? {INDEX_BITS{1'b0}} : turn_q + 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (~|(ONE << turn_q) || {1'b0, elapsed_q} > LAST_CYCLE[16:0]) begin
        $fatal(1, "turn: requester %0d, cycle %0d of its turn", turn_q, elapsed_q);
      end
    end
  end
`endif
endmodule

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

  wire [REQUESTERS-1:0] choice;
  wire free;

  choice_tdma #(.REQUESTERS(REQUESTERS), .SLICE_CYCLES(SLICE_CYCLES)) rule (
    .clock(clock), .reset(reset), .request_i(request_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
