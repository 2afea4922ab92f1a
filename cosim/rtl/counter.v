// Counter from 0 to MAX, up and down.
//
// The effect of up_i or down_i in cycle c is visible in cycle c+1; both together have no effect. MODE 0: the counter stays at 0 and at
// MAX. MODE 1: 0 follows MAX, and MAX precedes 0. In both modes, a step beyond an end is flagged in the next cycle. Reset: 0, no flag.
// Twin of package twin's counter.
`default_nettype none

module counter #(
  parameter integer MAX = 9, // 1..65535
  parameter integer MODE = 0 // 0 saturates, 1 wraps
) (
  input  wire                     clock,
  input  wire                     reset,
  input  wire                     up_i,
  input  wire                     down_i,
  output wire [$clog2(MAX+1)-1:0] count_o,
  output reg                      overflow_o,
  output reg                      underflow_o
);
  initial if (MAX < 1 || MAX > 65535 || MODE < 0 || MODE > 1) begin
    $display("%m: allowed are MAX 1 to 65535, MODE 0 or 1");
    $finish;
  end

  localparam integer BITS = $clog2(MAX + 1);
  localparam [BITS-1:0] ALL = MAX[BITS-1:0];
  localparam [BITS-1:0] NONE = 0;

  reg [BITS-1:0] count_q;
  wire up = up_i && !down_i;
  wire down = down_i && !up_i;

  always @(posedge clock) begin
    if (reset) begin
      count_q <= NONE;
      overflow_o <= 1'b0;
      underflow_o <= 1'b0;
    end else begin
      overflow_o <= up && count_q == ALL;
      underflow_o <= down && count_q == NONE;
      if (down) count_q <= count_q == NONE ? (MODE == 1 ? ALL : NONE) : count_q - 1'b1;
      else if (up_i && !down_i) count_q <= count_o == ALL ? (MODE == 1 ? NONE : ALL) : count_q + 1'b1;
    end
  end

  assign count_o = count_q;

`ifndef SYNTHESIS
  wire [BITS-1:0] left = ALL - count_q;
  always @(posedge clock) begin
    if (!reset && {1'b0, count_q} + {1'b0, left} != {1'b0, ALL}) $fatal(1, "range: counts %0d of %0d", count_q, MAX);
  end
`endif
endmodule

`default_nettype wire
