// delay_line WIDTH=16 CYCLES=1 RESET=1
// One of both calls is made. Verilator makes ?: of if and else that assign to one variable, and calls up twice.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  logic [3:0] g, r;
  function automatic logic [3:0] up(input logic [3:0] x); g = g + 4'd1; up = x; endfunction
  always_comb begin
    g = data_i[3:0];
    r = 4'd0;
    if (data_i == 16'hbeef) begin
      if (data_i[0]) r = up(4'd1);
      else r = up(4'd2);
      g = g - 4'd2; // e. With both calls it would be f again
    end
  end
  always @(posedge clock) begin data_o <= reset ? 16'd0 : {data_i[15:4], g}; filled_o <= !reset; end
endmodule
