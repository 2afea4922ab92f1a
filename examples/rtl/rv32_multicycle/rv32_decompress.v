// SPDX-License-Identifier: Apache-2.0
//
// A compressed instruction as the instruction of RV32I with the same effect; combinational. The word of a reserved
// encoding, or of an instruction for floating-point numbers, is 0, which is illegal.
// The RISC-V Instruction Set Manual 20191213, chapter 16, tables 16.5 to 16.7, has the encodings.
`default_nettype none

module rv32_decompress (
  input  wire [15:0] short_i,
  output reg  [31:0] word_o
);
  localparam [6:0] LOAD = 7'h03, STORE = 7'h23, IMMEDIATE = 7'h13, REGISTERS = 7'h33, LUI = 7'h37, JALR = 7'h67;
  localparam [4:0] ZERO = 5'd0, RA = 5'd1, SP = 5'd2;

  wire        high = short_i[12];
  wire [4:0]  rd = short_i[11:7];
  wire [4:0]  rs2 = short_i[6:2];
  wire [4:0]  rd_few = {2'b01, short_i[9:7]}; // x8 to x15
  wire [4:0]  rs2_few = {2'b01, short_i[4:2]};
  wire [11:0] six = {{7{high}}, short_i[6:2]};
  wire [11:0] stack_add = {2'd0, short_i[10:7], short_i[12:11], short_i[5], short_i[6], 2'd0};
  wire [11:0] stack_move = {{3{high}}, short_i[4:3], short_i[5], short_i[2], short_i[6], 4'd0};
  wire [11:0] word_offset = {5'd0, short_i[5], short_i[12:10], short_i[6], 2'd0};
  wire [11:0] stack_load = {4'd0, short_i[3:2], high, short_i[6:4], 2'd0};
  wire [11:0] stack_store = {4'd0, short_i[8:7], short_i[12:9], 2'd0};
  wire [9:0]  far = {short_i[8], short_i[10:9], short_i[6], short_i[7], short_i[2], short_i[11], short_i[5:3]};

  function [31:0] form_i(input [11:0] value, input [4:0] from, input [2:0] kind, input [4:0] to, input [6:0] opcode);
    form_i = {value, from, kind, to, opcode};
  endfunction
  function [31:0] form_r(input [6:0] other, input [4:0] second, input [4:0] first, input [2:0] kind, input [4:0] to);
    form_r = {other, second, first, kind, to, REGISTERS};
  endfunction
  function [31:0] form_s(input [11:0] value, input [4:0] data, input [4:0] address);
    form_s = {value[11:5], data, address, 3'd2, value[4:0], STORE};
  endfunction

  wire [31:0] jump = {high, far, {9{high}}, 4'd0, short_i[15:13] == 3'd1, 7'h6F}; // c.jal links x1
  wire [31:0] branch = {{4{high}}, short_i[6:5], short_i[2], ZERO, rd_few, 2'd0, short_i[13], short_i[11:10],
    short_i[4:3], high, 7'h63};

  always @* begin
    word_o = 32'd0;
    case ({short_i[1:0], short_i[15:13]})
      5'b00_000: if (short_i[12:5] != 8'd0) word_o = form_i(stack_add, SP, 3'd0, rs2_few, IMMEDIATE); // c.addi4spn
      5'b00_010: word_o = form_i(word_offset, rd_few, 3'd2, rs2_few, LOAD);  // c.lw
      5'b00_110: word_o = form_s(word_offset, rs2_few, rd_few);  // c.sw
      5'b01_000: word_o = form_i(six, rd, 3'd0, rd, IMMEDIATE);  // c.addi, c.nop
      5'b01_010: word_o = form_i(six, ZERO, 3'd0, rd, IMMEDIATE);  // c.li
      5'b01_011: if (six != 12'd0) begin // c.addi16sp, c.lui
        if (rd == SP) word_o = form_i(stack_move, SP, 3'd0, SP, IMMEDIATE);
        else word_o = {{8{high}}, six, rd, LUI};
      end
      5'b01_100: case (short_i[11:10])
        2'd0: if (!high) word_o = form_i({7'h00, rs2}, rd_few, 3'd5, rd_few, IMMEDIATE); // c.srli
        2'd1: if (!high) word_o = form_i({7'h20, rs2}, rd_few, 3'd5, rd_few, IMMEDIATE); // c.srai
        2'd2: word_o = form_i(six, rd_few, 3'd7, rd_few, IMMEDIATE);  // c.andi
        default: if (!high) case (short_i[6:5])
          2'd0: word_o = form_r(7'h20, rs2_few, rd_few, 3'd0, rd_few);  // c.sub
          2'd1: word_o = form_r(7'h00, rs2_few, rd_few, 3'd4, rd_few);  // c.xor
          2'd2: word_o = form_r(7'h00, rs2_few, rd_few, 3'd6, rd_few);  // c.or
          default: word_o = form_r(7'h00, rs2_few, rd_few, 3'd7, rd_few); // c.and
        endcase
      endcase
      5'b01_001, 5'b01_101: word_o = jump;  // c.jal, c.j
      5'b01_110, 5'b01_111: word_o = branch;  // c.beqz, c.bnez
      5'b10_000: if (!high) word_o = form_i({7'h00, rs2}, rd, 3'd1, rd, IMMEDIATE);  // c.slli
      5'b10_010: if (rd != ZERO) word_o = form_i(stack_load, SP, 3'd2, rd, LOAD);  // c.lwsp
      5'b10_110: word_o = form_s(stack_store, rs2, SP);  // c.swsp
      5'b10_100: begin
        if (rs2 != ZERO) word_o = form_r(7'h00, rs2, high ? rd : ZERO, 3'd0, rd);  // c.mv, c.add
        else if (rd != ZERO) word_o = form_i(12'd0, rd, 3'd0, high ? RA : ZERO, JALR);  // c.jr, c.jalr
      end  // c.ebreak traps as 0 does
      default: word_o = 32'd0;
    endcase
  end
endmodule

`default_nettype wire
