interface interface_plain_if;
  logic [3:0] one, zero;
  modport device(input one, zero);
endinterface
module dut (input logic clk, rst_n, interface_plain_if bus, output logic [3:0] one_o, zero_o);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) {one_o, zero_o} <= '0;
    else {one_o, zero_o} <= {bus.one, bus.zero};
endmodule
