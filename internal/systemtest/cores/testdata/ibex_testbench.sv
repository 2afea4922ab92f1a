// SPDX-License-Identifier: Apache-2.0
//
// Ibex with memories that grant a request at once and answer it in the next cycle: instructions always, data as soon as
// ready_i.
`default_nettype none

module ibex_testbench #(
  parameter int RV32M = 2,
  parameter bit WritebackStage = 0,
  parameter bit BranchTargetALU = 0
) (
  input  wire        clock,
  input  wire        reset,
  output reg         fetch_o,
  output reg  [31:0] fetch_address_o,
  input  wire [31:0] fetch_data_i,
  output reg         valid_o,
  input  wire        ready_i,
  output reg  [31:0] address_o,
  output reg         write_o,
  output reg  [3:0]  bytes_o,
  output reg  [31:0] data_o,
  input  wire [31:0] data_i
);
  wire        fetches, requests, writes;
  wire [31:0] fetch_address, address, data;
  wire [3:0]  bytes;
  wire        answers = valid_o & ready_i;
  wire        grants = ~valid_o | answers;

  ibex_top #(
    .RV32M(ibex_pkg::rv32m_e'(RV32M)), .RV32B(ibex_pkg::RV32BNone), .RV32ZC(ibex_pkg::RV32Zca),
    .WritebackStage(WritebackStage), .BranchTargetALU(BranchTargetALU)
  ) core (
    .clk_i(clock), .rst_ni(~reset), .boot_addr_i(32'h7000_0000), .fetch_enable_i(ibex_pkg::IbexMuBiOn),
    .cheriot_enable_i(ibex_pkg::IbexMuBiOff),
    .instr_req_o(fetches), .instr_gnt_i(1'b1), .instr_rvalid_i(fetch_o), .instr_addr_o(fetch_address),
    .instr_rdata_i(fetch_data_i),
    .data_req_o(requests), .data_gnt_i(grants), .data_rvalid_i(answers), .data_we_o(writes), .data_be_o(bytes),
    .data_addr_o(address), .data_wdata_o(data), .data_rdata_i(data_i)
  );

  always_ff @(posedge clock) begin
    fetch_o <= fetches & ~reset;
    fetch_address_o <= fetch_address;
    if (grants | reset) begin
      valid_o <= requests & ~reset;
      address_o <= address;
      write_o <= writes;
      bytes_o <= bytes;
      data_o <= data;
    end
  end
endmodule

// A clock that always runs.
module prim_clock_gating (input wire clk_i, input wire en_i, input wire test_en_i, output wire clk_o);
  assign clk_o = clk_i;
endmodule

`default_nettype wire
