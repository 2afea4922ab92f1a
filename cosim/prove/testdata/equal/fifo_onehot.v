// fifo DEPTH=3 WIDTH=5 COUNT_BITS=3
// Pointers are one-hot and go round.
module dut(input clock, input reset, input push_i, input [4:0] data_i, input pop_i,
           output reg [4:0] head_o, output reg [1:0] count_o, output reg overflow_o, output reg [2:0] overflows_o);
  reg [4:0] w0, w1, w2;
  reg [2:0] wr, rd;
  wire take = pop_i && |count_o;
  wire put = push_i && (count_o != 2'd3 || take);
  always @* begin
    head_o = ({5{rd[0]}} & w0) | ({5{rd[1]}} & w1) | ({5{rd[2]}} & w2);
    if (count_o == 0) head_o = 0;
  end
  always @(posedge clock) begin
    if (put && wr[0]) w0 <= data_i;
    if (put && wr[1]) w1 <= data_i;
    if (put && wr[2]) w2 <= data_i;
    if (reset) begin
      wr <= 3'b001; rd <= 3'b001; count_o <= 0; overflow_o <= 0; overflows_o <= 0;
    end else begin
      if (put) wr <= {wr[1:0], wr[2]};
      if (take) rd <= {rd[1:0], rd[2]};
      case ({put, take})
        2'b10: count_o <= count_o + 1;
        2'b01: count_o <= count_o - 1;
        default: ;
      endcase
      overflow_o <= push_i & ~put;
      overflows_o <= overflows_o + ((push_i & ~put) && overflows_o < 7 ? 3'd1 : 3'd0);
    end
  end
endmodule
