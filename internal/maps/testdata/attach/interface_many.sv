interface interface_many_if;
  logic [3:0] in, out;
  modport device(input in, output out);
endinterface
module dut #(parameter int N = 2) (input logic clk, rst_n, interface_many_if.device rails [N]);
  for (genvar i = 0; i < N; i++) begin : rail
    always_ff @(posedge clk or negedge rst_n)
      if (!rst_n) rails[i].out <= '0;
      else rails[i].out <= rails[i].in;
  end
endmodule
