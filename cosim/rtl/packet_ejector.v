// Sink of packets at an output port of a router, emptied by a processor, with PLACES places for packets.
//
// Packets get places in the order in which their first flits arrive. A packet without a place waits: its flits stay
// in a FIFO of DEPTH flits per virtual channel (VC), for which the router has credits. In each cycle the sink takes
// one flit: of the first packet that has a place and a flit, which may be the arriving flit. The flit's credit is on
// the outputs in the next cycle. A packet keeps its place after its tail; freed_i gives back places, after this
// cycle's packets have got theirs. The first flit on a VC after a tail begins a packet.
//
// begin_o, end_o and data_o show the first and last flit of each packet in the cycle in which the sink takes them:
// the data that the flit carries, otherwise 0. credit_o and credit_vc_o are registers, 0 without a credit. A flit for
// a full FIFO or for a VC that does not exist is ignored. Reset: no packets, all places free, no credit.
// Twin of hw.PacketEjector, which has the places of one of hw.PacketSinks.
`default_nettype none

module packet_ejector #(
  parameter integer VCS = 2,        // 1..64
  parameter integer DEPTH = 4,      // 1..256
  parameter integer PLACES = 2,     // 1..32768
  parameter integer DATA_BITS = 12  // 1..53
) (
  input  wire clock,
  input  wire reset,
  input  wire valid_i,
  input  wire tail_i,
  input  wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] vc_i,
  input  wire [DATA_BITS-1:0] data_i,
  input  wire [$clog2(PLACES+1)-1:0] freed_i,
  output wire begin_o,
  output wire end_o,
  output wire [DATA_BITS-1:0] data_o,
  output wire credit_o,
  output wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] credit_vc_o
);
  initial if (VCS < 1 || VCS > 64 || DEPTH < 1 || DEPTH > 256 || PLACES < 1 || PLACES > 32768 || DATA_BITS < 1 ||
      DATA_BITS > 53) begin
    $display("%m: allowed are VCS 1 to 64, DEPTH 1 to 256, PLACES 1 to 32768, DATA_BITS 1 to 53");
    $finish;
  end

  localparam integer VC_BITS = VCS > 1 ? $clog2(VCS) : 1;
  localparam integer ROOM = VCS * (DEPTH + 1); // incomplete packets
  localparam integer ROOM_BITS = $clog2(ROOM + 1);
  localparam integer FREE_BITS = $clog2(PLACES + 1);
  localparam integer WIDE = (ROOM_BITS > FREE_BITS ? ROOM_BITS : FREE_BITS);
  localparam integer AT_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer COUNT_BITS = $clog2(DEPTH + 1);
  localparam integer LAST_AT = DEPTH - 1;
  localparam [AT_BITS-1:0] LAST = LAST_AT[AT_BITS-1:0];
  localparam [COUNT_BITS-1:0] FULL = DEPTH[COUNT_BITS-1:0];
  localparam [FREE_BITS-1:0] ALL = PLACES[FREE_BITS-1:0];

  // The FIFOs of the VCs: data, begin and end of each flit.
  reg [VCS*AT_BITS-1:0] read_q, write_q;
  reg [VCS*COUNT_BITS-1:0] count_q;
  reg [VCS-1:0] open_q; // the last packet lacks its tail

  // The incomplete packets in order: their VCs. The first granted_q have places.
  reg [ROOM*VC_BITS-1:0] order_q;
  reg [ROOM_BITS-1:0] packets_q, granted_q;
  reg [FREE_BITS-1:0] free_q;

  // The arriving flit.
  wire [VCS-1:0] lit; // by VC
  wire [VCS*(DATA_BITS+2)-1:0] front;
  wire begins = |(lit & ~open_q);
  wire [DATA_BITS+1:0] arriving = {tail_i, begins, data_i};
  genvar v;
  generate
    for (v = 0; v < VCS; v = v + 1) begin : g_vc
      localparam integer VC = v;
      reg [DATA_BITS+1:0] flits_q [0:DEPTH-1];
      wire empty = count_q[v*COUNT_BITS+:COUNT_BITS] == {COUNT_BITS{1'b0}};
      assign lit[v] = valid_i && vc_i == VC[VC_BITS-1:0] && count_q[v*COUNT_BITS+:COUNT_BITS] != FULL;
      assign front[v*(DATA_BITS+2)+:DATA_BITS+2] = empty ? arriving : flits_q[read_q[v*AT_BITS+:AT_BITS]];
      always @(posedge clock) if (lit[v]) flits_q[write_q[v*AT_BITS+:AT_BITS]] <= arriving;
    end
  endgenerate

  // Places for packets.
  wire [ROOM_BITS-1:0] packets = begins ? packets_q + 1'b1 : packets_q;
  wire [WIDE-1:0] wanted = {{(WIDE-ROOM_BITS){1'b0}}, packets - granted_q};
  wire [WIDE-1:0] free = {{(WIDE-FREE_BITS){1'b0}}, free_q};
  wire [WIDE-1:0] grants = wanted < free ? wanted : free;
  wire [ROOM_BITS-1:0] granted = granted_q + grants[ROOM_BITS-1:0];
  wire [FREE_BITS-1:0] left = free_q - grants[FREE_BITS-1:0];
  wire [FREE_BITS-1:0] taken = ALL - left;

  // The first packet with a place and a flit.
  reg [(ROOM+1)*VC_BITS-1:0] order;
  reg [ROOM*VC_BITS-1:0] rest; // order without this packet
  reg [VCS-1:0] from;          // its VC
  reg [VC_BITS-1:0] number;
  reg found, past;
  integer k, n;
  always @* begin
    order = {{VC_BITS{1'b0}}, order_q};
    rest = order_q;
    from = {VCS{1'b0}};
    number = {VC_BITS{1'b0}};
    past = 1'b0;
    for (k = 0; k < ROOM; k = k + 1)
      if (begins && packets_q == k[ROOM_BITS-1:0]) order[k*VC_BITS+:VC_BITS] = vc_i;
    for (k = 0; k < ROOM; k = k + 1) begin
      found = 1'b0;
      for (n = 0; n < VCS; n = n + 1)
        if (!past && k[ROOM_BITS-1:0] < granted && order[k*VC_BITS+:VC_BITS] == n[VC_BITS-1:0] &&
            (lit[n] || count_q[n*COUNT_BITS+:COUNT_BITS] != {COUNT_BITS{1'b0}})) begin
          from[n] = 1'b1;
          number = n[VC_BITS-1:0];
          found = 1'b1;
        end
      past = past || found;
      rest[k*VC_BITS+:VC_BITS] = past ? order[(k+1)*VC_BITS+:VC_BITS] : order[k*VC_BITS+:VC_BITS];
    end
  end

  // Its flit.
  reg [DATA_BITS+1:0] flit;
  integer m;
  always @* begin
    flit = {(DATA_BITS+2){1'b0}};
    for (m = 0; m < VCS; m = m + 1) if (from[m]) flit = front[m*(DATA_BITS+2)+:DATA_BITS+2];
  end
  wire takes = |from;
  assign begin_o = takes && flit[DATA_BITS];
  assign end_o = takes && flit[DATA_BITS+1];
  assign data_o = begin_o || end_o ? flit[DATA_BITS-1:0] : {DATA_BITS{1'b0}};

  function [AT_BITS-1:0] after(input [AT_BITS-1:0] place); // the next place of a ring
    after = place == LAST ? {AT_BITS{1'b0}} : place + 1'b1;
  endfunction

  reg credit_q;
  reg [VC_BITS-1:0] credit_vc_q;
  integer w;
  always @(posedge clock) begin
    for (w = 0; w < VCS; w = w + 1) begin
      if (lit[w]) begin
        write_q[w*AT_BITS+:AT_BITS] <= after(write_q[w*AT_BITS+:AT_BITS]);
        open_q[w] <= !tail_i;
      end
      if (from[w]) read_q[w*AT_BITS+:AT_BITS] <= after(read_q[w*AT_BITS+:AT_BITS]);
      if (lit[w] && !from[w]) count_q[w*COUNT_BITS+:COUNT_BITS] <= count_q[w*COUNT_BITS+:COUNT_BITS] + 1'b1;
      if (from[w] && !lit[w]) count_q[w*COUNT_BITS+:COUNT_BITS] <= count_q[w*COUNT_BITS+:COUNT_BITS] - 1'b1;
    end
    order_q <= end_o ? rest : order[ROOM*VC_BITS-1:0];
    packets_q <= end_o ? packets - 1'b1 : packets;
    granted_q <= end_o ? granted - 1'b1 : granted;
    free_q <= freed_i > taken ? ALL : left + freed_i;
    credit_q <= takes;
    credit_vc_q <= number;
    if (reset) begin
      read_q <= {VCS*AT_BITS{1'b0}};
      write_q <= {VCS*AT_BITS{1'b0}};
      count_q <= {VCS*COUNT_BITS{1'b0}};
      open_q <= {VCS{1'b0}};
      order_q <= {ROOM*VC_BITS{1'b0}};
      packets_q <= {ROOM_BITS{1'b0}};
      granted_q <= {ROOM_BITS{1'b0}};
      free_q <= ALL;
      credit_q <= 1'b0;
      credit_vc_q <= {VC_BITS{1'b0}};
    end
  end
  assign credit_o = credit_q;
  assign credit_vc_o = credit_vc_q;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (|(from & (from - 1'b1))) $fatal(1, "choice: VCs %b", from);
      if (granted > packets || left > free_q)
        $fatal(1, "places: %0d for %0d packets, %0d free, %0d left", granted, packets, free_q, left);
    end
  end
`endif
endmodule

`default_nettype wire
