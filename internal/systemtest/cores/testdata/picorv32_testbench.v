// SPDX-License-Identifier: Apache-2.0
//
// PicoRV32 with separate ports for instructions and data. Memory answers an access in its first cycle, as a memory with
// the look-ahead interface does.
`default_nettype none

module picorv32_testbench (
  input  wire        clock,
  input  wire        reset,
  output wire        fetch_o,
  output wire [31:0] fetch_address_o,
  input  wire [31:0] fetch_data_i,
  output wire        valid_o,
  input  wire        ready_i,
  output wire [31:0] address_o,
  output wire        write_o,
  output wire [3:0]  bytes_o,
  output wire [31:0] data_o,
  input  wire [31:0] data_i
);
  wire       valid, instruction;
  wire [3:0] strobes;

  picorv32 #(
    .COMPRESSED_ISA(1), .ENABLE_MUL(1), .ENABLE_DIV(1), .PROGADDR_RESET(32'h7000_0080)
  ) core (
    .clk(clock), .resetn(~reset), .mem_valid(valid), .mem_instr(instruction), .mem_ready(instruction | ready_i),
    .mem_addr(address_o), .mem_wdata(data_o), .mem_wstrb(strobes), .mem_rdata(instruction ? fetch_data_i : data_i),
    .pcpi_wr(1'b0), .pcpi_rd(32'd0), .pcpi_wait(1'b0), .pcpi_ready(1'b0), .irq(32'd0)
  );

  assign fetch_o = valid & instruction;
  assign fetch_address_o = address_o;
  assign valid_o = valid & ~instruction;
  assign write_o = strobes != 4'd0;
  assign bytes_o = write_o ? strobes : 4'b1111;
endmodule

`default_nettype wire
