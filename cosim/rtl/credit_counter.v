// Counter of a sender for the free places at its receiver.
//
// All outputs are registers. take_i takes one credit, give_i returns a number of credits. A
// credit returned in cycle c can be taken in cycle c+1. Taking a missing credit sets underflow_o
// in the next cycle and takes nothing. Returning more credits than are outstanding sets
// overflow_o in the next cycle; the counter does not exceed DEPTH. Reset: DEPTH credits, no
// flag.
// Twin of hw.CreditCounters, for one counter. Names in credit_counter of common_cells: credit_o
// is count_o, credit_give_i is give_i == 1, credit_left_o is count_o != 0.
`default_nettype none

module credit_counter #(
  parameter integer DEPTH = 4 // credits, 1..65535
) (
  input  wire                       clock,
  input  wire                       reset,
  input  wire                       take_i,
  input  wire [$clog2(DEPTH+1)-1:0] give_i,
  output wire [$clog2(DEPTH+1)-1:0] count_o,
  output wire                       underflow_o,
  output wire                       overflow_o
);
  initial if (DEPTH < 1 || DEPTH > 65535) begin
    $display("%m: allowed is DEPTH 1 to 65535");
    $finish;
  end

  localparam integer COUNT_BITS = $clog2(DEPTH + 1);
  localparam [COUNT_BITS-1:0] ALL = DEPTH[COUNT_BITS-1:0];
  localparam [COUNT_BITS-1:0] NONE = 0;

  reg [COUNT_BITS-1:0] count_q;
  reg underflow_q, overflow_q;

  wire [COUNT_BITS-1:0] out = ALL - count_q;
  wire many = give_i > out;
  wire takes = take_i && count_q != NONE;
  wire [COUNT_BITS-1:0] given = many ? out : give_i;
  wire [COUNT_BITS-1:0] taken = takes ? NONE + 1'b1 : NONE;

  always @(posedge clock) begin
    if (reset) begin
      count_q <= ALL;
      underflow_q <= 1'b0;
      overflow_q <= 1'b0;
    end else begin
      count_q <= count_q - taken + given;
      underflow_q <= take_i && !takes;
      overflow_q <= many;
    end
  end

  assign count_o = count_q;
  assign underflow_o = underflow_q;
  assign overflow_o = overflow_q;

`ifndef SYNTHESIS
  always @(posedge clock) begin
    if (!reset && {1'b0, count_q} + {1'b0, out} != {1'b0, ALL}) $fatal(1, "count: %0d credits of %0d", count_q, DEPTH);
  end
`endif
endmodule

`default_nettype wire
