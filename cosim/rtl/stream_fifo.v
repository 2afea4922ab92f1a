// First-in first-out buffer between two sides with valid and ready.
//
// A word moves on a side in a cycle in which its valid and ready are both 1. FALL_THROUGH 0: a word that arrives in
// cycle c can leave from cycle c+1 on; 1: if the FIFO is empty, the word can leave in the same cycle. FULL_THROUGH 0:
// ready_o depends only on registers; 1: a full FIFO is ready in a cycle in which its head is taken. valid_o never
// waits for ready_i, and ready_o never waits for valid_i. data_o is 0 without valid_o. Reset: empty.
// Twin of package twin's stream.
`default_nettype none

module stream_fifo #(
  parameter integer DEPTH = 4,        // words, 1..1024
  parameter integer WIDTH = 8,        // bits of a word, 1..64
  parameter integer FALL_THROUGH = 0, // 1: an empty FIFO shows its input
  parameter integer FULL_THROUGH = 0  // 1: a full FIFO is ready when its head is taken
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
  localparam [USAGE_BITS-1:0] FULL = DEPTH[USAGE_BITS-1:0];

  wire [WIDTH-1:0] head; // 0 when it is empty
  wire overflow, overflows;
  wire unused = &{1'b0, overflow, overflows}; // no word is pushed into a full FIFO

  wire empty = count_o == {USAGE_BITS{1'b0}};
  wire passes = FALL_THROUGH != 0 && empty && valid_i;
  assign ready_o = count_o != FULL || (FULL_THROUGH != 0 && ready_i);
  assign valid_o = !empty || passes;
  assign data_o = passes ? data_i : head;

  wire pushes = valid_i && ready_o;
  wire stores = pushes && !(passes && ready_i);
  wire removes = !empty && ready_i;

  fifo #(.DEPTH(DEPTH), .WIDTH(WIDTH), .COUNT_BITS(1)) queue (
    .clock(clock), .reset(reset), .push_i(stores), .data_i(data_i), .pop_i(removes),
    .head_o(head), .count_o(count_o), .overflow_o(overflow), .overflows_o(overflows)
  );

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && overflow) $fatal(1, "ready: a word was lost");
  end
`endif
endmodule

`default_nettype wire
