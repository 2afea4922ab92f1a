// An arbiter that serves who waits longest, and holds, with one mistake; Bug 0 has none.
//   1  who of 2 and 5 goes first is not reset
module lru #(
  parameter int unsigned N = 4,
  parameter int unsigned Bug = 0
) (
  input  logic clk,
  input  logic rst,
  input  logic [N-1:0] request,
  output logic [N-1:0] grant
);
  logic [N-1:0] ahead [N]; // ahead[i][j]: i goes before j
  logic [N-1:0] winner;
  always_comb
    for (int i = 0; i < N; i++) begin
      winner[i] = request[i];
      for (int j = 0; j < N; j++) if (j != i && request[j] && !ahead[i][j]) winner[i] = 1'b0;
    end
  always_ff @(posedge clk) begin
    if (rst) begin
      grant <= '0;
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          if (Bug != 1 || !(i == 2 && j == 5 || i == 5 && j == 2)) ahead[i][j] <= i < j;
    end else if (~|(grant & request)) begin
      grant <= winner;
      for (int i = 0; i < N; i++)
        if (winner[i])
          for (int j = 0; j < N; j++) begin
            ahead[i][j] <= 1'b0;
            ahead[j][i] <= j != i;
          end
    end
  end
endmodule
