// credit_counter DEPTH=1000
// Counts what is out, not what is left.
module dut(input clock, input reset, input take_i, input [9:0] give_i,
           output [9:0] count_o, output reg underflow_o, output reg overflow_o);
  reg [9:0] out;
  wire none = out == 1000;
  wire [9:0] back = give_i < out ? give_i : out;
  always @(posedge clock)
    if (reset) begin out <= 0; underflow_o <= 0; overflow_o <= 0; end
    else begin
      out <= out - back + (take_i && !none);
      underflow_o <= take_i && none;
      overflow_o <= give_i > out;
    end
  assign count_o = 1000 - out;
endmodule
