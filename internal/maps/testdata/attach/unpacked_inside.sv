module dut (clk, rst_n, two_i, one_o, zero_o);
  typedef struct {logic [3:0] one; logic [3:0] zero;} two_t;
  input logic clk, rst_n;
  input two_t two_i;
  output logic [3:0] one_o, zero_o;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else {one_o, zero_o} <= {two_i.one, two_i.zero};
endmodule
