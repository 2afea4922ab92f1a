// A counter of credits, with one mistake; Bug 0 has none.
//   1  one credit too many is counted and not flagged, when several are out and one is taken
//   2  a credit that is not there is taken: the counter wraps
//   3  none is left: what is given can be taken in the same cycle
//   4  as 2
module credits #(
  parameter int unsigned Credits = 4,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic take_i,
  input  logic [$clog2(Credits+1)-1:0] give_i,
  output logic [$clog2(Credits+1)-1:0] left_o,
  output logic none_o,
  output logic many_o
);
  localparam int unsigned Bits = $clog2(Credits + 1);
  wire [Bits:0] out = (Bits+1)'(Credits) - {1'b0, left_o};
  wire slip = Bug == 1 && take_i && out > 1 && {1'b0, give_i} == out + 1;
  wire many = {1'b0, give_i} > out;
  wire takes = take_i && (left_o != 0 || (Bug == 2 || Bug == 4) || Bug == 3 && give_i != 0);
  wire [Bits-1:0] given = many ? out[Bits-1:0] + Bits'(slip) : give_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_o <= Bits'(Credits);
      none_o <= 0;
      many_o <= 0;
    end else begin
      left_o <= left_o + given - Bits'(takes);
      none_o <= take_i && !takes;
      many_o <= many && !slip;
    end
  end
endmodule
