// Arbiter that limits the transfers of a slot: of the inputs that request, one in a cycle is
// chosen, lower tag first, of equal tags as KIND says, until CAP are chosen, or none is left.
//
// start_i begins a slot, with the first choice in the same cycle. The input that was chosen is at
// served_o and served_input_o in the next cycle, and in grant_o until the next start. Requests
// and tags should stand from start on. What a kind remembers changes with every choice, which
// begins a frame. Reset: idle until start, requester 0 is asked first, none served.
// Twin of hw.CapArbiters, for one arbiter.
`default_nettype none

module cap_arbiter #(
  parameter integer PORTS = 5, // inputs, 1..64
  parameter integer CAP = 2,   // transfers of a slot, 1..PORTS
  parameter integer KIND = 1   // 0 fixed, 1 round robin, 2 matrix (least recently served)
) (
  input  wire clock,
  input  wire reset,
  input  wire start_i,
  input  wire [PORTS-1:0] request_i,
  input  wire [PORTS*16-1:0] tag_i,
  output wire served_o,
  output wire [(PORTS > 1 ? $clog2(PORTS) : 1)-1:0] served_input_o,
  output wire [PORTS-1:0] grant_o
);
  initial if (PORTS < 1 || PORTS > 64 || CAP < 1 || CAP > PORTS || KIND < 0 || KIND > 2) begin
    $display("%m: allowed are PORTS 1 to 64, CAP 1 to PORTS, KIND 0 to 2");
    $finish;
  end

  localparam integer INDEX_BITS = PORTS > 1 ? $clog2(PORTS) : 1;
  localparam integer COUNT_BITS = $clog2(PORTS + 1);
  localparam integer KEY_BITS = 16 + INDEX_BITS;
  localparam integer LAST = PORTS - 1;
  localparam [PORTS-1:0] ONE = 1;

  reg busy_q;
  reg [COUNT_BITS-1:0] chosen_q; // how many in this slot
  reg served_q;
  reg [INDEX_BITS-1:0] input_q;
  reg [PORTS-1:0] granted_q;

  // The order of those with equal tags: of each input how many go before it. It is that of
  // the indexes, turned so that the one after the last choice is first, or the last choice goes
  // last and those that it went before move up.
  reg [PORTS*INDEX_BITS-1:0] rank_q;

  // A start forgets the slot before, within its cycle.
  wire [PORTS-1:0] granted = start_i ? {PORTS{1'b0}} : granted_q;
  wire [COUNT_BITS-1:0] chosen = start_i ? {COUNT_BITS{1'b0}} : chosen_q;
  wire open = (start_i || busy_q) && chosen != CAP[COUNT_BITS-1:0];

  reg choice;
  reg [INDEX_BITS-1:0] who;
  reg [KEY_BITS-1:0] best, key; // tag, rank
  integer i;
  always @* begin
    choice = 1'b0;
    who = {INDEX_BITS{1'b0}};
    best = {KEY_BITS{1'b0}};
    key = {KEY_BITS{1'b0}};
    for (i = 0; i < PORTS; i = i + 1) begin
      key = {tag_i[i*16 +: 16], rank_q[i*INDEX_BITS +: INDEX_BITS]};
      if (open && request_i[i] && !granted[i] && (!choice || key < best)) begin
        choice = 1'b1;
        who = i[INDEX_BITS-1:0];
        best = key;
      end
    end
  end

  // Round robin: all ranks go round by those up to the choice's.
  wire [INDEX_BITS-1:0] shift = best[INDEX_BITS-1:0];
  reg [PORTS*INDEX_BITS-1:0] rank_d;
  reg [INDEX_BITS-1:0] rank;
  integer k;
  always @* begin
    rank_d = rank_q;
    rank = {INDEX_BITS{1'b0}};
    for (k = 0; k < PORTS; k = k + 1) begin
      rank = rank_q[k*INDEX_BITS +: INDEX_BITS];
      if (KIND == 1) begin
        if (rank > shift) rank = rank - shift - 1'b1;
        else rank = rank + (LAST[INDEX_BITS-1:0] - shift);
      end else if (KIND == 2) begin
        if (rank == shift) rank = LAST[INDEX_BITS-1:0];
        else if (rank > shift) rank = rank - 1'b1;
      end
      rank_d[k*INDEX_BITS +: INDEX_BITS] = rank;
    end
  end

  integer r; // of this block alone: Yosys 0.52 takes one that is shared for a net with two drivers
  always @(posedge clock) begin
    if (reset) begin
      busy_q <= 1'b0;
      chosen_q <= {COUNT_BITS{1'b0}};
      served_q <= 1'b0;
      input_q <= {INDEX_BITS{1'b0}};
      granted_q <= {PORTS{1'b0}};
      for (r = 0; r < PORTS; r = r + 1) rank_q[r*INDEX_BITS +: INDEX_BITS] <= r[INDEX_BITS-1:0];
    end else begin
      busy_q <= choice;
      chosen_q <= choice ? chosen + 1'b1 : chosen;
      served_q <= choice;
      input_q <= who;
      granted_q <= choice ? granted | (ONE << who) : granted;
      if (choice) rank_q <= rank_d;
    end
  end

  assign served_o = served_q;
  assign served_input_o = input_q;
  assign grant_o = granted_q;

`ifndef SYNTHESIS
  localparam [COUNT_BITS-1:0] MOST = CAP[COUNT_BITS-1:0];
  reg [COUNT_BITS-1:0] grants;
  integer n;
  always @* begin
    grants = {COUNT_BITS{1'b0}};
    for (n = 0; n < PORTS; n = n + 1) begin
      if (granted_q[n]) grants = grants + 1'b1;
    end
  end
  always @(posedge clock) begin
    if (!reset) begin
      if ({1'b0, chosen_q} > {1'b0, MOST}) $fatal(1, "cap: %0d transfers of %0d", chosen_q, CAP);
      if (grants != chosen_q) $fatal(1, "count: %0d chosen, grants %b", chosen_q, granted_q);
    end
  end
`endif
endmodule

`default_nettype wire
