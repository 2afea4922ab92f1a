// coin COUNT_BITS=7
// The 32 steps of the register as remainders, one step after the other; a comparison instead of a product.
module dut(input clock, input reset, input start_i, input toss_i, input [63:0] stream_i, input [31:0] processor_i,
           input [31:0] slot_i, input [6:0] count_i, output heads_o, output [31:0] value_o);
  function [63:0] stir(input [63:0] x);
    reg [63:0] a, b, c;
    begin
      a = x ^ {30'd0, x[63:30]};
      b = a * 64'hBF58476D1CE4E5B9;
      c = (b ^ {27'd0, b[63:27]}) * 64'h94D049BB133111EB;
      stir = c ^ {31'd0, c[63:31]};
    end
  endfunction
  wire [63:0] mine = stir(stream_i + 64'h9E3779B97F4A7C15 * processor_i);
  wire [63:0] now = stir(mine + 64'h9E3779B97F4A7C15 * {slot_i, 16'd0});
  reg [31:0] v;
  reg [31:0] w;
  integer i;
  always @* begin
    w = v;
    for (i = 0; i < 32; i = i + 1) begin
      if (w[0]) w = (w >> 1) ^ 32'h80200003;
      else w = w >> 1;
    end
  end
  always @(posedge clock)
    if (reset) v <= 1;
    else case ({start_i, toss_i})
      2'b00: ;
      2'b01: v <= w;
      default: v <= now[63:32] == 0 ? 1 : now[63:32];
    endcase
  wire [39:0] product = ({8'd0, v} + 40'd1) * {33'd0, count_i};
  assign heads_o = count_i != 0 && (product[39:32] == 0 || product == 40'h1_0000_0000);
  assign value_o = v;
endmodule
