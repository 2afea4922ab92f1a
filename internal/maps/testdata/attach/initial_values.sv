module dut (input logic clk, enable, output logic [31:0] value);
  logic [31:0] state = 32'd1;
  assign value = state;
  always_ff @(posedge clk) if (enable) state <= {1'b0, state[31:1]} ^ (state[0] ? 32'h80200003 : 32'd0);
endmodule
