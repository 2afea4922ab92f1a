// Router with an input buffer for each virtual channel (VC), credits and wormhole switching.
//
//   cycle         0      1    2    3    4    5    6
//   input wire    head   tail
//                 route  VA   head tail                the switch
//   crossbar                       head tail
//   output wire                         head tail
//
// A head that arrives in cycle 0 is routed in cycle 0 (with ROUTING_DELAY 0, without a cycle), gets an output VC (VA) in cycle
// 1 (0) at the earliest, and crosses the switch one cycle later. Body flits need only the switch; a flit may cross it in the
// cycle of its arrival. The credit is on the wire one cycle after the switch, the flit two cycles after it.
//
// vc_i is the VC of the input buffer for a flit, vc_o the VC of the buffer at the far end. route_i accompanies a head: the set
// of permitted output VCs, as bits output * VCS + VC. data_i passes unchanged. A packet owns its output VC until its tail has
// left or, with WAIT_FOR_TAIL, until its last credit has returned. Each flit needs a credit for one of the DEPTH places at the
// far end; a credit counts CREDIT_DELAY cycles after it was on the wire. If several VCs of one input request one output, the
// next VC after the last winner requests the switch. At most one flit leaves an input, and one enters an output, in a cycle.
// Pointers advance only at matches. A flit for a full buffer, and a credit without an outstanding flit, is ignored; neighbours
// never send these. Outputs are registers, 0 without a flit or credit. Reset: empty, all pointers at 0, all VCs free.
// Twin of hw.Routers, for one router.
`default_nettype none

module vc_router #(
  parameter integer PORTS = 3,            // number of inputs, and of outputs; PORTS * VCS is 1..64
  parameter integer VCS = 2,              // VCs of each port
  parameter integer DEPTH = 4,            // flits in a buffer, 1..4096
  parameter integer ROUTING_DELAY = 1,    // 0 or 1
  parameter integer CREDIT_DELAY = 0,     // 0..64
  parameter integer WAIT_FOR_TAIL = 0,    // 0 or 1
  parameter integer VC_ALLOCATOR = 0,     // 0 islip, 1 separable_input_first
  parameter integer SWITCH_ALLOCATOR = 0, // as well
  parameter integer DATA_BITS = 12        // data bits of a flit, 1..53
) (
  input  wire clock,
  input  wire reset,
  input  wire [PORTS-1:0] valid_i,
  input  wire [PORTS-1:0] head_i,
  input  wire [PORTS-1:0] tail_i,
  input  wire [PORTS*(VCS > 1 ? $clog2(VCS) : 1)-1:0] vc_i,
  input  wire [PORTS*DATA_BITS-1:0] data_i,
  input  wire [PORTS*PORTS*VCS-1:0] route_i,
  input  wire [PORTS-1:0] credit_i, // credits that return to the outputs
  input  wire [PORTS*(VCS > 1 ? $clog2(VCS) : 1)-1:0] credit_vc_i,
  output wire [PORTS-1:0] valid_o,
  output wire [PORTS-1:0] head_o,
  output wire [PORTS-1:0] tail_o,
  output wire [PORTS*(VCS > 1 ? $clog2(VCS) : 1)-1:0] vc_o,
  output wire [PORTS*DATA_BITS-1:0] data_o,
  output wire [PORTS-1:0] credit_o, // credits that leave the inputs
  output wire [PORTS*(VCS > 1 ? $clog2(VCS) : 1)-1:0] credit_vc_o
`ifdef STARLOOM_PROOF
  , output wire kept_o // neighbours may send the inputs of this cycle
