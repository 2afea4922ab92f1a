// SPDX-License-Identifier: Apache-2.0
//
// The kind and the immediate of an instruction of RV32I; combinational. ecall and ebreak are not legal, because the
// core traps there. fence is legal and of no kind: it does nothing.
// The RISC-V Instruction Set Manual 20191213, chapter 24, has the encodings.
`default_nettype none

module rv32_decode (
  input  wire [31:0] word_i,
  output reg  [31:0] immediate_o,
  output wire        lui_o,
  output wire        auipc_o,
  output wire        jal_o,
  output wire        jalr_o,
  output wire        branch_o,
  output wire        load_o,
  output wire        store_o,
  output wire        calculate_o,     // with an immediate or on registers
  output wire        register_form_o, // on registers
  output wire        wfi_o,
  output wire        legal_o
);
  wire [6:0] opcode = word_i[6:0];
  wire [2:0] funct3 = word_i[14:12];
  wire [6:0] funct7 = word_i[31:25];

  assign lui_o = opcode == 7'h37;
  assign auipc_o = opcode == 7'h17;
  assign jal_o = opcode == 7'h6F;
  assign jalr_o = opcode == 7'h67;
  assign branch_o = opcode == 7'h63;
  assign load_o = opcode == 7'h03;
  assign store_o = opcode == 7'h23;
  assign register_form_o = opcode == 7'h33;
  assign calculate_o = opcode == 7'h13 | register_form_o;
  assign wfi_o = word_i == 32'h1050_0073;

  wire fence = opcode == 7'h0F & funct3 == 3'd0;
  wire plain = funct7 == 7'h00;
  wire other = funct7 == 7'h20; // sub, sra
  wire right = funct3 == 3'd5 & (plain | other);
  wire left = funct3 == 3'd1 & plain;
  wire no_shift = funct3[1:0] != 2'b01;
  wire calculation = register_form_o ? plain | other & (funct3 == 3'd0 | funct3 == 3'd5) : no_shift | left | right;

  assign legal_o = lui_o | auipc_o | jal_o | jalr_o & funct3 == 3'd0 | branch_o & funct3[2:1] != 2'b01 |
    load_o & funct3 != 3'd3 & funct3[2:1] != 2'b11 | store_o & funct3 < 3'd3 | calculate_o & calculation |
    fence | wfi_o;

  always @* begin
    case (opcode)
      7'h37, 7'h17: immediate_o = {word_i[31:12], 12'd0};
      7'h6F: immediate_o = {{12{word_i[31]}}, word_i[19:12], word_i[20], word_i[30:21], 1'b0};
      7'h63: immediate_o = {{20{word_i[31]}}, word_i[7], word_i[30:25], word_i[11:8], 1'b0};
      7'h23: immediate_o = {{20{word_i[31]}}, word_i[31:25], word_i[11:7]};
      default: immediate_o = {{20{word_i[31]}}, word_i[31:20]};
    endcase
  end
endmodule

`default_nettype wire
