// First-in first-out buffer between two clocks.
//
// `clock` is the time base. The write clock rises with `clock` in cycles with write_clock_i 1, the read clock in
// cycles with read_clock_i 1, and both clocks rise during reset. An edge of the write clock with push_i pushes a word
// if full_o is 0. An edge of the read clock with pop_i pops a word if empty_o is 0.
//
// Pointers cross in Gray code, through LATE - 1 registers of the other clock. Bit 0 of each pointer takes one more
// cycle of `clock`, like a longer wire. In Gray code the other side then sees the pointer before or after a step; in
// binary code it could see a value that the pointer never had. full_o and empty_o therefore fall at most LATE edges
// of their own clock after the action of the other side. Two-state logic does not model metastability: one register
// would suffice here, but not in silicon. If DEPTH is not a power of two, pointers use the 2 * DEPTH numbers in the
// middle of their range, so that the codes of the first and the last number also differ in one bit.
//
// SPARE registers after the memory also hold words. REGISTERED 0: head_o is the next word to be popped, 0 when empty.
// REGISTERED 1: head_o is the word popped last, 0 after a reset. Reset: empty.
// Twin of package twin's asyncFIFO.
`default_nettype none

module async_fifo #(
  parameter integer DEPTH = 4,     // words of the memory, 2..1024
  parameter integer WIDTH = 8,     // bits of a word, 1..64
  parameter integer LATE = 3,      // edges until the other side sees a step, 2..8
  parameter integer SPARE = 0,     // registers after the memory, 0..4
  parameter integer REGISTERED = 0 // 1: head_o is a register
) (
  input  wire             clock,
  input  wire             reset,
  input  wire             write_clock_i,
  input  wire             push_i,
  input  wire [WIDTH-1:0] data_i,
  output wire             full_o,
  input  wire             read_clock_i,
  input  wire             pop_i,
  output wire [WIDTH-1:0] head_o,
  output wire             empty_o
);
  localparam integer BITS = $clog2(DEPTH);
  localparam integer STAGES = LATE - 1;
  localparam [BITS:0] FULL = DEPTH[BITS:0];
  localparam integer UNUSED = (1 << BITS) - DEPTH; // numbers at each end that pointers do not use
  localparam [BITS:0] FIRST = UNUSED[BITS:0];
  localparam [BITS:0] LAST = ~FIRST;
  localparam [BITS:0] FIRST_CODE = FIRST ^ (FIRST >> 1);

  initial if (DEPTH < 2 || DEPTH > 1024 || WIDTH < 1 || WIDTH > 64 || LATE < 2 || LATE > 8 ||
      SPARE < 0 || SPARE > 4 || REGISTERED < 0 || REGISTERED > 1) begin
    $display("%m: allowed are DEPTH 2 to 1024, WIDTH 1 to 64, LATE 2 to 8, SPARE 0 to 4, REGISTERED 0 or 1");
    $finish;
  end

  function [BITS:0] gray(input [BITS:0] number);
    gray = number ^ (number >> 1);
  endfunction
  function [BITS:0] binary(input [BITS:0] code);
    integer i;
    for (i = 0; i <= BITS; i = i + 1) binary[i] = ^(code >> i);
  endfunction
  function [BITS:0] after(input [BITS:0] number);
    after = number == LAST ? FIRST : number + 1'b1;
  endfunction
  function [BITS:0] from_to(input [BITS:0] from, input [BITS:0] to);
    from_to = to - from - (to < from ? FIRST << 1 : {BITS + 1{1'b0}});
  endfunction
  function [BITS-1:0] place(input [BITS:0] number);
    place = number[BITS] ? number[BITS-1:0] : number[BITS-1:0] - FIRST[BITS-1:0];
  endfunction

  wire write_clock = clock & (write_clock_i | reset);
  wire read_clock = clock & (read_clock_i | reset);

  reg [WIDTH-1:0] mem_q [0:DEPTH-1];
  reg [BITS:0] write_q, write_code_q, read_q, read_code_q;        // pointers with one additional bit
  reg [(BITS+1)*STAGES-1:0] written_q, popped_q;                  // pointers on their way to the other side
  reg write_code_late_q, read_code_late_q;

  always @(posedge clock) begin
    write_code_late_q <= reset ? FIRST_CODE[0] : write_code_q[0];
    read_code_late_q <= reset ? FIRST_CODE[0] : read_code_q[0];
  end

  // The side that writes.
  wire [BITS:0] popped = binary(popped_q[(BITS+1)*(STAGES-1)+:BITS+1]);
  wire [BITS:0] used = from_to(popped, write_q);
  assign full_o = used >= FULL;
  wire pushes = push_i && !full_o;
  wire [BITS:0] write_next = pushes ? after(write_q) : write_q;
  wire [BITS-1:0] write_place = place(write_q); // a net, because Verilator 5.032 does not call a function in a target

  integer s;
  always @(posedge write_clock) begin
    if (pushes) mem_q[write_place] <= data_i;
    if (reset) begin
      write_q <= FIRST;
      write_code_q <= FIRST_CODE;
      popped_q <= {STAGES{FIRST_CODE}};
    end else begin
      write_q <= write_next;
      write_code_q <= gray(write_next);
      for (s = 1; s < STAGES; s = s + 1) popped_q[(BITS+1)*s+:BITS+1] <= popped_q[(BITS+1)*(s-1)+:BITS+1];
      popped_q[BITS:0] <= {read_code_q[BITS:1], read_code_late_q};
    end
  end

  // The side that reads.
  wire [BITS:0] written = binary(written_q[(BITS+1)*(STAGES-1)+:BITS+1]);
  wire [BITS:0] available = from_to(read_q, written);
  wire [WIDTH-1:0] word = mem_q[place(read_q)];
  wire takes; // a word of the memory
  wire [WIDTH-1:0] head;
  wire pops = pop_i && !empty_o;
  wire [BITS:0] read_next = takes ? after(read_q) : read_q;

  integer t;
  always @(posedge read_clock) begin
    if (reset) begin
      read_q <= FIRST;
      read_code_q <= FIRST_CODE;
      written_q <= {STAGES{FIRST_CODE}};
    end else begin
      read_q <= read_next;
      read_code_q <= gray(read_next);
      for (t = 1; t < STAGES; t = t + 1) written_q[(BITS+1)*t+:BITS+1] <= written_q[(BITS+1)*(t-1)+:BITS+1];
      written_q[BITS:0] <= {write_code_q[BITS:1], write_code_late_q};
    end
  end

  generate
    if (SPARE == 0) begin : g_memory
      assign takes = pops;
      assign empty_o = available == {BITS + 1{1'b0}};
      assign head = word;
    end else begin : g_registers
      reg [WIDTH*SPARE-1:0] data_q; // the lowest is the head
      reg [SPARE-1:0] valid_q;
      reg [SPARE-1:0] moves;        // the register is free or becomes free
      integer i;
      always @* begin
        moves[0] = !valid_q[0] || pops;
        for (i = 1; i < SPARE; i = i + 1) moves[i] = !valid_q[i] || moves[i-1];
      end
      assign takes = available != {BITS + 1{1'b0}} && moves[SPARE-1];
      assign empty_o = !valid_q[0];
      assign head = data_q[WIDTH-1:0];
      integer k;
      always @(posedge read_clock) begin
        for (k = 0; k < SPARE; k = k + 1) begin
          if (moves[k]) begin
            valid_q[k] <= k == SPARE - 1 ? takes : valid_q[(k+1)%SPARE];
            data_q[WIDTH*k+:WIDTH] <= k == SPARE - 1 ? word : data_q[WIDTH*((k+1)%SPARE)+:WIDTH];
          end
        end
        if (reset) valid_q <= {SPARE{1'b0}};
      end
    end
    if (REGISTERED != 0) begin : g_head
      reg [WIDTH-1:0] head_q;
      always @(posedge read_clock) begin
        if (reset) head_q <= {WIDTH{1'b0}};
        else if (pops) head_q <= head;
      end
      assign head_o = head_q;
    end else begin : g_shown
      assign head_o = empty_o ? {WIDTH{1'b0}} : head;
    end
  endgenerate

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && from_to(read_q, write_q) > FULL)
      $fatal(1, "pointers: %0d words in a memory of %0d, write pointer %0d, read pointer %0d", from_to(read_q, write_q), DEPTH, write_q, read_q);
  end
`endif
endmodule

`default_nettype wire
