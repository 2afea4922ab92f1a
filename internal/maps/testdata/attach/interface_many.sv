interface interface_many_if;
  logic [3:0] in, out;
  modport device(input in, output out);
endinterface
module dut (input logic clk, rst_n, interface_many_if.device rails [2]);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin rails[0].out <= '0; rails[1].out <= '0; end
    else begin rails[0].out <= rails[0].in; rails[1].out <= rails[1].in; end
endmodule
