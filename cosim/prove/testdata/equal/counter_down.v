// counter MAX=9 MODE=1
// Counts what is left to the end.
module dut(input clock, input reset, input up_i, input down_i, output [3:0] count_o, output reg overflow_o, output reg underflow_o);
  reg [3:0] left;
  assign count_o = 4'd9 - left;
  always @(posedge clock)
    if (reset) begin left <= 9; overflow_o <= 0; underflow_o <= 0; end
    else begin
      overflow_o <= up_i && !down_i && left == 0;
      underflow_o <= down_i && !up_i && left == 9;
      case ({up_i, down_i})
        2'b10: left <= left == 0 ? 4'd9 : left - 4'd1;
        2'b01: left <= left == 9 ? 4'd0 : left + 4'd1;
        default: ;
      endcase
    end
endmodule
