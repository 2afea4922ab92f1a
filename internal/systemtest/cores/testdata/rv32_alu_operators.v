// SPDX-License-Identifier: Apache-2.0
//
// The ALU by the operators of Verilog.
`default_nettype none

module rv32_alu_operators (
  input  wire [2:0]  operation_i,
  input  wire        subtract_i,
  input  wire [31:0] a_i,
  input  wire [31:0] b_i,
  output reg  [31:0] result_o,
  output wire        equal_o,
  output wire        less_o,
  output wire        below_o
);
  assign equal_o = a_i == b_i;
  assign less_o = $signed(a_i) < $signed(b_i);
  assign below_o = a_i < b_i;

  always @* case (operation_i)
    2: result_o = $signed(a_i) < $signed(b_i) ? 1 : 0;
    3: result_o = a_i < b_i ? 1 : 0;
    4: result_o = a_i ^ b_i;
    6: result_o = a_i | b_i;
    7: result_o = a_i & b_i;
    default: result_o = subtract_i ? a_i - b_i : a_i + b_i;
  endcase
endmodule

`default_nettype wire
