module dut (input logic clk, rst_n, input logic [3:0] class_i, input logic [3:0] int_, output logic [3:0] new_o, output logic [3:0] while_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {new_o, while_o} <= '0; else {new_o, while_o} <= {class_i, int_};
endmodule
