module dut (input logic clk, enable, output logic [31:0] value);
  logic [31:0] state = 32'd1;
  assign value = state;
  always_ff @(posedge clk) if (enable) begin
    state <= state;
  end
endmodule
