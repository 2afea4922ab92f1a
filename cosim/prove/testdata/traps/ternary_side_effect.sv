// delay_line WIDTH=16 CYCLES=1 RESET=1
// Of ?: the operand that is not chosen is not evaluated (IEEE 1800-2017 11.4.11): up is not called. Verilator calls it before.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  logic [3:0] g, r;
  function automatic logic [3:0] up(input logic [3:0] x); g = g + 4'd1; up = x; endfunction
  always_comb begin
    g = data_i[3:0];
    r = 4'd0;
    if (data_i == 16'hbeef) begin
      r = data_i[0] ? 4'd1 : up(4'd1); // g stays f
      g = g - 4'd1;                    // f -> e. Had up been called it would be f
    end
  end
  always @(posedge clock) begin data_o <= reset ? 16'd0 : {data_i[15:4], g}; filled_o <= !reset; end
endmodule
