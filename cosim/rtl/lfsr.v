// 32-bit linear feedback shift register, the random register of a NIC.
//
// Galois form of x^32 + x^22 + x^2 + x + 1, period 2^32-1. With enable_i the register shifts one place towards bit 0;
// if the bit shifted out is a one, the taps are inverted. One step per cycle, visible in the next cycle. Reset: SEED,
// which must not be 0.
// Twin of hw.LFSRs, for one register.
`default_nettype none

module lfsr #(
  parameter [31:0] SEED = 32'd1
) (
  input  wire        clock,
  input  wire        reset,
  input  wire        enable_i,
  output wire [31:0] value_o
);
  initial if (SEED == 32'd0) begin
    $display("%m: SEED 0, from which the register never moves");
    $finish;
  end

  localparam [31:0] POLYNOMIAL = 32'h80200003;

  reg [31:0] value_q;

  always @(posedge clock) begin
    if (reset) value_q <= SEED;
    else if (enable_i) value_q <= {1'b0, value_q[31:1]} ^ (value_q[0] ? POLYNOMIAL : 32'd0);
  end

  assign value_o = value_q;

`ifndef SYNTHESIS
  always @(posedge clock) if (!reset && value_q == 32'd0) $fatal(1, "stuck: the register is 0");
`endif
endmodule

`default_nettype wire
