// CRC-16/CCITT-FALSE over up to PHIT_BITS bits per cycle: polynomial 0x1021, initial value 0xFFFF, not reflected, no
// final XOR.
//
// The most significant bits_i bits of data_i are the next bits of the message, the first at the top; bits_i must not
// exceed PHIT_BITS. With start_i they are the first bits of a message. next_o is the CRC including these bits
// (combinational), crc_o the CRC without them (registered). The CRC of a message followed by its own CRC is 0. Reset:
// 0xFFFF. One phit per cycle.
// Twin of nic.Checksum.
//
// If the n bits are the polynomial m, the next CRC is (m x^16 + CRC x^n) modulo the generator: a sum of remainders of
// powers of x, which are constants.
`default_nettype none

module crc16 #(
  parameter integer PHIT_BITS = 8 // 1..64
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire                 start_i,
  input  wire [6:0]           bits_i,
  input  wire [PHIT_BITS-1:0] data_i,
  output wire [15:0]          next_o,
  output wire [15:0]          crc_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64) begin
    $display("%m: allowed are PHIT_BITS 1 to 64");
    $finish;
  end

  localparam [15:0] POLYNOMIAL = 16'h1021;
  localparam [15:0] START = 16'hFFFF;
  localparam [6:0] PHIT = PHIT_BITS[6:0];
  localparam integer SUM_BITS = PHIT_BITS + 16;

  // Row j: for each power of x, bit j of its remainder.
  function [16*SUM_BITS-1:0] remainders(input [15:0] one);
    integer power, j;
    reg [15:0] rest;
    begin
      rest = one;
      for (power = 0; power < SUM_BITS; power = power + 1) begin
        for (j = 0; j < 16; j = j + 1) remainders[j*SUM_BITS+power] = rest[j];
        rest = {rest[14:0], 1'b0} ^ (rest[15] ? POLYNOMIAL : 16'd0);
      end
    end
  endfunction
  localparam [16*SUM_BITS-1:0] REMAINDERS = remainders(16'd1);

  reg [15:0] crc_q;
  wire [15:0] crc = start_i ? START : crc_q;
  wire [PHIT_BITS-1:0] message = data_i >> (PHIT - bits_i);
  wire [SUM_BITS-1:0] sum = {message, 16'd0} ^ ({{PHIT_BITS{1'b0}}, crc} << bits_i);

  genvar k;
  generate
    for (k = 0; k < 16; k = k + 1) begin : remainder
      assign next_o[k] = ^(sum & REMAINDERS[k*SUM_BITS +: SUM_BITS]);
    end
  endgenerate

  always @(posedge clock) crc_q <= reset ? START : next_o;

  assign crc_o = crc_q;

`ifndef SYNTHESIS
  always @(posedge clock) if (!reset && bits_i > PHIT) $fatal(1, "bits_i: %0d bits, a phit has %0d", bits_i, PHIT);
`endif
endmodule

`default_nettype wire
