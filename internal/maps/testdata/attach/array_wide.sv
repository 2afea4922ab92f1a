module dut (input logic clk, rst_n, input logic [2:0] data_i [40], output logic [2:0] data_o [40]);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) data_o <= '{default: '0};
    else data_o <= data_i;
endmodule
