package interface_array_pkg;
  typedef struct packed {logic [1:0] a, b;} two_t;
endpackage
interface interface_array_if;
  interface_array_pkg::two_t lanes [2];
  logic [3:0] out [2];
  modport device(input lanes, output out);
endinterface
module dut (
    input logic clk, rst_n,
    interface_array_if.device
        bus // the bus
);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) begin bus.out[0] <= '0; bus.out[1] <= '0; end
    else begin bus.out[0] <= bus.lanes[0]; bus.out[1] <= bus.lanes[1]; end
endmodule
