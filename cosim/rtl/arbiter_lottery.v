// Lottery arbiter. Each requester has as many tickets as its weight. A grant is drawn among the tickets of all current requests.
//
// arbiter_lock.v determines the beginning and the end of a grant. Tickets are numbered from requester 0 on; the drawn ticket is
// floor(draw * tickets / 2^32). draw is a 32-bit LFSR (lfsr.v), which advances 32 steps for each grant. weight_i, 8 bits per
// requester, is read in every cycle. A requester without tickets is never granted. Reset: no grant. The LFSR starts with the
// value of seed_i at the first grant; 0 counts as 1.
// Twin of hw.Arbiters of kind lottery, for one arbiter.
`default_nettype none

/* verilator lint_off DECLFILENAME */ // one file per kind

// Choice by ticket. choice_o is combinational. While take_i is high, a choice is granted.
module choice_lottery #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire [8*REQUESTERS-1:0] weight_i,
  input  wire [31:0] seed_i,
  input  wire take_i,
  output wire [REQUESTERS-1:0] choice_o
);
  localparam [31:0] POLYNOMIAL = 32'h80200003;
  localparam integer SUM_BITS = 8 + $clog2(REQUESTERS + 1);

  function [31:0] stepped(input [31:0] value);
    integer n;
    begin
      stepped = value;
      for (n = 0; n < 32; n = n + 1) stepped = {1'b0, stepped[31:1]} ^ (stepped[0] ? POLYNOMIAL : 32'd0);
    end
  endfunction

  reg [31:0] draw_q; // 0 before the first grant
  wire [31:0] draw = |draw_q ? draw_q : |seed_i ? seed_i : 32'd1;

  // The number of tickets of all requests, and the drawn ticket.
  reg [SUM_BITS-1:0] tickets;
  integer i;
  always @* begin
    tickets = {SUM_BITS{1'b0}};
    for (i = 0; i < REQUESTERS; i = i + 1) if (request_i[i]) tickets = tickets + {{(SUM_BITS-8){1'b0}}, weight_i[8*i +: 8]};
  end
  wire [SUM_BITS+31:0] product = {{SUM_BITS{1'b0}}, draw} * {32'd0, tickets};
  wire [SUM_BITS-1:0] ticket = product[SUM_BITS+31:32];
  wire unused = &{1'b0, product[31:0]};

  // The holder of the ticket: the first requester for which the sum of its own and all lower requesters' tickets exceeds the ticket's number.
  reg [REQUESTERS-1:0] holder;
  reg [SUM_BITS-1:0] sum;
  integer k;
  always @* begin
    holder = {REQUESTERS{1'b0}};
    sum = {SUM_BITS{1'b0}};
    for (k = 0; k < REQUESTERS; k = k + 1) begin
      if (request_i[k]) begin
        holder[k] = ticket >= sum && ticket < sum + {{(SUM_BITS-8){1'b0}}, weight_i[8*k +: 8]};
        sum = sum + {{(SUM_BITS-8){1'b0}}, weight_i[8*k +: 8]};
      end
    end
  end
  assign choice_o = holder;

  always @(posedge clock) begin
    if (reset) draw_q <= 32'd0;
    else if (take_i && |choice_o) draw_q <= stepped(draw);
  end

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && |tickets && ~|choice_o) $fatal(1, "drawn: no one has ticket %0d of %0d", ticket, tickets);
  end
`endif
endmodule

module arbiter_lottery #(
  parameter integer REQUESTERS = 4 // 1..1024
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  input  wire [8*REQUESTERS-1:0] weight_i,
  input  wire [31:0] seed_i,
  output wire [REQUESTERS-1:0] grant_o,
  output wire [(REQUESTERS > 64 ? $clog2(REQUESTERS) : 6)-1:0] index_o
);
  initial if (REQUESTERS < 1 || REQUESTERS > 1024) begin
    $display("%m: allowed are REQUESTERS 1 to 1024");
    $finish;
  end

  wire [REQUESTERS-1:0] choice;
  wire free;

  choice_lottery #(.REQUESTERS(REQUESTERS)) rule (
    .clock(clock), .reset(reset), .request_i(request_i), .weight_i(weight_i), .seed_i(seed_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
