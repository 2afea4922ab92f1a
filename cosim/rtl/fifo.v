// First-in first-out buffer with one clock.
//
// All outputs come from registers: a word that is pushed in cycle c can be the
// head in cycle c+1. One push and one pop per cycle; the pop comes first, so a full
// FIFO that is popped has room. The head is shown without a pop and is 0 when the
// FIFO is empty. A pop of an empty FIFO does nothing. A push into a full one is
// lost: overflow_o is 1 in the cycle behind, and overflows_o counts it, up to its
// largest value. Reset: empty, nothing lost. Twin of hw.FIFOs, for one FIFO.
`default_nettype none

module fifo #(
  parameter integer DEPTH = 4,      // words, 1..65535
  parameter integer WIDTH = 8,      // bits of a word, 1..64
  parameter integer COUNT_BITS = 16 // of the overflow counter, 1..32
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

  localparam integer HELD_BITS = $clog2(DEPTH + 1);
  localparam integer PLACE_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam integer LAST_PLACE = DEPTH - 1;
  localparam [HELD_BITS-1:0] FULL = DEPTH[HELD_BITS-1:0];
  localparam [PLACE_BITS-1:0] LAST = LAST_PLACE[PLACE_BITS-1:0];

  reg [WIDTH-1:0] word_q [0:DEPTH-1];
  reg [PLACE_BITS-1:0] first_q; // place of the head
  reg [PLACE_BITS-1:0] free_q;  // place of the next word
  reg [HELD_BITS-1:0] held_q;
  reg lost_q;
  reg [COUNT_BITS-1:0] total_q;

  wire pops = pop_i && held_q != {HELD_BITS{1'b0}};
  wire pushes = push_i && (held_q != FULL || pops);
  wire loses = push_i && !pushes;

  function [PLACE_BITS-1:0] behind(input [PLACE_BITS-1:0] place);
    behind = place == LAST ? {PLACE_BITS{1'b0}} : place + 1'b1;
  endfunction

  always @(posedge clock) begin
    if (pushes) word_q[free_q] <= data_i;
    if (reset) begin
      first_q <= {PLACE_BITS{1'b0}};
      free_q <= {PLACE_BITS{1'b0}};
      held_q <= {HELD_BITS{1'b0}};
      lost_q <= 1'b0;
      total_q <= {COUNT_BITS{1'b0}};
    end else begin
      if (pops) first_q <= behind(first_q);
      if (pushes) free_q <= behind(free_q);
      if (pushes && !pops) held_q <= held_q + 1'b1;
      if (pops && !pushes) held_q <= held_q - 1'b1;
      lost_q <= loses;
      if (loses && !(&total_q)) total_q <= total_q + 1'b1;
    end
  end

  assign head_o = held_q == {HELD_BITS{1'b0}} ? {WIDTH{1'b0}} : word_q[first_q];
  assign count_o = held_q;
  assign overflow_o = lost_q;
  assign overflows_o = total_q;
endmodule

`default_nettype wire
