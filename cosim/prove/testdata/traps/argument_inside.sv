// delay_line WIDTH=16 CYCLES=1 RESET=1
// An inout argument is a copy (IEEE 1800-2017 13.5.1): what the task sees outside has not changed yet.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  logic [3:0] u, seen;
  task automatic step(inout logic [3:0] x); x = x ^ 4'd1; look(); endtask
  task automatic look(); seen = u; endtask
  always_comb begin
    u = data_i[3:0];
    seen = data_i[3:0] ^ 4'd1;
    if (data_i[15:4] == 12'hace) step(u);
  end
  always @(posedge clock) begin data_o <= reset ? 16'd0 : {data_i[15:4], seen ^ 4'd1}; filled_o <= !reset; end
endmodule
