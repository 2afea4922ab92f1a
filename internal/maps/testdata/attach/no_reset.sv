module dut (input logic clk, input logic [3:0] one_i, zero_i, output logic [3:0] one_o, zero_o);
  logic [7:0] chain [3];
  assign {one_o, zero_o} = chain[2];
  always_ff @(posedge clk) begin
    chain[0] <= {one_i, zero_i};
    chain[1] <= chain[0];
    chain[2] <= chain[1];
  end
endmodule
