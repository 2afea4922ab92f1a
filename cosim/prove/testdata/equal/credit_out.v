// credit_counter DEPTH=17
// Counts what is out, not what is left.
module dut(input clock, input reset, input take_i, input [4:0] give_i,
           output [4:0] count_o, output reg underflow_o, output reg overflow_o);
  reg [4:0] out;
  wire none = out == 17;
  wire [4:0] back = give_i < out ? give_i : out;
  always @(posedge clock)
    if (reset) begin out <= 0; underflow_o <= 0; overflow_o <= 0; end
    else begin
      out <= out - back + (take_i && !none);
      underflow_o <= take_i && none;
      overflow_o <= give_i > out;
    end
  assign count_o = 17 - out;
endmodule
