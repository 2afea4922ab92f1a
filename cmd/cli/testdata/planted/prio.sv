// An arbiter of fixed priority that holds, with one mistake; Bug 0 has none.
//   1  16,383 cycles after a reset the highest request is granted
//   2  port 31 loses its grant when all others ask
module prio #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_i,
  input  logic [Ports-1:0] req_i,
  output logic [Ports-1:0] gnt_o,
  output logic [5:0] idx_o
);
  logic [13:0] age;
  logic [Ports-1:0] lowest, highest;
  always_comb begin
    lowest = req_i & (~req_i + 1);
    highest = '0;
    for (int i = 0; i < Ports; i++) if (req_i[i]) highest = Ports'(1) << i;
    idx_o = 0;
    for (int i = 0; i < Ports; i++) if (gnt_o[i]) idx_o = 6'(i);
  end
  always_ff @(posedge clk_i) begin
    age <= rst_i ? 14'd0 : age + 14'd1;
    if (rst_i) gnt_o <= '0;
    else if (~|(gnt_o & req_i) || Bug == 2 && gnt_o[31 % Ports] && &req_i) gnt_o <= Bug == 1 && &age ? highest : lowest;
  end
endmodule
