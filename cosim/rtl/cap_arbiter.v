// Arbiter that limits the transfers of a slot. In each cycle it chooses one request: the lowest tag first, and among
// equal tags by KIND. It stops after CAP choices or when no request is left.
//
// start_i begins a slot, with the first choice in the same cycle. served_o and served_input_o show a choice in the
// next cycle, grant_o from then until the next start. Requests and tags should be stable from start on. Each choice
// begins a frame and therefore updates the memory of the kind. Reset: idle until start, requester 0 has the highest
// priority, no input chosen.
// Twin of hw.CapArbiters, for one arbiter.
`default_nettype none

module cap_arbiter #(
  parameter integer PORTS = 5, // inputs, 1..64
  parameter integer CAP = 2,   // transfers of a slot, 1..PORTS
  parameter integer KIND = 1   // 0 fixed, 1 round robin, 2 matrix (least recently granted)
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

  reg busy_q;
  reg [COUNT_BITS-1:0] chosen_q; // number of choices in this slot
  reg served_q;
  reg [INDEX_BITS-1:0] input_q;
  reg [PORTS-1:0] granted_q;

  // A start discards the results of the previous slot in the same cycle.
  wire [PORTS-1:0] granted = start_i ? {PORTS{1'b0}} : granted_q;
  wire [COUNT_BITS-1:0] chosen = start_i ? {COUNT_BITS{1'b0}} : chosen_q;
  wire open = (start_i || busy_q) && chosen != CAP[COUNT_BITS-1:0];

  // The candidates with the lowest tag, from the highest bit down: inputs with a 0 in a bit precede the others.
  reg [PORTS-1:0] lowest, lower;
  integer b, i;
  always @* begin
    lowest = request_i & ~granted & {PORTS{open}};
    lower = {PORTS{1'b0}};
    for (b = 15; b >= 0; b = b - 1) begin
      for (i = 0; i < PORTS; i = i + 1) lower[i] = lowest[i] && !tag_i[i*16 + b];
      if (|lower) lowest = lower;
    end
  end

  wire [PORTS-1:0] choice;
  arbiter_choice #(.REQUESTERS(PORTS), .KIND(KIND)) rule (
    .clock(clock), .reset(reset), .request_i(lowest), .take_i(1'b1), .choice_o(choice)
  );

  reg [INDEX_BITS-1:0] who;
  integer k;
  always @* begin
    who = {INDEX_BITS{1'b0}};
    for (k = 0; k < PORTS; k = k + 1) if (choice[k]) who = k[INDEX_BITS-1:0];
  end

  always @(posedge clock) begin
    if (reset) begin
      busy_q <= 1'b0;
      chosen_q <= {COUNT_BITS{1'b0}};
      served_q <= 1'b0;
      input_q <= {INDEX_BITS{1'b0}};
      granted_q <= {PORTS{1'b0}};
    end else begin
      busy_q <= |choice;
      chosen_q <= |choice ? chosen + 1'b1 : chosen;
      served_q <= |choice;
      input_q <= who;
      granted_q <= granted | choice;
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
