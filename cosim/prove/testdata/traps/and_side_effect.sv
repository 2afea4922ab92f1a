// delay_line WIDTH=16 CYCLES=1 RESET=1
// && stops early (IEEE 1800-2017 11.4.7): up is not called. Verilator calls it before, and Icarus 11 does so, too.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  logic [3:0] g;
  logic c;
  function automatic logic up(input logic x); g = g + 4'd1; up = x; endfunction
  always_comb begin
    g = data_i[3:0];
    c = 1'b0;
    if (data_i == 16'hbeef) begin
      c = !data_i[0] && up(1'b1); // not called
      g = g - 4'd1;               // e
    end
  end
  always @(posedge clock) begin data_o <= reset ? 16'd0 : {data_i[15:4], g}; filled_o <= !reset; end
endmodule
