// Optical transmitter that requests an output: one frame per slot, one phit per cycle.
//
// load_i in cycle c, the last cycle of a slot, loads frame, length and port at the end of that cycle. After the
// compute window the transmitter requests an output: request_o is high from cycle c + 1 + COMPUTE_CYCLES to the
// last phit. port_o is the requested output, SL_PORT_NONE for a request by list; tag_o is the tag of the frame.
// The first phit is on the wire ARBITRATION_CYCLES after the request begins. At the end of that cycle serving_i
// is the output that serves the transmitter; SL_PORT_NONE stops the frame. A frame requested by list goes to the
// serving output, which becomes its destination, and the CRC is recomputed. served_o is the output that has
// accepted the last loaded frame.
//
// Ignored: load_i from cycle c + 1 to the last phit, and load_i with a length_i below 16 or above
// FRAME_BYTES_MAX. Bits on the wire are those of serialiser.v. Reset, even in the middle of a frame: idle, dark,
// not served.
// Twin of nic.Serialisers, for one cell.
`default_nettype none
`include "starloom_registers.vh"

module requester #(
  parameter integer PHIT_BITS = 8,         // 1..64
  parameter integer FRAME_BYTES_MAX = 32,  // 16..1040
  parameter integer COMPUTE_CYCLES = 0,    // 0..65535
  parameter integer ARBITRATION_CYCLES = 1 // 1..65535
) (
  input  wire                         clock,
  input  wire                         reset,
  input  wire                         load_i,
  input  wire [8*FRAME_BYTES_MAX-1:0] frame_i,
  input  wire [15:0]                  length_i, // bytes
  input  wire [15:0]                  port_i,   // index or SL_PORT_NONE
  input  wire [15:0]                  serving_i,
  output wire [PHIT_BITS-1:0]         rail1_o,
  output wire [PHIT_BITS-1:0]         rail0_o,
  output wire [15:0]                  port_o,
  output wire                         busy_o,
  output wire [15:0]                  tag_o,
  output wire                         request_o,
  output wire [15:0]                  served_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64 ||
      FRAME_BYTES_MAX < 16 || FRAME_BYTES_MAX > 1040 ||
      COMPUTE_CYCLES < 0 || COMPUTE_CYCLES > 65535 ||
      ARBITRATION_CYCLES < 1 || ARBITRATION_CYCLES > 65535) begin
    $display("%m: allowed are PHIT_BITS 1 to 64, FRAME_BYTES_MAX 16 to 1040, COMPUTE_CYCLES 0 to 65535, ARBITRATION_CYCLES 1 to 65535");
    $finish;
  end

  localparam integer FRAME_BITS = 8 * FRAME_BYTES_MAX;
  localparam integer DESTINATION = FRAME_BITS + PHIT_BITS - 96; // lowest bit of the destination before the first phit
  localparam integer WAIT_CYCLES = COMPUTE_CYCLES + ARBITRATION_CYCLES;
  localparam [15:0] LENGTH_MIN = 16'd16;
  localparam [15:0] LENGTH_MAX = FRAME_BYTES_MAX[15:0];
  localparam [15:0] CRC_BITS = 16'd16;
  localparam [15:0] PHIT = PHIT_BITS[15:0];
  localparam [31:0] PORT_NONE = `SL_PORT_NONE;

  reg [FRAME_BITS+PHIT_BITS-1:0] stream_q; // next bit at the top, dark bits after the last byte
  reg [15:0] left_q;                       // bits left to send, 0 when idle
  reg [16:0] wait_q;                       // cycles to the first phit
  reg first_q;                             // no phit has been sent yet
  reg listed_q;                            // the serving output is the destination: the CRC is recomputed
  reg [15:0] port_q, tag_q, served_q;

  // Moves byte 0 from the bottom to the top, where it is sent first.
  function [FRAME_BITS-1:0] wire_order(input [FRAME_BITS-1:0] frame);
    integer k;
    for (k = 0; k < FRAME_BYTES_MAX; k = k + 1) wire_order[FRAME_BITS-1-8*k -: 8] = frame[8*k +: 8];
  endfunction

  wire sends = left_q != 16'd0 && wait_q == 17'd0;
  wire last = sends && left_q <= PHIT;
  wire loads = load_i && left_q == 16'd0 && length_i >= LENGTH_MIN && length_i <= LENGTH_MAX;
  wire listed = port_q == PORT_NONE[15:0];

  reg [FRAME_BITS+PHIT_BITS-1:0] addressed;
  always @* begin
    addressed = stream_q;
    if (first_q && listed) addressed[DESTINATION +: 32] = {16'd0, serving_i};
  end

  always @(posedge clock) begin
    if (reset) begin
      left_q <= 16'd0;
      wait_q <= 17'd0;
      first_q <= 1'b0;
      listed_q <= 1'b0;
      port_q <= PORT_NONE[15:0];
      tag_q <= 16'd0;
      served_q <= PORT_NONE[15:0];
      stream_q <= {(FRAME_BITS + PHIT_BITS) {1'b0}};
    end else begin
      if (wait_q != 17'd0) wait_q <= wait_q - 17'd1;
      if (loads) begin
        wait_q <= WAIT_CYCLES[16:0];
        left_q <= {length_i[12:0], 3'd0};
        first_q <= 1'b1;
        listed_q <= 1'b0;
        port_q <= port_i;
        tag_q <= {frame_i[96 +: 8], frame_i[104 +: 8]};
        served_q <= PORT_NONE[15:0];
        stream_q <= {wire_order(frame_i), {PHIT_BITS{1'b0}}};
      end else if (sends) begin
        first_q <= 1'b0;
        left_q <= left_q - PHIT;
        stream_q <= addressed << PHIT_BITS;
        if (first_q) begin
          served_q <= serving_i;
          listed_q <= listed;
          if (listed) port_q <= serving_i;
        end
        if (last || (first_q && serving_i == PORT_NONE[15:0])) begin
          left_q <= 16'd0;
          port_q <= PORT_NONE[15:0];
        end
      end
    end
  end

  // The bits of this phit before the CRC, followed by bits of the CRC.
  wire [PHIT_BITS-1:0] phit = stream_q[FRAME_BITS +: PHIT_BITS];
  wire [PHIT_BITS-1:0] all = {PHIT_BITS{1'b1}};
  wire [15:0] covered_left = left_q > CRC_BITS ? left_q - CRC_BITS : 16'd0;
  wire [15:0] covered = covered_left < PHIT ? covered_left : PHIT;
  wire [15:0] next, crc;
  crc16 #(.PHIT_BITS(PHIT_BITS)) check (
    .clock(clock), .reset(reset), .start_i(sends && first_q), .bits_i(sends ? covered[6:0] : 7'd0), .data_i(phit),
    .next_o(next), .crc_o(crc)
  );
  wire [15:0] crc_left = left_q < CRC_BITS ? next << (CRC_BITS - left_q) : next;
  wire [PHIT_BITS+15:0] ending = {crc_left, {PHIT_BITS{1'b0}}} >> covered;
  wire unused = &{1'b0, PORT_NONE[31:16], crc, ending[15:0]};
  wire [PHIT_BITS-1:0] sent = listed_q ? (phit & ~(all >> covered)) | ending[16 +: PHIT_BITS] : phit;
  wire [PHIT_BITS-1:0] lit = !sends ? ~all : last ? ~((all >> 1) >> (left_q - 16'd1)) : all;

  assign rail1_o = sent & lit;
  assign rail0_o = ~sent & lit;
  assign port_o = port_q;
  assign busy_o = left_q != 16'd0;
  assign tag_o = tag_q;
  assign request_o = busy_o && wait_q <= ARBITRATION_CYCLES[16:0];
  assign served_o = served_q;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (left_q > FRAME_BITS[15:0]) $fatal(1, "left: %0d bits to send, a frame has %0d at most", left_q, FRAME_BITS);
      if ({15'd0, wait_q} > WAIT_CYCLES) $fatal(1, "wait: %0d cycles to the first phit of %0d", wait_q, WAIT_CYCLES);
      if (left_q == 16'd0 && (wait_q != 17'd0 || port_q != PORT_NONE[15:0])) $fatal(1, "idle: waits %0d cycles for port %0d", wait_q, port_q);
      if (sends && !first_q && served_q == PORT_NONE[15:0]) $fatal(1, "served: sends to none");
    end
  end
`endif
endmodule

`default_nettype wire
