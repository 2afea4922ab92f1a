// SPDX-License-Identifier: Apache-2.0
//
// What an instruction of RV32I does and how many cycles the core takes for it, in one step, from its word, its operands
// and its address.
`default_nettype none

module rv32_step (
  input  wire [31:0] word,
  input  wire        short, // a compressed instruction, decompressed
  input  wire [31:0] pc,
  input  wire [31:0] a,
  input  wire [31:0] b,
  output reg  [31:0] value,   // of the destination register, unless loads
  output reg         writes,
  output reg  [31:0] next,
  output reg         traps,
  output reg         loads,
  output reg         stores,
  output reg  [31:0] address,
  output reg  [2:0]  bytes,
  output reg         taken,
  output reg         shifts,
  output wire [4:0]  cycles
);
  wire signed [31:0] i_value = $signed(word) >>> 20;
  wire signed [31:0] s_value = $signed({word[31:25], word[11:7], 20'd0}) >>> 20;
  wire signed [31:0] b_value = $signed({word[31], word[7], word[30:25], word[11:8], 20'd0}) >>> 19;
  wire signed [31:0] j_value = $signed({word[31], word[19:12], word[20], word[30:21], 12'd0}) >>> 11;
  wire [31:0] second = word[5] ? b : i_value;
  wire [4:0] by = second[4:0];

  always @* begin
    value = 0; writes = 0; traps = 0; loads = 0; stores = 0; address = a + i_value; bytes = 4; taken = 0; shifts = 0;
    next = pc + (short ? 2 : 4);
    case (word[6:0])
      7'b0110111: begin writes = 1; value = word & 32'hFFFFF000; end
      7'b0010111: begin writes = 1; value = pc + (word & 32'hFFFFF000); end
      7'b1101111: begin writes = 1; value = next; next = pc + j_value; end
      7'b1100111: begin writes = 1; value = next; next = (a + i_value) & ~32'd1; traps = word[14:12] != 0; end
      7'b1100011: begin
        case (word[14:12])
          0: taken = a == b;
          1: taken = a != b;
          4: taken = $signed(a) < $signed(b);
          5: taken = $signed(a) >= $signed(b);
          6: taken = a < b;
          7: taken = a >= b;
          default: traps = 1;
        endcase
        if (taken) next = pc + b_value;
      end
      7'b0000011: begin
        writes = 1;
        loads = 1;
        case (word[14:12])
          0, 4: bytes = 1;
          1, 5: bytes = 2;
          2: bytes = 4;
          default: traps = 1;
        endcase
      end
      7'b0100011: begin
        stores = 1;
        address = a + s_value;
        bytes = 3'd1 << word[13:12];
        traps = word[14:12] > 2;
      end
      7'b0010011, 7'b0110011: begin
        writes = 1;
        case (word[14:12])
          0: value = word[5] && word[30] ? a - second : a + second;
          1: begin value = a << by; shifts = 1; traps = word[31:25] != 0; end
          2: value = $signed(a) < $signed(second) ? 1 : 0;
          3: value = a < second ? 1 : 0;
          4: value = a ^ second;
          5: begin value = a >> by; shifts = 1; end
          6: value = a | second;
          7: value = a & second;
        endcase
        if (word[14:12] == 5) begin
          if (word[30]) value = $signed(a) >>> by;
          traps = (word[31:25] & 7'h5F) != 0;
        end
        if (word[5] && word[14:12] != 5) traps = word[31:25] != 0 && !(word[14:12] == 0 && word[31:25] == 7'h20);
      end
      7'b0001111: traps = word[14:12] != 0;
      7'b1110011: traps = word != 32'h10500073;
      default: traps = 1;
    endcase
  end

  wire splits = {1'b0, address[1:0]} + bytes > 4;
  wire jumps = taken || word[6:0] == 7'b1101111 || word[6:0] == 7'b1100111;
  assign cycles = (short && pc[1] ? 3 : 4) + (taken ? 1 : 0) + (jumps && next[1] ? 2 : 0) +
    (shifts ? 1 + by / 4 + by % 4 : 0) + (loads || stores ? (splits ? 4 : 2) : 0);
endmodule

`default_nettype wire
