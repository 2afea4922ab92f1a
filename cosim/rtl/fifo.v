// First-in first-out buffer with one clock.
//
// All outputs are registers: a word pushed in cycle c can be the head in cycle c+1. One push
// and one pop per cycle. The pop precedes the push, so a full FIFO accepts a push together
// with a pop. The head is visible without a pop and is 0 when the FIFO is empty. A pop of an
// empty FIFO has no effect. A push into a full FIFO is lost: overflow_o is 1 in the next
// cycle, and overflows_o, which stops at its maximum, counts the loss. Reset: empty, no
// losses.
// Twin of hw.FIFOs, for one FIFO. Names in fifo_v3 of common_cells with FALL_THROUGH 0: data_o
// is head_o, usage_o the low bits of count_o, empty_o is count_o == 0, full_o is count_o ==
// DEPTH. fifo_v3 does not permit a push into a full FIFO.
`default_nettype none

module fifo #(
  parameter integer DEPTH = 4,      // words, 1..65535
  parameter integer WIDTH = 8,      // bits of a word, 1..64
  parameter integer COUNT_BITS = 16 // width of the overflow counter, 1..32
) (
  input  wire                       clock,
  input  wire                       reset,
  input  wire                       push_i,
  input  wire [WIDTH-1:0]           data_i,
  input  wire                       pop_i,
  output wire [WIDTH-1:0]           head_o,
  output wire [$clog2(DEPTH+1)-1:0] count_o,
  output wire                       overflow_o,
  output wire [COUNT_BITS-1:0]      overflows_o
);
  initial if (DEPTH < 1 || DEPTH > 65535 ||
      WIDTH < 1 || WIDTH > 64 ||
      COUNT_BITS < 1 || COUNT_BITS > 32) begin
    $display("%m: allowed are DEPTH 1 to 65535, WIDTH 1 to 64, COUNT_BITS 1 to 32");
    $finish;
  end

  localparam integer USAGE_BITS = $clog2(DEPTH + 1);
  localparam integer POINTER_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer LAST_WORD = DEPTH - 1;
  localparam [USAGE_BITS-1:0] FULL = DEPTH[USAGE_BITS-1:0];
  localparam [POINTER_BITS-1:0] LAST = LAST_WORD[POINTER_BITS-1:0];

  reg [WIDTH-1:0] mem_q [0:DEPTH-1];
  reg [POINTER_BITS-1:0] read_pointer_q;  // of the head
  reg [POINTER_BITS-1:0] write_pointer_q; // of the next word
  reg [USAGE_BITS-1:0] usage_q;
  reg lost_q;
  reg [COUNT_BITS-1:0] total_q;

  wire pops = pop_i && usage_q != {USAGE_BITS{1'b0}};
  wire pushes = push_i && (usage_q != FULL || pops);
  wire loses = push_i && !pushes;

  function [POINTER_BITS-1:0] next(input [POINTER_BITS-1:0] pointer);
    next = pointer == LAST ? {POINTER_BITS{1'b0}} : pointer + 1'b1;
  endfunction

  always @(posedge clock) begin
    if (pushes) mem_q[write_pointer_q] <= data_i;
    if (reset) begin
      read_pointer_q <= {POINTER_BITS{1'b0}};
      write_pointer_q <= {POINTER_BITS{1'b0}};
      usage_q <= {USAGE_BITS{1'b0}};
      lost_q <= 1'b0;
      total_q <= {COUNT_BITS{1'b0}};
    end else begin
      if (pops) read_pointer_q <= next(read_pointer_q);
      if (pushes) write_pointer_q <= next(write_pointer_q);
      if (pushes && !pops) usage_q <= usage_q + 1'b1;
      if (pops && !pushes) usage_q <= usage_q - 1'b1;
      lost_q <= loses;
      if (loses && !(&total_q)) total_q <= total_q + 1'b1;
    end
  end

  assign head_o = usage_q == {USAGE_BITS{1'b0}} ? {WIDTH{1'b0}} : mem_q[read_pointer_q];
  assign count_o = usage_q;
  assign overflow_o = lost_q;
  assign overflows_o = total_q;

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

`ifdef STARLOOM_PROOF
  // Registers of other FIFOs, and the cycles in which they are valid: the words by order of departure, and by place.
  genvar k;
  generate
    if (DEPTH * DEPTH * WIDTH <= 32768) begin : viewed
      wire [2*DEPTH*WIDTH-1:0] views, views_count;
      for (k = 0; k < DEPTH; k = k + 1) begin : word
        wire [31:0] place = {{(32 - POINTER_BITS) {1'b0}}, read_pointer_q} + k;
        wire [31:0] turn = k - {{(32 - POINTER_BITS) {1'b0}}, read_pointer_q};
        wire [31:0] from = k < read_pointer_q ? turn + DEPTH : turn; // the head
        assign views[k*WIDTH +: WIDTH] = mem_q[place < DEPTH ? place : place - DEPTH];
        assign views_count[k*WIDTH +: WIDTH] = {WIDTH{k < usage_q}};
        assign views[(DEPTH+k)*WIDTH +: WIDTH] = mem_q[k];
        assign views_count[(DEPTH+k)*WIDTH +: WIDTH] = {WIDTH{from < usage_q}};
      end
    end
  endgenerate
`endif
endmodule

`default_nettype wire
