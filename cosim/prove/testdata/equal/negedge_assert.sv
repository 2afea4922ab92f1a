// delay_line WIDTH=2 CYCLES=1 RESET=1
// assume: data_i != 3
// What neighbours may send is checked on the falling edge.
module dut(input clock, input reset, input [1:0] data_i, output logic [1:0] data_o, output reg filled_o);
  always_ff @(posedge clock) begin
    data_o <= reset ? 0 : data_i;
    filled_o <= !reset;
  end
  always_ff @(negedge clock) if (!reset) assert (data_o != 2'd3) else $error("never both");
endmodule
