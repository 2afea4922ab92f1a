// stream_fifo DEPTH=4 WIDTH=8 FALL_THROUGH=1 FULL_THROUGH=1
// Words move down to place 0; what goes out at once is never stored.
module dut(input clock, input reset, input valid_i, input [7:0] data_i, output ready_o, output valid_o, output [7:0] data_o, input ready_i,
           output [2:0] count_o);
  reg [7:0] place [0:3];
  reg [2:0] used;
  assign count_o = used;
  assign valid_o = used != 0 || valid_i;
  assign data_o = used != 0 ? place[0] : valid_i ? data_i : 8'd0;
  assign ready_o = used != 4 || ready_i;
  wire leaves = used != 0 && ready_i;
  wire stays = valid_i && ready_o && !(used == 0 && ready_i);
  wire [2:0] rest = used - leaves;
  integer i;
  always @(posedge clock) begin
    for (i = 0; i < 4; i = i + 1)
      if (stays && rest == i) place[i] <= data_i;
      else if (leaves && i < 3) place[i] <= place[i + 1];
    used <= reset ? 0 : rest + stays;
  end
endmodule
