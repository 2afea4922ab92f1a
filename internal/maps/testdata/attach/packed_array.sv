module dut (input logic clk, rst_n, input logic [1:0][3:0] in, output logic [3:0][1:0] out);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) out <= '0; else out <= in;
endmodule
