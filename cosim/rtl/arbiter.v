// Arbiter of any kind. arbiter_choice.v chooses a request; arbiter_lock.v holds the grant while the request stays
// high. Reset: no grant. Part of the twins of hw.ArbitratedBuses and hw.OutputPorts.
`default_nettype none

module arbiter #(
  parameter integer REQUESTERS = 4,  // 1..1024
  parameter integer KIND = 1,        // KIND of arbiter_choice.v
  parameter integer SLICE_CYCLES = 1 // TDMA: 1..65535; otherwise 1
) (
  input  wire clock,
  input  wire reset,
  input  wire [REQUESTERS-1:0] request_i,
  output wire [REQUESTERS-1:0] grant_o,
  output wire [(REQUESTERS > 64 ? $clog2(REQUESTERS) : 6)-1:0] index_o
);
  wire [REQUESTERS-1:0] choice;
  wire free;

  arbiter_choice #(.REQUESTERS(REQUESTERS), .KIND(KIND), .SLICE_CYCLES(SLICE_CYCLES)) of (
    .clock(clock), .reset(reset), .request_i(request_i), .take_i(free), .choice_o(choice)
  );
  arbiter_lock #(.REQUESTERS(REQUESTERS)) lock (
    .clock(clock), .reset(reset), .request_i(request_i), .choice_i(choice),
    .free_o(free), .grant_o(grant_o), .index_o(index_o)
  );
endmodule

`default_nettype wire
