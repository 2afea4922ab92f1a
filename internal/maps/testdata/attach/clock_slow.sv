module dut (input logic clk, slow, rst_n, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  logic [7:0] fast_count, slow_count;
  always_ff @(posedge clk) if (!rst_n) fast_count <= '0; else fast_count <= fast_count + 1'b1;
  always_ff @(posedge slow) if (!rst_n) slow_count <= '0; else slow_count <= slow_count + 1'b1;
  always_ff @(posedge clk) if (!rst_n) {one_o, zero_o} <= '0; else {one_o, zero_o} <= {one_i, zero_i};
  wire [7:0] drift = fast_count - {slow_count[5:0], 2'b00} + 8'd8;
  always @(posedge clk) if (rst_n && drift >= 8'd16) $fatal(1, "the clocks drift: %0d %0d", fast_count, slow_count);
endmodule
