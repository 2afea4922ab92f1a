module dut (input logic clk, clk2x, rst_n, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  logic [7:0] first, second;
  logic odd;
  always_ff @(posedge clk2x) if (!rst_n) odd <= 1'b0; else odd <= ~odd;
  always_ff @(posedge clk2x) if (!rst_n) {first, second} <= '0; else begin first <= {one_i, zero_i}; second <= first; end
  assign {one_o, zero_o} = second;
endmodule
