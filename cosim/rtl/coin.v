// Coin of an input of a medium without an arbiter. The probability of heads is 1/count_i.
//
// start_i loads the register with 32 bits, a function of stream, processor and slot; 1 replaces 0. Firmware with its
// own stream gets the same bits from its first draw in a slot. heads_o is combinational: (value + 1) * count <= 2^32,
// which is equivalent to value < floor(2^32 / count), and 0 if count is 0. toss_i advances the register by 32 steps
// of the 32-bit LFSR of lfsr.v. Reset: value 1.
// Twin of hw.Coins, for one coin.
`default_nettype none

module coin #(
  parameter integer COUNT_BITS = 7 // 1..32
) (
  input  wire clock,
  input  wire reset,
  input  wire start_i,
  input  wire toss_i,
  input  wire [63:0] stream_i,
  input  wire [31:0] processor_i,
  input  wire [31:0] slot_i,
  input  wire [COUNT_BITS-1:0] count_i,
  output wire heads_o,
  output wire [31:0] value_o
);
  initial if (COUNT_BITS < 1 || COUNT_BITS > 32) begin
    $display("%m: allowed are COUNT_BITS 1 to 32");
    $finish;
  end

  localparam [63:0] GAMMA = 64'h9E3779B97F4A7C15;
  localparam [31:0] POLYNOMIAL = 32'h80200003;

  // The finaliser of splitmix64.
  function [63:0] mix(input [63:0] x);
    reg [63:0] y;
    begin
      y = (x ^ (x >> 30)) * 64'hBF58476D1CE4E5B9;
      y = (y ^ (y >> 27)) * 64'h94D049BB133111EB;
      mix = y ^ (y >> 31);
    end
  endfunction

  function [31:0] stepped(input [31:0] value);
    integer i;
    begin
      stepped = value;
      for (i = 0; i < 32; i = i + 1) stepped = {1'b0, stepped[31:1]} ^ (stepped[0] ? POLYNOMIAL : 32'd0);
    end
  endfunction

  wire [63:0] own = mix(stream_i + GAMMA * {32'd0, processor_i});
  wire [63:0] drawn = mix(own + GAMMA * {16'd0, slot_i, 16'd0});

  reg [31:0] value_q;
  always @(posedge clock) begin
    if (reset) value_q <= 32'd1;
    else if (start_i) value_q <= drawn < 64'h1_0000_0000 ? 32'd1 : drawn[63:32];
    else if (toss_i) value_q <= stepped(value_q);
  end

  wire [64:0] product = ({33'd0, value_q} + 65'd1) * {{65 - COUNT_BITS{1'b0}}, count_i};
  assign heads_o = |count_i && product <= 65'h1_0000_0000;
  assign value_o = value_q;

`ifndef SYNTHESIS
  always @(posedge clock) if (!reset && value_q == 32'd0) $fatal(1, "stuck: the register is 0");
`endif
endmodule

`default_nettype wire
