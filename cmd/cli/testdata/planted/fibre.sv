// A link of several stages, with one mistake; Bug 0 has none.
//   1  500 cycles after a reset a phit is lost
//   2  the first phit after 64 dark cycles comes a cycle late
//   3  bit 4 of stage 3 is not reset
module fibre #(
  parameter int unsigned Bits = 8,
  parameter int unsigned Stages = 3,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [2*Bits-1:0] near_i,
  output logic [2*Bits-1:0] far_o
);
  logic [2*Bits-1:0] stage [Stages];
  logic [2*Bits-1:0] woken;
  logic [8:0] age;
  logic [6:0] dark;
  wire sleeps = Bug == 2 && dark[6];
  always_ff @(posedge clk_i) begin
    age <= !rst_ni ? 9'd0 : age == 9'd501 ? age : age + 9'd1;
    dark <= !rst_ni || near_i != 0 ? 7'd0 : dark[6] ? dark : dark + 7'd1;
    woken <= rst_ni && sleeps ? near_i : '0;
    for (int i = 0; i < Stages; i++) begin
      if (i == 0) stage[i] <= Bug == 1 && age == 9'd500 || sleeps ? '0 : near_i | woken;
      else stage[i] <= stage[i-1];
      if (!rst_ni) begin
        stage[i] <= '0;
        if (Bug == 3 && i == 3) stage[i][4] <= stage[i-1][4];
      end
    end
  end
  assign far_o = stage[Stages-1];
endmodule
