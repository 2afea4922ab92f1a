// An arbiter of time slices that holds, with one mistake; Bug 0 has none.
//   1  the turn goes on to numbers that no port has
module slices #(
  parameter int unsigned Ports = 4,
  parameter int unsigned Slice = 4,
  parameter int unsigned Bug = 0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic [Ports-1:0] req_i,
  output logic [Ports-1:0] gnt_o
);
  localparam int unsigned Last = Bug == 1 ? (1 << $clog2(Ports)) - 1 : Ports - 1;
  int unsigned turn, elapsed;
  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin
      turn <= 0;
      elapsed <= 0;
      gnt_o <= '0;
    end else begin
      elapsed <= elapsed == Slice - 1 ? 0 : elapsed + 1;
      if (elapsed == Slice - 1) turn <= turn == Last ? 0 : turn + 1;
      if (~|(gnt_o & req_i)) gnt_o <= req_i & Ports'(64'd1 << turn);
    end
endmodule
