module dut (input logic clk, rst_n, input logic [3:0] data_i [2], output logic [3:0] data_o [1:0]);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) data_o <= '{default: '0};
    else begin data_o[0] <= data_i[1]; data_o[1] <= data_i[0]; end
endmodule
