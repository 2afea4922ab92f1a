// SPDX-License-Identifier: Apache-2.0
//
// A small processor core for RV32I with compressed instructions (C), in several cycles for each instruction.
//
//   reset -> FETCH -> DECODE -> EXECUTE -> FETCH of the next instruction, or:
//
//     JUMP    a taken branch adds its offset
//     REFILL  after a jump to an address that is not a multiple of 4: fetches the second half of the word there
//     SHIFT   by 4 bits in a cycle, then by 1
//     MEMORY  one word, or two for an access across words
//     SLEEP   after wfi, until wake_i
//     TRAP    until reset
//
// Cycles of an instruction: FETCH 2, DECODE 1, EXECUTE 1, and in addition JUMP 1, REFILL 2, SHIFT 1 + n/4 + n%4 for a
// shift by n bits, MEMORY 2 for each word. They hold if memory is ready in the second cycle of each access; each cycle
// in which it is late adds one. FETCH takes 1 cycle for a compressed instruction at an address that is not a multiple
// of 4: the core has kept the second half of the word before.
//
// Bus: an access holds valid_o, fetch_o (it reads an instruction), address_o (of a word), write_o, bytes_o (the bytes
// that it reads or writes) and data_o until ready_i. data_i and error_i count in that cycle. The next access may begin
// in the next cycle. An access to an address that is not a multiple of its size takes place, in two words if necessary.
// No path leads from the inputs of the bus to its outputs within a cycle.
//
// Turns: after wfi the core waits, with waits_o, until wake_i. An illegal instruction, ecall, ebreak and an error of
// the bus end in TRAP, with trap_o. There are no interrupts and no control registers. Reset sets the program counter,
// but not the registers.
//
// Starloom's table of these cycles is the model rv32-multicycle in firmware/rv32/core.go.
`default_nettype none

module rv32_multicycle #(
  parameter [31:0] RESET_PC = 32'h8000_0000 // a multiple of 4
) (
  input  wire        clock,
  input  wire        reset,
  output wire        valid_o,
  input  wire        ready_i,
  input  wire        error_i,
  output wire        fetch_o,
  output wire [31:0] address_o,
  output wire        write_o,
  output wire [3:0]  bytes_o,
  output wire [31:0] data_o,
  input  wire [31:0] data_i,
  output wire        waits_o,
  input  wire        wake_i,
  output wire        trap_o,
  output wire        retires_o // an instruction ends in this cycle
);
  initial if (RESET_PC[1:0] != 2'b00) begin
    $display("%m: RESET_PC must be a multiple of 4");
    $finish;
  end

  localparam [3:0] FETCH = 4'd0, DECODE = 4'd1, EXECUTE = 4'd2, JUMP = 4'd3, REFILL = 4'd4, SHIFT = 4'd5, MEMORY = 4'd6,
    SLEEP = 4'd7, TRAP = 4'd8;

  reg [3:0]  state_q;
  reg [31:0] pc_q;      // address of the instruction
  reg [31:0] word_q;    // the instruction, decompressed
  reg        short_q;   // it has 16 bits
  reg [15:0] half_q;    // second half of the word fetched last: at pc_q unless that is a multiple of 4
  reg [31:0] a_q, b_q;  // operands; SHIFT moves a_q
  reg [4:0]  left_q;    // bits left to shift
  reg [31:0] address_q; // of a load or store
  reg        second_q;  // the second word of such an access
  reg [31:0] first_q;   // its first word
  reg [31:0] registers_q [1:31];

  wire fetches = state_q == FETCH;
  wire decodes = state_q == DECODE;
  wire executes = state_q == EXECUTE;
  wire jumps = state_q == JUMP;
  wire refills = state_q == REFILL;
  wire shifts = state_q == SHIFT;
  wire accesses = state_q == MEMORY;
  assign waits_o = state_q == SLEEP;
  assign trap_o = state_q == TRAP;

  // Fetch
  wire        kept = pc_q[1] & half_q[1:0] != 2'b11; // the instruction needs no access
  wire [31:0] whole = pc_q[1] ? {data_i[15:0], half_q} : data_i;
  wire        short = whole[1:0] != 2'b11;
  wire [31:0] expanded;
  wire        fetched = fetches & (kept | ready_i & ~error_i);
  wire [29:0] fetch_index = pc_q[31:2] + {29'd0, fetches & pc_q[1]};

  rv32_decompress decompress (.short_i(whole[15:0]), .word_o(expanded));

  // Decode
  wire        lui, auipc, jal, jalr, branch, load, store, calculate, register_form, wfi, legal;
  wire [31:0] immediate;
  wire [2:0]  funct3 = word_q[14:12];
  wire        shift = calculate & funct3[1:0] == 2'b01;

  rv32_decode decode (
    .word_i(word_q), .immediate_o(immediate),
    .lui_o(lui), .auipc_o(auipc), .jal_o(jal), .jalr_o(jalr), .branch_o(branch), .load_o(load), .store_o(store),
    .calculate_o(calculate), .register_form_o(register_form), .wfi_o(wfi), .legal_o(legal)
  );

  // Execute: one adder for results, addresses and targets
  wire        from_pc = auipc | jal | jumps;
  wire [31:0] alu_a = lui ? 32'd0 : from_pc ? pc_q : a_q;
  wire [31:0] alu_b = (register_form | branch) & ~jumps ? b_q : immediate;
  wire [31:0] result;
  wire        equal, less, below;

  rv32_alu alu (
    .operation_i(calculate ? funct3 : 3'd0), .subtract_i(register_form & word_q[30]), .a_i(alu_a), .b_i(alu_b),
    .result_o(result), .equal_o(equal), .less_o(less), .below_o(below)
  );

  wire        taken = branch & ((funct3[2] ? (funct3[1] ? below : less) : equal) ^ funct3[0]);
  wire [31:0] next = pc_q + (short_q ? 32'd2 : 32'd4);
  wire [31:0] target = {result[31:1], 1'b0};
  wire        leaves = executes & legal & (jal | jalr) | jumps;

  // Shift
  wire        by_four = left_q[4:2] != 3'd0;
  wire        sign = word_q[30] & a_q[31];
  wire [31:0] shifted = funct3[2] ? (by_four ? {{4{sign}}, a_q[31:4]} : {sign, a_q[31:1]})
                                  : (by_four ? {a_q[27:0], 4'd0} : {a_q[30:0], 1'b0});

  // Memory
  wire [1:0]  offset = address_q[1:0];
  wire [3:0]  size = funct3[1] ? 4'b1111 : funct3[0] ? 4'b0011 : 4'b0001;
  wire [7:0]  lanes = {4'd0, size} << offset;
  wire        last = second_q | lanes[7:4] == 4'd0;
  wire [29:0] access_index = address_q[31:2] + {29'd0, second_q};
  wire [31:0] moved = bytes_from(data_i[23:0], second_q ? first_q : data_i, offset);
  wire        negative = ~funct3[2] & (funct3[0] ? moved[15] : moved[7]);
  wire [31:0] loaded = funct3[1] ? moved : funct3[0] ? {{16{negative}}, moved[15:0]} : {{24{negative}}, moved[7:0]};

  // Four of the eight bytes of two words.
  function [31:0] bytes_from(input [23:0] second, input [31:0] first, input [1:0] from);
    case (from)
      2'd0: bytes_from = first;
      2'd1: bytes_from = {second[7:0], first[31:8]};
      2'd2: bytes_from = {second[15:0], first[31:16]};
      default: bytes_from = {second, first[31:24]};
    endcase
  endfunction

  assign valid_o = fetches & ~kept | refills | accesses;
  assign fetch_o = ~accesses;
  assign address_o = {accesses ? access_index : fetch_index, 2'b00};
  assign write_o = accesses & store;
  assign bytes_o = ~accesses ? 4'b1111 : second_q ? lanes[7:4] : lanes[3:0];
  assign data_o = bytes_from(b_q[23:0], b_q, 2'd0 - offset);

  // The end of an instruction
  wire executed = executes & legal & ~(load | store | shift | taken);
  wire shift_ends = shifts & left_q == 5'd0;
  wire accessed = accesses & ready_i & ~error_i & last;
  assign retires_o = (executed | jumps) & ~(leaves & target[1]) | refills & ready_i | shift_ends | accessed;
  wire writes = executed & (lui | auipc | jal | jalr | calculate) | shift_ends | accessed & load;
  wire [31:0] value = jal | jalr ? next : load ? loaded : shift ? a_q : result;

  always @(posedge clock) begin
    if (writes && word_q[11:7] != 5'd0) registers_q[word_q[11:7]] <= value;
    if (decodes) begin
      a_q <= word_q[19:15] == 5'd0 ? 32'd0 : registers_q[word_q[19:15]];
      b_q <= word_q[24:20] == 5'd0 ? 32'd0 : registers_q[word_q[24:20]];
    end
    if (shifts && !shift_ends) a_q <= shifted;
    left_q <= shifts ? left_q - (by_four ? 5'd4 : 5'd1) : alu_b[4:0];
    if (executes) address_q <= result;
    if (accesses && ready_i) first_q <= data_i;
    if (fetched) begin
      word_q <= short ? expanded : whole;
      short_q <= short;
    end
    if ((fetches || refills) && ready_i) half_q <= data_i[31:16];

    if (reset) begin
      state_q <= FETCH;
      pc_q <= RESET_PC;
      second_q <= 1'b0;
    end else begin
      second_q <= accesses & (ready_i ? ~last : second_q);
      if (leaves) pc_q <= target;
      else if (executed || shift_ends || accessed) pc_q <= next;
      case (state_q)
        FETCH: if (ready_i && error_i) state_q <= TRAP; else if (fetched) state_q <= DECODE;
        DECODE: state_q <= EXECUTE;
        EXECUTE:
          if (~legal) state_q <= TRAP;
          else if (leaves) state_q <= target[1] ? REFILL : FETCH;
          else state_q <= load | store ? MEMORY : shift ? SHIFT : taken ? JUMP : wfi ? SLEEP : FETCH;
        JUMP: state_q <= target[1] ? REFILL : FETCH;
        REFILL: if (ready_i) state_q <= error_i ? TRAP : FETCH;
        SHIFT: if (shift_ends) state_q <= FETCH;
        MEMORY: if (ready_i && error_i) state_q <= TRAP; else if (accessed) state_q <= FETCH;
        SLEEP: if (wake_i) state_q <= FETCH;
        TRAP: state_q <= TRAP;
        default: state_q <= FETCH;
      endcase
    end
  end
endmodule

`default_nettype wire