`endif
);
  initial if (PORTS < 1 || VCS < 1 || PORTS * VCS > 64 || DEPTH < 1 || DEPTH > 4096 || ROUTING_DELAY < 0 || ROUTING_DELAY > 1 ||
      CREDIT_DELAY < 0 || CREDIT_DELAY > 64 || WAIT_FOR_TAIL < 0 || WAIT_FOR_TAIL > 1 || VC_ALLOCATOR < 0 || VC_ALLOCATOR > 1 ||
      SWITCH_ALLOCATOR < 0 || SWITCH_ALLOCATOR > 1 || DATA_BITS < 1 || DATA_BITS > 53) begin
    $display("%m: allowed are PORTS * VCS 1 to 64, DEPTH 1 to 4096, CREDIT_DELAY 0 to 64, DATA_BITS 1 to 53, all others 0 or 1");
    $finish;
  end

  localparam integer N = PORTS * VCS; // number of input VCs, and of output VCs: port * VCS + VC
  localparam integer VC_BITS = VCS > 1 ? $clog2(VCS) : 1;
  localparam integer COUNT_BITS = $clog2(DEPTH + 1);
  localparam integer PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer LAST_PLACE = DEPTH - 1;
  localparam integer FLIT_BITS = 2 + DATA_BITS; // head, tail, data
  localparam integer WORD_BITS = FLIT_BITS + N; // and the route of a head
  localparam [COUNT_BITS-1:0] FULL = DEPTH[COUNT_BITS-1:0];
  localparam [PLACE_BITS-1:0] LAST = LAST_PLACE[PLACE_BITS-1:0];
  localparam [N-1:0] ONE = 1;
  localparam [PORTS-1:0] ONE_PORT = 1;
  localparam [VCS-1:0] ONE_VC = 1;

  // Registers of input VCs. A VC without a packet is idle; its first flit is a head.
  reg [N*COUNT_BITS-1:0] count_q; // flits in the buffer
  reg [N-1:0] waiting_q;          // has a route and requests an output VC
  reg [N-1:0] active_q;           // owns an output VC
  reg [N*N-1:0] route_q;          // requested output VCs
  reg [N*N-1:0] out_q;            // owned output VC
  // Registers of output VCs.
  reg [N*COUNT_BITS-1:0] sent_q;  // sent flits whose credit has not returned
  reg [N-1:0] used_q;             // a packet owns the VC
  reg [N-1:0] tailed_q;           // the last owner has sent its tail
  // Pointers: for each output (VC) the set of inputs (VCs) from the pointer on, for each input (VC) the set of outputs (VCs).
  reg [N*N-1:0] vc_grant_q;
  reg [N*N-1:0] vc_accept_q;
  reg [PORTS*PORTS-1:0] switch_grant_q;
  reg [PORTS*PORTS-1:0] switch_accept_q;
  reg [PORTS*VCS-1:0] choice_q;   // for each input, the VCs from the first choice on
  // On the way out.
  reg [PORTS-1:0] crossed_q;      // crossbar register...
  reg [PORTS*FLIT_BITS-1:0] cross_q;
  reg [PORTS*VC_BITS-1:0] cross_vc_q;
  reg [PORTS-1:0] valid_q;        // ...and output register
  reg [PORTS*FLIT_BITS-1:0] flit_q;
  reg [PORTS*VC_BITS-1:0] vc_q;
  reg [PORTS-1:0] credit_q;
  reg [PORTS*VC_BITS-1:0] credit_vc_q;

  // Credits that count in this cycle.
  wire [PORTS-1:0] back;
  wire [PORTS*VC_BITS-1:0] back_vc;
  generate
    if (CREDIT_DELAY == 0) begin : g_at_once
      assign back = credit_i;
      assign back_vc = credit_vc_i;
    end else begin : g_delayed
      reg [CREDIT_DELAY*PORTS-1:0] line_q;
      reg [CREDIT_DELAY*PORTS*VC_BITS-1:0] line_vc_q;
      wire [(CREDIT_DELAY+1)*PORTS-1:0] line = {line_q, credit_i};
      wire [(CREDIT_DELAY+1)*PORTS*VC_BITS-1:0] line_vc = {line_vc_q, credit_vc_i};
      always @(posedge clock) begin
        line_q <= reset ? {CREDIT_DELAY*PORTS{1'b0}} : line[CREDIT_DELAY*PORTS-1:0];
        line_vc_q <= line_vc[CREDIT_DELAY*PORTS*VC_BITS-1:0];
      end
      assign back = line[CREDIT_DELAY*PORTS+:PORTS];
      assign back_vc = line_vc[CREDIT_DELAY*PORTS*VC_BITS+:PORTS*VC_BITS];
    end
  endgenerate

  wire [N-1:0] filled;            // buffers with a flit, including the arriving flit
  wire [N*WORD_BITS-1:0] front;
  wire [N-1:0] leaves;            // the front flit crosses the switch
  wire [N*COUNT_BITS-1:0] owed;   // sent_q without the credits of this cycle
  wire [N-1:0] has_credit, free;
  wire [N-1:0] sends;             // a flit crosses to this output VC
  wire [N-1:0] tail_sent;         // this flit is a tail
  genvar m, i, o;
  generate
    for (m = 0; m < N; m = m + 1) begin : g_vc
      localparam integer PORT = m / VCS;
      localparam integer VC = m % VCS;
      reg [WORD_BITS-1:0] mem_q [0:DEPTH-1];
      reg [PLACE_BITS-1:0] read_q, write_q;
      wire [COUNT_BITS-1:0] count = count_q[m*COUNT_BITS+:COUNT_BITS];
      wire [WORD_BITS-1:0] word = {route_i[PORT*N+:N], data_i[PORT*DATA_BITS+:DATA_BITS], tail_i[PORT], head_i[PORT]};
      wire arrives = valid_i[PORT] && vc_i[PORT*VC_BITS+:VC_BITS] == VC[VC_BITS-1:0] && count != FULL;
      wire empty = count == {COUNT_BITS{1'b0}};
      assign filled[m] = arrives || !empty;
      assign front[m*WORD_BITS+:WORD_BITS] = empty ? word : mem_q[read_q];
      always @(posedge clock) begin
        if (arrives) mem_q[write_q] <= word;
        if (reset) begin
          read_q <= {PLACE_BITS{1'b0}};
          write_q <= {PLACE_BITS{1'b0}};
          count_q[m*COUNT_BITS+:COUNT_BITS] <= {COUNT_BITS{1'b0}};
        end else begin
          if (arrives) write_q <= write_q == LAST ? {PLACE_BITS{1'b0}} : write_q + 1'b1;
          if (leaves[m]) read_q <= read_q == LAST ? {PLACE_BITS{1'b0}} : read_q + 1'b1;
          if (arrives && !leaves[m]) count_q[m*COUNT_BITS+:COUNT_BITS] <= count + 1'b1;
          if (leaves[m] && !arrives) count_q[m*COUNT_BITS+:COUNT_BITS] <= count - 1'b1;
        end
      end

      wire [COUNT_BITS-1:0] out = sent_q[m*COUNT_BITS+:COUNT_BITS];
      wire counts = back[PORT] && back_vc[PORT*VC_BITS+:VC_BITS] == VC[VC_BITS-1:0] && out != {COUNT_BITS{1'b0}};
      wire [COUNT_BITS-1:0] rest = counts ? out - 1'b1 : out;
      wire released = WAIT_FOR_TAIL != 0 && counts && rest == {COUNT_BITS{1'b0}} && tailed_q[m];
      assign owed[m*COUNT_BITS+:COUNT_BITS] = rest;
      assign has_credit[m] = rest != FULL;
      assign free[m] = !used_q[m] || released;
    end
  endgenerate

  // VC allocation.
  wire [N-1:0] idle = filled & ~waiting_q & ~active_q;
  wire [N*N-1:0] route, vc_request, vc_match, vc_matched;
  generate
    for (m = 0; m < N; m = m + 1) begin : g_request
      wire asks = waiting_q[m] || (ROUTING_DELAY == 0 && idle[m]);
      assign route[m*N+:N] = waiting_q[m] ? route_q[m*N+:N] : front[m*WORD_BITS+FLIT_BITS+:N];
      assign vc_request[m*N+:N] = {N{asks}} & route[m*N+:N] & free;
    end
  endgenerate
  vc_matcher #(.INS(N), .OUTS(N), .KIND(VC_ALLOCATOR)) vc_allocator (
    .request_i(vc_request), .accept_i(vc_accept_q), .grant_i(vc_grant_q), .match_o(vc_match), .matched_o(vc_matched)
  );

  // Switch allocation, and what crosses.
  wire [PORTS*PORTS-1:0] request, match, matched;
  wire [PORTS*FLIT_BITS-1:0] leaving; // of each input
  wire [PORTS*N-1:0] leaving_to;      // its output VC
  wire [PORTS*FLIT_BITS-1:0] crossing;
  wire [PORTS*VC_BITS-1:0] crossing_vc, freed_vc;
  vc_matcher #(.INS(PORTS), .OUTS(PORTS), .KIND(SWITCH_ALLOCATOR)) switch_allocator (
    .request_i(request), .accept_i(switch_accept_q), .grant_i(switch_grant_q), .match_o(match), .matched_o(matched)
  );
  generate
    for (i = 0; i < PORTS; i = i + 1) begin : g_input
      reg [VCS-1:0] wants, among;
      reg [PORTS*VCS-1:0] first; // for each output, the VC that requests it
      reg [PORTS-1:0] asks;
      integer j, k;
      always @* begin
        first = {PORTS*VCS{1'b0}};
        asks = {PORTS{1'b0}};
        wants = {VCS{1'b0}};
        among = {VCS{1'b0}};
        for (k = 0; k < PORTS; k = k + 1) begin
          for (j = 0; j < VCS; j = j + 1) begin
            wants[j] = active_q[i*VCS+j] && filled[i*VCS+j] && |(out_q[(i*VCS+j)*N+k*VCS+:VCS] & has_credit[k*VCS+:VCS]);
          end
          asks[k] = |wants;
          among = wants & choice_q[i*VCS+:VCS];
          if (!(|among)) among = wants;
          first[k*VCS+:VCS] = among & (~among + ONE_VC);
        end
      end
      assign request[i*PORTS+:PORTS] = asks;

      reg [VCS-1:0] any;
      reg [FLIT_BITS-1:0] flit;
      reg [N-1:0] to;
      reg [VC_BITS-1:0] vc;
      integer c;
      always @* begin
        any = {VCS{1'b0}};
        flit = {FLIT_BITS{1'b0}};
        to = {N{1'b0}};
        vc = {VC_BITS{1'b0}};
        for (c = 0; c < PORTS; c = c + 1) any = any | (first[c*VCS+:VCS] & {VCS{match[i*PORTS+c]}});
        for (c = 0; c < VCS; c = c + 1) begin
          if (any[c]) begin
            flit = flit | front[(i*VCS+c)*WORD_BITS+:FLIT_BITS];
            to = to | out_q[(i*VCS+c)*N+:N];
            vc = vc | c[VC_BITS-1:0];
          end
        end
      end
      assign leaves[i*VCS+:VCS] = any;
      assign leaving[i*FLIT_BITS+:FLIT_BITS] = flit;
      assign leaving_to[i*N+:N] = to;
      assign freed_vc[i*VC_BITS+:VC_BITS] = vc;
    end
    for (o = 0; o < PORTS; o = o + 1) begin : g_cross
      reg [FLIT_BITS-1:0] flit;
      reg [VCS-1:0] to;
      reg [VC_BITS-1:0] vc;
      integer k;
      always @* begin
        flit = {FLIT_BITS{1'b0}};
        to = {VCS{1'b0}};
        vc = {VC_BITS{1'b0}};
        for (k = 0; k < PORTS; k = k + 1) begin
          if (match[k*PORTS+o]) begin
            flit = flit | leaving[k*FLIT_BITS+:FLIT_BITS];
            to = to | leaving_to[k*N+o*VCS+:VCS];
          end
        end
        for (k = 0; k < VCS; k = k + 1) if (to[k]) vc = vc | k[VC_BITS-1:0];
      end
      assign crossing[o*FLIT_BITS+:FLIT_BITS] = flit;
      assign crossing_vc[o*VC_BITS+:VC_BITS] = vc;
      assign sends[o*VCS+:VCS] = to;
      assign tail_sent[o*VCS+:VCS] = to & {VCS{flit[1]}};
    end
  endgenerate

  // A pointer past a match is the set of all positions after the match.
  function [N-1:0] past_vc(input [N-1:0] found);
    past_vc = ~(found | (found - ONE));
  endfunction
  function [PORTS-1:0] past_port(input [PORTS-1:0] found);
    past_port = ~(found | (found - ONE_PORT));
  endfunction
  function [VCS-1:0] past_choice(input [VCS-1:0] found);
    past_choice = ~(found | (found - ONE_VC));
  endfunction

  integer n;
  always @(posedge clock) begin
    for (n = 0; n < N; n = n + 1) begin
      if (|vc_match[n*N+:N]) out_q[n*N+:N] <= vc_match[n*N+:N];
      if (|vc_match[n*N+:N]) vc_accept_q[n*N+:N] <= past_vc(vc_match[n*N+:N]);
      if (|vc_matched[n*N+:N]) vc_grant_q[n*N+:N] <= past_vc(vc_matched[n*N+:N]);
      route_q[n*N+:N] <= route[n*N+:N];
      waiting_q[n] <= (idle[n] || waiting_q[n]) && !(|vc_match[n*N+:N]);
      active_q[n] <= |vc_match[n*N+:N] || (active_q[n] && !(leaves[n] && front[n*WORD_BITS+1]));
      used_q[n] <= |vc_matched[n*N+:N] || (!free[n] && !(WAIT_FOR_TAIL == 0 && tail_sent[n]));
      tailed_q[n] <= !(|vc_matched[n*N+:N]) && (tailed_q[n] || tail_sent[n]);
      sent_q[n*COUNT_BITS+:COUNT_BITS] <= sends[n] ? owed[n*COUNT_BITS+:COUNT_BITS] + 1'b1 : owed[n*COUNT_BITS+:COUNT_BITS];
    end
    for (n = 0; n < PORTS; n = n + 1) begin
      if (|match[n*PORTS+:PORTS]) switch_accept_q[n*PORTS+:PORTS] <= past_port(match[n*PORTS+:PORTS]);
      if (|matched[n*PORTS+:PORTS]) switch_grant_q[n*PORTS+:PORTS] <= past_port(matched[n*PORTS+:PORTS]);
      if (|leaves[n*VCS+:VCS]) choice_q[n*VCS+:VCS] <= past_choice(leaves[n*VCS+:VCS]);
      credit_q[n] <= |match[n*PORTS+:PORTS];
      crossed_q[n] <= |matched[n*PORTS+:PORTS];
    end
    credit_vc_q <= freed_vc;
    cross_q <= crossing;
    cross_vc_q <= crossing_vc;
    valid_q <= crossed_q;
    flit_q <= cross_q;
    vc_q <= cross_vc_q;
    if (reset) begin
      waiting_q <= {N{1'b0}};
      active_q <= {N{1'b0}};
      sent_q <= {N*COUNT_BITS{1'b0}};
      used_q <= {N{1'b0}};
      tailed_q <= {N{1'b0}};
      vc_grant_q <= {N*N{1'b1}};
      vc_accept_q <= {N*N{1'b1}};
      switch_grant_q <= {PORTS*PORTS{1'b1}};
      switch_accept_q <= {PORTS*PORTS{1'b1}};
      choice_q <= {PORTS*VCS{1'b1}};
      crossed_q <= {PORTS{1'b0}};
      cross_q <= {PORTS*FLIT_BITS{1'b0}};
      cross_vc_q <= {PORTS*VC_BITS{1'b0}};
      valid_q <= {PORTS{1'b0}};
      flit_q <= {PORTS*FLIT_BITS{1'b0}};
      vc_q <= {PORTS*VC_BITS{1'b0}};
      credit_q <= {PORTS{1'b0}};
      credit_vc_q <= {PORTS*VC_BITS{1'b0}};
    end
  end

  generate
    for (o = 0; o < PORTS; o = o + 1) begin : g_shown
      assign head_o[o] = flit_q[o*FLIT_BITS];
      assign tail_o[o] = flit_q[o*FLIT_BITS+1];
      assign data_o[o*DATA_BITS+:DATA_BITS] = flit_q[o*FLIT_BITS+2+:DATA_BITS];
    end
  endgenerate
  assign valid_o = valid_q;
  assign vc_o = vc_q;
  assign credit_o = credit_q;
  assign credit_vc_o = credit_vc_q;

`ifndef SYNTHESIS
  // Invariants of the router for any behaviour of the neighbours.
  reg [N-1:0] owned, leaver, twice;
  reg [PORTS-1:0] busy;
  integer q;
  always @* begin
    owned = {N{1'b0}};
    twice = {N{1'b0}};
    busy = {PORTS{1'b0}};
    leaver = {N{1'b0}};
    for (q = 0; q < N; q = q + 1) begin
      if (active_q[q]) begin
        twice = twice | (owned & out_q[q*N+:N]);
        owned = owned | out_q[q*N+:N];
      end
    end
    for (q = 0; q < PORTS; q = q + 1) begin
      leaver[q*VCS+:VCS] = leaves[q*VCS+:VCS] & (leaves[q*VCS+:VCS] - ONE_VC);
      busy[q] = |(match[q*PORTS+:PORTS] & (match[q*PORTS+:PORTS] - ONE_PORT)) || |(matched[q*PORTS+:PORTS] & (matched[q*PORTS+:PORTS] - ONE_PORT));
    end
  end
  integer s;
  always @(posedge clock) begin
    if (!reset) begin
      if (|leaver || |busy) $fatal(1, "switch: VCs %b leave, matches %b", leaves, match);
      if (|(waiting_q & active_q)) $fatal(1, "state: waiting %b, active %b", waiting_q, active_q);
      if (|(waiting_q & ~filled)) $fatal(1, "front: waiting %b, with flits %b", waiting_q, filled);
      if (|twice) $fatal(1, "owner: output VCs %b are owned twice", twice);
      if (|(owned & ~used_q)) $fatal(1, "owner: output VCs %b are owned, %b are used", owned, used_q);
      if (WAIT_FOR_TAIL == 0 && owned != used_q) $fatal(1, "used: output VCs %b are used, %b are owned", used_q, owned);
      if (|(used_q & ~owned & ~tailed_q)) $fatal(1, "tail: output VCs %b are used, %b are owned, tails of %b are sent", used_q, owned, tailed_q);
      if (|(sends & ~has_credit)) $fatal(1, "credit: flits to %b, credits for %b", sends, has_credit);
      for (s = 0; s < N; s = s + 1) begin
        if ({1'b0, count_q[s*COUNT_BITS+:COUNT_BITS]} > {1'b0, FULL})
          $fatal(1, "buffer: %0d flits of %0d in input VC %0d", count_q[s*COUNT_BITS+:COUNT_BITS], DEPTH, s);
        if ({1'b0, sent_q[s*COUNT_BITS+:COUNT_BITS]} > {1'b0, FULL}) $fatal(1, "sent: %0d flits of %0d", sent_q[s*COUNT_BITS+:COUNT_BITS], DEPTH);
        if (WAIT_FOR_TAIL != 0 && used_q[s] && !owned[s] && sent_q[s*COUNT_BITS+:COUNT_BITS] == {COUNT_BITS{1'b0}})
          $fatal(1, "wait: output VC %0d is used, and no flit of it is out", s);
      end
    end
  end
`endif

`ifdef STARLOOM_PROOF
  // Rules of neighbours. They send a flit only if there is room for it. The first flit of a packet, and no other
  // flit, is a head; its route has VCs of one output. They send a credit only for an outstanding flit.
  reg [N-1:0] inside_q;          // more flits of the packet will follow
  reg [N*COUNT_BITS-1:0] owed_q; // sent_q without the credits that do not count yet
  wire [PORTS-1:0] flit_kept, credit_kept;
  genvar p, v;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : g_kept
      wire [VCS-1:0] comes, room, returns, owed_flit;
      wire [PORTS-1:0] asked;
      for (v = 0; v < VCS; v = v + 1) begin : g_vc_kept
        localparam integer M = p * VCS + v;
        localparam integer VC = v;
        assign comes[v] = valid_i[p] && vc_i[p*VC_BITS+:VC_BITS] == VC[VC_BITS-1:0];
        assign room[v] = count_q[M*COUNT_BITS+:COUNT_BITS] != FULL;
        assign returns[v] = credit_i[p] && credit_vc_i[p*VC_BITS+:VC_BITS] == VC[VC_BITS-1:0];
        assign owed_flit[v] = owed_q[M*COUNT_BITS+:COUNT_BITS] != {COUNT_BITS{1'b0}};
        always @(posedge clock) begin
          if (comes[v]) inside_q[M] <= !tail_i[p];
          if (sends[M] && !returns[v]) owed_q[M*COUNT_BITS+:COUNT_BITS] <= owed_q[M*COUNT_BITS+:COUNT_BITS] + 1'b1;
          if (returns[v] && !sends[M]) owed_q[M*COUNT_BITS+:COUNT_BITS] <= owed_q[M*COUNT_BITS+:COUNT_BITS] - 1'b1;
          if (reset) begin
            inside_q[M] <= 1'b0;
            owed_q[M*COUNT_BITS+:COUNT_BITS] <= {COUNT_BITS{1'b0}};
          end
        end
      end
      for (v = 0; v < PORTS; v = v + 1) begin : g_route_kept
        assign asked[v] = |route_i[p*N+v*VCS+:VCS];
      end
      wire one_output = |asked && !(|(asked & (asked - ONE_PORT)));
      assign flit_kept[p] = !valid_i[p] || (|(comes & room) && (|(comes & inside_q[p*VCS+:VCS]) ? !head_i[p] : head_i[p] && one_output));
      assign credit_kept[p] = !credit_i[p] || |(returns & owed_flit);
    end
  endgenerate
  assign kept_o = &flit_kept && &credit_kept;
`endif
endmodule

`default_nettype wire
