// Allocator that matches inputs and outputs by lists. One requesting input per cycle has its turn, in
// ascending order of (tag, index); with ROUND_ROBIN, equal tags are ordered from a pointer on. The input
// claims an output: its first choice if that position is valid and its output is free, otherwise the first
// such position of its list. An output is free if it listens for the tag and is not claimed in this slot.
//
// start_i begins a slot. turn_o and input_o follow in the same cycle, and the memory of this input answers
// with list_i, valid_i and first_i in the same cycle. served_o shows a claim in the next cycle; grant_o,
// claimed_o and source_o show it until the next start. Allocation ends when no input is left or CAP inputs
// are granted, after at most PORTS cycles. Requests, tags and listeners should be stable until then. At the
// next start the pointer advances past the first granted input. Reset: no claims, idle until start, pointer
// 0.
// Twin of hw.ListAllocators, for one allocator.
`default_nettype none

module list_allocator #(
  parameter integer PORTS = 4,      // inputs, and outputs, 1..64
  parameter integer LIST = 3,       // positions of a list, 1..64
  parameter integer CAP = 0,        // maximum number of claims in a slot, 0..PORTS; 0 for no limit
  parameter integer ROUND_ROBIN = 0 // 0 or 1
) (
  input  wire clock,
  input  wire reset,
  input  wire start_i,
  input  wire [PORTS-1:0] request_i,
  input  wire [PORTS*16-1:0] tag_i,
  input  wire [PORTS-1:0] listen_i,
  input  wire [PORTS-1:0] filter_i,
  input  wire [PORTS*16-1:0] filter_tag_i,
  input  wire [LIST*(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] list_i,
  input  wire [LIST-1:0] valid_i,
  input  wire [$clog2(LIST+1)-1:0] first_i,
  output wire turn_o,
  output wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] input_o,
  output wire served_o,
  output wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] served_input_o,
  output wire [(LIST > 1 ? $clog2(LIST) : 1)-1:0] position_o,
  output wire [PORTS-1:0] grant_o,
  output wire [PORTS-1:0] claimed_o,
  output wire [PORTS*(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] source_o
);
  initial if (PORTS < 1 || PORTS > 64 || LIST < 1 || LIST > 64 ||
      CAP < 0 || CAP > PORTS || ROUND_ROBIN < 0 || ROUND_ROBIN > 1) begin
    $display("%m: allowed are PORTS 1 to 64, LIST 1 to 64, CAP 0 to PORTS, ROUND_ROBIN 0 or 1");
    $finish;
  end

  localparam integer INDEX_BITS = PORTS > 1 ? $clog2(PORTS) : 1;
  localparam integer PLACE_BITS = LIST > 1 ? $clog2(LIST) : 1;
  localparam integer COUNT_BITS = $clog2(PORTS + 1);
  localparam integer LAST = PORTS - 1;
  localparam [PORTS-1:0] ONE = 1;

  reg busy_q;
  reg [COUNT_BITS-1:0] claims_q;
  reg [INDEX_BITS-1:0] first_q; // the pointer of this slot...
  reg [INDEX_BITS-1:0] next_q;  // ...and of the next one
  reg served_q;
  reg [INDEX_BITS-1:0] input_q;
  reg [PLACE_BITS-1:0] position_q;
  reg [PORTS-1:0] had_q;        // inputs that have had their turn
  reg [PORTS-1:0] granted_q;
  reg [PORTS-1:0] claimed_q;
  reg [PORTS*INDEX_BITS-1:0] source_q;

  // A start discards the results of the previous slot in the same cycle.
  wire [PORTS-1:0] had = start_i ? {PORTS{1'b0}} : had_q;
  wire [PORTS-1:0] granted = start_i ? {PORTS{1'b0}} : granted_q;
  wire [PORTS-1:0] claimed = start_i ? {PORTS{1'b0}} : claimed_q;
  wire [COUNT_BITS-1:0] claims = start_i ? {COUNT_BITS{1'b0}} : claims_q;
  wire [INDEX_BITS-1:0] first = start_i ? next_q : first_q;
  wire open = (start_i || busy_q) && (CAP == 0 || claims != CAP[COUNT_BITS-1:0]);

  // The input whose turn it is: the request with the lowest key among inputs without a turn so far.
  reg turn;
  reg [INDEX_BITS-1:0] who;
  reg [16:0] best;
  reg [16:0] key; // tag, then 1 for an input before the pointer
  integer i;
  always @* begin
    turn = 1'b0;
    who = {INDEX_BITS{1'b0}};
    best = 17'd0;
    key = 17'd0;
    for (i = 0; i < PORTS; i = i + 1) begin
      key = {tag_i[i*16 +: 16], ROUND_ROBIN != 0 && i[INDEX_BITS-1:0] < first};
      if (open && request_i[i] && !had[i] && (!turn || key < best)) begin
        turn = 1'b1;
        who = i[INDEX_BITS-1:0];
        best = key;
      end
    end
  end

  // The claim of this input. free: unclaimed outputs that listen for its tag.
  reg [PORTS-1:0] free;
  reg got;
  reg [PLACE_BITS-1:0] place;
  reg [INDEX_BITS-1:0] target;
  reg [INDEX_BITS-1:0] addressee;
  reg there; // the addressee is a free output; 0 beyond the last output
  integer k;
  always @* begin
    for (k = 0; k < PORTS; k = k + 1) begin
      free[k] = listen_i[k] && !claimed[k] && (!filter_i[k] || filter_tag_i[k*16 +: 16] == best[16:1]);
    end
    got = 1'b0;
    place = {PLACE_BITS{1'b0}};
    target = {INDEX_BITS{1'b0}};
    addressee = {INDEX_BITS{1'b0}};
    there = 1'b0;
    for (k = LIST - 1; k >= 0; k = k - 1) begin
      addressee = list_i[k*INDEX_BITS +: INDEX_BITS];
      there = |(free & (ONE << addressee));
      if (turn && valid_i[k] && there) begin
        got = 1'b1;
        place = k[PLACE_BITS-1:0];
        target = addressee;
      end
    end
    for (k = 0; k < LIST; k = k + 1) begin
      addressee = list_i[k*INDEX_BITS +: INDEX_BITS];
      there = |(free & (ONE << addressee));
      if (turn && k[$clog2(LIST+1)-1:0] == first_i && valid_i[k] && there) begin
        place = k[PLACE_BITS-1:0];
        target = addressee;
      end
    end
  end

  always @(posedge clock) begin
    if (reset) begin
      busy_q <= 1'b0;
      claims_q <= {COUNT_BITS{1'b0}};
      first_q <= {INDEX_BITS{1'b0}};
      next_q <= {INDEX_BITS{1'b0}};
      served_q <= 1'b0;
      input_q <= {INDEX_BITS{1'b0}};
      position_q <= {PLACE_BITS{1'b0}};
      had_q <= {PORTS{1'b0}};
      granted_q <= {PORTS{1'b0}};
      claimed_q <= {PORTS{1'b0}};
      source_q <= {PORTS*INDEX_BITS{1'b0}};
    end else begin
      busy_q <= turn;
      claims_q <= claims;
      first_q <= first;
      served_q <= got;
      input_q <= got ? who : {INDEX_BITS{1'b0}};
      position_q <= place;
      had_q <= turn ? had | (ONE << who) : had;
      granted_q <= granted;
      claimed_q <= claimed;
      if (start_i) source_q <= {PORTS*INDEX_BITS{1'b0}};
      if (got) begin
        claims_q <= claims + 1'b1;
        granted_q <= granted | (ONE << who);
        claimed_q <= claimed | (ONE << target);
        source_q[target*INDEX_BITS +: INDEX_BITS] <= who;
        if (claims == {COUNT_BITS{1'b0}}) next_q <= who == LAST[INDEX_BITS-1:0] ? {INDEX_BITS{1'b0}} : who + 1'b1;
      end
    end
  end

  assign turn_o = turn;
  assign input_o = who;
  assign served_o = served_q;
  assign served_input_o = input_q;
  assign position_o = position_q;
  assign grant_o = granted_q;
  assign claimed_o = claimed_q;
  assign source_o = source_q;

`ifndef SYNTHESIS
  reg [COUNT_BITS-1:0] grants, outputs;
  integer n;
  always @* begin
    grants = {COUNT_BITS{1'b0}};
    outputs = {COUNT_BITS{1'b0}};
    for (n = 0; n < PORTS; n = n + 1) begin
      if (granted_q[n]) grants = grants + 1'b1;
      if (claimed_q[n]) outputs = outputs + 1'b1;
    end
  end
  always @(posedge clock) begin
    if (!reset) begin
      if (grants != claims_q || outputs != claims_q) $fatal(1, "count: %0d claims, grants %b, outputs %b", claims_q, granted_q, claimed_q);
      if (|(granted_q & ~had_q)) $fatal(1, "turn: grants %b, turns %b", granted_q, had_q);
    end
  end
`endif
endmodule

`default_nettype wire
