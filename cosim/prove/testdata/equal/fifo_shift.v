// fifo DEPTH=4 WIDTH=8 COUNT_BITS=4
// Words move down to place 0 with every pop.
module dut(input clock, input reset, input push_i, input [7:0] data_i, input pop_i,
           output [7:0] head_o, output [2:0] count_o, output reg overflow_o, output reg [3:0] overflows_o);
  reg [7:0] place [0:3];
  reg [3:0] used; // a bit for each place, from below
  wire pops = pop_i & used[0];
  wire [3:0] left = pops ? used >> 1 : used;
  wire fits = push_i & ~left[3];
  wire [3:0] slot = left + 1'b1; // one-hot: the lowest free place
  integer i;
  always @(posedge clock) begin
    for (i = 0; i < 4; i = i + 1) begin
      if (fits && slot[i]) place[i] <= data_i;
      else if (pops && i < 3) place[i] <= place[i + 1];
    end
    used <= reset ? 4'd0 : fits ? {left[2:0], 1'b1} : left;
    overflow_o <= ~reset & push_i & ~fits;
    if (reset) overflows_o <= 0;
    else if (push_i && !fits && overflows_o != 4'hf) overflows_o <= overflows_o + 4'd1;
  end
  assign head_o = used[0] ? place[0] : 8'd0;
  assign count_o = used[3] ? 3'd4 : used[2] ? 3'd3 : used[1] ? 3'd2 : {2'b00, used[0]};
endmodule
