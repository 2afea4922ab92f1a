// A link between two ends, each with a transmitter and a receiver.
//
// Dual-rail light: a bit that is sent as one lights rail 1, as zero rail 0, a dark bit
// neither. What end 0 sends goes towards end 1, and the other way round. Half duplex, one end
// may send at a time: light of both lights both rails of all bits towards both ends, a code
// violation.
//
// Latency 0 cycles (combinational), no clock and no state. Of every port the low half is end
// 0's: its light in, and what goes towards it out. Twin of hw.DuplexLinks, for one link.
`default_nettype none

module duplex_link #(
  parameter integer PHIT_BITS = 8, // 1..64
  parameter integer HALF = 1       // 0 full duplex, 1 half duplex
) (
  input  wire [2*PHIT_BITS-1:0] rail1_i,
  input  wire [2*PHIT_BITS-1:0] rail0_i,
  output wire [2*PHIT_BITS-1:0] rail1_o,
  output wire [2*PHIT_BITS-1:0] rail0_o,
  output wire [1:0]             violation_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64 ||
      HALF < 0 || HALF > 1) begin
    $display("%m: allowed are PHIT_BITS 1 to 64, HALF 0 and 1");
    $finish;
  end

  wire [2*PHIT_BITS-1:0] lit = rail1_i | rail0_i;
  wire meets = HALF == 1 && |lit[PHIT_BITS-1:0] && |lit[2*PHIT_BITS-1:PHIT_BITS];

  assign rail1_o = {rail1_i[PHIT_BITS-1:0], rail1_i[2*PHIT_BITS-1:PHIT_BITS]} | {2*PHIT_BITS{meets}};
  assign rail0_o = {rail0_i[PHIT_BITS-1:0], rail0_i[2*PHIT_BITS-1:PHIT_BITS]} | {2*PHIT_BITS{meets}};

  wire [2*PHIT_BITS-1:0] both = rail1_o & rail0_o;
  assign violation_o = {|both[2*PHIT_BITS-1:PHIT_BITS], |both[PHIT_BITS-1:0]};
endmodule

`default_nettype wire
