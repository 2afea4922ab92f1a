// SPDX-License-Identifier: Apache-2.0
//
// The core with memory that is ready in the second cycle of an access, and a monitor: it compares registers, addresses,
// accesses and cycles of each instruction with rv32_step. wrong_o is 0 in every cycle. The values that the core reads
// from its registers are inputs, in a copy of the core without them: any values.
`default_nettype none

module rv32_monitor (
  input  wire        clock,
  input  wire        reset,
  input  wire        error_i,
  input  wire [31:0] data_i,
  input  wire        wake_i,
  input  wire [31:0] first_i, // values of registers
  input  wire [31:0] second_i,
  output wire        wrong_o
);
  wire        valid, fetch, write, waits, trap, retires;
  wire [31:0] address, data;
  wire [3:0]  lanes;
  reg         waited_q; // an access is in its second cycle
  wire        ready = valid & waited_q;

  rv32_multicycle core (
    .clock(clock), .reset(reset), .valid_o(valid), .ready_i(ready), .error_i(error_i), .fetch_o(fetch),
    .address_o(address), .write_o(write), .bytes_o(lanes), .data_o(data), .data_i(data_i), .waits_o(waits),
    .wake_i(wake_i), .trap_o(trap), .retires_o(retires)
  );

  // The instruction, from EXECUTE on
  reg  [31:0] word_q, pc_q, a_q, b_q;
  reg         short_q;
  wire        first = core.executes;
  wire [31:0] word = first ? core.word_q : word_q, pc = first ? core.pc_q : pc_q;
  wire [31:0] a = first ? core.a_q : a_q, b = first ? core.b_q : b_q;
  wire        short = first ? core.short_q : short_q;
  wire        executes = first | core.jumps | core.refills | core.shifts | core.accesses;

  wire [31:0] value, next, target;
  wire        writes, traps, loads, stores, taken, shifts;
  wire [2:0]  bytes;
  wire [4:0]  cycles;

  rv32_step step (
    .word(word), .short(short), .pc(pc), .a(a), .b(b), .value(value), .writes(writes), .next(next), .traps(traps),
    .loads(loads), .stores(stores), .address(target), .bytes(bytes), .taken(taken), .shifts(shifts), .cycles(cycles)
  );

  // Shift: what is left to do
  wire signed [31:0] moved = core.a_q;
  wire [31:0] arithmetic = moved >>> core.left_q;
  wire [31:0] left = ~word[14] ? core.a_q << core.left_q : word[30] ? arithmetic : core.a_q >> core.left_q;

  // Memory
  reg         second_q;
  reg  [31:0] first_q;
  wire [7:0]  all = bytes == 1 ? 8'h01 << target[1:0] : bytes == 2 ? 8'h03 << target[1:0] : 8'h0F << target[1:0];
  wire        splits = all[7:4] != 0;
  wire [63:0] both = second_q ? {data_i, first_q} : {32'd0, data_i};
  wire [63:0] read = both >> 8 * target[1:0];
  wire [31:0] loaded = word[14:12] == 0 ? {{24{read[7]}}, read[7:0]} : word[14:12] == 1 ? {{16{read[15]}}, read[15:0]} :
    word[14:12] == 4 ? {24'd0, read[7:0]} : word[14:12] == 5 ? {16'd0, read[15:0]} : read[31:0];
  wire [63:0] written = {32'd0, b} << 8 * target[1:0];
  wire [31:0] mask = {{8{lanes[3]}}, {8{lanes[2]}}, {8{lanes[1]}}, {8{lanes[0]}}};

  // Cycles: of the instruction so far, and ahead of it in its state
  reg  [4:0]  count_q;
  wire [4:0]  fetched = core.short_q & core.pc_q[1] ? 1 : 2;
  wire [4:0]  ahead = first ? cycles - fetched - 1 : core.jumps ? 1 + (next[1] ? 2 : 0) : core.refills ? 2 - waited_q :
    core.shifts ? 1 + core.left_q / 4 + core.left_q % 4 : 2 - waited_q + (splits & ~second_q ? 2 : 0);

  // The cycle before
  reg         retired_q, trapped_q, written_q;
  reg  [31:0] next_q;

  wire [10:0] wrong; // with all that the next cycle needs: the conditions are inductive
  assign wrong_o = wrong != 0;
  assign wrong[0] = executes & ~first & (core.word_q != word_q | core.short_q != short_q |
    core.pc_q != (core.refills ? next : pc_q) | core.b_q != b_q);
  assign wrong[1] = retired_q & core.pc_q != next_q;
  assign wrong[2] = core.writes & (~writes | core.value != (loads ? loaded : value) | word[11:7] != core.word_q[11:7]);
  assign wrong[3] = retires & (core.writes | written_q) != writes;
  assign wrong[4] = (trapped_q != trap) | executes & ~first & traps;
  assign wrong[5] = core.accesses & (write != stores | ~(loads | stores) |
    address != {target[31:2] + {29'd0, second_q}, 2'd0} | lanes != (second_q ? all[7:4] : all[3:0]) |
    ((data ^ (second_q ? written[63:32] : written[31:0])) & mask) != 0);
  assign wrong[6] = core.shifts & (left != value | ~shifts);
  assign wrong[7] = core.jumps & ~taken | core.refills & ~next[1];
  assign wrong[8] = executes & ~(first & traps) & count_q + ahead != cycles;
  assign wrong[9] = core.fetches & count_q != waited_q | core.decodes & count_q != fetched |
    core.accesses & (core.second_q != second_q | second_q & ~splits | second_q & loads & core.first_q != first_q |
      core.address_q != target);

  assign wrong[10] = core.state_q > 4'd8 | core.pc_q[0] | waited_q & ~valid | waits & count_q != 0 |
    (core.second_q | second_q) & ~core.accesses & ~trap |
    (core.refills ? written_q != writes : written_q & ~trap);

  always @(posedge clock) begin
    word_q <= word;
    pc_q <= pc;
    a_q <= a;
    b_q <= b;
    short_q <= short;
    next_q <= next;
    if (ready) first_q <= data_i;
    if (reset) begin
      waited_q <= 1'b0;
      retired_q <= 1'b0;
      trapped_q <= 1'b0;
      written_q <= 1'b0;
      second_q <= 1'b0;
      count_q <= 5'd0;
    end else begin
      waited_q <= valid & ~waited_q;
      retired_q <= retires;
      trapped_q <= trap | first & traps | ready & error_i;
      written_q <= ~retires & (written_q | core.writes);
      second_q <= core.accesses & (ready ? splits & ~second_q : second_q);
      count_q <= retires | waits ? 5'd0 : count_q + 5'd1;
    end
  end
endmodule

`default_nettype wire
