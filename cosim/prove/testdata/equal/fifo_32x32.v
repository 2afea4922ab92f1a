// fifo DEPTH=32 WIDTH=32 COUNT_BITS=4
// Pointers have a bit more than they need: full and empty differ in it.
module dut(input clock, input reset, input push_i, input [31:0] data_i, input pop_i,
           output [31:0] head_o, output [5:0] count_o, output reg overflow_o, output reg [3:0] overflows_o);
  reg [31:0] ram [0:31];
  reg [5:0] wr, rd;
  wire empty = wr == rd;
  wire full = wr[5] != rd[5] && wr[4:0] == rd[4:0];
  wire take = pop_i && !empty;
  wire put = push_i && !(full && !take);
  always @(posedge clock)
    if (reset) begin
      wr <= 0;
      rd <= 0;
      overflow_o <= 0;
      overflows_o <= 0;
    end else begin
      if (put) begin
        ram[wr[4:0]] <= data_i;
        wr <= wr + 1'b1;
      end
      if (take) rd <= rd + 1'b1;
      overflow_o <= push_i && !put;
      if (push_i && !put && ~&overflows_o) overflows_o <= overflows_o + 1'b1;
    end
  assign count_o = wr - rd;
  assign head_o = {32{~empty}} & ram[rd[4:0]];
endmodule
