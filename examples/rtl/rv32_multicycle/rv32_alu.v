// SPDX-License-Identifier: Apache-2.0
//
// Results of RV32I without shifts, and comparisons for branches; combinational. operation_i is funct3 of the
// instruction: 0 adds, or subtracts with subtract_i, 2 and 3 compare signed and unsigned numbers.
`default_nettype none

module rv32_alu (
  input  wire [2:0]  operation_i,
  input  wire        subtract_i,
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output reg  [31:0] result_o,
  output wire        equal_o,
  output wire        less_o, // of signed numbers
  output wire        below_o // of unsigned numbers
);
  wire [32:0] difference = {1'b0, a_i} - {1'b0, b_i};

  assign equal_o = a_i == b_i;
  assign below_o = difference[32];
  assign less_o = a_i[31] == b_i[31] ? difference[32] : a_i[31];

  always @* begin
    case (operation_i)
      3'd2: result_o = {31'd0, less_o};
      3'd3: result_o = {31'd0, below_o};
      3'd4: result_o = a_i ^ b_i;
      3'd6: result_o = a_i | b_i;
      3'd7: result_o = a_i & b_i;
      default: result_o = subtract_i ? difference[31:0] : a_i + b_i;
    endcase
  end
endmodule

`default_nettype wire
