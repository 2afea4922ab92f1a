// CRC-16/CCITT-FALSE over PHIT_BITS bits per cycle: polynomial 0x1021, start
// 0xFFFF, not reflected, no final XOR.
//
// lit_i says which bits of data_i are part of the message; they are taken from the
// most significant one down. start_i makes this phit the first of a message. next_o
// is the CRC with this phit (combinational), crc_o the one without it (registered).
// The CRC of a message with its own CRC behind it is 0. Reset: 0xFFFF. One phit per
// cycle. Twin of nic.Checksum.
`default_nettype none

module crc16 #(
  parameter integer PHIT_BITS = 8 // 1..64
) (
  input  wire                 clock,
  input  wire                 reset,
  input  wire                 start_i,
  input  wire [PHIT_BITS-1:0] lit_i,
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

  reg [15:0] crc_q;
  reg [15:0] crc_d;
  integer i;

  always @* begin
    crc_d = start_i ? START : crc_q;
    // A simulator has nothing to do while it is dark.
    if (|lit_i) for (i = PHIT_BITS - 1; i >= 0; i = i - 1) begin
      if (lit_i[i]) crc_d = {crc_d[14:0], 1'b0} ^ (crc_d[15] ^ data_i[i] ? POLYNOMIAL : 16'd0);
    end
  end

  always @(posedge clock) crc_q <= reset ? START : crc_d;

  assign next_o = crc_d;
  assign crc_o = crc_q;
endmodule

`default_nettype wire
