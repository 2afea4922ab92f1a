// First-in first-out buffer between two sides with valid and ready.
//
// A word moves on a side in a cycle in which its valid and ready are both 1. FALL_THROUGH 0:
// a word that comes in cycle c can leave from cycle c+1 on; 1: when empty it can leave in the
// same cycle. FULL_THROUGH 0: ready_o is a function of the registers; 1: a full one is ready in
// a cycle in which its head is taken. valid_o never waits for ready_i, ready_o not for valid_i. data_o
// is 0 without valid_o. Reset: empty. Twin of package twin's stream.
`default_nettype none

module stream_fifo #(
  parameter integer DEPTH = 4,        // words, 1..1024
  parameter integer WIDTH = 8,        // bits of a word, 1..64
  parameter integer FALL_THROUGH = 0, // 1: an empty one shows its input
  parameter integer FULL_THROUGH = 0  // 1: a full one is ready when its head is taken
) (
  input  wire                       clock,
  input  wire                       reset,
  input  wire                       valid_i,
  input  wire [WIDTH-1:0]           data_i,
  output wire                       ready_o,
  output wire                       valid_o,
  output wire [WIDTH-1:0]           data_o,
  input  wire                       ready_i,
  output wire [$clog2(DEPTH+1)-1:0] count_o
);
  initial if (DEPTH < 1 || DEPTH > 1024 || WIDTH < 1 || WIDTH > 64 ||
      FALL_THROUGH < 0 || FALL_THROUGH > 1 || FULL_THROUGH < 0 || FULL_THROUGH > 1) begin
    $display("%m: allowed are DEPTH 1 to 1024, WIDTH 1 to 64, FALL_THROUGH 0 or 1, FULL_THROUGH 0 or 1");
    $finish;
  end

  localparam integer USAGE_BITS = $clog2(DEPTH + 1);
  localparam integer POINTER_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer LAST_WORD = DEPTH - 1;
  localparam [USAGE_BITS-1:0] FULL = DEPTH[USAGE_BITS-1:0];
  localparam [POINTER_BITS-1:0] LAST = LAST_WORD[POINTER_BITS-1:0];

  reg [WIDTH-1:0] mem_q [0:DEPTH-1];
  reg [POINTER_BITS-1:0] read_pointer_q, write_pointer_q;
  reg [USAGE_BITS-1:0] usage_q;

  wire empty = usage_q == {USAGE_BITS{1'b0}};
  wire passes = FALL_THROUGH != 0 && empty && valid_i;
  assign ready_o = usage_q != FULL || (FULL_THROUGH != 0 && ready_i);
  assign valid_o = !empty || passes;
  assign data_o = empty ? (passes ? data_i : {WIDTH{1'b0}}) : mem_q[read_pointer_q];
  assign count_o = usage_q;

  wire pushes = valid_i && ready_o;
  wire stores = pushes && !(passes && ready_i);
  wire removes = !empty && ready_i;

  function [POINTER_BITS-1:0] next(input [POINTER_BITS-1:0] pointer);
    next = pointer == LAST ? {POINTER_BITS{1'b0}} : pointer + 1'b1;
  endfunction

  always @(posedge clock) begin
    if (stores) mem_q[write_pointer_q] <= data_i;
    if (reset) begin
      read_pointer_q <= {POINTER_BITS{1'b0}};
      write_pointer_q <= {POINTER_BITS{1'b0}};
      usage_q <= {USAGE_BITS{1'b0}};
    end else begin
      if (removes) read_pointer_q <= next(read_pointer_q);
      if (stores) write_pointer_q <= next(write_pointer_q);
      if (stores && !removes) usage_q <= usage_q + 1'b1;
      if (removes && !stores) usage_q <= usage_q - 1'b1;
    end
  end

`ifndef SYNTHESIS
  wire [31:0] write = {{(32 - POINTER_BITS) {1'b0}}, read_pointer_q} + {{(32 - USAGE_BITS) {1'b0}}, usage_q};
  always @(posedge clock) begin
    if (!reset) begin
      if ({1'b0, usage_q} > {1'b0, FULL}) $fatal(1, "usage: holds %0d words of %0d", usage_q, DEPTH);
      if ({{(32 - POINTER_BITS) {1'b0}}, write_pointer_q} != (write < DEPTH ? write : write - DEPTH))
        $fatal(1, "pointers: %0d words, read pointer %0d, write pointer %0d", usage_q, read_pointer_q, write_pointer_q);
    end
  end
`endif
endmodule

`default_nettype wire
