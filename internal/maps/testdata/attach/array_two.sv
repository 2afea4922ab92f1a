module dut (input logic clk, rst_n, input logic data_i [4:5][0:3], output logic [1:0] data_o [2][2]);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) for (int i = 0; i < 4; i++) data_o[i / 2][i % 2] <= '0;
    else begin
      data_o[0][0] <= {data_i[4][1], data_i[4][0]};
      data_o[0][1] <= {data_i[4][3], data_i[4][2]};
      data_o[1][0] <= {data_i[5][1], data_i[5][0]};
      data_o[1][1] <= {data_i[5][3], data_i[5][2]};
    end
endmodule
