// Link between two ends, each with a transmitter and a receiver.
//
// Dual-rail light: a one lights rail 1, a zero lights rail 0, a dark bit lights neither rail. Light of end 0 leaves
// towards end 1, and light of end 1 towards end 0. A half-duplex link carries one direction at a time: if both ends
// are lit, all bits light both rails towards both ends, a code violation.
//
// Latency 0 cycles (combinational), no clock and no state. The low half of every port belongs to end 0: the light
// from end 0, and the light towards end 0.
// Twin of hw.DuplexLinks, for one link.
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
