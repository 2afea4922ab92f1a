// Optical transmitter: one frame per slot, one phit per cycle.
//
// load_i in cycle c, the last cycle of a slot, loads frame, length and port at the end of that cycle. The
// first phit follows the compute window: it is on the wire in cycle c + 1 + COMPUTE_CYCLES. Phit k of the
// frame follows k cycles later. busy_o is high from cycle c + 1 to the last phit; port_o is the port in these
// cycles, otherwise SL_PORT_NONE.
//
// Ignored: load_i from cycle c + 1 to the last phit, and load_i with a length_i of 0 or above
// FRAME_BYTES_MAX.
//
// Bits on the wire: byte 0 of the frame first (frame_i[7:0]), the most significant bit of each byte first.
// The first bit of a phit is its most significant bit. Bits of the last phit after the end of the frame are
// dark. Reset, even in the middle of a frame: idle and dark.
// Twin of nic.Serialisers, for one cell.
`default_nettype none
`include "starloom_registers.vh"

module serialiser #(
  parameter integer PHIT_BITS = 8,        // 1..64
  parameter integer FRAME_BYTES_MAX = 32, // 1..1040
  parameter integer COMPUTE_CYCLES = 0    // 0..65535
) (
  input  wire                         clock,
  input  wire                         reset,
  input  wire                         load_i,
  input  wire [8*FRAME_BYTES_MAX-1:0] frame_i,
  input  wire [15:0]                  length_i, // bytes
  input  wire [15:0]                  port_i,   // index, SL_PORT_ALL or SL_PORT_NONE
  output wire [PHIT_BITS-1:0]         rail1_o,
  output wire [PHIT_BITS-1:0]         rail0_o,
  output wire [15:0]                  port_o,
  output wire                         busy_o
);
  initial if (PHIT_BITS < 1 || PHIT_BITS > 64 ||
      FRAME_BYTES_MAX < 1 || FRAME_BYTES_MAX > 1040 ||
      COMPUTE_CYCLES < 0 || COMPUTE_CYCLES > 65535) begin
    $display("%m: allowed are PHIT_BITS 1 to 64, FRAME_BYTES_MAX 1 to 1040, COMPUTE_CYCLES 0 to 65535");
    $finish;
  end

  localparam integer FRAME_BITS = 8 * FRAME_BYTES_MAX;
  localparam [15:0] LENGTH_MAX = FRAME_BYTES_MAX[15:0];
  localparam [15:0] PHIT = PHIT_BITS[15:0];
  localparam [31:0] PORT_NONE = `SL_PORT_NONE;
  wire unused = &{1'b0, PORT_NONE[31:16]};

  reg [FRAME_BITS+PHIT_BITS-1:0] stream_q; // next bit at the top, dark bits after the last byte
  reg [15:0] left_q;                       // bits left to send, 0 when idle
  reg [15:0] wait_q;                       // cycles to the first phit
  reg [15:0] port_q;

  // Moves byte 0 from the bottom to the top, where it is sent first.
  function [FRAME_BITS-1:0] wire_order(input [FRAME_BITS-1:0] frame);
    integer k;
    for (k = 0; k < FRAME_BYTES_MAX; k = k + 1) wire_order[FRAME_BITS-1-8*k -: 8] = frame[8*k +: 8];
  endfunction

  wire sends = left_q != 16'd0 && wait_q == 16'd0;
  wire last = sends && left_q <= PHIT;
  wire loads = load_i && left_q == 16'd0 && length_i != 16'd0 && length_i <= LENGTH_MAX;

  always @(posedge clock) begin
    if (reset) begin
      left_q <= 16'd0;
      wait_q <= 16'd0;
      port_q <= PORT_NONE[15:0];
      stream_q <= {(FRAME_BITS + PHIT_BITS) {1'b0}};
    end else begin
      if (wait_q != 16'd0) wait_q <= wait_q - 16'd1;
      if (loads) begin
        wait_q <= COMPUTE_CYCLES[15:0];
        left_q <= {length_i[12:0], 3'd0};
        port_q <= port_i;
        stream_q <= {wire_order(frame_i), {PHIT_BITS{1'b0}}};
      end else if (last) begin
        left_q <= 16'd0;
        port_q <= PORT_NONE[15:0];
      end else if (sends) begin
        left_q <= left_q - PHIT;
        stream_q <= stream_q << PHIT_BITS;
      end
    end
  end

  wire [PHIT_BITS-1:0] phit = stream_q[FRAME_BITS +: PHIT_BITS];
  wire [PHIT_BITS-1:0] all = {PHIT_BITS{1'b1}};
  wire [PHIT_BITS-1:0] lit = !sends ? ~all : last ? ~((all >> 1) >> (left_q - 16'd1)) : all;
  assign rail1_o = phit & lit;
  assign rail0_o = ~phit & lit;
  assign port_o = port_q;
  assign busy_o = left_q != 16'd0;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset) begin
      if (left_q > FRAME_BITS[15:0]) $fatal(1, "left: %0d bits to send, a frame has %0d at most", left_q, FRAME_BITS);
      if ({1'b0, wait_q} > COMPUTE_CYCLES[16:0]) $fatal(1, "wait: %0d cycles to the first phit of %0d", wait_q, COMPUTE_CYCLES);
      if (left_q == 16'd0 && (wait_q != 16'd0 || port_q != PORT_NONE[15:0])) $fatal(1, "idle: waits %0d cycles for port %0d", wait_q, port_q);
    end
  end
`endif
endmodule

`default_nettype wire
