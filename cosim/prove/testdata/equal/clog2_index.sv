// delay_line WIDTH=1 CYCLES=1 RESET=1
// The top bit of a counter of $clog2(D)+1 bits, by an index that is $clog2 itself.
module dut #(parameter D = 4) (input clock, input reset, input data_i, output data_o, output reg filled_o);
  logic [$clog2(D):0] p;
  always_ff @(posedge clock) begin
    p <= reset ? '0 : {data_i, {$clog2(D){1'b0}}};
    filled_o <= !reset;
  end
  assign data_o = p[$clog2(D)];
endmodule
