module dut #(parameter type data_t = logic, parameter int unsigned Depth = 2) (input logic clk, rst_n, input data_t one_i, zero_i, output data_t one_o, zero_o);
  data_t [Depth-1:0] one_q, zero_q;
  assign one_o = one_q[Depth-1];
  assign zero_o = zero_q[Depth-1];
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_q, zero_q} <= '0;
    else begin
      one_q <= (one_q << $bits(data_t)) | one_i;
      zero_q <= (zero_q << $bits(data_t)) | zero_i;
    end
endmodule
