// delay_line WIDTH=16 CYCLES=1 RESET=1
// Arguments of a task are copied in and out (IEEE 1800-2017 13.5.1): step(u, u) adds 1. Verilator has one variable, to which 2 are added.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  logic [3:0] u;
  task automatic step(inout logic [3:0] x, inout logic [3:0] y);
    x = x + 4'd1;
    y = y + 4'd1;
  endtask
  always_comb begin
    u = data_i[3:0];
    if (data_i == 16'hbeef) begin
      step(u, u);      // f -> 0
      u = u - 4'd2;    // 0 -> e. With 2 added it would be f again
    end
  end
  always @(posedge clock) begin data_o <= reset ? 16'd0 : {data_i[15:4], u}; filled_o <= !reset; end
endmodule
