module dut (input logic clk, rst_n, input logic take, give, output logic [2:0] left, output logic under, over);
  wire taken = take && left != 0, given = give && left != 4;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin left <= 3'd4; under <= 1'b0; over <= 1'b0; end
    else begin
      left <= left + 3'(given) - 3'(taken);
      under <= take && left == 0;
      over <= give && left == 4;
    end
endmodule
