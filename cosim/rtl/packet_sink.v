// Sink of packets at an output port of a router: takes every flit, and returns its credit in the next cycle.
//
// begin_o, end_o and data_o show the first and last flit of each packet in the cycle of its arrival: the data that
// the flit carries, otherwise 0. Flits of several packets may alternate on different virtual channels. credit_o and
// credit_vc_o are registers, 0 without a credit. Reset: no credit.
// Twin of hw.PacketSinks, for one sink.
`default_nettype none

module packet_sink #(
  parameter integer VCS = 2,       // 1..64
  parameter integer DATA_BITS = 12 // 1..53
) (
  input  wire clock,
  input  wire reset,
  input  wire valid_i,
  input  wire head_i,
  input  wire tail_i,
  input  wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] vc_i,
  input  wire [DATA_BITS-1:0] data_i,
  output wire begin_o,
  output wire end_o,
  output wire [DATA_BITS-1:0] data_o,
  output wire credit_o,
  output wire [(VCS > 1 ? $clog2(VCS) : 1)-1:0] credit_vc_o
);
  initial if (VCS < 1 || VCS > 64 || DATA_BITS < 1 || DATA_BITS > 53) begin
    $display("%m: allowed are VCS 1 to 64, DATA_BITS 1 to 53");
    $finish;
  end

  localparam integer VC_BITS = VCS > 1 ? $clog2(VCS) : 1;

  reg credit_q;
  reg [VC_BITS-1:0] credit_vc_q;
  always @(posedge clock) begin
    credit_q <= valid_i && !reset;
    credit_vc_q <= valid_i && !reset ? vc_i : {VC_BITS{1'b0}};
  end
  assign begin_o = valid_i && head_i;
  assign end_o = valid_i && tail_i;
  assign data_o = begin_o || end_o ? data_i : {DATA_BITS{1'b0}};
  assign credit_o = credit_q;
  assign credit_vc_o = credit_vc_q;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && !credit_q && |credit_vc_q) $fatal(1, "credit: VC %0d without a credit", credit_vc_q);
  end
`endif
endmodule

`default_nettype wire
