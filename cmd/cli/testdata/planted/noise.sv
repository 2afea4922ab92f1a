// A shift register with feedback, x^32 + x^22 + x^2 + x + 1, with one mistake; Bug 0 has none.
//   1  another polynomial
//   2  it stays at the value Late
//   3  it does not pause at the value Late
module noise #(
  parameter bit [31:0] Start = 1,
  parameter bit [31:0] Late = 0,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic step_i,
  output logic [31:0] q_o
);
  localparam bit [31:0] Taps = Bug == 1 ? 32'h80400003 : 32'h80200003;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) q_o <= Start;
    else if (step_i && !(Bug == 2 && q_o == Late) || Bug == 3 && q_o == Late) q_o <= (q_o >> 1) ^ (q_o[0] ? Taps : '0);
endmodule
