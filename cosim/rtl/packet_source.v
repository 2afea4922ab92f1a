// Source of packets at an input port of a router: a FIFO of packets, sent flit by flit in order of creation.
//
// create_i adds a packet: its data, which every flit carries, its size in flits, and the VCs in which it may leave:
// from the lowest to the highest bit of vcs_i. A head leaves on the next of these virtual channels (VC), in circular
// order after the last used one, that has no owner and has a credit, but not while hold_i is 1. A packet owns its VC
// until its tail has left or, with WAIT_FOR_TAIL, until its last credit has returned. Each flit needs a credit for
// one of the DEPTH places at the far end. A packet that enters an empty FIFO may leave in the same cycle, and a
// credit counts in the cycle in which it returns; the flit is on the outputs one cycle later. One flit per cycle.
// Outputs are registers, 0 without a flit. A packet for a full FIFO or without VCs and a credit without an
// outstanding flit are ignored. Reset: no packets, all credits, all VCs free, the first VC is 0.
// Twin of hw.PacketSources, for one source.
`default_nettype none

module packet_source #(
  parameter integer VCS = 2,           // 1..64
  parameter integer DEPTH = 4,         // flits in a buffer at the far end, 1..4096
  parameter integer WAIT_FOR_TAIL = 0, // 0 or 1
  parameter integer DATA_BITS = 12,    // 1..53
  parameter integer SIZE_BITS = 4,     // 1..16
  parameter integer QUEUE = 4          // packets in the FIFO, including the packet being sent, 1..65536
) (
  input  wire clock,
  input  wire reset,
  input  wire create_i,
  input  wire [SIZE_BITS-1:0] size_i, // 0 counts as 1
  input  wire [DATA_BITS-1:0] data_i,
  input  wire [VCS-1:0] vcs_i,
  input  wire hold_i,
  input  wire credit_i,
  input  wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] credit_vc_i,
  output wire valid_o,
  output wire head_o,
  output wire tail_o,
  output wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] vc_o,
  output wire [DATA_BITS-1:0] data_o
);
  initial if (VCS < 1 || VCS > 64 || DEPTH < 1 || DEPTH > 4096 || WAIT_FOR_TAIL < 0 || WAIT_FOR_TAIL > 1 ||
      DATA_BITS < 1 || DATA_BITS > 53 || SIZE_BITS < 1 || SIZE_BITS > 16 || QUEUE < 1 || QUEUE > 65536) begin
    $display("%m: allowed are VCS 1 to 64, DEPTH 1 to 4096, WAIT_FOR_TAIL 0 or 1, DATA_BITS 1 to 53");
    $display("%m: allowed are SIZE_BITS 1 to 16, QUEUE 1 to 65536");
    $finish;
  end

  localparam integer VC_BITS = VCS > 1 ? $clog2(VCS) : 1;
  localparam integer COUNT_BITS = $clog2(DEPTH + 1);
  localparam integer QUEUED_BITS = $clog2(QUEUE + 1);
  localparam integer PLACE_BITS = QUEUE > 1 ? $clog2(QUEUE) : 1;
  localparam integer LAST_PLACE = QUEUE - 1;
  localparam integer LAST_VC = VCS - 1;
  localparam [COUNT_BITS-1:0] FULL = DEPTH[COUNT_BITS-1:0];
  localparam [QUEUED_BITS-1:0] QUEUE_FULL = QUEUE[QUEUED_BITS-1:0];
  localparam [PLACE_BITS-1:0] LAST = LAST_PLACE[PLACE_BITS-1:0];
  localparam [VCS-1:0] ONE = 1;

  // The FIFO of packets.
  reg [VCS+SIZE_BITS+DATA_BITS-1:0] packets_q [0:QUEUE-1];
  reg [PLACE_BITS-1:0] read_q, write_q;
  reg [QUEUED_BITS-1:0] queued_q;
  wire empty = queued_q == {QUEUED_BITS{1'b0}};
  wire enters = create_i && |vcs_i && queued_q != QUEUE_FULL;
  wire [VCS+SIZE_BITS+DATA_BITS-1:0] packet = empty ? {vcs_i, size_i, data_i} : packets_q[read_q];
  wire [VCS-1:0] vcs = packet[SIZE_BITS+DATA_BITS+:VCS];
  wire waits = !empty || enters; // a packet is there
  wire leaves;                   // its tail leaves

  // The VCs.
  reg [VCS*COUNT_BITS-1:0] sent_q;  // sent flits whose credit has not returned
  reg [VCS-1:0] used_q;             // a packet owns the VC; counts only before a head
  reg [VCS-1:0] last_q;             // the VC of the current or last packet
  reg [SIZE_BITS-1:0] place_q;      // flits sent of the current packet
  wire [VCS*COUNT_BITS-1:0] owed;   // sent_q without the credit of this cycle
  wire [VCS-1:0] has_credit, free, may;
  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : g_vc
      localparam integer VC = v;
      wire [COUNT_BITS-1:0] out = sent_q[v*COUNT_BITS+:COUNT_BITS];
      wire counts = credit_i && credit_vc_i == VC[VC_BITS-1:0] && out != {COUNT_BITS{1'b0}};
      wire [COUNT_BITS-1:0] rest = counts ? out - 1'b1 : out;
      assign owed[v*COUNT_BITS+:COUNT_BITS] = rest;
      assign has_credit[v] = rest != FULL;
      assign may[v] = |vcs[v:0] && |vcs[VCS-1:v];
      assign free[v] = !used_q[v] || (WAIT_FOR_TAIL != 0 && counts && rest == {COUNT_BITS{1'b0}});
    end
  endgenerate

  // The VC of the flit: of a head, the next one that is free.
  wire first = place_q == {SIZE_BITS{1'b0}};
  wire [VCS-1:0] candidates = free & has_credit & may;
  wire [VCS-1:0] after = candidates & ~(last_q | (last_q - ONE)); // after the last one
  wire [VCS-1:0] among = |after ? after : candidates;
  wire [VCS-1:0] chosen = first ? among & (~among + ONE) : last_q & has_credit;
  wire sends = waits && |chosen && !(first && hold_i);
  wire [SIZE_BITS-1:0] next_place = place_q + 1'b1;
  wire ends = next_place >= packet[DATA_BITS+:SIZE_BITS];
  assign leaves = sends && ends;

  reg [VC_BITS-1:0] number; // of the chosen VC
  integer k;
  always @* begin
    number = {VC_BITS{1'b0}};
    for (k = 0; k < VCS; k = k + 1) if (chosen[k]) number = number | k[VC_BITS-1:0];
  end

  reg valid_q, head_q, tail_q;
  reg [VC_BITS-1:0] vc_q;
  reg [DATA_BITS-1:0] data_q;
  integer n;
  always @(posedge clock) begin
    if (enters) packets_q[write_q] <= {vcs_i, size_i, data_i};
    for (n = 0; n < VCS; n = n + 1) begin
      sent_q[n*COUNT_BITS+:COUNT_BITS] <= owed[n*COUNT_BITS+:COUNT_BITS];
      if (sends && chosen[n]) sent_q[n*COUNT_BITS+:COUNT_BITS] <= owed[n*COUNT_BITS+:COUNT_BITS] + 1'b1;
      used_q[n] <= sends && chosen[n] ? !(ends && WAIT_FOR_TAIL == 0) : !free[n];
    end
    if (sends) begin
      last_q <= chosen;
      place_q <= ends ? {SIZE_BITS{1'b0}} : next_place;
    end
    if (enters) write_q <= write_q == LAST ? {PLACE_BITS{1'b0}} : write_q + 1'b1;
    if (leaves) read_q <= read_q == LAST ? {PLACE_BITS{1'b0}} : read_q + 1'b1;
    if (enters && !leaves) queued_q <= queued_q + 1'b1;
    if (leaves && !enters) queued_q <= queued_q - 1'b1;
    valid_q <= sends;
    head_q <= sends && first;
    tail_q <= leaves;
    vc_q <= sends ? number : {VC_BITS{1'b0}};
    data_q <= sends ? packet[DATA_BITS-1:0] : {DATA_BITS{1'b0}};
    if (reset) begin
      sent_q <= {VCS*COUNT_BITS{1'b0}};
      used_q <= {VCS{1'b0}};
      last_q <= ONE << LAST_VC;
      place_q <= {SIZE_BITS{1'b0}};
      read_q <= {PLACE_BITS{1'b0}};
      write_q <= {PLACE_BITS{1'b0}};
      queued_q <= {QUEUED_BITS{1'b0}};
      valid_q <= 1'b0;
      head_q <= 1'b0;
      tail_q <= 1'b0;
      vc_q <= {VC_BITS{1'b0}};
      data_q <= {DATA_BITS{1'b0}};
    end
  end
  assign valid_o = valid_q;
  assign head_o = head_q;
  assign tail_o = tail_q;
  assign vc_o = vc_q;
  assign data_o = data_q;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (|(chosen & (chosen - ONE))) $fatal(1, "choice: VCs %b", chosen);
      if (sends && |(chosen & ~has_credit)) $fatal(1, "credit: a flit to %b, credits for %b", chosen, has_credit);
      if (WAIT_FOR_TAIL == 0 && used_q != (first ? {VCS{1'b0}} : last_q))
        $fatal(1, "used: VCs %b, current %b", used_q, last_q);
    end
  end
`endif
endmodule

`default_nettype wire
