// SPDX-License-Identifier: Apache-2.0
//
// The core with its bus, its registers and the end of each instruction as ports.
`default_nettype none

module rv32_testbench (
  input  wire         clock,
  input  wire         reset,
  /* verilator lint_off UNUSEDSIGNAL */
  input  wire [4:0]   mutant_i, // selects an error in mutated files
  /* verilator lint_on UNUSEDSIGNAL */
  output wire         valid_o,
  input  wire         ready_i,
  input  wire         error_i,
  output wire         fetch_o,
  output wire [31:0]  address_o,
  output wire         write_o,
  output wire [3:0]   bytes_o,
  output wire [31:0]  data_o,
  input  wire [31:0]  data_i,
  output wire         waits_o,
  input  wire         wake_i,
  output wire         trap_o,
  output reg          retired_o, // an instruction ended in the previous cycle
  output wire [31:0]  pc_o,
  output wire [991:0] registers_o // x1 to x31
);
  wire retires;

  rv32_multicycle core (
    .clock(clock), .reset(reset), .valid_o(valid_o), .ready_i(ready_i), .error_i(error_i), .fetch_o(fetch_o),
    .address_o(address_o), .write_o(write_o), .bytes_o(bytes_o), .data_o(data_o), .data_i(data_i), .waits_o(waits_o),
    .wake_i(wake_i), .trap_o(trap_o), .retires_o(retires)
  );

  assign pc_o = core.pc_q;
  always @(posedge clock) retired_o <= retires & ~reset;

  genvar n;
  generate
    for (n = 1; n < 32; n = n + 1) begin : register
      assign registers_o[32*n-1 -: 32] = core.registers_q[n];
    end
  endgenerate
endmodule

`default_nettype wire
