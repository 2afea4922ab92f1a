// delay_line WIDTH=16 CYCLES=2 RESET=1
// A variable of a function that is not automatic keeps its value (IEEE 1800-2017 13.3.1): from the call of one branch to that of the other.
// With a variable for each call random inputs would refute RTL that is right.
module dut(input clock, input reset, input [15:0] data_i, output reg [15:0] data_o, output reg filled_o);
  function [15:0] keep(input [15:0] x); reg [15:0] n; begin keep = n; n = x; end endfunction
  reg once;
  always @(posedge clock) begin
    once <= !reset;
    if (reset) data_o <= keep(16'd0) & 16'd0; else data_o <= keep(data_i);
    filled_o <= once && !reset;
  end
endmodule
