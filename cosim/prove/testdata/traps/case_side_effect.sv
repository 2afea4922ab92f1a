// delay_line WIDTH=16 CYCLES=1 RESET=1
// The value of a case is computed once (IEEE 1800-2017 12.5). Verilator calls up for each comparison.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  logic [3:0] g;
  function automatic logic [1:0] up(input logic [1:0] x); g = g + 4'd1; up = x; endfunction
  always_comb begin
    g = data_i[3:0];
    if (data_i[15:4] == 12'h5a5) begin
      case (up(data_i[1:0]))
        0: g = g + 4'd1;
        1: g = g + 4'd1;
        2: g = g + 4'd1;
        default: g = g + 4'd1;
      endcase
      g = g - 4'd5;
    end
  end
  always @(posedge clock) begin data_o <= reset ? 16'd0 : {data_i[15:4], g}; filled_o <= !reset; end
endmodule
